/** The order in which outcomes are explored: one is enough for members that do not depend on each other. */
import type { Member } from '../interpreter/run-state/fork.js';
import type { Pending } from '../interpreter/run-state/pending.js';

/**
 * What is settled next. A clock gives its time at once. Members that nothing else can end need one order only: their
 * join does not depend on it.
 */
export function nextOf(pending: readonly Pending[], allOrders: boolean): readonly Pending[] {
  const instant = pending.find(({ kind }) => kind === 'clock' || kind === 'uuid' || kind === 'random');
  if (instant !== undefined) return [instant];
  if (allOrders) return pending;
  const free = pending.find(isIndependent);
  return free === undefined ? pending : [free];
}

/** Whether a member waits for its own effect, and no quorum, limit of time or detached join can end it earlier. */
function isIndependent({ purpose, thread, kind }: Pending): boolean {
  if (purpose !== 'result' || thread.member === null || kind === 'signal') return false;
  for (let member: Member | null = thread.member; member !== null; member = member.fork.parent.member) {
    const { fork } = member;
    if (fork.quorum !== null || fork.detached || fork.parent.pending.length > 0) return false;
  }
  return true;
}
