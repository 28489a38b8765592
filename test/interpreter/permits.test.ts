/** Permits: who gets the next one. Of members of a PARALLEL by hand, and of calls of a plan inside others. */
import { expect, test } from 'vitest';
import {
  grantPermit,
  grantPermits,
  queueFork,
  queueReturning,
  releasePermit,
  requestPermit,
} from '../../src/interpreter/control/semaphore.js';
import { LaunchQueue } from '../../src/interpreter/plan/engine/plan-engine.js';
import type { LeafCall, PlanNode } from '../../src/interpreter/plan/engine/plan-node.js';
import { type Fork, type Member, newSemaphore, type Semaphore } from '../../src/interpreter/run-state/fork-state.js';
import type { Thread } from '../../src/interpreter/run-state/thread.js';

/** A fork whose members have not started. */
function forkOf(semaphore: Semaphore, id: string, count = 1): Fork {
  const fork = { id, semaphore, members: [] as Member[], next: 0 } as unknown as Fork;
  for (let index = 0; index < count; index++)
    fork.members.push({ fork, index, status: 'waiting', holds: false } as unknown as Member);
  return fork;
}

/** The thread of a member that has started; those that run are added to `ran`. */
function threadOf(semaphore: Semaphore, path: string, ran: string[] = [], forks: readonly object[] = []): Thread {
  const cut = path.lastIndexOf('.');
  const member = forkOf(semaphore, path.slice(0, cut)).members[0] as Member;
  const run = { enqueue: ({ path }: Thread) => ran.push(path) };
  return Object.assign(member, { thread: { path, member, run, forks, status: 'blocked' } }).thread as unknown as Thread;
}

const started = (semaphore: Semaphore): string[] => {
  const ids: string[] = [];
  grantPermits(semaphore, ({ fork, index }) => ids.push(`${fork.id}#${index}`));
  return ids;
};

test('members start in the order of the source, those inside a member before those that have not started', () => {
  const semaphore = newSemaphore(100);
  for (const id of ['1.10', '2', '1.2', '1', '1.2.1', '10', '1.2.1.3']) queueFork(forkOf(semaphore, id, 2));
  const order = ['1.2.1.3', '1.2.1', '1.2', '1.10', '1', '2', '10'];
  expect(started(semaphore)).toEqual(order.flatMap((id) => [`${id}#0`, `${id}#1`]));
  expect([semaphore.active, semaphore.forks.length, started(semaphore)]).toEqual([14, 0, []]);
});

test('forks at the same position start in the order in which they were opened', () => {
  const semaphore = newSemaphore(3);
  const forks = [forkOf(semaphore, '1'), forkOf(semaphore, '1'), forkOf(semaphore, '1')];
  for (const fork of forks) queueFork(fork);
  const seen: Fork[] = [];
  grantPermits(semaphore, ({ fork }) => seen.push(fork));
  expect(seen.map((fork) => forks.indexOf(fork))).toEqual([0, 1, 2]);
});

test('members that continue come first, in the order of the source, the outer one before the inner', () => {
  const semaphore = newSemaphore(4);
  const ran: string[] = [];
  queueFork(forkOf(semaphore, '1', 2));
  for (const path of ['2.1', '1.10', '1.2.1.1', '1.2']) {
    const thread = threadOf(semaphore, path, ran);
    queueReturning(thread.member as Member, thread);
  }
  expect([started(semaphore), ran]).toEqual([[], ['1.2', '1.2.1.1', '1.10', '2.1']]);
  expect(semaphore.active).toBe(4);
  const more: number[] = [];
  // By force, because the record has it: without a free permit, and one at a time.
  expect(grantPermit(semaphore, ({ index }) => more.push(index))).toBe(true);
  expect([more, semaphore.active, semaphore.forks.length]).toEqual([[0], 5, 1]);
  grantPermit(semaphore, ({ index }) => more.push(index));
  expect([more, semaphore.forks.length]).toEqual([[0, 1], 0]);
  expect(grantPermit(semaphore, () => expect.unreachable())).toBe(false);
  expect(semaphore.active).toBe(6);
});

test('members that an edited program has above others, and that have started, are passed over', () => {
  const semaphore = newSemaphore(9);
  const fork = forkOf(semaphore, '1', 6);
  for (const at of [1, 2, 5]) Object.assign(fork.members[at] as Member, { status: at === 2 ? 'running' : 'done' });
  queueFork(fork);
  queueFork(forkOf(semaphore, '2'));
  expect(started(semaphore)).toEqual(['1#0', '1#3', '1#4', '2#0']);
  expect([semaphore.active, semaphore.forks]).toEqual([4, []]);
});

test('a permit is returned once, and who holds one or lent it asks for none', () => {
  const semaphore = newSemaphore(1);
  const ran: string[] = [];
  const start = () => expect.unreachable();
  const [one, two, lent] = [
    threadOf(semaphore, '1.1', ran),
    threadOf(semaphore, '1.2', ran),
    threadOf(semaphore, '1.3', ran, [{ detached: false }, { detached: true }]),
  ];
  const joined = threadOf(semaphore, '1.4', ran, [{ detached: false }]);
  requestPermit(one, start);
  requestPermit(one, start);
  expect([ran, one.status, semaphore.active]).toEqual([['1.1', '1.1'], 'ready', 1]);
  two.status = 'ready';
  requestPermit(two, start);
  expect([ran.length, two.status, semaphore.active]).toEqual([2, 'blocked', 1]);
  requestPermit(lent, start);
  expect([ran.slice(2), lent.status, semaphore.active, lent.member?.holds]).toEqual([['1.3'], 'ready', 1, false]);
  releasePermit(one.member as Member);
  releasePermit(one.member as Member);
  expect([semaphore.active, one.member?.holds]).toEqual([0, false]);
  requestPermit(joined, start);
  expect([ran.slice(3), joined.status, semaphore.active, semaphore.returning.length]).toEqual([
    ...[['1.2'], 'blocked', 1, 1],
  ]);
});

function nodeOf(permits: number, at: readonly number[] = [], parent?: PlanNode): PlanNode {
  const outer = parent === undefined ? {} : { parent: { node: parent } };
  return { permits, inFlight: 0, held: [], at, ...outer } as unknown as PlanNode;
}

const leafOf = (node: PlanNode, index: number): LeafCall =>
  ({ key: [...node.at, index].join('.'), node, call: { index }, phase: 'queued' }) as unknown as LeafCall;

test('a call is launched with a permit of its plan and one of every plan around it', () => {
  const root = nodeOf(3);
  const [small, large] = [nodeOf(1, [1], root), nodeOf(9, [2], root)];
  const queue = new LaunchQueue();
  const launch = () => queue.launchAll(root).map(({ key }) => key);
  const calls = [leafOf(large, 1), leafOf(large, 2), leafOf(small, 2), leafOf(small, 1), leafOf(small, 3)];
  const [, , second, first, third] = calls as [LeafCall, LeafCall, LeafCall, LeafCall, LeafCall];
  for (const call of calls) queue.add(call);
  expect(launch()).toEqual(['1.1', '2.1', '2.2']);
  expect([root, small, large].map(({ inFlight }) => inFlight)).toEqual([3, 1, 2]);
  expect(launch()).toEqual([]);
  // It ended before it was launched, so it had no permit to return.
  queue.end(third);
  expect([third.phase, root.inFlight, small.inFlight]).toEqual(['ended', 3, 1]);
  queue.end(first);
  queue.end(first);
  expect([first.phase, root.inFlight, small.inFlight, small.held]).toEqual(['ended', 2, 0, []]);
  expect(launch()).toEqual(['1.2']);
  queue.end(second);
  expect([launch(), root.inFlight, small.inFlight]).toEqual([[], 2, 0]);
});

test('a call that was launched because the record has it counts, and is not launched again', () => {
  const root = nodeOf(1);
  const queue = new LaunchQueue();
  const [one, two] = [leafOf(root, 1), leafOf(root, 2)];
  for (const call of [one, two]) queue.add(call);
  expect([queue.launch(one), queue.launch(two)]).toEqual([one, two]);
  expect([root.inFlight, queue.launchAll(root)]).toEqual([2, []]);
  queue.end(one);
  expect([root.inFlight, queue.launchAll(root)]).toEqual([1, []]);
  queue.end(two);
  expect([root.inFlight, queue.launchAll(root)]).toEqual([0, []]);
});
