/** The plan that a thread runs, as only this folder knows it: its engine, and what the instruction keeps next to it. */
import type { Json } from '../../machine/expression.js';
import type { Instruction } from '../../machine/machine.js';
import type { Retry } from '../../machine/option-values.js';
import type { PlanPath, ToolBinding } from '../../machine/plan.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import type { ActivePlan } from '../run-state/open-plan.js';
import type { Thread } from '../run-state/thread.js';
import { compileRetry, compileRetryOn } from '../values/evaluated-options.js';
import { durationMs } from '../values/operations.js';
import { compileTemplate } from '../values/template.js';
import type { PlanEngine } from './engine/plan-engine.js';
import type { UnpaidCall } from './engine/plan-entry.js';
import type { LeafCall } from './engine/plan-node.js';
import type { PlanOutcome } from './scheduler/plan-outcome.js';

export interface RunningPlan extends ActivePlan {
  readonly engine: PlanEngine;
  readonly inputs: Readonly<Record<string, Json>>;
  /** Paths that the outermost plan has written, in order. */
  readonly written: readonly PlanPath[];
  /** Null but for a CALL. */
  readonly options: CallOptions | null;
  /** Calls of agents that begin when the budget of the run has what they may cost, in the order in which they asked. */
  unpaid: readonly UnpaidCall[];
}

/** The plan of a thread or a run with all its members: `startPlan` alone makes plans. */
export function runningPlan({ plan }: { readonly plan: ActivePlan | null }): RunningPlan {
  if (plan === null) throw new Error('no plan runs here');
  return plan as RunningPlan;
}

type CallOptionsOf = NonNullable<Extract<Instruction, { op: 'plan' }>['call']>;

/** What the brackets of a CALL say about its one call: how long a try may take, and how many tries there are. */
export interface CallOptions {
  /** Null: that of the tool. */
  readonly timeoutMs: number | null;
  readonly retry: Retry;
  readonly retryOn: ReturnType<ReturnType<typeof compileRetryOn>>;
  readonly once: boolean;
}

const evaluators = new WeakMap<CallOptionsOf, (thread: Thread) => CallOptions>();

/** Evaluates the options. A restored run evaluates them again and has the same values. */
export function callOptions(thread: Thread, call: CallOptionsOf): CallOptions {
  let evaluate = evaluators.get(call);
  if (evaluate === undefined) {
    evaluate = compileOptions(call);
    evaluators.set(call, evaluate);
  }
  return evaluate(thread);
}

function compileOptions({ timeout, retry, retryOn, once }: CallOptionsOf): (thread: Thread) => CallOptions {
  const limit = timeout === undefined ? null : compileTemplate(timeout).value;
  const tries = compileRetry(retry);
  const may = compileRetryOn(retryOn);
  return (t) => ({
    timeoutMs: limit === null ? null : durationMs(limit(t), 'the timeout'),
    retry: tries(t),
    retryOn: may(t),
    once: once === true,
  });
}

/** Whether the program allows one more try. An exit code that the tool has a path for is not a failure. */
export function mayRetry(options: CallOptions, attempt: number, outcome: PlanOutcome, binding: ToolBinding): boolean {
  if (attempt > options.retry.times) return false;
  if (outcome.kind === 'broken') return options.retryOn({ errorType: outcome.code, exit: null });
  if (outcome.kind !== 'failure') return false;
  const { exitCode } = outcome;
  if (!options.retryOn({ errorType: 'tool_failure', exit: exitCode ?? null })) return false;
  return exitCode === undefined || binding.outcomes === null || !Object.hasOwn(binding.outcomes, String(exitCode));
}

/** What the options change about a leaf call: only the call of the program itself, not those of plans below it. */
export function overrides(options: CallOptions | null, leaf: LeafCall): { timeoutMs?: number; once?: true } {
  if (options === null || leaf.node.parent !== null || leaf.check !== null) return {};
  const { timeoutMs, once } = options;
  return omitUndefined({ timeoutMs: timeoutMs ?? undefined, once: once ? (true as const) : undefined });
}
