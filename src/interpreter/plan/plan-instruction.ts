/**
 * The instruction that runs a plan: the one instruction of a thread that has several effects in flight. What a plan
 * needs from the world it asks for like any other instruction, and goes on with each outcome as it comes.
 */
import type { Json } from '../../machine/expression.js';
import type { Instruction } from '../../machine/machine.js';
import type { PlanPath } from '../../machine/plan.js';
import { printPath } from '../../machine/reference.js';
import { putOff, unavailability } from '../agents/agent-wait.js';
import { writeData } from '../control/branch-data.js';
import { spend } from '../control/budget.js';
import { forget, requestTimer, suspend } from '../control/effects.js';
import { factsOf, noteFailure, tellFailure } from '../control/fail.js';
import { endFailed, errorOf } from '../control/transfer.js';
import type { Outcome, RunError } from '../events/event.js';
import { RuntimeFailure } from '../failure.js';
import { askChance, chanceOf, doubledMs, requestChance } from '../instructions/back-off.js';
import { meaningOf } from '../outcome.js';
import type { ActivePlan } from '../run-state/active-plan.js';
import type { LinkContext, Linked } from '../run-state/linked-machine.js';
import { STOP } from '../run-state/linked-machine.js';
import type { Pending } from '../run-state/pending.js';
import type { Run } from '../run-state/run.js';
import type { Thread } from '../run-state/thread.js';
import { compile } from '../values/evaluate.js';
import { define, plain, type Value } from '../values/value.js';
import { type RunningPlan, runningPlan } from './active-plan.js';
import { type CallOptions, callOptions, mayRetry, overrides } from './call-options.js';
import { initialData } from './engine/initial-data.js';
import { type CallReport, PlanEngine, type PlanEntry, type PlanResult } from './engine/plan-engine.js';
import { callTitle, innerValue, type LeafCall } from './engine/plan-node.js';
import { isLimit, takeLimit, watchLimits } from './plan-limits.js';
import { callResult, failureOf, hasSucceeded, leaveResults } from './plan-results.js';
import type { PlanOutcome } from './scheduler/plan-outcome.js';
import { agentOutcome, toolOutcome, unusableOutcome } from './tool-outcome.js';
import { type CallFacts, resultSchema, type ToolTry, tellTool, toolRequest } from './tool-request.js';

type PlanInstruction = Extract<Instruction, { op: 'plan' }>;

/** What a snapshot keeps of a plan under way: everything else follows. */
export interface PlanImage {
  readonly effect: string;
  readonly inputs: Readonly<Record<string, Json>>;
  readonly log: readonly PlanEntry[];
}

export function linkPlan(instruction: PlanInstruction, context: LinkContext): Linked {
  const args = instruction.args.map(({ name, value }) => ({ name, value: compile(value) }));
  const { main = false } = instruction;
  return {
    step: (t) => {
      const inputs: { [name: string]: Value } = main ? { ...t.run.inputs } : {};
      for (const { name, value } of args) define(inputs, name, plain(value(t)) as Value);
      const effect = t.nextEffect();
      openPlan(t, instruction, { effect, inputs: inputs as Record<string, Json>, log: null });
      return goOn(t, instruction, context);
    },
    suspender: {
      resume: (t, pending, outcome) =>
        take(t, pending, { outcome, isBound: instruction.call !== undefined && instruction.bind !== undefined })
          ? goOn(t, instruction, context)
          : STOP,
      reissue,
    },
  };
}

interface Opening {
  readonly effect: string;
  readonly inputs: Readonly<Record<string, Json>>;
  /** What the plan was told before, which it repeats: nothing of that is written or told again. */
  readonly log: readonly PlanEntry[] | null;
}

function openPlan(thread: Thread, instruction: PlanInstruction, { effect, inputs, log }: Opening): RunningPlan {
  const { run } = thread;
  const { plan, main = false, call } = instruction;
  const { plans = {} } = run.linked.machine;
  const one = plans[plan];
  if (one === undefined) throw new Error(`the machine has no plan ${plan}`);
  const given = initialData(
    one,
    inputs,
    call === undefined ? {} : (thread.data.read([]) as Readonly<Record<string, Json>>),
  );
  const writing = { on: log === null };
  if (main && writing.on) run.data.begin(given);
  const written: PlanPath[] = [];
  const options = call === undefined ? null : callOptions(thread, call);
  const opened = new PlanEngine({
    plans,
    name: plan,
    given,
    limit: run.options.jobs,
    callTimeoutMs: options?.timeoutMs ?? null,
    wrote: (path, value, method) => {
      written.push(path);
      if (writing.on && (main || call !== undefined)) writeData(thread, { path, value, method });
    },
    found: (path) => {
      if (writing.on && main) run.data.note(path);
    },
  });
  const active = { run: opened, effect, inputs, written, options };
  thread.plan = active;
  if (main) run.plan = active;
  if (log !== null) {
    opened.replay(log);
    // Their timers are among what the restored run waits for.
    opened.limits.take();
  }
  writing.on = true;
  return active;
}

export function planImage(plan: ActivePlan): PlanImage {
  const { run, effect, inputs } = runningPlan(plan);
  return { effect, inputs, log: run.log };
}

/** The plan of a restored thread. `launched`: effects that it waits for. */
export function restorePlan(
  thread: Thread,
  instruction: PlanInstruction,
  { effect, inputs, log }: PlanImage,
  launched: readonly string[],
): void {
  const active = openPlan(thread, instruction, { effect, inputs, log });
  for (const key of launched) active.run.forceStart(key);
}

/** The plan that a run was: what became of its calls is still asked for. */
export function restoreEndedPlan(run: Run, image: PlanImage): void {
  const instruction = run.linked.machine.states.flatMap(({ code }) => code).find(({ op }) => op === 'plan');
  if (instruction?.op !== 'plan') return;
  restorePlan(run.main, instruction, image, []);
  run.main.plan = null;
}

interface Told {
  readonly outcome: Outcome;
  /** What the call of a CALL gives is bound. */
  readonly isBound: boolean;
}

/** Takes what the world told. False when the plan cannot go on with it. */
function take(thread: Thread, pending: Pending, { outcome, isBound }: Told): boolean {
  const { run } = activePlan(thread);
  const { call, attempt, effect, waits, putsOff, retries } = pending;
  if (call === undefined) throw new Error(`no call of a plan waits for ${effect}`);
  if (pending.kind === 'approval') {
    run.approve(call.key, plain(meaningOf(outcome, ANSWER).value ?? null), pending.answeredBy);
    return true;
  }
  if (isLimit(pending)) return takeLimit(thread, run, pending, outcome);
  const leaf = run.leaf(call.key);
  if (leaf === null) throw new Error(`no call ${call.key} of the plan runs`);
  if (putsOff !== undefined) {
    const next = { ...putsOff, ...(waits === undefined ? {} : { waits }), ...withCorrection(call.correction) };
    launch(thread, leaf, next);
    return false;
  }
  if (retries !== undefined) {
    tryAgain(thread, leaf, retries, chanceOf(outcome));
    return false;
  }
  const { calls } = leaf.binding;
  if (calls.kind !== 'agent') {
    const isKept = leaf.call.arms.length > 0 || (isBound && leaf.node.parent === null);
    const isWanted = isKept || resultSchema(leaf.binding) !== undefined;
    return settled(thread, pending, leaf, toolOutcome(outcome, leaf.binding, isWanted));
  }
  if (spend(thread.run, outcome)) return false;
  const unavailable = unavailability(outcome);
  if (unavailable !== null) {
    putOff(thread, pending, unavailable);
    return false;
  }
  const answer = agentOutcome(outcome, leaf.call.tool ?? '', resultSchema(leaf.binding) !== undefined);
  if (answer.kind !== 'unusable') return settled(thread, pending, leaf, answer);
  if (call.correction !== undefined) return settled(thread, pending, leaf, unusableOutcome(answer));
  const { problem, session } = answer;
  // An effect of its own, since it is asked something else. It counts as the same try.
  thread.run.effects++;
  launch(thread, leaf, { effect: `${effect}.again`, attempt, correction: { problem, session } });
  return false;
}

/** The plan takes the outcome, unless a further try is left. */
function settled(thread: Thread, { effect, attempt }: Pending, leaf: LeafCall, outcome: PlanOutcome): boolean {
  const { run, options } = activePlan(thread);
  const isOwn = leaf.node.parent === null && leaf.check === null;
  if (options === null || !isOwn || !mayRetry(options, attempt, outcome, leaf.binding)) {
    run.settle(leaf.key, outcome);
    return true;
  }
  const error = outcome.kind === 'result' ? '' : outcome.message;
  const retries = { effect, attempt, error };
  if (options.retry.upToMs === undefined) tryAgain(thread, leaf, retries, null);
  else askChance(thread, { retries, call: { key: leaf.key } });
  return false;
}

/** `chance`: null where the pause is always the same. */
function tryAgain(
  thread: Thread,
  leaf: LeafCall,
  failed: NonNullable<Pending['retries']>,
  chance: number | null,
): void {
  const { effect, attempt } = failed;
  const { pauseMs, upToMs } = activePlan(thread).options?.retry ?? { pauseMs: 0 };
  const pause = upToMs === undefined ? { pauseMs } : { pauseMs, upToMs };
  const delayMs = chance === null ? pauseMs : doubledMs(pause, attempt, chance);
  thread.run.recordNow({ type: 'effect_retried', ...failed, delay_ms: delayMs });
  launch(thread, leaf, { effect, attempt: attempt + 1 }, delayMs);
}

const ANSWER = { reading: 'capture', ok: [0], tool: null, agent: false } as const;

function withCorrection(correction: ToolTry['correction']) {
  return correction === undefined ? {} : { correction };
}

function activePlan(thread: Thread): RunningPlan {
  if (thread.plan === null) throw new Error('the thread runs no plan');
  return runningPlan(thread.plan);
}

/** Asks for the calls that are ready, tells of gates, and ends the plan when nothing is left. */
function goOn(thread: Thread, instruction: PlanInstruction, context: LinkContext): number {
  const { run: plan, effect } = activePlan(thread);
  for (const leaf of plan.takeLaunches()) {
    thread.run.effects++;
    launch(thread, leaf, { effect: `${effect}.${leaf.key}`, attempt: 1 });
  }
  waitForGates(thread, plan, effect);
  watchLimits(thread, plan, effect);
  const { result } = plan;
  if (result === null) return STOP;
  const active = activePlan(thread);
  thread.plan = null;
  return end(thread, instruction, context, active, result);
}

function launch(thread: Thread, leaf: LeafCall, next: ToolTry, delayMs = 0): void {
  const facts = callFacts(leaf, activePlan(thread).options);
  const request = toolRequest(thread, facts, next, delayMs);
  const { effect, kind, attempt } = request;
  const waits = next.waits === undefined ? {} : { waits: next.waits };
  const call = { key: leaf.key, ...withCorrection(next.correction) };
  suspend(thread, { effect, kind, purpose: 'result', until: null, waiting: null, call, ...waits }, attempt);
  tellTool(thread, request, facts);
  thread.run.request(request);
}

function callFacts(leaf: LeafCall, options: CallOptions | null): CallFacts {
  const { call, binding, parameters, check } = leaf;
  const { tool, arms, line, remarks } = call;
  return { name: tool ?? '', binding, check, parameters, arms, line, remarks, ...overrides(options, leaf) };
}

/** A gate is a question that no terminal asks: whoever opens it should know what for. */
function waitForGates(thread: Thread, plan: PlanEngine, base: string): void {
  const { pending } = thread.run;
  const gates = plan.openApprovals();
  // What was given to one gate may decide about another.
  const open = new Set(gates.map(({ key }) => key));
  for (const one of [...thread.pending])
    if (one.kind === 'approval' && one.call !== undefined && !open.has(one.call.key)) forget(one);
  for (const { key, name, path, node } of gates) {
    const effect = `${base}.${key}`;
    if (pending.has(effect)) continue;
    const waiting = { kind: 'approval', path: name } as const;
    suspend(thread, { effect, kind: 'approval', purpose: 'result', until: null, waiting, call: { key } });
    const within = node.parent === null || name !== key ? '' : ` in call ${node.prefix.slice(0, -1)}`;
    const question = `the plan waits for \`†${printPath(path)}\`${within}`;
    thread.run.recordNow({ type: 'asked', effect, name, question, choices: null, default: null, deadline: null });
  }
}

function end(
  thread: Thread,
  instruction: PlanInstruction,
  context: LinkContext,
  active: RunningPlan,
  { value, failures, blamed }: PlanResult,
): number {
  const { main = false, call, bind } = instruction;
  if (!main && call === undefined) leaveResults(thread, active);
  // Of a CALL it counts what this call came to, and not whether its place has a value.
  const first = call === undefined ? failures[0] : failureOf(active);
  if (first === undefined) {
    thread.unperformed = call !== undefined && !hasSucceeded(active);
    if (bind !== undefined) thread.locals[bind.slot] = boundValue(active, instruction, value) as Value;
    return context.pc + 1;
  }
  const blame = call === undefined ? blamed : (active.run.root.failed.get(0) ?? []);
  thread.run.blamed = blame.map((key) => `${active.effect}.${key}`);
  const failure = failureOfPlan(instruction, first, failures.length, thread.run.blamed);
  if (!main) throw failure;
  // What the other calls came to is returned all the same.
  const facts = noteFailure(thread, factsOf(thread, failure));
  tellFailure(thread, facts);
  endFailed(thread.run, errorOf(facts), value);
  return STOP;
}

/** The failure of the first call that failed, of so many. */
function failureOfPlan(
  { main, call }: Pick<PlanInstruction, 'main' | 'call'>,
  { call: failed, record }: PlanResult['failures'][number],
  count: number,
  effects: readonly string[] = [],
): RuntimeFailure {
  const { code, message } = record.error ?? { code: null, message: '' };
  const others = count === 1 ? '' : `; ${count - 1} more failed`;
  const kind = typeof code === 'string' && FAILURE_KINDS.has(code) ? code : 'tool_failure';
  const exit = typeof code === 'number' ? code : null;
  const words = call === undefined ? `${callTitle(failed)} failed: ${message}${others}` : message;
  const location = main === true && failed.line > 0 ? { line: failed.line } : {};
  return new RuntimeFailure(kind, words, failed.tool ?? failed.delegate, exit, location, { effects });
}

/** What became of the calls of the plan that a run is; null for programs. */
export function callReports({ plan }: Run): CallReport[] | null {
  return plan === null ? null : runningPlan(plan).run.reports();
}

/** What a plan that waits for a person will fail with, because a call of it has failed already; null when none has. */
export function failureSoFar(run: Run): RunError | null {
  const { plan, main } = run;
  if (plan === null || main.plan === null) return null;
  const failures = runningPlan(plan).run.failures();
  const [first] = failures;
  if (first === undefined) return null;
  return errorOf(factsOf(main, failureOfPlan({ main: true }, first, failures.length)));
}

function boundValue({ run }: RunningPlan, { main, call }: PlanInstruction, output: Json): Json {
  if (call !== undefined) return callResult(run.root);
  return main ? output : innerValue(run.root);
}

/** Codes of failures that mean the same in a program. */
const FAILURE_KINDS = new Set([
  'timeout',
  'not_json',
  'bad_value',
  'value_too_large',
  'in_doubt',
  'plan_failed',
  'unresolved',
  'denied',
]);

function reissue(thread: Thread, pending: Pending): void {
  const { effect, kind, until, attempt, waits, call } = pending;
  if (kind === 'approval' || call === undefined) return;
  if (kind === 'clock') {
    thread.run.request({ effect, kind, attempt, delayMs: 0 });
    return;
  }
  if (kind === 'random') {
    requestChance(thread, effect);
    return;
  }
  if (kind === 'timer') {
    requestTimer(thread.run, effect, until ?? 0, null);
    return;
  }
  const leaf = activePlan(thread).run.leaf(call.key);
  if (leaf === null) throw new Error(`no call ${call.key} of the plan runs`);
  const next = { effect, attempt, ...(waits === undefined ? {} : { waits }), ...withCorrection(call.correction) };
  thread.run.request(toolRequest(thread, callFacts(leaf, activePlan(thread).options), next));
}

/** Starts a call that is on record, whether or not there is room for it. True when there was one. */
export function forceStartCall(run: Run, effect: string): boolean {
  for (const thread of planThreads(run)) {
    const { run: plan, effect: base } = activePlan(thread);
    const leaf = effect.startsWith(`${base}.`) ? plan.forceStart(effect.slice(base.length + 1)) : null;
    if (leaf === null) continue;
    run.effects++;
    launch(thread, leaf, { effect, attempt: 1 });
    return true;
  }
  return false;
}

function planThreads(run: Run): Thread[] {
  const threads = new Set([...run.pending.values()].map(({ thread }) => thread));
  return [...threads].filter(({ plan }) => plan !== null);
}
