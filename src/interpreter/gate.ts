/**
 * Places of members. A member holds a place from its start to its end, except while it waits for a person, a signal
 * or members that need places of the same kind: so nested forks share one number of jobs and never wait for each
 * other, and a `max` that is written holds whatever the members do.
 */
import { type Fork, type Gate, type Member, makeReady, type Thread } from './run-state.js';

/** Source order of branch paths: `1.2` before `1.10`, a branch before those that come after it. */
export function comparePaths(a: string, b: string): number {
  const [left, right] = [a.split('.'), b.split('.')];
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const difference = Number(left[i]) - Number(right[i]);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

const nextPath = (fork: Fork): string => `${fork.id}.${fork.next + 1}`;

function earliest<T>(items: readonly T[], path: (item: T) => string): T | undefined {
  let best = items[0];
  for (let i = 1; i < items.length; i++) if (comparePaths(path(items[i] as T), path(best as T)) < 0) best = items[i];
  return best;
}

/** Gives free places away in source order, members that have begun before those that have not. */
export function fillGate(gate: Gate, start: (member: Member) => void): void {
  while (gate.active < gate.limit) {
    const returning = earliest(gate.returning, (thread) => thread.path);
    if (returning !== undefined) {
      gate.returning.splice(gate.returning.indexOf(returning), 1);
      hold(returning.member as Member);
      makeReady(returning);
      continue;
    }
    const fork = earliest(gate.forks, nextPath);
    if (fork === undefined) return;
    const member = fork.members[fork.next++] as Member;
    if (fork.next === fork.members.length) gate.forks.splice(gate.forks.indexOf(fork), 1);
    hold(member);
    start(member);
  }
}

function hold(member: Member): void {
  member.holds = true;
  member.fork.gate.active++;
}

/** Frees the place of a member that ends or waits for something slow. */
export function releasePlace(member: Member): void {
  if (!member.holds) return;
  member.holds = false;
  member.fork.gate.active--;
}

/** Queues a thread to run; a member without a place waits for one, unless it lent it to members beside it. */
export function wantPlace(thread: Thread, start: (member: Member) => void): void {
  const { member } = thread;
  if (member === null || member.holds || thread.forks.some(({ detached }) => detached)) {
    makeReady(thread);
    return;
  }
  thread.status = 'blocked';
  member.fork.gate.returning.push(thread);
  fillGate(member.fork.gate, start);
}
