/** Limits of calls that are plans: which are open, and what lies below the call of each. */
import type { LeafCall, PlanNode } from './plan-node.js';

export interface CallLimit {
  readonly node: PlanNode;
  readonly call: number;
  readonly timeoutMs: number;
}

const END = '.limit';

export function isLimitKey(key: string): boolean {
  return key.endsWith(END);
}

/** By the key of the limit: that of the call, and an ending that no call and no gate has. */
export class CallLimits {
  private readonly open = new Map<string, CallLimit>();
  private begun: string[] = [];

  begin(limit: CallLimit): void {
    const key = keyOf(limit);
    this.open.set(key, limit);
    this.begun.push(key);
  }

  end(call: Pick<CallLimit, 'node' | 'call'>): void {
    if (this.open.size > 0) this.open.delete(keyOf(call));
  }

  of(key: string): CallLimit | null {
    return this.open.get(key) ?? null;
  }

  /** Those that began since they were asked for the last time. */
  take(): string[] {
    const { begun } = this;
    if (begun.length > 0) this.begun = [];
    return begun.filter((key) => this.open.has(key));
  }
}

function keyOf({ node, call }: Pick<CallLimit, 'node' | 'call'>): string {
  return `${node.prefix}${call + 1}${END}`;
}

/** Inside the plan, or one of the plans, that the call runs. */
export function isBelow(from: PlanNode, { node, call }: CallLimit): boolean {
  for (let at = from.parent; at !== null; at = at.node.parent) if (at.node === node && at.call === call) return true;
  return false;
}

/** Below the call, or asking about its own result. */
export function belongsTo(leaf: LeafCall, limit: CallLimit): boolean {
  return isBelow(leaf.node, limit) || (leaf.node === limit.node && leaf.call.index === limit.call);
}
