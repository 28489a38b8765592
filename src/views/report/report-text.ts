/** A report as text for people: a line about the runs, then the tables that are not empty. */
import type { LimitReached } from '../../runtime/record/record-facts.js';
import { countOf, dollars, duration, limitDuration, localTime } from '../drawing/amounts.js';
import type { Paint } from '../drawing/paint.js';
import { cut, visibleLine } from '../drawing/visible-text.js';
import { statusPaint } from '../run-list.js';
import { stepColumns } from '../steps/step-table.js';
import type { DeniedRow, PipeRow, Report, ReportedDamage, ReportedRun, StateRow, ToolRow, WaitRow } from './report.js';
import { costCell, type Described, numbers, spendingWords, table, times } from './report-table.js';
import type { RollbackRow, UndoneRow, UndoReport } from './undo-rows.js';

const LONGEST_TEXT = 120;

export function drawReport(report: Report, paint: Paint): string {
  const { states, steps, tools, pipes, denied, waits, limits, events } = report;
  const agents = tools.filter(({ spent }) => spent !== undefined);
  const machines = new Set(states.map(({ machine }) => machine));
  const blocks = [
    heading(report, paint),
    report.runs.length > 1 ? table(RUN_COLUMNS, report.runs, paint) : [],
    table(stateColumns(machines.size > 1), statesWorthATable(report), paint),
    table(stepColumns(steps), steps, paint),
    table(
      tools.some(({ remembered }) => remembered !== undefined) ? [...TOOL_COLUMNS, REMEMBERED] : TOOL_COLUMNS,
      tools,
      paint,
    ),
    table(AGENT_COLUMNS, agents, paint),
    table(PIPE_COLUMNS, pipes, paint),
    table(DENIED_COLUMNS, denied, paint),
    table(WAIT_COLUMNS, waits, paint),
    ...undoBlocks(report, report.runs.length > 1, paint),
    table(EVENT_COLUMNS, events, paint),
    limits.map((limit) => paint.error(limitWords(limit, report.runs.length > 1 ? limit.run_id : null))),
    report.runs.flatMap(({ run_id, damage }) => (damage === undefined ? [] : [damageLine(run_id, damage, paint)])),
  ];
  const drawn = blocks.filter((lines) => lines.length > 0).map((lines) => `${lines.join('\n')}\n`);
  return drawn.join('\n');
}

function damageLine(runId: string, { message, seq }: ReportedDamage, paint: Paint): string {
  const counted = seq === undefined ? 'is not counted' : `is counted only up to event ${seq - 1}`;
  return `${paint.warning('damaged')}: run ${runId} ${counted}: ${visibleLine(message)}`;
}

/** A workflow has a single internal state, which is not worth a row. */
function statesWorthATable({ states, steps }: Report): readonly StateRow[] {
  const stateless = new Set(steps.map(({ machine }) => machine));
  return states.filter(({ machine, state }) => state !== 'MAIN' || !stateless.has(machine));
}

const RUN_COLUMNS: readonly Described<ReportedRun>[] = [
  { title: 'RUN', cell: ({ run_id }) => run_id },
  { title: 'MACHINE', cell: ({ machine }) => visibleLine(machine) },
  { title: 'STATUS', cell: ({ status }, paint) => ({ text: status, paint: statusPaint(status, paint) }) },
  { title: 'COST', right: true, cell: costCell },
  numbers('TOKENS', ({ tokens }) => tokens.in + tokens.out),
  numbers('RETRIES', ({ retries }) => retries),
  times('TIME', ({ duration_ms }) => duration_ms),
];

function heading(report: Report, paint: Paint): string[] {
  const { runs, duration_ms, effects, retries, failed } = report;
  const parts = [
    duration(duration_ms),
    countOf(effects, 'effect'),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(retries > 0 ? [`${retries} retried`] : []),
    spendingWords(report),
  ];
  return [runs.length === 1 ? runLine(report, paint) : runsLine(report, paint), parts.join(', ')];
}

function runLine({ runs }: Report, paint: Paint): string {
  const run = runs[0] as Report['runs'][number];
  const copy = run.copy_of === undefined ? '' : `, a copy of ${run.copy_of}`;
  const branch = run.branch === undefined ? '' : `, on branch ${visibleLine(run.branch)}`;
  const status = statusPaint(run.status, paint)(run.status);
  return `${status}  run ${run.run_id}  ${visibleLine(run.machine)}, ${localTime(run.started_at)}${copy}${branch}`;
}

function runsLine({ runs }: Report, paint: Paint): string {
  const counts = new Map<string, number>();
  for (const { status } of runs) counts.set(status, (counts.get(status) ?? 0) + 1);
  const parts = [...counts].map(([status, count]) => `${count} ${statusPaint(status, paint)(status)}`);
  const times = runs.map(({ started_at }) => started_at).sort();
  const since = localTime(times[0] ?? '');
  return `${countOf(runs.length, 'run')} since ${since}: ${parts.join(', ')}`;
}

function stateColumns(several: boolean): Described<StateRow>[] {
  return [
    { title: 'STATE', cell: ({ state }, paint) => ({ text: visibleLine(state), paint: paint.state }) },
    ...(several ? [{ title: 'MACHINE', cell: ({ machine }: StateRow) => visibleLine(machine) }] : []),
    numbers('ENTRIES', ({ entries }) => entries),
    numbers('EFFECTS', ({ effects }) => effects),
    times('TIME', ({ time_ms }) => time_ms),
  ];
}

const TOOL_COLUMNS: readonly Described<ToolRow>[] = [
  { title: 'TOOL', cell: ({ tool }) => visibleLine(cut(tool, LONGEST_TEXT)) },
  { title: 'KIND', cell: ({ kind }) => (kind === 'argv' || kind === 'shell' ? 'command' : kind) },
  numbers('CALLS', ({ calls }) => calls),
  numbers('ATTEMPTS', ({ attempts }) => attempts),
  numbers('FAILED', ({ failed }) => failed),
  numbers('STOPPED', ({ stopped }) => stopped),
  times('TIME', ({ time_ms }) => time_ms),
  times('MEDIAN', ({ median_ms }) => median_ms),
  times('MAX', ({ max_ms }) => max_ms),
];

/** Only where something was. */
const REMEMBERED = numbers<ToolRow>('REMEMBERED', ({ remembered = 0 }) => remembered);

const AGENT_COLUMNS: readonly Described<ToolRow>[] = [
  { title: 'AGENT', cell: ({ tool }) => visibleLine(tool) },
  { title: 'COST', right: true, cell: ({ spent }) => dollars(spent?.cost ?? null) },
  numbers('UNKNOWN', ({ spent }) => spent?.unknown_costs ?? 0),
  numbers('TURNS', ({ spent }) => spent?.turns ?? 0),
  numbers('TOKENS IN', ({ spent }) => spent?.tokens.in ?? 0),
  numbers('TOKENS OUT', ({ spent }) => spent?.tokens.out ?? 0),
  numbers('CACHE READ', ({ spent }) => spent?.tokens.cache_read ?? 0),
  numbers('CACHE WRITE', ({ spent }) => spent?.tokens.cache_write ?? 0),
];

const PIPE_COLUMNS: readonly Described<PipeRow>[] = [
  { title: 'FAILED IN A PIPE', cell: ({ program }) => visibleLine(program ?? '…') },
  { title: 'MEMBER', right: true, cell: ({ member, of }) => `${member} of ${of}` },
  numbers('EXIT', ({ exit_code }) => exit_code),
  numbers('COUNT', ({ count }) => count),
  { title: 'PIPE', cell: ({ text }) => visibleLine(cut(text, LONGEST_TEXT)) },
];

const DENIED_COLUMNS: readonly Described<DeniedRow>[] = [
  { title: 'AGENT', cell: ({ agent }) => visibleLine(agent) },
  { title: 'DENIED', cell: ({ tool }, paint) => ({ text: visibleLine(tool), paint: paint.warning }) },
  numbers('COUNT', ({ count }) => count),
  { title: 'INPUT', cell: ({ input = '' }) => visibleLine(cut(input, LONGEST_TEXT)) },
];

const WAIT_COLUMNS: readonly Described<WaitRow>[] = [
  { title: 'WAIT', cell: ({ kind, name }) => (name === null ? kind : `${kind} ${visibleLine(name)}`) },
  numbers('COUNT', ({ count }) => count),
  numbers('TIMED OUT', ({ ran_out }) => ran_out),
  numbers('OPEN', ({ open }) => open),
  times('TIME', ({ time_ms }) => time_ms),
  times('MAX', ({ max_ms }) => max_ms),
];

const EVENT_COLUMNS: readonly Described<Report['events'][number]>[] = [
  { title: 'EVENT', cell: ({ event }, paint) => ({ text: visibleLine(event), paint: paint.event }) },
  numbers('COUNT', ({ count }) => count),
];

function limitWords({ seq, scope, limit, used }: LimitReached, runId: string | null): string {
  const amount = (value: number): string =>
    scope === 'cost' ? dollars(value) : scope === 'time' ? limitDuration(value) : String(value);
  const where = runId === null ? '' : `run ${runId}, `;
  return `limit reached: ${scope} ${amount(limit)}, used ${amount(used)} (${where}event ${seq})`;
}

const LONGEST_COMMAND = 60;
/** A loop can register thousands of UNDOs. */
const MOST_ROWS = 50;

/** `several`: they belong to more than one run, so each names its run. */
function undoBlocks({ undone, rollbacks, undo }: UndoReport, several: boolean, paint: Paint): string[][] {
  const rows = table(columns(several), undone.slice(0, MOST_ROWS), paint);
  const ends = rollbacks.map((one) => rollbackLine(one, several, paint));
  const left = undo.map(({ run_id, state, line, text }) => {
    const where = several ? `run ${run_id}, ` : '';
    return `registered, not undone: ${shorten(text)} (${where}${visibleLine(state)}, line ${line})`;
  });
  return [[...rows, ...more(undone.length)], ends, [...left.slice(0, MOST_ROWS), ...more(undo.length)]];
}

function more(count: number): string[] {
  return count > MOST_ROWS ? [`… ${count - MOST_ROWS} more`] : [];
}

function columns(several: boolean): Described<UndoneRow>[] {
  return [
    { title: 'UNDO', cell: ({ text }) => shorten(text) },
    ...(several ? [{ title: 'RUN', cell: ({ run_id }: UndoneRow) => run_id }] : []),
    { title: 'STATE', cell: ({ state }, paint) => ({ text: visibleLine(state), paint: paint.state }) },
    numbers('LINE', ({ line }) => line),
    numbers('EVENT', ({ seq }) => seq),
    { title: 'BEGAN', cell: ({ at }) => localTime(at) },
    { title: 'RESULT', cell: resultCell },
    numbers('ATTEMPTS', ({ attempts }) => attempts),
    { title: 'COST', right: true, cell: (row) => (row.kind === 'agent' ? costCell(row) : dollars(0)) },
    times('TIME', ({ time_ms }) => time_ms),
  ];
}

function resultCell({ ending, outcome }: UndoneRow, paint: Paint) {
  if (ending === 'succeeded') return 'undone';
  const words = visibleLine(cut(outcome ?? 'no recorded outcome', LONGEST_COMMAND));
  return { text: `${ending}: ${words}`, paint: paint.warning };
}

function rollbackLine({ run_id, seq, at, by, done, failed }: RollbackRow, several: boolean, paint: Paint): string {
  const where = several ? `run ${run_id}, ` : '';
  const who = by === null ? '' : ` by ${visibleLine(by)}`;
  const came = failed.length === 0 ? `${done} undone` : `${done} undone, ${countOf(failed.length, 'UNDO')} failed`;
  const line = `rolled back${who}: ${came} (${where}event ${seq}, ${localTime(at)})`;
  return failed.length === 0 ? line : paint.error(line);
}

function shorten(text: string): string {
  return visibleLine(cut(text, LONGEST_COMMAND));
}
