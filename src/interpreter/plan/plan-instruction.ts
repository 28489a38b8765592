/**
 * The instruction that runs a plan: the one instruction whose thread has several effects in flight. It carries news
 * between the engine and the world: `collect` applies one outcome to the engine, and `dispatch` launches what the engine
 * has ready, asks people for what it lacks, and ends the instruction when the engine has a result.
 *
 * 1. Outcomes are applied one after the other, in the order of the journal, and each is followed by `dispatch`. So a
 *    replay launches the same calls between the same outcomes.
 * 2. The id of an effect follows from the engine alone: the id of the plan and the key of the call.
 * 3. Only this folder looks into an engine: to all others the plan of a thread is an `ActivePlan`, which says nothing.
 */
import type { Json } from '../../machine/expression.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { printPath } from '../../prelude/reference.js';
import { backOff, unavailability } from '../agents/agent-wait.js';
import { continuedSession } from '../agents/continued-session.js';
import { writeData } from '../control/branch-data.js';
import { spend } from '../control/budget.js';
import { factsOf, noteFailure, reportFailure } from '../control/fail.js';
import { beginSample, beginTimer, cancel, forget, suspend } from '../control/request-effects.js';
import { endFailed, errorOf } from '../control/transfer.js';
import type { Outcome } from '../events/event.js';
import { askChance, chanceOf, timeOf } from '../instructions/wait-instructions.js';
import { decodeOutcome } from '../outcome.js';
import { type LinkContext, type Linked, STOP } from '../run-state/linked-machine.js';
import type { Pending } from '../run-state/pending.js';
import type { StatePath } from '../run-state/run-data.js';
import { type Thread, warn } from '../run-state/thread.js';
import { DataTree, type UnknownData } from '../values/data-tree.js';
import { compile } from '../values/evaluate.js';
import { define, plain, type Value } from '../values/value.js';
import { mayRetry, type RunningPlan, runningPlan } from './active-plan.js';
import { decodeAgentOutcome, decodeToolOutcome, unusableOutcome } from './call-outcome.js';
import { isLimitKey } from './engine/call-limits.js';
import type { PlanResult } from './engine/plan-engine.js';
import { type FailedCall, innerValue } from './engine/plan-entry.js';
import { type LeafCall, type PlanNode, resultSchema } from './engine/plan-node.js';
import { launchCall, launchUnpaid, requestAgain, retryCall } from './launch-call.js';
import { failureOfPlan } from './plan-report.js';
import type { PlanOutcome } from './scheduler/plan-outcome.js';
import { type PlanInstruction, startPlan } from './start-plan.js';

export function linkPlan(instruction: PlanInstruction, context: LinkContext): Linked {
  const args = instruction.args.map(({ name, value }) => ({ name, value: compile(value) }));
  const { main = false } = instruction;
  const isBound = instruction.call !== undefined && instruction.bind !== undefined;
  return {
    instruction: (t) => {
      // Others have released what they had reserved.
      if (t.plan !== null && runningPlan(t).unpaid.length > 0) return dispatch(t, instruction, context);
      const inputs: { [name: string]: Value } = {};
      if (main)
        context.machine.inputs.forEach(({ name }, slot) => {
          const value = t.inputs[slot];
          if (value !== undefined) define(inputs, name, value);
        });
      for (const { name, value } of args) define(inputs, name, value(t));
      const effect = t.nextEffect();
      startPlan(t, instruction, { effect, inputs: inputs as Record<string, Json>, log: null });
      return dispatch(t, instruction, context);
    },
    suspender: {
      resume: (t, pending, outcome) => {
        if (collect(t, pending, outcome, isBound)) return dispatch(t, instruction, context);
        launchUnpaid(t);
        return STOP;
      },
      reissue: requestAgain,
    },
  };
}

function dispatch(thread: Thread, instruction: PlanInstruction, context: LinkContext): number {
  const active = runningPlan(thread);
  const { engine, effect } = active;
  launchUnpaid(thread);
  for (const leaf of engine.launchReady()) {
    launchCall(thread, leaf, { effect: `${effect}.${leaf.key}`, attempt: 1 }, { counts: true });
  }
  if (thread.run.result !== null) return STOP;
  askForApprovals(thread, active);
  watchLimits(thread, active);
  if (engine.result === null) return STOP;
  thread.plan = null;
  return end(thread, instruction, context, active, engine.result);
}

function end(
  thread: Thread,
  instruction: PlanInstruction,
  context: LinkContext,
  active: RunningPlan,
  { value, failures, blamed }: PlanResult,
): number {
  const { run } = thread;
  const { main = false, call, bind } = instruction;
  const { root } = active.engine;
  if (!main && call === undefined) leaveResults(thread, active);
  // A CALL fails when its call failed, even if its output path has a value from elsewhere.
  const first = call === undefined ? failures[0] : failureOfCall(active);
  if (first === undefined) {
    thread.unperformed = call !== undefined && !hasSucceeded(active);
    if (bind !== undefined) {
      const bound = call !== undefined ? callResult(root, run.linked.unknownData) : main ? value : innerValue(root);
      thread.locals[bind.slot] = bound as Value;
    }
    return context.pc + 1;
  }
  const keys = call === undefined ? blamed : (root.failed.get(0) ?? []);
  run.blame(keys.map((key) => `${active.effect}.${key}`));
  const failure = failureOfPlan(instruction, first, {
    count: failures.length,
    effects: run.blamed,
    unknown: run.linked.unknownData,
  });
  if (!main) throw failure;
  // The results of the other calls are the value of the failed run.
  const facts = noteFailure(thread, factsOf(thread, failure));
  reportFailure(thread, facts);
  endFailed(run, errorOf(facts), { value: plain(value as Value) });
  return STOP;
}

/** Asks for approvals that are new, and drops the questions for those that an answer to another one has decided. */
function askForApprovals(thread: Thread, { engine, effect: base }: RunningPlan): void {
  const { pending } = thread.run;
  const approvals = engine.openApprovals();
  const open = new Set(approvals.map(({ key }) => key));
  for (const one of [...thread.pending])
    if (one.kind === 'approval' && one.call !== undefined && !open.has(one.call.key)) forget(one);
  for (const { key, name, path, node } of approvals) {
    const effect = `${base}.${key}`;
    if (pending.has(effect)) continue;
    const id = thread.run.nextWaitId(name);
    const waiting = { kind: 'approval', id, path: name } as const;
    suspend(thread, { effect, kind: 'approval', purpose: 'result', until: null, waiting, call: { key } });
    // A name with numbers of calls says already where the path is asked for.
    const within = node.parent === null || name !== key ? '' : ` in call ${node.prefix.slice(0, -1)}`;
    const question = `the plan waits for \`†${printPath(path)}\`${within}`;
    thread.run.recordNow({ type: 'asked', effect, id, name, question, choices: null, default: null, deadline: null });
  }
}

/** The result of the one call of a CALL; if it did not run, the value that its output path has. */
function callResult({ plan, scheduler: { data } }: PlanNode, unknown: UnknownData | null): Json {
  const [record] = data.callRecords();
  if (record?.status === 'done') return data.resultOf(0);
  const path = plan.calls[0]?.arms[record?.arm ?? 0]?.[0];
  return (path === undefined ? undefined : valueAt(data.all(), path, unknown)) ?? null;
}

function valueAt(data: Json, path: readonly string[], unknown: UnknownData | null): Json | undefined {
  return new DataTree(data, unknown).read(path);
}

/** The one call of a CALL, if it failed. */
function failureOfCall({ engine }: RunningPlan): FailedCall | undefined {
  const { plan, scheduler } = engine.root;
  const [record] = scheduler.data.callRecords();
  const [call] = plan.calls;
  return record?.status === 'failed' && call !== undefined ? { call, record } : undefined;
}

/** Whether the one call of a CALL did its work: it ran, and took no arm for failures. */
function hasSucceeded({ engine }: RunningPlan): boolean {
  const { plan, scheduler } = engine.root;
  const [record] = scheduler.data.callRecords();
  if (record?.status !== 'done') return false;
  const last = engine.log.findLast((entry) => 'outcome' in entry);
  if (last === undefined || last.outcome.kind === 'result') return true;
  const outcomes = plan.tools[plan.calls[0]?.tool ?? '']?.outcomes ?? {};
  return last.outcome.kind === 'failure' && Object.hasOwn(outcomes, String(last.outcome.exitCode));
}

/** Copies what a PLAN wrote to the data of the program. While it runs, its data is its own, so that each run of it starts anew. */
function leaveResults(thread: Thread, { engine, written }: RunningPlan): void {
  const data = engine.root.scheduler.data.all();
  const last = new Map(written.map((path) => [JSON.stringify(path), path]));
  for (const path of last.values()) {
    if (path[0] !== 'state' && path[0] !== 'data') continue;
    const value = valueAt(data, path, thread.run.linked.unknownData);
    if (value === undefined) continue;
    const why = thread.data.refusal(path as StatePath, value, 'set');
    if (why === null) writeData(thread, { path: path as StatePath, value, method: 'set' });
    else warn(thread, `what the plan wrote to \`†${path.join('.')}\` is dropped: ${why}`);
  }
}

const APPROVAL = { decoding: 'capture', ok: [0], tool: null, agent: false } as const;

/**
 * Applies one outcome to the engine. False if nothing is applied yet, because the call is tried once more, or because
 * the run has ended. `isBound`: the program binds the result of the CALL.
 */
function collect(thread: Thread, pending: Pending, outcome: Outcome, isBound: boolean): boolean {
  const { engine } = runningPlan(thread);
  const { call, effect, kind, waits, putsOff, retries } = pending;
  if (call === undefined) throw new Error(`no call of a plan waits for ${effect}`);
  if (kind === 'approval') {
    engine.approve(call.key, (decodeOutcome(outcome, APPROVAL).value ?? null) as Json, pending.answeredBy);
    return true;
  }
  if (isLimit(pending)) return applyLimit(thread, pending, outcome);
  const leaf = engine.leaf(call.key);
  if (leaf === null) throw new Error(`no call ${call.key} of the plan runs`);
  if (putsOff !== undefined) {
    const { continues } = pending;
    launchCall(
      thread,
      leaf,
      omitUndefined({ ...putsOff, waits, correction: call.correction, continues, reserved: pending.reserved }),
    );
    return false;
  }
  if (retries !== undefined) {
    retryCall(thread, leaf, retries, chanceOf(outcome));
    return false;
  }
  if (leaf.binding.calls.kind === 'agent') return collectFromAgent(thread, pending, leaf, outcome);
  const isKept = leaf.call.arms.length > 0 || (isBound && leaf.node.parent === null);
  const isWanted = isKept || resultSchema(leaf.binding) !== undefined;
  return settle(thread, pending, leaf, decodeToolOutcome(outcome, leaf.binding, isWanted));
}

/** An agent whose answer cannot be used is asked once more, in its session if it has one. */
function collectFromAgent(thread: Thread, pending: Pending, leaf: LeafCall, outcome: Outcome): boolean {
  const { effect, attempt, call } = pending;
  if (spend(thread.run, outcome)) return false;
  const unavailable = unavailability(outcome);
  if (unavailable !== null) {
    const continues = continuedSession(outcome, pending.continues);
    backOff(thread, omitUndefined({ ...pending, continues }), unavailable);
    return false;
  }
  const answer = decodeAgentOutcome(outcome, leaf.call.tool ?? '', resultSchema(leaf.binding) !== undefined);
  if (answer.kind !== 'unusable') return settle(thread, pending, leaf, answer);
  if (call?.correction !== undefined) return settle(thread, pending, leaf, unusableOutcome(answer));
  const { problem, session, sessionTokens } = answer;
  // The question is another one, so it is an effect of its own; it counts as the same attempt.
  const next = { effect: `${effect}.again`, attempt, correction: omitUndefined({ problem, session, sessionTokens }) };
  launchCall(thread, leaf, next, { counts: true });
  return false;
}

/** Gives the outcome to the engine, unless the program allows one more try. */
function settle(thread: Thread, { effect, attempt }: Pending, leaf: LeafCall, outcome: PlanOutcome): boolean {
  const { engine, options } = runningPlan(thread);
  const isOwn = leaf.node.parent === null && leaf.check === null;
  if (options === null || !isOwn || !mayRetry(options, attempt, outcome, leaf.binding)) {
    engine.settle(leaf.key, outcome);
    return true;
  }
  const error = outcome.kind === 'result' ? '' : outcome.message;
  const retries = { effect, attempt, error };
  if (options.retry.upToMs === undefined) retryCall(thread, leaf, retries, null);
  else askChance(thread, { retries, call: { key: leaf.key } });
  return false;
}

/** Asks for the time for each limit that has started, and cancels the timers of calls that have ended. */
function watchLimits(thread: Thread, { engine, effect: base }: RunningPlan): void {
  for (const pending of [...thread.pending]) {
    const key = pending.call?.key;
    if (key !== undefined && isLimitKey(key) && engine.limits.get(key) === null) cancel(pending);
  }
  for (const key of engine.limits.takeStarted()) {
    const facts = { effect: `${base}.${key}`, purpose: 'clock', call: { key } } as const;
    beginSample(thread, 'clock', 'the limit of a plan', facts);
  }
}

function isLimit({ call }: Pending): boolean {
  return call !== undefined && isLimitKey(call.key);
}

/** Takes the time at which the call started, or that its time is over. False if the limit is not reached yet. */
function applyLimit(thread: Thread, pending: Pending, outcome: Outcome): boolean {
  const { engine } = runningPlan(thread);
  const key = pending.call?.key ?? '';
  const limit = engine.limits.get(key);
  if (limit === null) return true;
  const { timeoutMs } = limit;
  if (pending.kind === 'clock') {
    const until = timeOf(outcome) + timeoutMs;
    const facts = { effect: `${pending.effect}.end`, purpose: 'bound', call: { key } } as const;
    beginTimer(thread, { until, ms: timeoutMs }, facts);
    return false;
  }
  const ended = new Set(engine.expire(key));
  for (const one of [...thread.pending]) if (one.call !== undefined && ended.has(one.call.key)) cancel(one);
  return true;
}
