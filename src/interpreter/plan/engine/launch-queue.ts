/**
 * The leaf calls that are ready, and the permits that let them be launched: one of their own plan and one of every plan
 * around it. Permits decide when a call is launched and never what it does.
 *
 * 1. A queued call is in the queue, or held by exactly one plan that has no permit left.
 * 2. `inFlight` of a plan is the number of launched calls in it and below it. It exceeds `permits` only when calls were
 *    launched by force, because the record has them.
 */
import { CallQueue } from '../scheduler/call-queue.js';
import { isBefore, type LeafCall, type PlanNode } from './plan-node.js';

export class LaunchQueue {
  private readonly queue = new CallQueue<LeafCall>(isBefore);

  add(leaf: LeafCall): void {
    this.queue.push(leaf);
  }

  /** Launches as many calls as permits allow, in their order. `root`: the outermost plan. */
  launchAll(root: PlanNode): LeafCall[] {
    const launched: LeafCall[] = [];
    while (root.inFlight < root.permits) {
      const leaf = this.queue.pop();
      if (leaf === undefined) break;
      // It was launched by force or ended while it was in the queue.
      if (leaf.phase !== 'queued') continue;
      const full = findFull(leaf.node);
      if (full !== null) full.held.push(leaf);
      else launched.push(this.launch(leaf));
    }
    return launched;
  }

  /** Launches a call whether or not there is a permit. */
  launch(leaf: LeafCall): LeafCall {
    leaf.phase = 'launched';
    for (const node of withOuter(leaf.node)) node.inFlight++;
    return leaf;
  }

  /** The call has ended: its permits go to others. */
  end(leaf: LeafCall): void {
    if (leaf.phase === 'launched') {
      for (const node of withOuter(leaf.node)) {
        node.inFlight--;
        for (const held of node.held) this.queue.push(held);
        node.held = [];
      }
    }
    leaf.phase = 'ended';
  }
}

/** The innermost plan around the call that has no permit left, or null. */
function findFull(from: PlanNode): PlanNode | null {
  for (const node of withOuter(from)) if (node.inFlight >= node.permits) return node;
  return null;
}

function* withOuter(from: PlanNode): Iterable<PlanNode> {
  for (let node: PlanNode | undefined = from; node !== undefined; node = node.parent?.node) yield node;
}
