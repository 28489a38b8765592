/**
 * Starts members of a fork that began because of a free permit which is now taken, because the outcome that released it was
 * discarded. What these members did is still on record, so they must not wait.
 */

import { startMember } from '../control/join.js';
import { grantPermit } from '../control/semaphore.js';
import type { Semaphore } from '../run-state/fork-state.js';
import type { Run } from '../run-state/run-memory.js';
import type { Thread } from '../run-state/thread.js';

/** Starts the next member in the queue of the member of an effect. False if this member does not wait for a permit. */
export function forceStartMember(run: Run, effect: string): boolean {
  const semaphore = semaphoreBefore(run.main, effect);
  return semaphore !== null && grantPermit(semaphore, startMember);
}

/** The queue of the member to which an effect belongs. Ids of effects have fork and member, from the outside. */
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
