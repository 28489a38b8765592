/**
 * The instruction that runs a plan: the one instruction of a thread that has several effects in flight. What a plan
 * needs from the world it asks for like any other instruction, and goes on with each outcome as it comes.
 */
import type { Json } from '../../machine/expression.js';
import type { Instruction } from '../../machine/machine.js';
import { printPath } from '../../machine/reference.js';
import { putOff, unavailability } from '../agent-wait.js';
import { spend } from '../budget.js';
import { compile } from '../evaluate.js';
import type { Outcome } from '../event.js';
import { factsOf, tellFailure } from '../fail.js';
import { RuntimeFailure } from '../failure.js';
import type { LinkContext, Linked } from '../link.js';
import { meaningOf } from '../outcome.js';
import { requestTimer, suspend } from '../pending.js';
import type { ActivePlan, Pending, Run, Thread } from '../run-state.js';
import { endFailed, errorOf, STOP } from '../transfer.js';
import { define, plain, type Value } from '../value.js';
import { beginning } from './plan-beginning.js';
import { callTitle, innerValue, type LeafCall } from './plan-node.js';
import { type PlanEntry, type PlanResult, PlanRun } from './plan-run.js';
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
  const { plan, main = false } = instruction;
  return {
    step: (t) => {
      const inputs: { [name: string]: Value } = main ? { ...t.run.inputs } : {};
      for (const { name, value } of args) define(inputs, name, plain(value(t)) as Value);
      const effect = t.nextEffect();
      openPlan(t, { plan, main, effect, inputs: inputs as Record<string, Json>, log: null });
      return goOn(t, instruction, context);
    },
    suspender: {
      resume: (t, pending, outcome) => (take(t, pending, outcome) ? goOn(t, instruction, context) : STOP),
      reissue,
    },
  };
}

interface Opening {
  readonly plan: string;
  readonly main: boolean;
  readonly effect: string;
  readonly inputs: Readonly<Record<string, Json>>;
  /** What the plan was told before, which it repeats: nothing of that is written or told again. */
  readonly log: readonly PlanEntry[] | null;
}

function openPlan(thread: Thread, { plan, main, effect, inputs, log }: Opening): ActivePlan {
  const { run } = thread;
  const { plans = {} } = run.linked.machine;
  const one = plans[plan];
  if (one === undefined) throw new Error(`the machine has no plan ${plan}`);
  const given = beginning(one, inputs, {});
  const writing = { on: main && log === null };
  if (writing.on) run.data.begin(given);
  const opened = new PlanRun({
    plans,
    name: plan,
    given,
    limit: run.options.jobs,
    wrote: (path, value, method) => {
      if (!writing.on) return;
      run.data.write(path, value, method);
      const how = method === null || method === 'set' ? {} : { method };
      run.recordNow({ type: 'state_set', path: printPath(path), value, ...how });
    },
    found: (path) => {
      if (writing.on) run.data.note(path);
    },
  });
  const active = { run: opened, effect, inputs };
  thread.plan = active;
  if (main) run.plan = active;
  if (log !== null) opened.repeat(log);
  writing.on = main;
  return active;
}

export function planImage({ run, effect, inputs }: ActivePlan): PlanImage {
  return { effect, inputs, log: run.log };
}

/** The plan of a restored thread. `launched`: effects that it waits for. */
export function restorePlan(
  thread: Thread,
  instruction: PlanInstruction,
  { effect, inputs, log }: PlanImage,
  launched: readonly string[],
): void {
  const { plan, main = false } = instruction;
  const active = openPlan(thread, { plan, main, effect, inputs, log });
  for (const key of launched) active.run.hasten(key);
}

/** Takes what the world told. False when the plan cannot go on with it. */
function take(thread: Thread, pending: Pending, outcome: Outcome): boolean {
  const { run } = activePlan(thread);
  const { call, attempt, effect, waits, putsOff } = pending;
  if (call === undefined) throw new Error(`no call of a plan waits for ${effect}`);
  if (pending.kind === 'approval') {
    run.open(call.key, plain(meaningOf(outcome, ANSWER).value ?? null));
    return true;
  }
  const leaf = run.leaf(call.key);
  if (leaf === null) throw new Error(`no call ${call.key} of the plan runs`);
  if (putsOff !== undefined) {
    const next = { ...putsOff, ...(waits === undefined ? {} : { waits }), ...withCorrection(call.correction) };
    launch(thread, leaf, next);
    return false;
  }
  const { calls } = leaf.binding;
  if (calls.kind !== 'agent') {
    run.settle(call.key, toolOutcome(outcome, leaf.binding));
    return true;
  }
  if (spend(thread.run, outcome)) return false;
  const unavailable = unavailability(outcome);
  if (unavailable !== null) {
    putOff(thread, pending, unavailable);
    return false;
  }
  const answer = agentOutcome(outcome, leaf.call.tool ?? '', resultSchema(leaf.binding) !== undefined);
  if (answer.kind !== 'unusable') run.settle(call.key, answer);
  else if (call.correction !== undefined) run.settle(call.key, unusableOutcome(answer));
  else {
    const { problem, session } = answer;
    // An effect of its own, since it is asked something else. It counts as the same try.
    thread.run.effects++;
    launch(thread, leaf, { effect: `${effect}.again`, attempt, correction: { problem, session } });
    return false;
  }
  return true;
}

const ANSWER = { reading: 'capture', ok: [0], tool: null, agent: false } as const;

function withCorrection(correction: ToolTry['correction']) {
  return correction === undefined ? {} : { correction };
}

function activePlan(thread: Thread): ActivePlan {
  if (thread.plan === null) throw new Error('the thread runs no plan');
  return thread.plan;
}

/** Asks for the calls that are ready, tells of gates, and ends the plan when nothing is left. */
function goOn(thread: Thread, instruction: PlanInstruction, context: LinkContext): number {
  const { run: plan, effect } = activePlan(thread);
  for (const leaf of plan.takeLaunches()) {
    thread.run.effects++;
    launch(thread, leaf, { effect: `${effect}.${leaf.key}`, attempt: 1 });
  }
  waitForGates(thread, plan, effect);
  const { result } = plan;
  if (result === null) return STOP;
  thread.plan = null;
  const value = instruction.main ? result.value : innerValue(plan.root);
  return end(thread, instruction, context, { ...result, value }, effect);
}

function launch(thread: Thread, leaf: LeafCall, next: ToolTry): void {
  const facts = callFacts(leaf);
  const request = toolRequest(thread, facts, next);
  const { effect, kind, attempt } = request;
  const waits = next.waits === undefined ? {} : { waits: next.waits };
  const call = { key: leaf.key, ...withCorrection(next.correction) };
  suspend(thread, { effect, kind, purpose: 'result', until: null, waiting: null, call, ...waits }, attempt);
  tellTool(thread, request, facts);
  thread.run.request(request);
}

function callFacts({ call, binding, parameters }: LeafCall): CallFacts {
  const { tool, arms, line, remarks } = call;
  return { name: tool ?? '', binding, parameters, arms, line, remarks };
}

/** A gate is a question that no terminal asks: whoever opens it should know what for. */
function waitForGates(thread: Thread, plan: PlanRun, base: string): void {
  const { pending } = thread.run;
  for (const { key, name } of plan.gates()) {
    const effect = `${base}.${key}`;
    if (pending.has(effect)) continue;
    const waiting = { kind: 'approval', path: name } as const;
    suspend(thread, { effect, kind: 'approval', purpose: 'result', until: null, waiting, call: { key } });
    const question = `the plan waits for \`†state.${name}\``;
    thread.run.recordNow({ type: 'asked', effect, name, question, choices: null, default: null, deadline: null });
  }
}

function end(
  thread: Thread,
  instruction: PlanInstruction,
  context: LinkContext,
  { value, failures, blamed }: PlanResult,
  effect: string,
): number {
  const [first] = failures;
  if (first === undefined) {
    const { bind } = instruction;
    if (bind !== undefined) thread.locals[bind.slot] = value as Value;
    return context.pc + 1;
  }
  thread.run.blamed = blamed.map((key) => `${effect}.${key}`);
  const { call, record } = first;
  const { code, message } = record.error ?? { code: null, message: '' };
  const others = failures.length === 1 ? '' : `; ${failures.length - 1} more failed`;
  const kind = typeof code === 'string' && FAILURE_KINDS.has(code) ? code : 'tool_failure';
  const exit = typeof code === 'number' ? code : null;
  const words = `${callTitle(call)} failed: ${message}${others}`;
  const place = instruction.main && call.line > 0 ? { line: call.line } : {};
  const failure = new RuntimeFailure(kind, words, call.tool ?? call.delegate, exit, place);
  if (!instruction.main) throw failure;
  // What the other calls came to is returned all the same.
  const facts = factsOf(thread, failure);
  tellFailure(thread, facts);
  endFailed(thread.run, errorOf(facts), value);
  return STOP;
}

/** Codes of failures that mean the same in a program. */
const FAILURE_KINDS = new Set(['timeout', 'not_json', 'bad_value', 'value_too_large', 'in_doubt', 'plan_failed']);

function reissue(thread: Thread, pending: Pending): void {
  const { effect, kind, until, attempt, waits, call } = pending;
  if (kind === 'approval' || call === undefined) return;
  if (kind === 'timer') {
    requestTimer(thread.run, effect, until ?? 0, null);
    return;
  }
  const leaf = activePlan(thread).run.leaf(call.key);
  if (leaf === null) throw new Error(`no call ${call.key} of the plan runs`);
  const next = { effect, attempt, ...(waits === undefined ? {} : { waits }), ...withCorrection(call.correction) };
  thread.run.request(toolRequest(thread, callFacts(leaf), next));
}

/** Starts a call that is on record, whether or not there is room for it. True when there was one. */
export function hastenCall(run: Run, effect: string): boolean {
  for (const thread of planThreads(run)) {
    const { run: plan, effect: base } = activePlan(thread);
    const leaf = effect.startsWith(`${base}.`) ? plan.hasten(effect.slice(base.length + 1)) : null;
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
