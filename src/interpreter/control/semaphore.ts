/**
 * Permits of members. A member holds a permit from its start to its end, except while it waits for a person, a signal or
 * members that need permits of the same semaphore. So nested forks share one number of jobs without waiting for each
 * other, and a `max` in the program holds whatever the members do.
 */
import type { Fork, Member, Semaphore } from '../run-state/fork-state.js';
import { makeReady, type Thread } from '../run-state/thread.js';

/** Source order of two branch paths: `1.2` before `1.10`. `compareNested` decides if one contains the other. */
function comparePaths(a: string, b: string, compareNested: (left: number, right: number) => number): number {
  const [left, right] = [a.split('.'), b.split('.')];
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const difference = Number(left[i]) - Number(right[i]);
    if (difference !== 0) return difference;
  }
  return compareNested(left.length, right.length);
}

/** Inserts into a sorted list. */
function insert<T>(list: T[], item: T, compare: (a: T, b: T) => number): void {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compare(list[middle] as T, item) <= 0) low = middle + 1;
    else high = middle;
  }
  list.splice(low, 0, item);
}

/** Queues the members of a fork. Members inside a member come before those that have not started. */
export function queueFork(fork: Fork): void {
  insert(fork.semaphore.forks, fork, (a, b) => comparePaths(a.id, b.id, (left, right) => right - left));
}

/** Queues a member that needs its permit again. */
export function queueReturning(member: Member, thread: Thread): void {
  insert(member.fork.semaphore.returning, thread, (a, b) =>
    comparePaths(a.path, b.path, (left, right) => left - right),
  );
}

/**
 * Grants free permits in source order, first to members that wait to continue. A member that a join continues asks only
 * afterwards.
 */
export function grantPermits(semaphore: Semaphore, start: (member: Member) => void): void {
  while (semaphore.active < semaphore.limit && grantPermit(semaphore, start)) {
    // The next one has already started.
  }
}

/** Grants a permit to the next member, whether or not one is free. False if no member needs one. */
export function grantPermit(semaphore: Semaphore, start: (member: Member) => void): boolean {
  const returning = semaphore.returning.shift();
  if (returning !== undefined) {
    takePermit(returning.member as Member);
    makeReady(returning);
    return true;
  }
  const [fork] = semaphore.forks;
  if (fork === undefined) return false;
  const member = fork.members[fork.next++] as Member;
  // An edited program may have those that have not started above others.
  while (fork.members[fork.next] !== undefined && fork.members[fork.next]?.status !== 'waiting') fork.next++;
  if (fork.next === fork.members.length) semaphore.forks.shift();
  takePermit(member);
  start(member);
  return true;
}

function takePermit(member: Member): void {
  member.holds = true;
  member.fork.semaphore.active++;
}

/** Releases the permit of a member that ends or waits for something slow. */
export function releasePermit(member: Member): void {
  if (!member.holds) return;
  member.holds = false;
  member.fork.semaphore.active--;
}

/** Queues a thread to run; a member without a permit waits for one, unless it lent it to its own members. */
export function requestPermit(thread: Thread, start: (member: Member) => void): void {
  const { member } = thread;
  if (member === null || member.holds || thread.forks.some(({ detached }) => detached)) {
    makeReady(thread);
    return;
  }
  thread.status = 'blocked';
  queueReturning(member, thread);
  grantPermits(member.fork.semaphore, start);
}
