/** What a plan comes to in words: its failure, from the first of its calls that failed, and the reports of all calls. */
import { factsOf } from '../control/fail.js';
import { errorOf } from '../control/transfer.js';
import type { RunError } from '../events/event.js';
import { RuntimeFailure } from '../failure.js';
import type { Run } from '../run-state/run-memory.js';
import type { UnknownData } from '../values/data-tree.js';
import { runningPlan } from './active-plan.js';
import type { CallReport, FailedCall } from './engine/plan-entry.js';
import { callTitle } from './engine/plan-node.js';
import type { PlanInstruction } from './start-plan.js';

/** Codes of failed calls that are kinds of errors in programs too. */
const SHARED_CODES = new Set([
  'timeout',
  'not_json',
  'bad_value',
  'value_too_large',
  'in_doubt',
  'plan_failed',
  'unresolved',
  'denied',
  'limit',
]);

interface Blamed {
  /** How many calls failed. */
  readonly count: number;
  /** The effects that are to blame. */
  readonly effects?: readonly string[];
  readonly unknown: UnknownData | null;
}

export function failureOfPlan(
  { main, call }: Pick<PlanInstruction, 'main' | 'call'>,
  { call: failed, record }: FailedCall,
  { count, effects = [], unknown }: Blamed,
): RuntimeFailure {
  const { code, message } = record.error ?? { code: null, message: '' };
  const others = count === 1 ? '' : `; ${count - 1} more failed`;
  const kind = typeof code === 'string' && SHARED_CODES.has(code) ? code : 'tool_failure';
  // A code that an exploration does not know is passed on as it is.
  const exit = (unknown?.isUnknown(code) ? unknown.isNumber(code) : typeof code === 'number') ? (code as number) : null;
  const words = call === undefined ? `${callTitle(failed)} failed: ${message}${others}` : message;
  const location = main === true && failed.line > 0 ? { line: failed.line } : {};
  return new RuntimeFailure(kind, words, failed.tool ?? failed.delegate, exit, location, { effects });
}

/** What became of the calls of the plan that a run is; null for programs. */
export function callReports(run: Run): CallReport[] | null {
  return run.plan === null ? null : runningPlan(run).engine.reports();
}

/** The failure with which a plan that waits for a person will end, because a call has failed already; null if none has. */
export function failureSoFar(run: Run): RunError | null {
  const { plan, main } = run;
  if (plan === null || main.plan === null) return null;
  const failures = runningPlan(run).engine.failures();
  const [first] = failures;
  if (first === undefined) return null;
  return errorOf(factsOf(main, failureOfPlan({ main: true }, first, { count: failures.length, unknown: null })));
}
