/**
 * The life of a fork, from its first member to its join. Whatever the order in which members finish, the join
 * tells their events in source order, hands over their values by member and handles their failures once.
 */

import type { FailureFacts } from '../events/event.js';
import type { Fork, Member } from '../run-state/fork.js';
import type { ForkLayout } from '../run-state/linked-machine.js';
import type { Run } from '../run-state/run.js';
import { makeReady, record, type Slot, Thread } from '../run-state/thread.js';
import { joinUndo } from '../undo/register.js';
import type { Value } from '../values/value.js';
import { branchData, joinWrites } from './branch-data.js';
import { cancelAll } from './effects.js';
import { asFailure, factsOf, failThread, reportFailure } from './fail.js';
import { failuresOf, joinedFailure, loseSlots, warnOfMember } from './member-failures.js';
import { grantPermits, queueFork, releasePermit, requestPermit } from './semaphore.js';

/** Why a fork is closed. `left`: the thread goes somewhere else. */
type Closing = 'complete' | 'timed-out' | 'left';

function layoutOf(fork: Fork): ForkLayout {
  const layout = fork.parent.run.linked.layouts.get(fork.pc);
  if (layout === undefined) throw new Error(`no fork at ${fork.pc}`);
  return layout;
}

/** The thread of a member, at its first instruction, with the parent's locals as they were at the fork. */
export function startMember(member: Member): void {
  const { fork } = member;
  const { parent } = fork;
  const thread = new Thread(parent.run, `${fork.id}.${member.index + 1}`, member);
  const layout = layoutOf(fork);
  thread.locals = fork.locals.slice();
  thread.entry = parent.entry;
  thread.state = parent.state;
  thread.pc = layout.start(member.index);
  thread.lost = parent.lost;
  if (layout.variable !== null) thread.locals[layout.variable] = fork.items?.[member.index];
  thread.branchData = branchData(member);
  member.thread = thread;
  member.status = 'active';
  makeReady(thread);
}

/** Opens a fork: as many members as have a place begin, in order. */
export function openFork(fork: Fork): void {
  fork.parent.forks.push(fork);
  if (!fork.detached) fork.parent.status = 'joining';
  if (fork.members.length === 0) return;
  queueFork(fork);
  // Whoever waits for these members and has a place among them lends it: else all places could belong to members
  // that wait for a place.
  for (let { member } = fork.parent; member !== null; { member } = member.fork.parent)
    if (member.fork.semaphore === fork.semaphore) releasePermit(member);
  grantPermits(fork.semaphore, startMember);
}

/** A member frees its place, and whoever is next takes it. */
export function release(member: Member): void {
  releasePermit(member);
  grantPermits(member.fork.semaphore, startMember);
}

/** The join is tried before the place is given away, so that a parent that goes on comes before new members. */
function end(member: Member, status: Member['status']): void {
  member.status = status;
  if (member.thread !== null) member.thread.status = 'done';
  member.fork.open--;
  releasePermit(member);
  joinIfReady(member.fork);
  grantPermits(member.fork.semaphore, startMember);
}

/** The end of a member's code. */
export function finishMember(member: Member): void {
  const locals = member.thread?.locals ?? [];
  member.collected = layoutOf(member.fork)
    .collect(member.index)
    .map((slot) => locals[slot]);
  member.fork.succeeded++;
  end(member, 'succeeded');
}

/** A failure that nothing in the member handles. */
export function failMember(member: Member, facts: FailureFacts, isReported: boolean): void {
  member.failure = facts;
  member.isReported = isReported;
  member.fork.failed++;
  end(member, 'failed');
}

/** Joins when all members have ended, enough have succeeded, or not enough can any more. */
function joinIfReady(fork: Fork): void {
  const { quorum, succeeded, open } = fork;
  if (fork.detached) return;
  const hopeless = quorum !== null && succeeded + open < quorum && layoutOf(fork).keep === null;
  const decided = (quorum !== null && succeeded >= quorum) || hopeless;
  if (open === 0 || decided) proceed(fork.parent, () => join(fork, 'complete'));
}

/** Closes a fork that blocks its parent; the parent's next position. */
export function join(fork: Fork, closing: Closing): number {
  const failure = closeFork(fork, closing);
  return failure === null ? layoutOf(fork).join : failThread(fork.parent, failure, true);
}

/** Runs what gives a thread its next position, and queues it there. `effect`: whose outcome is told to it. */
export function proceed(thread: Thread, next: () => number, effect?: string): void {
  let pc: number;
  try {
    pc = next();
  } catch (thrown) {
    pc = failThread(thread, factsOf(thread, asFailure(thrown), effect));
  }
  if (pc < 0 || thread.run.result !== null) return;
  thread.pc = pc;
  requestPermit(thread, startMember);
}

function stop(member: Member): void {
  const { thread } = member;
  if (thread !== null) {
    for (const fork of thread.forks.toReversed()) stopMembers(fork);
    cancelAll(thread);
    const { returning } = member.fork.semaphore;
    if (returning.includes(thread)) returning.splice(returning.indexOf(thread), 1);
    thread.status = 'done';
  }
  member.status = 'stopped';
  releasePermit(member);
}

function stopMembers(fork: Fork): void {
  const waiting = fork.semaphore.forks.indexOf(fork);
  if (waiting >= 0) fork.semaphore.forks.splice(waiting, 1);
  for (const member of fork.members) if (member.status === 'waiting' || member.status === 'active') stop(member);
  // What a stopped member had begun to emit did happen, so it is told with the rest.
  for (const member of fork.members) takeFromInnerForks(member);
}

function takeFromInnerForks(member: Member): void {
  const inner = (member.thread?.forks.splice(0) ?? []).flatMap(({ members }) => members);
  for (const { events, undo } of inner) {
    member.events.push(...events);
    member.undo.push(...undo.entries);
  }
}

/**
 * Ends a fork: the members that still run are stopped, events follow in source order, values are handed over.
 * The failure to handle is given back; its TOOL_FAILURE, and those of all failed members, are emitted here.
 */
export function closeFork(fork: Fork, closing: Closing): FailureFacts | null {
  const { parent, quorum } = fork;
  stopMembers(fork);
  parent.forks.splice(parent.forks.indexOf(fork), 1);
  if (!fork.detached) cancelAll(parent);
  const enough = quorum !== null && fork.succeeded >= quorum;
  const layout = layoutOf(fork);
  const forgiven = enough || closing === 'left' || layout.keep !== null;
  for (const member of fork.members) reportMember(member, layout, forgiven);
  grantPermits(fork.semaphore, startMember);
  if (closing === 'left') return null;
  const { timedOut, keep } = layout;
  if (timedOut !== null) parent.locals[timedOut] = closing === 'timed-out' && !enough;
  collect(fork, layout);
  if (keep !== null) parent.locals[keep] = failuresOf(fork, layout);
  parent.output = null;
  return forgiven ? null : failureOf(fork, layout);
}

/** The failure of a join came from all members that failed. */
function failureOf(fork: Fork, layout: ForkLayout): FailureFacts | null {
  const joined = joinedFailure(fork, layout);
  if (joined === null) return null;
  return { ...joined, causes: fork.members.flatMap(({ failure }) => failure?.causes ?? []) };
}

function reportMember(member: Member, layout: ForkLayout, forgiven: boolean): void {
  const { parent } = member.fork;
  for (const event of member.events) record(parent, event);
  member.events = [];
  joinWrites(member);
  joinUndo(member);
  const { failure } = member;
  if (failure === null) return;
  if (forgiven) warnOfMember(member, layout, failure, layout.keep !== null);
  else if (!member.isReported) reportFailure(parent, failure);
}

function collect({ parent, members }: Fork, layout: ForkLayout): void {
  if (layout.variable === null) {
    for (const { index, collected, failure } of members) {
      const slots = layout.collect(index);
      if (collected === null) loseSlots(parent, slots, failure === null ? 'stopped' : 'failed');
      else
        slots.forEach((slot, i) => {
          parent.locals[slot] = collected[i];
        });
    }
    return;
  }
  const orNull = (value: Slot): Value => value ?? null;
  layout.collect(0).forEach((slot, i) => {
    parent.locals[slot] = members.map(({ collected }) => orNull(collected?.[i]));
  });
}

/** The thread leaves what its open forks belong to, all of them or those in a range of positions: their members are stopped. */
export function leaveForks(thread: Thread, from = 0, to = Number.POSITIVE_INFINITY): void {
  for (const fork of thread.forks.toReversed()) if (fork.pc >= from && fork.pc < to) closeFork(fork, 'left');
}

/** The run is over: nothing is wanted any more. */
export function stopEverything(run: Run): void {
  cancelAll(run.main);
  run.clearQueue();
}
