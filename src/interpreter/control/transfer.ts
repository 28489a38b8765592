/**
 * Enters states and ends the run. Only these functions change the current state, count transitions and set the result.
 */
import { byteCount } from '../../machine/byte-count.js';
import type { Json } from '../../machine/expression.js';
import type { ExceededScope } from '../../machine/machine.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { unreachable } from '../../prelude/unreachable.js';
import type { FailureFacts, RunError, RunEvent } from '../events/event.js';
import { STOP } from '../run-state/linked-machine.js';
import type { Run } from '../run-state/run-memory.js';
import type { RunResult } from '../run-state/run-result.js';
import { addCost } from '../run-state/run-usage.js';
import { locationOf, record, type Slot, type Thread } from '../run-state/thread.js';
import { undoFacts } from '../undo/register.js';
import { fromRecord, printedForm, printedForms, render } from '../values/json.js';
import { plain, plainByName, type Value } from '../values/value.js';
import { closeFrames } from './close-frames.js';
import { noteFailure } from './fail.js';
import { hold, isHeld } from './hold.js';
import { leaveForks, stopEverything } from './join.js';

/** Values that a GOTO passes, by name; slots of names that the state does not know are -1. */
export interface Passed {
  readonly names: readonly string[];
  readonly slots: readonly number[];
}

const NOTHING: Passed = { names: [], slots: [] };

function recordEngineEvent(thread: Thread, event: string, fields: Record<string, Json>): void {
  const { state, line } = locationOf(thread);
  record(thread, { type: 'emitted', by: 'engine', event, fields, message: null, state, line });
}

/** A loop that only computes enters a state in each turn, so the event of one without values is made directly. */
function entryEvent(state: string, names: readonly string[], values: readonly Slot[]): RunEvent {
  if (names.length === 0) return { type: 'state_entered', state };
  const printed = printedForms(names, values);
  return { type: 'state_entered', state, with: plainByName(names, values), ...omitUndefined({ printed }) };
}

/** Enters a state with fresh locals and the given entry values. Returns its first position. */
export function enter(thread: Thread, target: number, passed: Passed = NOTHING, values: readonly Slot[] = []): number {
  const { run } = thread;
  const { machine, starts } = run.linked;
  const state = machine.states[target];
  if (state === undefined) throw new Error(`no state ${target}`);
  if (target === machine.error || state.builtin === true) run.entryOf(target).fill(undefined);
  const entry = run.entryOf(target);
  passed.slots.forEach((slot, i) => {
    if (slot >= 0) entry[slot] = values[i];
  });
  closeFrames(thread, 0);
  thread.state = target;
  thread.pc = starts[target] as number;
  thread.entry = entry;
  thread.output = null;
  thread.handling = false;
  thread.lost = null;
  thread.restarts = null;
  for (let i = 0; i < state.locals.length; i++) thread.locals[i] = undefined;
  run.noteEntry(target);
  if (!run.quiet) {
    run.recordNow(entryEvent(state.name, passed.names, values));
    if (run.options.autoEvents) recordEngineEvent(thread, 'STATE_ENTRY', { state: state.name });
  }
  return state.builtin === true ? endInBuiltinError(thread) : thread.pc;
}

/** GOTO: counts and records the transition and enters the state. `isReported`: for ERROR, its failure is already on record. */
export function transfer(
  thread: Thread,
  target: number,
  passed: Passed = NOTHING,
  values: readonly Slot[] = [],
  isReported = false,
): number {
  const { run } = thread;
  if (run.transitions >= run.maxTransitions && !run.overlooksLimits) {
    exceedLimit(run, 'transitions', run.maxTransitions, run.transitions + 1);
    return STOP;
  }
  const isError = target === run.linked.machine.error || run.linked.machine.states[target]?.builtin === true;
  if (isError && !isReported && isHeld(thread)) return hold(thread);
  run.countTransition();
  if (thread.forks.length > 0) leaveForks(thread);
  const { machine } = run.linked;
  if (run.options.autoEvents)
    recordEngineEvent(thread, 'PHASE_TRANSITION', { from: run.currentState, to: machine.states[target]?.name ?? '' });
  const cause = isError ? causeOfGoto(thread, plainByName(passed.names, values)) : null;
  run.setCause(cause);
  if (cause !== null && !isReported) thread.handled = noteFailure(thread, cause).causes ?? null;
  if (!isError) thread.handled = null;
  const next = enter(thread, target, passed, values);
  if (next === STOP || run.burnFuel()) return next;
  thread.status = 'ready';
  run.enqueueFirst(thread);
  return STOP;
}

const text = (value: Json | undefined): string | null =>
  value === undefined || value === null ? null : render(value as Value);

/** The failure of a GOTO to ERROR: the program may pass parts of the error contract itself. */
function causeOfGoto(thread: Thread, passed: Record<string, Json>): FailureFacts {
  const { state, line, file } = locationOf(thread);
  const pairs = Object.entries(passed).map(([name, value]) => `${name}=${render(value as Value)}`);
  return {
    error_type: text(passed.error_type) ?? 'failed',
    tool: text(passed.tool),
    error: text(passed.error) ?? pairs.join(' '),
    exit_code: typeof passed.exit_code === 'number' ? passed.exit_code : null,
    from_state: state,
    line,
    ...omitUndefined({ file: file ?? undefined }),
  };
}

function textOf({ printed }: FailureFacts, name: string): string | undefined {
  return printed !== undefined && Object.hasOwn(printed, name) ? printed[name] : undefined;
}

const CONTRACT = ['error_type', 'tool', 'error', 'exit_code', 'from_state', 'line', 'file'] as const;

/** Enters ERROR with the whole contract of a failure, so that nothing of an earlier one remains. */
export function transferToError(thread: Thread, target: number, facts: FailureFacts): number {
  const { machine, ownsFile } = thread.run.linked;
  const entry = machine.states[target]?.entry ?? [];
  const names: string[] = [];
  const values: Value[] = [];
  for (const name of CONTRACT) {
    if (facts[name] === undefined || (name === 'file' && ownsFile)) continue;
    names.push(name);
    values.push(facts[name]);
  }
  for (const name of Object.keys(facts.with ?? {})) {
    if (names.includes(name)) continue;
    names.push(name);
    values.push(fromRecord(facts.with?.[name] as Json, textOf(facts, name)) as Value);
  }
  const passed = { names, slots: names.map((name) => entry.indexOf(name)) };
  const next = transfer(thread, target, passed, values, true);
  if (thread.run.result === null) thread.run.setCause(facts);
  return next;
}

/** The implicit ERROR state: it reports the failure, and the run fails. */
function endInBuiltinError(thread: Thread): number {
  const { run } = thread;
  const cause = run.cause ?? causeOfGoto(thread, {});
  const { names, values } = entryFields(thread);
  const { error_type, from_state, line } = cause;
  recordEngineEvent(thread, 'ERROR', { error_type, ...plainByName(names, values), from_state, line });
  endFailed(run, errorOf(cause));
  return STOP;
}

function entryFields(thread: Thread): { names: readonly string[]; values: readonly Slot[] } {
  return { names: thread.run.linked.machine.states[thread.state]?.entry ?? [], values: thread.entry };
}

/** The failure as in the result and in the event of the run's end. */
export function errorOf(facts: FailureFacts, otherwise = ''): RunError {
  const { error_type, error, from_state, line, file, tool, exit_code, step, gate, with: passed, printed } = facts;
  const message =
    error !== '' ? error : otherwise !== '' ? otherwise : `the program went to ERROR from \`${from_state}\``;
  const about = omitUndefined({ step, gate, with: passed, printed });
  return { kind: error_type, message, state: from_state, line, file: file ?? null, tool, exit_code, ...about };
}

/** RETURN. In the state ERROR the run ends as failed and keeps the value. */
export function endReturned(thread: Thread, value: Value, failed: boolean): void {
  const { run } = thread;
  const json = plain(value);
  const printed = omitUndefined({ printed: printedForm(value) });
  if (failed) {
    endFailed(run, errorOf(run.cause ?? causeOfGoto(thread, {}), render(value)), { value: json, ...printed });
    return;
  }
  leaveForks(thread);
  stopEverything(run);
  run.undo.take();
  run.recordNow({ type: 'run_returned', state: run.currentState, value: json, ...printed });
  run.end({ status: 'returned', value: json, ...printed, error: null, state: run.currentState });
}

export function endFailed(run: Run, failure: RunError, returned?: Pick<RunResult, 'value' | 'printed'>): void {
  // A workflow file has no states, so its user does not know the internal one.
  const error = run.linked.machine.workflow === undefined ? failure : { ...failure, state: null };
  leaveForks(run.main);
  stopEverything(run);
  const { entries } = run.undo;
  const undo = entries.length === 0 ? {} : { undo: undoFacts(entries) };
  run.undo.abandonLateRollback();
  run.recordNow({
    type: 'run_failed',
    error,
    ...(returned === undefined || returned.value === null ? {} : returned),
    ...undo,
  });
  run.end({ status: 'failed', ...(returned ?? { value: null }), error, state: run.currentState });
}

function amountOf(scope: ExceededScope, amount: number): string {
  switch (scope) {
    case 'transitions':
    case 'tokens':
      return `${amount} ${scope}`;
    case 'time':
      return `${amount} ms`;
    case 'cost':
      return `${amount} US dollars`;
    case 'journal':
      return `${byteCount(amount)} of journal`;
    case 'output':
      return `${byteCount(amount)} of output`;
    case 'image':
      return `${byteCount(amount)} of image`;
    default:
      return unreachable(scope);
  }
}

/**
 * Ends the run as failed because of a limit, without entering ERROR, which would continue to work. The run has no result
 * afterwards if limits are being ignored.
 */
export function exceedLimit(run: Run, scope: ExceededScope, limit: number, used: number, step?: string): void {
  if (mayExceed(run)) endExceeded(run, scope, limit, used, step);
}

/** Ends the run before a call of an agent that the limit of its cost cannot pay for. */
export function exceedCostBefore(run: Run, { limit, cost, most }: RefusedCost, step?: string): void {
  if (!mayExceed(run)) return;
  const used = cost === 0 ? '' : `, of which ${cost} are used`;
  const message = `a call that may cost ${most} US dollars does not fit into the limit of ${limit} US dollars${used}`;
  endExceeded(run, 'cost', limit, addCost(cost, most), step, message);
}

/** The limit, what is used of it, and what the call may cost. */
interface RefusedCost {
  readonly limit: number;
  readonly cost: number;
  readonly most: number;
}

function mayExceed(run: Run): boolean {
  return run.result === null && !run.overlooksLimits && run.undo.endedAs === null;
}

function exceededMessage(scope: ExceededScope, limit: number, used: number): string {
  return `the limit of ${amountOf(scope, limit)} is exceeded${scope === 'transitions' ? '' : ` (${used})`}`;
}

/** The same, whatever the run does. */
export function endExceeded(
  run: Run,
  scope: ExceededScope,
  limit: number,
  used: number,
  step?: string,
  message = exceededMessage(scope, limit, used),
): void {
  const at = step === undefined ? {} : { step };
  run.recordNow({ type: 'budget_exceeded', scope, ...at, limit, used });
  const { state, line, file } = locationOf(run.main);
  endFailed(run, { kind: 'limit', message, state, line, file, tool: null, exit_code: null, ...at });
}
