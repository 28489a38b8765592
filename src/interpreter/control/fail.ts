/**
 * Handles failures: a failure is reported once. Then the first ON ERROR that matches handles it, else the state ERROR,
 * else the run ends. In a branch it waits for the join, which handles the failures of all branches at once.
 */
import type { Handler } from '../../machine/machine.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import type { FailureCause, FailureFacts } from '../events/event.js';
import { RuntimeFailure } from '../failure.js';
import { STOP } from '../run-state/linked-machine.js';
import { inStep } from '../run-state/open-frames.js';
import { locationOf, record, type Slot, type Thread } from '../run-state/thread.js';
import { closeFrames, failAttempt } from './close-frames.js';
import { hold, isHeld } from './hold.js';
import { failMember, leaveForks } from './join.js';
import { keepTurn } from './member-failures.js';
import { endFailed, errorOf, transferToError } from './transfer.js';

/** The error contract of a failure at the position of its thread. `effect`: the effect whose outcome caused it, if any. */
export function factsOf(thread: Thread, failure: RuntimeFailure, effect?: string): FailureFacts {
  const { state, line, file } = locationOf(thread);
  return {
    error_type: failure.errorType,
    tool: failure.tool,
    error: failure.message,
    exit_code: failure.exit,
    from_state: state,
    line,
    ...omitUndefined({ file: file ?? undefined }),
    ...failure.about,
    causes: failure.source.causes ?? [causeOf(thread, failure, effect)],
  };
}

function causeOf(thread: Thread, { about, source }: RuntimeFailure, effect: string | undefined): FailureCause {
  const effects = source.effects ?? (effect === undefined ? [] : [effect]);
  const { step } = about;
  return {
    ...newCause(thread),
    ...(effects.length > 0 ? { effects } : effect === undefined ? {} : { inside: true }),
    ...(step === undefined || source.attempt === undefined ? {} : { step: { step, attempt: source.attempt } }),
  };
}

/** A failure of the thread that no effect caused. */
function newCause({ path, failures, counter }: Thread): FailureCause {
  return { thread: path, number: failures + 1, begun: counter };
}

/** Counts and records a failure. If it happens while another one is handled, the run is resumed before the other one. */
export function noteFailure(thread: Thread, facts: FailureFacts, isKept = false): FailureFacts {
  const causes = thread.handled ?? facts.causes ?? [newCause(thread)];
  thread.failures++;
  if (thread.run.quiet) return { ...facts, causes };
  const { error_type, error, from_state: state, line } = facts;
  thread.run.recordNow({
    type: 'instruction_failed',
    thread: thread.path,
    error_type,
    error,
    state,
    line,
    causes,
    ...(isKept ? { kept: true } : {}),
  });
  return { ...facts, causes };
}

/** What was thrown, as a failure of the run. Anything else is a bug and is thrown again. */
export function asFailure(thrown: unknown): RuntimeFailure {
  if (thrown instanceof RuntimeFailure) return thrown;
  // JavaScript engines throw this if a text or list would be too large.
  if (thrown instanceof RangeError) return new RuntimeFailure('value_too_large', 'the value is too large');
  throw thrown;
}

/** TOOL_FAILURE, which the engine always emits. */
export function reportFailure(thread: Thread, facts: FailureFacts): void {
  const { tool, error, exit_code, from_state, line } = facts;
  const fields = { tool, error, exit: exit_code };
  record(thread, {
    type: 'emitted',
    by: 'engine',
    event: 'TOOL_FAILURE',
    fields,
    message: null,
    state: from_state,
    line,
    ...inStep(thread),
  });
}

/** The handler of a failure at the position of the thread; null: the join, ERROR or nobody handles it. */
export function handlerFor(thread: Thread, kind: string): Handler | null {
  const { machine, starts } = thread.run.linked;
  const state = machine.states[thread.state];
  if (state === undefined || state.handlers.length === 0) return null;
  const base = starts[thread.state] as number;
  const pc = thread.pc - base;
  const fork = thread.member === null ? null : thread.member.fork.pc - base;
  for (const handler of state.handlers) {
    if (pc < handler.from || pc >= handler.to || (thread.handling && !isInner(handler))) continue;
    // A handler around the fork handles the failure of the join, not that of one branch.
    if (fork !== null && fork >= handler.from && fork < handler.to) continue;
    if (handler.kind === null || handler.kind === kind) return handler;
  }
  return null;
}

/** Whether an ON ERROR contains it. */
function isInner({ step, keep }: Handler): boolean {
  return step === true || keep !== undefined;
}

/** Continues a loop with its next round. Frames around the loop stay open. */
function enterLoop(thread: Thread, handler: Handler, facts: FailureFacts): number {
  const base = thread.run.linked.starts[thread.state] as number;
  leaveForks(thread, base + handler.from, base + handler.to);
  closeFrames(thread, handler.frames ?? 0);
  if (handler.keep !== undefined) keepTurn(thread, handler.keep, facts);
  return base + handler.pc;
}

function enterHandler(thread: Thread, handler: Handler, facts: FailureFacts): number {
  leaveForks(thread);
  closeFrames(thread, handler.frames ?? 0);
  const at = (thread.run.linked.starts[thread.state] as number) + handler.pc;
  if (handler.step === true) {
    failAttempt(thread, facts);
    return at;
  }
  thread.handling = true;
  thread.handled = facts.causes ?? null;
  for (const [name, slot] of Object.entries(handler.names))
    thread.locals[slot] = (facts[name as keyof FailureFacts] as Slot) ?? null;
  for (const [name, slot] of Object.entries(handler.passed ?? {})) thread.locals[slot] = facts.with?.[name] as Slot;
  return at;
}

/**
 * Handles a failure of a thread. Returns its next position or `STOP`. `isReported`: TOOL_FAILURE has already been emitted.
 */
export function failThread(thread: Thread, failure: FailureFacts, isReported = false): number {
  const { run } = thread;
  if (isHeld(thread)) return hold(thread);
  const handler = handlerFor(thread, failure.error_type);
  if (handler?.step === true) thread.failures++;
  const facts = handler?.step === true ? failure : noteFailure(thread, failure, handler?.keep !== undefined);
  if (thread.member !== null && handler === null) {
    leaveForks(thread);
    failMember(thread.member, facts, isReported);
    return STOP;
  }
  if (handler?.keep !== undefined) return enterLoop(thread, handler, facts);
  if (!isReported) reportFailure(thread, facts);
  if (handler !== null) return enterHandler(thread, handler, facts);
  const { error } = run.linked.machine;
  if (error !== null && thread.state !== error) {
    const next = transferToError(thread, error, facts);
    thread.handled = facts.causes ?? null;
    return next;
  }
  endFailed(run, errorOf(facts));
  return STOP;
}
