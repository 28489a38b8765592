/** A report as text for people: a line about the runs, then a table for each thing there is something to say of. */
import { alignedLines, type Cell, type Column } from './aligned.js';
import { counted, dollars, localTime } from './amounts.js';
import { duration, limitDuration } from './duration.js';
import type { Paint } from './paint.js';
import type { Report, Spending, StateRow, ToolRow, WaitRow } from './report.js';
import type { Detail, DetailedAttempt } from './report-detail.js';
import type { LimitReached } from './run-facts.js';
import { statusPaint } from './run-list.js';
import { cut, escapeControls, oneLine } from './visible-text.js';

const LONGEST_TEXT = 120;
const LONGEST_PROMPT = 2000;

export function drawReport(report: Report, paint: Paint): string {
  const { states, tools, waits, limits, events } = report;
  const agents = tools.filter(({ spent }) => spent !== undefined);
  const machines = new Set(states.map(({ machine }) => machine));
  const blocks = [
    heading(report, paint),
    table(stateColumns(machines.size > 1), states, paint),
    table(TOOL_COLUMNS, tools, paint),
    table(AGENT_COLUMNS, agents, paint),
    table(WAIT_COLUMNS, waits, paint),
    table(EVENT_COLUMNS, events, paint),
    limits.map((limit) => paint.error(limitWords(limit, report.runs.length > 1 ? limit.run_id : null))),
  ];
  const drawn = blocks.filter((lines) => lines.length > 0).map((lines) => `${lines.join('\n')}\n`);
  return drawn.join('\n');
}

function heading(report: Report, paint: Paint): string[] {
  const { runs, duration_ms, effects, retries, failed } = report;
  const parts = [
    duration(duration_ms),
    counted(effects, 'effect'),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(retries > 0 ? [`${retries} tried again`] : []),
    spendingWords(report),
  ];
  return [runs.length === 1 ? runLine(report, paint) : runsLine(report, paint), parts.join(', ')];
}

function runLine({ runs }: Report, paint: Paint): string {
  const run = runs[0] as Report['runs'][number];
  const copy = run.copy_of === undefined ? '' : `, a copy of ${run.copy_of}`;
  const branch = run.branch === undefined ? '' : `, on branch ${visible(run.branch)}`;
  const status = statusPaint(run.status, paint)(run.status);
  return `${status}  run ${run.run_id}  ${visible(run.machine)}, ${localTime(run.started_at)}${copy}${branch}`;
}

function runsLine({ runs }: Report, paint: Paint): string {
  const counts = new Map<string, number>();
  for (const { status } of runs) counts.set(status, (counts.get(status) ?? 0) + 1);
  const parts = [...counts].map(([status, count]) => `${count} ${statusPaint(status, paint)(status)}`);
  const times = runs.map(({ started_at }) => started_at).sort();
  const since = localTime(times[0] ?? '');
  return `${counted(runs.length, 'run')} since ${since}: ${parts.join(', ')}`;
}

function spendingWords({ cost, unknown_costs, tokens }: Spending): string {
  const known = cost === null ? [] : [dollars(cost)];
  const unknown = unknown_costs === 0 ? [] : [`${counted(unknown_costs, 'call')} of unknown cost`];
  const used = tokens.in + tokens.out === 0 ? [] : [`${tokens.in} tokens in`, `${tokens.out} out`];
  return [[...known, ...unknown].join(' and '), ...used].join(', ');
}

interface Described<Row> extends Column {
  readonly cell: (row: Row, paint: Paint) => Cell;
}

function table<Row>(columns: readonly Described<Row>[], rows: readonly Row[], paint: Paint): string[] {
  if (rows.length === 0) return [];
  const cells = rows.map((row) => columns.map(({ cell }) => cell(row, paint)));
  return alignedLines(columns, cells, paint.faint);
}

const numbers = <Row>(title: string, of: (row: Row) => number): Described<Row> => ({
  title,
  right: true,
  cell: (row) => String(of(row)),
});

const times = <Row>(title: string, of: (row: Row) => number | null): Described<Row> => ({
  title,
  right: true,
  cell: (row) => {
    const ms = of(row);
    return ms === null ? '-' : duration(ms);
  },
});

function stateColumns(several: boolean): Described<StateRow>[] {
  return [
    { title: 'STATE', cell: ({ state }, paint) => ({ text: visible(state), paint: paint.state }) },
    ...(several ? [{ title: 'MACHINE', cell: ({ machine }: StateRow) => visible(machine) }] : []),
    numbers('ENTRIES', ({ entries }) => entries),
    numbers('EFFECTS', ({ effects }) => effects),
    times('TIME', ({ time_ms }) => time_ms),
  ];
}

const TOOL_COLUMNS: readonly Described<ToolRow>[] = [
  { title: 'TOOL', cell: ({ tool }) => visible(cut(tool, LONGEST_TEXT)) },
  { title: 'KIND', cell: ({ kind }) => (kind === 'argv' || kind === 'shell' ? 'command' : kind) },
  numbers('CALLS', ({ calls }) => calls),
  numbers('TRIES', ({ attempts }) => attempts),
  numbers('FAILED', ({ failed }) => failed),
  numbers('STOPPED', ({ stopped }) => stopped),
  times('TIME', ({ time_ms }) => time_ms),
  times('MEDIAN', ({ median_ms }) => median_ms),
  times('MAX', ({ max_ms }) => max_ms),
];

const AGENT_COLUMNS: readonly Described<ToolRow>[] = [
  { title: 'AGENT', cell: ({ tool }) => visible(tool) },
  { title: 'COST', right: true, cell: ({ spent }) => dollars(spent?.cost ?? null) },
  numbers('UNKNOWN', ({ spent }) => spent?.unknown_costs ?? 0),
  numbers('TURNS', ({ spent }) => spent?.turns ?? 0),
  numbers('TOKENS IN', ({ spent }) => spent?.tokens.in ?? 0),
  numbers('OUT', ({ spent }) => spent?.tokens.out ?? 0),
  numbers('CACHE READ', ({ spent }) => spent?.tokens.cache_read ?? 0),
  numbers('WRITTEN', ({ spent }) => spent?.tokens.cache_write ?? 0),
];

const WAIT_COLUMNS: readonly Described<WaitRow>[] = [
  { title: 'WAIT', cell: ({ kind, name }) => (name === null ? kind : `${kind} ${visible(name)}`) },
  numbers('TIMES', ({ count }) => count),
  numbers('RAN OUT', ({ ran_out }) => ran_out),
  numbers('OPEN', ({ open }) => open),
  times('TIME', ({ time_ms }) => time_ms),
  times('MAX', ({ max_ms }) => max_ms),
];

const EVENT_COLUMNS: readonly Described<Report['events'][number]>[] = [
  { title: 'EVENT', cell: ({ event }, paint) => ({ text: visible(event), paint: paint.event }) },
  numbers('TIMES', ({ count }) => count),
];

function limitWords({ seq, scope, limit, used }: LimitReached, runId: string | null): string {
  const amount = (value: number): string =>
    scope === 'cost' ? dollars(value) : scope === 'time' ? limitDuration(value) : String(value);
  const where = runId === null ? '' : `run ${runId}, `;
  return `limit reached: ${scope} ${amount(limit)}, with ${amount(used)} used (${where}event ${seq})`;
}

/** `several`: tries are of more than one run, so each says of which. */
export function drawDetail({ visits, attempts }: Detail, several: boolean, paint: Paint): string {
  const blocks = visits.map(({ run_id, seq, at, state, entered, with: passed, time_ms, attempts: inside }) => {
    const how = entered ? '' : ' (resumed)';
    const where = several ? `run ${run_id}, ` : '';
    const head = `${paint.state(visible(state))}${how}  ${where}event ${seq}, ${localTime(at)}, ${duration(time_ms)}`;
    const entry = Object.entries(passed).map(
      ([name, value]) => `  with ${shown(`${name} = ${JSON.stringify(value)}`)}`,
    );
    return [head, ...entry, ...inside.flatMap((one) => attemptLines(one, false, paint))];
  });
  const tries = attempts.flatMap((one) => attemptLines(one, several, paint));
  if (tries.length > 0) blocks.push(tries);
  return blocks.map((lines) => `${lines.join('\n')}\n`).join('\n');
}

function attemptLines(one: DetailedAttempt, several: boolean, paint: Paint): string[] {
  const tint = one.ending === 'failed' ? paint.warning : paint.faint;
  const number = one.attempt > 1 ? `, try ${one.attempt}` : '';
  const place = `${several ? `run ${one.run_id}, ` : ''}event ${one.seq}, ${localTime(one.at)}, ${visible(one.state)}, line ${one.line}${number}`;
  return [
    `  ${visible(cut(one.text, LONGEST_TEXT))} ${tint(`(${visible(one.outcome ?? 'no outcome on record')})`)}`,
    paint.faint(`    ${place}`),
    ...(one.args ?? []).map((value) => `    value ${shown(JSON.stringify(value))}`),
    ...(one.prompt === undefined ? [] : [`    prompt ${shown(one.prompt)}`]),
    ...(one.retried === null ? [] : [paint.warning(`    tried again: ${shown(one.retried)}`)]),
    ...spentLines(one),
  ];
}

function spentLines({ cost, tokens, turns, session_id }: DetailedAttempt): string[] {
  if (cost === undefined) return [];
  const parts = [
    cost === null ? 'unknown cost' : dollars(cost),
    ...(tokens === undefined ? [] : [`${tokens.in} tokens in`, `${tokens.out} out`]),
    ...(turns === undefined ? [] : [counted(turns, 'turn')]),
    ...(session_id === undefined ? [] : [`session ${visible(session_id)}`]),
  ];
  return [`    ${parts.join(', ')}`];
}

function shown(text: string): string {
  return visible(cut(text, LONGEST_PROMPT));
}

function visible(text: string): string {
  return escapeControls(oneLine(text));
}
