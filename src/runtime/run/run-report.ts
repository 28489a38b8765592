/** The report of a run as one JSON object: the result of `run` and of `--json`, with members in snake_case. */
import { stripVTControlCharacters } from 'node:util';
import type { RunError, Waiting } from '../../interpreter/events/event.js';
import type { RolledBack, UndoFacts } from '../../interpreter/events/facts.js';
import type { CallReport } from '../../interpreter/plan/engine/plan-entry.js';
import { callReports, failureSoFar } from '../../interpreter/plan/plan-report.js';
import type { Run } from '../../interpreter/run.js';
import { undoFacts } from '../../interpreter/undo/register.js';
import { fromRecord, type Printed, printJson, publicForm } from '../../interpreter/values/json.js';
import type { Json } from '../../machine/expression.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { unreachable } from '../../prelude/unreachable.js';
import { type Redactor, redactError, redactNamed, redactWritten } from '../redact.js';
import type { IndexEntry } from '../store/run-header.js';
import type { WorktreeFacts } from '../worktree/worktree-facts.js';
import type { DriveEnd } from './drive-options.js';
import type { OnlyReport } from './only-part.js';
import { inOneLine } from './run-title.js';

/** The report of a run: the result of `run`, and the object that `--json` prints. */
export interface RunReport {
  readonly run_id: string;
  readonly status: 'returned' | 'failed' | 'skipped' | 'suspended' | 'interrupted';
  readonly machine: string;
  /** The state the run is in, or ended in. */
  readonly state: string | null;
  /** The last 1,000 states in the order in which they were entered. */
  readonly states: readonly string[];
  /** How many states were entered. */
  readonly states_total: number;
  readonly returned: Json;
  /** The JSON text of `returned`, if a number in it was written differently, such as `1.10`. */
  readonly printed_returned?: string;
  readonly tracked: Readonly<Record<string, Json>>;
  /** The same for values of `tracked`, by name. */
  readonly printed_tracked?: Printed;
  readonly error: RunError | null;
  readonly waiting: readonly Waiting[];
  /** US dollars; null if agents ran and none of them reported its cost. */
  readonly cost: number | null;
  /** Some agents reported their cost and others did not: `cost` is the known part. */
  readonly cost_unknown?: true;
  readonly tokens: {
    readonly in: number;
    readonly out: number;
    readonly cache_read: number;
    readonly cache_write: number;
  };
  readonly duration_ms: number;
  /** How many commands, functions and agents were started. */
  readonly effects: number;
  /** Runs with the same key are executed one at a time. */
  readonly key?: string;
  /** Of a skipped run: the run that had the key. */
  readonly held_by?: string;
  /** Of a run of one state or step: how that has ended. */
  readonly only?: OnlyReport;
  /** The worktree of the run and the branch with its work; absent: it worked in the directory in which it was started. */
  readonly worktree?: WorktreeFacts;
  /** Steps in the order in which they began. */
  readonly steps?: readonly ReportedStep[];
  /** What `statedsl rollback` would perform, in its order; absent: nothing. */
  readonly undo?: readonly UndoFacts[];
  /** The result of the rollback that the run ended with. */
  readonly rollback?: RolledBack;
  /** For a plan: the status of its calls, in its order. */
  readonly calls?: readonly CallReport[];
}

/** The status of a step: its last attempt, and the US dollars of all attempts; null if a call did not report its cost. */
export interface ReportedStep {
  readonly path: string;
  readonly status: 'running' | 'pass' | 'fail' | 'fatal';
  readonly agent: string | null;
  readonly attempt: number;
  readonly cost: number | null;
}

/** The report of a run of which nothing is known but how it was left. */
export function emptyReport<Id extends string | null, Name extends string | null>(
  run_id: Id,
  machine: Name,
  status: RunReport['status'],
) {
  return {
    run_id,
    status,
    machine,
    state: null,
    states: [],
    states_total: 0,
    returned: null,
    tracked: {},
    error: null,
    waiting: [],
    cost: 0,
    tokens: { in: 0, out: 0, cache_read: 0, cache_write: 0 },
    duration_ms: 0,
    effects: 0,
  };
}

export function reportOf(
  run: Run,
  end: DriveEnd,
  facts: {
    readonly runId: string;
    readonly durationMs: number;
    readonly redactor: Redactor | null;
    readonly worktree: WorktreeFacts | null;
    readonly key?: string | undefined;
    readonly only?: OnlyReport | null | undefined;
  },
): RunReport {
  const { result } = run;
  const isWorkflow = run.linked.machine.workflow !== undefined;
  const { tokens, cost } = run.usage;
  const calls = callReports(run);
  const failure = end.kind === 'store-failed' ? storeFailure(end.message, run.currentState) : null;
  const report: RunReport = {
    run_id: facts.runId,
    status: statusOf(end, run),
    machine: run.linked.machine.name,
    // A workflow file has steps and no states.
    state: isWorkflow ? null : (result?.state ?? run.currentState),
    states: isWorkflow ? [] : run.states,
    states_total: isWorkflow ? 0 : run.statesTotal,
    returned: result?.value ?? null,
    ...omitUndefined({ printed_returned: result?.printed }),
    tracked: run.tracked,
    ...omitUndefined({ printed_tracked: run.printedTracked }),
    error: failure ?? (result === null ? failureSoFar(run) : result.error),
    waiting: end.kind === 'suspended' ? end.waiting : [],
    cost,
    ...omitUndefined({ cost_unknown: cost !== null && run.usage.unknownCosts > 0 ? true : undefined }),
    tokens: { in: tokens.in, out: tokens.out, cache_read: tokens.cache_read, cache_write: tokens.cache_write },
    duration_ms: facts.durationMs,
    effects: run.usage.effects,
    ...omitUndefined({
      key: facts.key,
      held_by: result?.heldBy,
      only: facts.only ?? undefined,
      worktree: facts.worktree ?? undefined,
      steps: run.steps.records.size === 0 ? undefined : stepsOf(run),
      undo: run.undo.newest === null ? undefined : undoFacts(run.undo.entries),
      rollback: run.undo.lateRollback ?? undefined,
      calls: calls ?? undefined,
    }),
  };
  return facts.redactor === null ? report : redactReport(report, facts.redactor);
}

function stepsOf(run: Run): ReportedStep[] {
  return [...run.steps.records.values()].map(({ path, status, agent, attempt, cost }) => ({
    path,
    status,
    agent,
    attempt,
    cost,
  }));
}

/** Replaces secrets in values of the program. Names and numbers of the engine cannot hold any. */
function redactReport(report: RunReport, redactor: Redactor): RunReport {
  const clean = <T>(value: T): T => redactor.value(value as Json) as T;
  const { returned: value, printed_returned, tracked: variables, printed_tracked, error, waiting } = report;
  const returned = redactWritten(value, printed_returned, redactor.value);
  const tracked = redactNamed(variables, printed_tracked, redactor.value);
  return {
    ...omitUndefined({ ...report, printed_returned: undefined, printed_tracked: undefined }),
    returned: returned.value,
    ...omitUndefined({ printed_returned: returned.printed }),
    tracked: tracked.values,
    ...omitUndefined({ printed_tracked: tracked.printed }),
    error: error === null ? null : redactError(error, redactor.value),
    ...omitUndefined({
      undo: report.undo === undefined ? undefined : clean(report.undo),
      rollback: report.rollback === undefined ? undefined : clean(report.rollback),
      calls: report.calls === undefined ? undefined : clean(report.calls),
    }),
    waiting: waiting.map(({ question, choices, show, ...open }) => ({
      ...open,
      ...omitUndefined({ question: clean(question), choices: clean(choices), show: clean(show) }),
    })),
  };
}

/**
 * A report or a shown run as JSON, in which numbers are as they were written. `hasTexts`: their texts are next to them, too,
 * for readers whose JSON loses the form of numbers.
 */
export function reportJson(report: object, hasTexts = false): string {
  const all = report as { readonly [name: string]: unknown };
  return objectJson(
    Object.entries(all).flatMap(([name, value]) => {
      if (value === undefined || (name.startsWith('printed_') && !hasTexts)) return [];
      const printed = all[`printed_${name}`] as Printed | string | undefined;
      if (typeof printed === 'string') return [[name, publicForm(printed)]];
      if (printed !== undefined) return [[name, membersJson(value as object, printed)]];
      return [[name, name === 'error' ? errorJson(value as RunError | null) : JSON.stringify(value)]];
    }),
  );
}

function errorJson(error: RunError | null): string {
  if (error?.printed === undefined || error.with === undefined) return JSON.stringify(error);
  const { printed, ...others } = error;
  return reportJson({ ...others, printed_with: printed });
}

function membersJson(values: object, printed: Printed): string {
  return objectJson(
    Object.entries(values).map(([name, value]) => [
      name,
      Object.hasOwn(printed, name) ? publicForm(printed[name] as string) : JSON.stringify(value),
    ]),
  );
}

function objectJson(members: readonly (readonly [string, string])[]): string {
  return `{${members.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`;
}

function statusOf(end: DriveEnd, run: Run): RunReport['status'] {
  switch (end.kind) {
    case 'ended':
      return run.result?.status ?? 'failed';
    case 'suspended':
    case 'interrupted':
      return end.kind;
    case 'store-failed':
      return 'failed';
    default:
      return unreachable(end);
  }
}

/** The disk ended the run, not an instruction. */
export function storeFailure(message: string, state: string | null): RunError {
  return { kind: 'store', message, state, line: null, file: null, tool: null, exit_code: null };
}

const LONGEST_LINE = 200;

function firstLine(text: string): string {
  return text.trimStart().split('\n', 1)[0]?.slice(0, LONGEST_LINE) ?? '';
}

/** The result of a run in one line, without colors. */
function resultLine(value: Json): string {
  return inOneLine(
    typeof value === 'string' ? firstLine(stripVTControlCharacters(value)) : printJson(value),
    LONGEST_LINE,
  );
}

/** What lists of runs say about an end. */
export function endFacts(
  report: Pick<RunReport, 'status' | 'returned' | 'printed_returned' | 'error' | 'waiting' | 'worktree'>,
): Pick<IndexEntry, 'branch' | 'result' | 'error' | 'cancelled' | 'waiting'> {
  const { status, returned, printed_returned: printed, error, waiting, worktree } = report;
  return omitUndefined({
    branch: worktree?.branch,
    result: status === 'returned' && returned !== null ? resultLine(fromRecord(returned, printed)) : undefined,
    error: error === null ? undefined : firstLine(error.message),
    cancelled: error?.kind === 'cancelled' ? (true as const) : undefined,
    waiting: waiting.length === 0 ? undefined : waiting.slice(0, MOST_LISTED).map(listedWait),
  });
}

/** More of them, the run itself says. */
const MOST_LISTED = 10;

/** Without choices and shown values, which may be large. */
function listedWait({ question, choices, show, ...wait }: Waiting): Waiting {
  return { ...wait, ...omitUndefined({ question: question === undefined ? undefined : firstLine(question) }) };
}
