/**
 * The report on one run or several: how much time and money they took, by state and by tool. It only sums facts; a cost
 * that is not reported counts as a call of unknown cost, never as zero.
 */
import type { EffectKind } from '../../interpreter/events/event.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import type { Attempt, LimitReached, Wait } from '../../runtime/record/record-facts.js';
import type { RunModel } from '../../runtime/record/run-model.js';
import { type StepRow, stepRows } from '../steps/step-rows.js';
import { toolName } from './detailed-attempt.js';
import { type Spending, spendingOf, sum, type UndoReport, undoReport } from './undo-rows.js';

/** The facts about each run in a report, in addition to the sums. */
export interface ReportedRun {
  readonly run_id: string;
  readonly machine: string;
  readonly status: string;
  /** ISO 8601. */
  readonly started_at: string;
  readonly duration_ms: number;
  /** The reported cost in US dollars; null if no call reported any. */
  readonly cost: number | null;
  /** Calls of unknown cost. */
  readonly unknown_costs: number;
  readonly tokens: Spending['tokens'];
  /** Attempts of steps and of effects that were repeated. */
  readonly retries: number;
  readonly copy_of?: string;
  /** The branch with its changes, which may have been removed. */
  readonly branch?: string;
  /** Its record is damaged: only what comes before the damage is counted. */
  readonly damage?: ReportedDamage;
}

/** Where the record of a run can no longer be read. Without a position, none of it can be read. */
export interface ReportedDamage {
  readonly message: string;
  /** The number of the first event that cannot be used. */
  readonly seq?: number;
  /** Where that event begins in the journal, in bytes. */
  readonly byte?: number;
}

/** The time in one state. */
export interface StateRow {
  readonly machine: string;
  readonly state: string;
  readonly entries: number;
  readonly time_ms: number;
  /** Commands and calls started in it, without retries. */
  readonly effects: number;
}

/** The attempts of one command, function, tool or agent. */
export interface ToolRow {
  readonly tool: string;
  readonly kind: EffectKind;
  readonly calls: number;
  readonly attempts: number;
  /** Attempts that failed, that the run stopped, and that have no recorded outcome. */
  readonly failed: number;
  readonly stopped: number;
  /** Outcomes that were taken from the memo; absent: none. */
  readonly remembered?: number;
  readonly open: number;
  /** The total time of all attempts; those that ran in parallel each count. */
  readonly time_ms: number;
  readonly median_ms: number | null;
  readonly max_ms: number | null;
  /** Only agents spend. */
  readonly spent?: Spending & { readonly turns: number };
}

/** How often one member of a pipe failed. */
export interface PipeRow {
  /** The program that failed; null if the member is not one program. */
  readonly program: string | null;
  /** Its place in the pipe, from 1, and the number of members. */
  readonly member: number;
  readonly of: number;
  /** The command with the pipe. */
  readonly text: string;
  readonly exit_code: number;
  readonly count: number;
}

/** The waits for one person, signal or time. */
export interface WaitRow {
  readonly kind: Wait['kind'];
  readonly name: string | null;
  readonly count: number;
  readonly ran_out: number;
  /** Still waited for. */
  readonly open: number;
  readonly time_ms: number;
  readonly max_ms: number | null;
}

/** What `statedsl report --json` prints about one run or several. */
export interface Report extends Spending, UndoReport {
  readonly runs: readonly ReportedRun[];
  readonly duration_ms: number;
  readonly effects: number;
  readonly attempts: number;
  readonly retries: number;
  readonly failed: number;
  /** In the order in which they were entered first. */
  readonly states: readonly StateRow[];
  readonly steps: readonly StepRow[];
  /** Sorted by time, longest first. */
  readonly tools: readonly ToolRow[];
  /** Members of pipes that failed. */
  readonly pipes: readonly PipeRow[];
  /** Calls of tools that the programs of agents did not allow. */
  readonly denied: readonly DeniedRow[];
  readonly waits: readonly WaitRow[];
  readonly limits: readonly (LimitReached & { readonly run_id: string })[];
  readonly events: readonly { readonly event: string; readonly count: number }[];
}

export interface RunWithFacts {
  readonly run_id: string;
  readonly status: string;
  readonly started_at: string;
  readonly branch?: string;
  readonly damage?: ReportedDamage;
  readonly facts: RunModel;
}

export function reportOn(runs: readonly RunWithFacts[]): Report {
  const attempts = runs.flatMap(({ facts }) => facts.attempts);
  const emitted = new Map<string, number>();
  for (const { facts } of runs)
    for (const [event, count] of facts.emitted) emitted.set(event, (emitted.get(event) ?? 0) + count);
  return {
    runs: runs.map(reportedRun),
    duration_ms: sum(runs.map(({ facts }) => facts.time.ms)),
    effects: attempts.filter(isFirst).length,
    attempts: attempts.length,
    retries: retriesIn(runs),
    failed: attempts.filter(({ ending }) => ending === 'failed').length,
    ...spendingOf(attempts),
    states: stateRows(runs),
    steps: stepRows(runs),
    tools: toolRows(attempts),
    pipes: pipeRows(attempts),
    denied: deniedRows(attempts),
    waits: waitRows(runs),
    ...undoReport(runs),
    limits: runs.flatMap(({ run_id, facts }) => facts.limits.map((limit) => ({ run_id, ...limit }))),
    events: [...emitted].map(([event, count]) => ({ event, count })),
  };
}

function reportedRun({ run_id, status, started_at, branch, damage, facts }: RunWithFacts): ReportedRun {
  const { machine, time, copy } = facts;
  const more = omitUndefined({ copy_of: copy?.of, branch, damage });
  const spent = { ...spendingOf(facts.attempts), retries: retriesIn([{ facts }]) };
  return { run_id, machine, status, started_at, duration_ms: time.ms, ...spent, ...more };
}

/** Retried steps and retried effects. */
function retriesIn(runs: readonly Pick<RunWithFacts, 'facts'>[]): number {
  const effects = runs.flatMap(({ facts }) => facts.attempts).filter(({ retried }) => retried !== null);
  return effects.length + sum(stepRows(runs).map(({ retries }) => retries));
}

/** A call counts once, no matter how often it is retried or repeated. */
function isFirst({ request, again }: Attempt): boolean {
  return request.attempt === 1 && !again;
}

function stateRows(runs: readonly RunWithFacts[]): StateRow[] {
  const rows = new Map<string, { -readonly [K in keyof StateRow]: StateRow[K] }>();
  for (const { facts } of runs) {
    const { machine } = facts;
    const rowOf = (state: string) => {
      const key = JSON.stringify([machine, state]);
      const row = rows.get(key) ?? { machine, state, entries: 0, time_ms: 0, effects: 0 };
      rows.set(key, row);
      return row;
    };
    for (const visit of facts.visits) {
      if (visit.isCopied) continue;
      const row = rowOf(visit.state);
      if (visit.entered) row.entries++;
      row.time_ms += visit.activeMs;
    }
    for (const { request } of facts.attempts.filter(isFirst)) rowOf(request.state).effects++;
  }
  return [...rows.values()];
}

function toolRows(attempts: readonly Attempt[]): ToolRow[] {
  return groupBy(attempts, toolKey)
    .map(toolRow)
    .sort((a, b) => b.time_ms - a.time_ms);
}

/** Programs are one tool whether a shell started them or not; an agent may have the name of a program. */
function toolKey({ request }: Attempt): string {
  return JSON.stringify([toolName(request), request.kind === 'argv' ? 'shell' : request.kind]);
}

function toolRow(attempts: readonly Attempt[]): ToolRow {
  const { request } = attempts[0] as Attempt;
  const times = attempts.flatMap(({ durationMs }) => (durationMs === null ? [] : [durationMs]));
  const countEnded = (as: Attempt['ending']): number => attempts.filter(({ ending }) => ending === as).length;
  return {
    tool: toolName(request),
    kind: request.kind,
    calls: attempts.filter(isFirst).length,
    attempts: attempts.length,
    failed: countEnded('failed'),
    stopped: countEnded('stopped'),
    open: countEnded('open'),
    time_ms: sum(times),
    median_ms: median(times),
    max_ms: largest(times),
    ...omitUndefined({
      remembered: attempts.filter(isRemembered).length || undefined,
      spent:
        request.kind === 'agent'
          ? { ...spendingOf(attempts), turns: sum(attempts.map(({ turns }) => turns ?? 0)) }
          : undefined,
    }),
  };
}

const isRemembered = ({ outcome }: Attempt): boolean =>
  (outcome?.kind === 'exited' || outcome?.kind === 'value') && outcome.memo !== undefined;

function pipeRows(attempts: readonly Attempt[]): PipeRow[] {
  const rows = new Map<string, PipeRow>();
  for (const { request, outcome } of attempts) {
    const { pipe = [] } = outcome?.kind === 'exited' ? outcome : {};
    for (const [at, { program, exit }] of pipe.entries()) {
      if (exit === 0) continue;
      const row = { program, member: at + 1, of: pipe.length, text: request.text, exit_code: exit };
      const key = JSON.stringify(row);
      rows.set(key, { ...row, count: (rows.get(key)?.count ?? 0) + 1 });
    }
  }
  return [...rows.values()];
}

function waitRows(runs: readonly RunWithFacts[]): WaitRow[] {
  const waits = runs.flatMap(({ facts }) => [...facts.waits, ...openWaits(facts)]);
  return groupBy(waits, ({ kind, name }) => JSON.stringify([kind, name])).map((group) => {
    const { kind, name } = group[0] as Wait;
    const times = group.flatMap(({ ms }) => (ms === null ? [] : [ms]));
    return {
      kind,
      name,
      count: group.length,
      ran_out: group.filter(({ ranOut }) => ranOut).length,
      open: group.filter(({ ms }) => ms === null).length,
      time_ms: sum(times),
      max_ms: largest(times),
    };
  });
}

/** Questions and signals that the run still waits for in its current state. */
function openWaits({ visits, visit, result, stillOpen }: RunModel): readonly Wait[] {
  if (result?.type === 'run_returned') return [];
  const since = visits.findLast((one) => one.entered && !one.isCopied && one.state === visit?.state)?.seq ?? 0;
  return stillOpen.filter(({ kind, seq }) => kind !== 'time' && seq > since);
}

/** Groups in the order of their first members. */
function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return [...groups.values()];
}

/**
 * The median. Of an even number of values, the lower of the two in the middle, so it is always a value that occurred.
 */
function median(numbers: readonly number[]): number | null {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[(sorted.length - 1) >> 1] ?? null;
}

function largest(numbers: readonly number[]): number | null {
  return numbers.length === 0 ? null : numbers.reduce((most, number) => Math.max(most, number));
}

/** Calls of one tool that the program of an agent did not allow. */
export interface DeniedRow {
  readonly agent: string;
  readonly tool: string;
  /** The command, the file or the address; absent if the program did not report it. */
  readonly input?: string;
  readonly count: number;
}

function deniedRows(attempts: readonly Attempt[]): DeniedRow[] {
  const rows = new Map<string, DeniedRow>();
  for (const { request, denied = [] } of attempts)
    for (const { tool, input } of denied) {
      const agent = request.tool ?? request.text;
      const key = JSON.stringify([agent, tool, input ?? null]);
      const call = input === undefined ? { agent, tool } : { agent, tool, input };
      rows.set(key, { ...call, count: (rows.get(key)?.count ?? 0) + 1 });
    }
  return [...rows.values()];
}
