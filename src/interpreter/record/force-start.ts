/**
 * Starts members of a fork that began because a permit was free which now is taken: the outcome that freed it does not
 * count any more. What they did is on record all the same, and must not wait now.
 */

import { startMember } from '../control/join.js';
import { grantPermit } from '../control/semaphore.js';
import type { Semaphore } from '../run-state/fork.js';
import type { Run } from '../run-state/run.js';
import type { Thread } from '../run-state/thread.js';

/** Lets the next one begin of those that the member of an effect waits with. False when that member waits for no place. */
export function forceStartMember(run: Run, effect: string): boolean {
  const semaphore = semaphoreBefore(run.main, effect);
  return semaphore !== null && grantPermit(semaphore, startMember);
}

/** Where the member waits in which the effect is; effects are numbered by fork and member, from the outside. */
function semaphoreBefore(thread: Thread, effect: string): Semaphore | null {
  for (const fork of thread.forks) {
    if (!effect.startsWith(`${fork.id}.`)) continue;
    const member = fork.members[Number.parseInt(effect.slice(fork.id.length + 1), 10) - 1];
    if (member === undefined) continue;
    if (member.status === 'waiting') return fork.semaphore;
    if (member.thread === null || member.status !== 'active') return null;
    if (fork.semaphore.returning.includes(member.thread)) return fork.semaphore;
    return semaphoreBefore(member.thread, effect);
  }
  return null;
}
