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
import { factsOf, noteFailure, reportFailure } from '../control/fail.js';
import { endFailed, errorOf } from '../control/transfer.js';
import { type LinkContext, type Linked, STOP } from '../run-state/linked-machine.js';
import type { Thread } from '../run-state/thread.js';
import { compile } from '../values/evaluate.js';
import { define, plain, type Value } from '../values/value.js';
import { type RunningPlan, runningPlan } from './active-plan.js';
import { askForApprovals } from './ask-for-approvals.js';
import { callResult, failureOfCall, hasSucceeded, leaveResults } from './call-result.js';
import { collect } from './collect.js';
import { innerValue } from './engine/node-outcome.js';
import type { PlanResult } from './engine/plan-engine.js';
import { launchCall, launchUnpaid, requestAgain } from './launch-call.js';
import { watchLimits } from './limit-timers.js';
import { failureOfPlan } from './plan-report.js';
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
