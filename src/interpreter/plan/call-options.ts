/** What the brackets of a CALL say about the one call that its plan has: how long a try takes, and how many there are. */
import type { Instruction } from '../../machine/machine.js';
import type { Retry } from '../../machine/option-values.js';
import type { ToolBinding } from '../../machine/plan.js';
import type { Thread } from '../run-state/thread.js';
import { durationMs } from '../values/duration.js';
import { compileRetry, compileRetryOn } from '../values/option-values.js';
import { compileTemplate } from '../values/template.js';
import type { LeafCall } from './engine/plan-node.js';
import type { PlanOutcome } from './scheduler/plan-outcome.js';

type CallOptionsOf = NonNullable<Extract<Instruction, { op: 'plan' }>['call']>;

export interface CallOptions {
  /** Null: as the tool says. */
  readonly timeoutMs: number | null;
  readonly retry: Retry;
  readonly retryOn: ReturnType<ReturnType<typeof compileRetryOn>>;
  readonly once: boolean;
}

const known = new WeakMap<CallOptionsOf, (thread: Thread) => CallOptions>();

/** The options with their values. They are asked for anew by a restored run, which has the same values. */
export function callOptions(thread: Thread, call: CallOptionsOf): CallOptions {
  let evaluate = known.get(call);
  if (evaluate === undefined) {
    evaluate = compiled(call);
    known.set(call, evaluate);
  }
  return evaluate(thread);
}

function compiled({ timeout, retry, retryOn, once }: CallOptionsOf): (thread: Thread) => CallOptions {
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

/** Whether a further try may mend it: an end that the tool has a path for is none of its failures. */
export function mayRetry(options: CallOptions, attempt: number, outcome: PlanOutcome, binding: ToolBinding): boolean {
  if (attempt > options.retry.times) return false;
  if (outcome.kind === 'broken') return options.retryOn({ errorType: outcome.code, exit: null });
  if (outcome.kind !== 'failure') return false;
  const { exitCode } = outcome;
  if (!options.retryOn({ errorType: 'tool_failure', exit: exitCode ?? null })) return false;
  return exitCode === undefined || binding.outcomes === null || !Object.hasOwn(binding.outcomes, String(exitCode));
}

/** What is said about the call of the program, and about none that a plan below it makes. */
export function overrides(options: CallOptions | null, leaf: LeafCall): { timeoutMs?: number; once?: true } {
  if (options === null || leaf.node.parent !== null || leaf.check !== null) return {};
  const { timeoutMs, once } = options;
  return { ...(timeoutMs === null ? {} : { timeoutMs }), ...(once ? { once: true } : {}) };
}
