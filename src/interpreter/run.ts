/**
 * The interface of the interpreter: start a run, advance it, and report what happened. Everything is synchronous. A run
 * asks for what it needs in requests, and records what it did in events.
 */
import type { Json } from '../machine/expression.js';
import type { ExceededScope, Input, Limits } from '../machine/machine.js';
import { omitUndefined } from '../prelude/omit-undefined.js';
import { asFailure, factsOf, failThread } from './control/fail.js';
import { holdKey, releaseHeld } from './control/hold.js';
import { forget } from './control/request-effects.js';
import { endExceeded, endFailed, enter, exceedLimit } from './control/transfer.js';
import type { GrantedAttempt, HeldFailure, Waiting } from './events/event.js';
import { runningPlan } from './plan/active-plan.js';
import type { LinkedMachine } from './run-state/linked-machine.js';
import { namesOf } from './run-state/pending.js';
import { Run } from './run-state/run-memory.js';
import type { InterpreterOptions } from './run-state/run-result.js';
import { locationOf, type Slot, type Thread, wakeWaiters } from './run-state/thread.js';
import type { DeliveryOffset } from './settle.js';
import { decode, printJson, readJson } from './values/json.js';
import { numberOf, type Value } from './values/value.js';

export { agentText } from './agents/agent-output.js';
export { link, linkObserved, linkWith } from './instructions/link.js';
export { imageOf, restoreRun, snapshotOf } from './record/snapshot.js';
export type { LinkedMachine } from './run-state/linked-machine.js';
export { Run } from './run-state/run-memory.js';
export type { InterpreterOptions, RunResult } from './run-state/run-result.js';
export type { RunTokens } from './run-state/run-usage.js';
export { answer, receiveSignal, settle } from './settle.js';

/** Transitions between two looks at the world unless the caller of `advance` gives a number. */
const DEFAULT_TRANSITIONS = 100_000;

/** Starts a run: records `run_started` and enters the initial state. Executes nothing yet. */
export function startRun(linked: LinkedMachine, options: InterpreterOptions): Run {
  const run = new Run(linked, options);
  const { machine } = linked;
  run.setInputs(machine.inputs.map((input) => beginningOf(input, options)));
  const { digest, version, start, worktree, by } = options;
  const begun = {
    machine: machine.name,
    digest,
    inputs: run.inputs,
    ...omitUndefined({ printed: run.printedInputs }),
    version,
  };
  run.recordNow({ type: 'run_started', ...begun, ...omitUndefined({ worktree, by }) });
  const target = start?.state ?? machine.initial;
  const names = Object.keys(start?.with ?? {});
  const entry = machine.states[target]?.entry ?? [];
  const passed = { names, slots: names.map((name) => entry.indexOf(name)) };
  enter(
    run.main,
    target,
    passed,
    names.map((name) => start?.with[name] as Value),
  );
  if (run.result === null) run.enqueue(run.main);
  return run;
}

/** The value of an input, with its numbers as they were written, if that is known. */
function beginningOf({ name, value, printed }: Input, { inputs, printedInputs }: InterpreterOptions): Slot {
  const isGiven = Object.hasOwn(inputs, name);
  const given = printedInputs !== undefined && Object.hasOwn(printedInputs, name) ? printedInputs[name] : undefined;
  const text = isGiven ? given : printed;
  if (text !== undefined) return decode(text);
  return (isGiven ? inputs[name] : value) as Slot;
}

function advanceThread(thread: Thread): void {
  const { instructions } = thread.run.linked;
  let pc = thread.pc;
  for (;;) {
    try {
      do {
        thread.pc = pc;
        pc = (instructions[pc] as (thread: Thread) => number)(thread);
      } while (pc >= 0);
      return;
    } catch (thrown) {
      pc = failThread(thread, factsOf(thread, asFailure(thrown)));
      if (pc < 0) return;
    }
  }
}

/**
 * Executes everything that can be executed. `blocked`: the run waits for outcomes. `stopped`: it has a result. `more`: it
 * made the given number of transitions and loop rounds, and the caller may check for signals before it continues.
 */
export function advance(run: Run, transitions = DEFAULT_TRANSITIONS): 'blocked' | 'stopped' | 'more' {
  run.refuel(transitions);
  while (run.result === null) {
    if (run.isOutOfFuel) return 'more';
    const thread = run.dequeue();
    if (thread === undefined) return 'blocked';
    if (thread.status === 'ready') advanceThread(thread);
  }
  return 'stopped';
}

/** Ends the run as failed, without entering ERROR, because of a limit that is measured outside, such as time. */
export function exceed(run: Run, scope: ExceededScope, limit: number, used: number): void {
  exceedLimit(run, scope, limit, used);
}

/** The same for a run whose last events cannot be kept, even if it has just ended or is being rolled back. */
export function exceedImage(run: Run, limit: number, used: number): void {
  endExceeded(run, 'image', limit, used);
}

/**
 * Continues a run that was held at these failures. True: all of them happen again before anything else. False: the run has
 * continued.
 */
export function failsAgain(run: Run, failures: readonly HeldFailure[]): boolean {
  run.holdAt(new Set(failures.map(holdKey)));
  while (advance(run) === 'more');
  const again = run.held.length === failures.length;
  releaseHeld(run);
  return again;
}

/** Ends the run for good, because a user cancelled it. */
export function cancelRun(run: Run, by: string, delivery: DeliveryOffset = {}): void {
  if (run.result !== null) return;
  run.recordNow({ type: 'run_cancelled', by, ...delivery });
  const { state, line, file } = locationOf(run.main);
  endFailed(run, {
    kind: 'cancelled',
    message: `${by} cancelled the run`,
    state,
    line,
    file,
    tool: null,
    exit_code: null,
  });
}

/** Ends a run that has not begun, because another run has its key. */
export function skipRun(run: Run, key: string, holder: string): void {
  run.recordNow({ type: 'run_skipped', key, run_id: holder });
  run.end({ status: 'skipped', value: null, error: null, state: run.currentState, heldBy: holder });
}

/** The kind of failure of a run that must not be executed. No program can handle it. */
export const REFUSED = 'refused';

/** Ends the run before it has begun, or before it continues, because it must not be executed. What it waits for is not stopped: nothing has begun. */
export function refuseRun(run: Run, message: string): void {
  for (const pending of [...run.pending.values()]) forget(pending);
  const { state, line, file } = locationOf(run.main);
  endFailed(run, { kind: REFUSED, message, state, line, file, tool: null, exit_code: null });
}

/** Grants one more attempt to these steps. */
export function grant(run: Run, granted: readonly GrantedAttempt[]): void {
  for (const one of granted) run.steps.grant(one);
}

/** Skips the numbers of effects that were begun and no longer count. The threads must be waiting. */
export function skipNumbers(run: Run, begun: Readonly<Record<string, number>>): void {
  const threads = [run.main, ...run.ready, ...[...run.pending.values()].map(({ thread }) => thread)];
  for (const thread of threads) thread.counter = Math.max(thread.counter, begun[thread.path] ?? 0);
}

/** Continues the run with other limits or from an earlier point, which may release calls that waited for their budget. */
export function reopen(run: Run, limits: Limits): void {
  run.setLimits(limits);
  wakeWaiters(run);
}

/** What only people, other programs or the clock can provide, in the order of the requests. */
export function waiting(run: Run): Waiting[] {
  return [...run.pending.values()].flatMap((pending) => (pending.waiting === null ? [] : [pending.waiting]));
}

/** An open question, an approval, or a wait for a signal. */
export interface OpenWait {
  readonly kind: 'ask' | 'approval' | 'signal';
  readonly effect: string;
  /** Its own name in the run, such as `go@2`. */
  readonly id: string;
  /** For an approval: its path. */
  readonly name: string;
  /** The possible answers; null: any. An approval has any if only tools that take its value read it. */
  readonly choices: readonly string[] | null;
  /** When it ends by itself, in milliseconds since the epoch; null: never. */
  readonly until: number | null;
}

/** The answers of an approval: given, and denied. */
const APPROVAL_ANSWERS = ['true', 'false'] as const;

/** The open questions and approvals, with the effect ids that answers need. */
export function openQuestions(run: Run): OpenWait[] {
  return openWaits(run).filter(({ kind }) => kind !== 'signal');
}

/** The same with the waits for signals. */
export function openWaits(run: Run): OpenWait[] {
  return [...run.pending.values()].flatMap(({ kind, effect, waiting: what, call, thread }): OpenWait[] => {
    const open = { effect, ...namesOf({ waiting: what }), until: what?.until ?? null };
    if (kind === 'ask' || kind === 'signal') return [{ kind, ...open, choices: what?.choices ?? null }];
    if (kind !== 'approval') return [];
    const takesAny = call !== undefined && runningPlan(thread).engine.takesAnyAnswer(call.key);
    return [{ kind, ...open, choices: takesAny ? null : APPROVAL_ANSWERS }];
  });
}

/** The names of the signals that some WAIT of the program is for. */
export function signalsOf(run: Run): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { code } of run.linked.machine.states)
    for (const instruction of code) if (instruction.op === 'signal') names.add(instruction.name);
  return names;
}

/**
 * The value of an answer as the run takes it; undefined: it is not one of the choices, or no text. Spaces around a choice do not
 * count. What a person answers is a text, wherever it comes from. An approval is a boolean, and one that takes any value is JSON
 * where the text can be read so.
 */
export function valueOfAnswer({ kind, choices }: Pick<OpenWait, 'kind' | 'choices'>, given: Json): Json | undefined {
  if (choices === null) return kind === 'ask' ? answeredText(given) : jsonOf(given);
  const text = (typeof given === 'string' ? given : printJson(given as Value)).trim();
  if (!choices.includes(text)) return undefined;
  return kind === 'approval' ? text === 'true' : text;
}

function answeredText(given: Json): string | undefined {
  if (typeof given === 'string') return given;
  // A number has the digits with which it was written.
  const isScalar = typeof given === 'boolean' || numberOf(given as Value) !== undefined;
  return isScalar ? printJson(given as Value) : undefined;
}

function jsonOf(value: Json): Json {
  const read = typeof value === 'string' ? readJson(value) : null;
  return read?.ok ? (read.value as Json) : value;
}
