/** Time limits of calls that run plans: which limits are open, and which calls lie below the call of each. */
import type { LeafCall, PlanNode } from './plan-node.js';

interface CallLimit {
  readonly node: PlanNode;
  readonly call: number;
  readonly timeoutMs: number;
}

const KEY_ENDING = '.limit';

/** Whether a key is that of a limit: neither keys of calls nor names of approvals end so. */
export function isLimitKey(key: string): boolean {
  return key.endsWith(KEY_ENDING);
}

/** The limits that are open, by their keys. */
export class CallLimits {
  private readonly open = new Map<string, CallLimit>();
  private started: string[] = [];

  start(limit: CallLimit): void {
    const key = keyOf(limit);
    this.open.set(key, limit);
    this.started.push(key);
  }

  end(call: Pick<CallLimit, 'node' | 'call'>): void {
    if (this.open.size > 0) this.open.delete(keyOf(call));
  }

  get(key: string): CallLimit | null {
    return this.open.get(key) ?? null;
  }

  /** The limits that started since the last call of this, if they are still open. */
  takeStarted(): string[] {
    const { started } = this;
    if (started.length > 0) this.started = [];
    return started.filter((key) => this.open.has(key));
  }
}

function keyOf({ node, call }: Pick<CallLimit, 'node' | 'call'>): string {
  return `${node.prefix}${call + 1}${KEY_ENDING}`;
}

/** Whether the plan is one that the call runs, or lies below one. */
export function isBelow(from: PlanNode, { node, call }: CallLimit): boolean {
  for (let at = from.parent; at !== null; at = at.node.parent) if (at.node === node && at.call === call) return true;
  return false;
}

/** Whether the leaf lies below the call of the limit, or checks its parameters or result. */
export function isCovered(leaf: LeafCall, limit: CallLimit): boolean {
  return isBelow(leaf.node, limit) || (leaf.node === limit.node && leaf.call.index === limit.call);
}
