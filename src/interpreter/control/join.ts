/**
 * A fork, from its first member to its join. Whatever the order in which members finish, the join records their events in
 * source order, passes on their values by member and handles their failures once.
 */
import type { FailureFacts } from '../events/event.js';
import type { Fork, Member } from '../run-state/fork-state.js';
import type { ForkLayout } from '../run-state/linked-machine.js';
import type { Run } from '../run-state/run-memory.js';
import { makeReady, record, type Slot, Thread } from '../run-state/thread.js';
import { joinUndo } from '../undo/register.js';
import type { Value } from '../values/value.js';
import { branchData, joinWrites } from './branch-data.js';
import { asFailure, factsOf, failThread, reportFailure } from './fail.js';
import { failuresOf, joinedFailure, loseSlots, warnOfMember } from './member-failures.js';
import { cancelAll } from './request-effects.js';
import { grantPermits, queueFork, releasePermit, requestPermit } from './semaphore.js';

/** Why a fork is closed. `left`: the thread leaves it. */
type Closing = 'complete' | 'timed-out' | 'left';

function layoutOf(fork: Fork): ForkLayout {
  const layout = fork.parent.run.linked.layouts.get(fork.pc);
  if (layout === undefined) throw new Error(`no fork at ${fork.pc}`);
  return layout;
}

/** The thread of a member, at its first instruction, with the parent's locals at the fork. */
export function startMember(member: Member): void {
  const { fork } = member;
  const { parent } = fork;
  const thread = new Thread(parent.run, `${fork.id}.${member.index + 1}`, member);
  const layout = layoutOf(fork);
  thread.locals = fork.locals.slice();
  if (layout.own) for (const slot of layout.collect(member.index)) thread.locals[slot] = undefined;
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

/** Opens a fork: members start in order, as many as have a permit. */
export function openFork(fork: Fork): void {
  fork.parent.forks.push(fork);
  // Without members there is nothing to wait for: the parent continues at once.
  if (fork.members.length === 0) return;
  if (!fork.detached) fork.parent.status = 'joining';
  queueFork(fork);
  // A parent with a permit of the same semaphore lends it while it waits: otherwise all permits could belong to members
  // that wait for a permit.
  for (let { member } = fork.parent; member !== null; { member } = member.fork.parent)
    if (member.fork.semaphore === fork.semaphore) releasePermit(member);
  grantPermits(fork.semaphore, startMember);
}

/** Releases the permit of a member, which the next one takes. */
export function release(member: Member): void {
  releasePermit(member);
  grantPermits(member.fork.semaphore, startMember);
}

/** Tries the join before the permit is granted again, so that no member starts only to be stopped by the join. */
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

/** Ends a member with a failure that nothing in it handles. */
export function failMember(member: Member, facts: FailureFacts, isReported: boolean): void {
  member.failure = facts;
  member.isReported = isReported;
  member.fork.failed++;
  end(member, 'failed');
}

/** Joins if all members have ended, enough have succeeded, or not enough can still succeed. */
function joinIfReady(fork: Fork): void {
  const { quorum, succeeded, open } = fork;
  if (fork.detached) return;
  const hopeless = quorum !== null && succeeded + open < quorum && layoutOf(fork).keep === null;
  const decided = (quorum !== null && succeeded >= quorum) || hopeless;
  if (open === 0 || decided) proceed(fork.parent, () => join(fork, 'complete'));
}

/** Closes a fork that blocks its parent. Returns the parent's next position. */
export function join(fork: Fork, closing: Closing): number {
  const failure = closeFork(fork, closing);
  return failure === null ? layoutOf(fork).join : failThread(fork.parent, failure, true);
}

/** Computes the next position of a thread and queues it there. `effect`: the effect whose outcome it receives. */
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
  // What a stopped member did before its stop has happened, so its events are recorded too.
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
 * Ends a fork: stops the members that still run, records events in source order and passes on values. Returns the failure
 * to handle, after emitting its TOOL_FAILURE and those of all failed members.
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

/** Names all failed members as the cause of the join's failure. */
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
    // Several members may bind a name, as in the arms of an IF: the last one that did gives the value.
    const bound = new Set<number>();
    for (const { index, collected, failure } of members) {
      const slots = layout.collect(index).filter((slot) => !bound.has(slot));
      if (collected === null) loseSlots(parent, slots, failure === null ? 'stopped' : 'failed');
      else for (const slot of slots) parent.locals[slot] = null;
      layout.collect(index).forEach((slot, i) => {
        const value = collected?.[i];
        if (value === undefined) return;
        parent.locals[slot] = value;
        bound.add(slot);
      });
    }
    return;
  }
  const orNull = (value: Slot): Value => value ?? null;
  layout.collect(0).forEach((slot, i) => {
    parent.locals[slot] = members.map(({ collected }) => orNull(collected?.[i]));
  });
}

/** Closes open forks of a thread that leaves them, all or those in a range of positions. Stops their members. */
export function leaveForks(thread: Thread, from = 0, to = Number.POSITIVE_INFINITY): void {
  for (const fork of thread.forks.toReversed()) if (fork.pc >= from && fork.pc < to) closeFork(fork, 'left');
}

/** Drops everything that is pending, because the run has ended. */
export function stopEverything(run: Run): void {
  cancelAll(run.main);
  run.clearQueue();
}
