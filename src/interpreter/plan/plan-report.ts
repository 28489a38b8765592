/** What a plan comes to in words: its failure, from the first of its calls that failed, and the reports of all calls. */
import { factsOf } from '../control/fail.js';
import { errorOf } from '../control/transfer.js';
import type { RunError } from '../events/event.js';
import { RuntimeFailure } from '../failure.js';
import type { Run } from '../run-state/run.js';
import { runningPlan } from './active-plan.js';
import type { FailedCall } from './engine/node-outcome.js';
import type { CallReport } from './engine/plan-entry.js';
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
]);

/** `count`: how many calls failed. `effects`: those that are to blame. */
export function failureOfPlan(
  { main, call }: Pick<PlanInstruction, 'main' | 'call'>,
  { call: failed, record }: FailedCall,
  count: number,
  effects: readonly string[] = [],
): RuntimeFailure {
  const { code, message } = record.error ?? { code: null, message: '' };
  const others = count === 1 ? '' : `; ${count - 1} more failed`;
  const kind = typeof code === 'string' && SHARED_CODES.has(code) ? code : 'tool_failure';
  const exit = typeof code === 'number' ? code : null;
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
  return errorOf(factsOf(main, failureOfPlan({ main: true }, first, failures.length)));
}
