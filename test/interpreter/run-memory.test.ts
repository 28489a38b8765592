/** What a run remembers: written by its own methods only, complete in a snapshot, and compared when a record is replayed. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { grantPermit } from '../../src/interpreter/control/semaphore.js';
import type { RunEvent } from '../../src/interpreter/events/event.js';
import { Replay } from '../../src/interpreter/record/replay.js';
import { advance, link, restoreRun, settle, snapshotOf, startRun } from '../../src/interpreter/run.js';
import { type Member, newSemaphore } from '../../src/interpreter/run-state/fork-state.js';
import { Usage } from '../../src/interpreter/run-state/run-usage.js';
import type { Thread } from '../../src/interpreter/run-state/thread.js';
import { done, machine, OPTIONS, printed, shell } from './machine-builder.js';

const folder = join(dirname(fileURLToPath(import.meta.url)), '../../src/interpreter/run-state');
/** Classes that only their own methods write. Threads are written by the instructions that run on them. */
const CLOSED = ['run-memory.ts', 'step-records.ts', 'undo-register.ts', 'run-usage.ts', 'run-data.ts', 'trail.ts'];

const program = link(machine({ A: { code: [shell('work'), done()] } }));

test('nothing outside of a run can write a member of it', () => {
  const open = CLOSED.flatMap((file) => {
    const text = readFileSync(join(folder, file), 'utf8');
    const members = [...text.matchAll(/^ {2}(?!private |readonly |get |constructor|\/|\*| )(\w+)(?:\??:| =).*$/gm)];
    const classes = text.indexOf('class ');
    return members.filter(({ index }) => index > classes).map(([line]) => `${file}: ${line.trim()}`);
  });
  expect(open).toEqual([]);
  for (const file of CLOSED) expect(readdirSync(folder)).toContain(file);
  const run = startRun(program, OPTIONS);
  const lists = [run.ready, run.signals, run.held, run.waitingForBudget];
  expect(lists.every(Array.isArray)).toBe(true);
  // @ts-expect-error: lists and totals are read-only to others
  expect(() => run.usage.effects++).toThrow(TypeError);
});

test('a snapshot keeps that a failure is being handled', () => {
  const run = startRun(program, OPTIONS);
  run.takeEvents();
  run.main.handling = true;
  expect(restoreRun(program, snapshotOf(run), OPTIONS).main.handling).toBe(true);
});

test('what was spent counts all four kinds of tokens', () => {
  const usage = new Usage();
  usage.addCall(0.5, { in: 1, out: 2, cache_read: 3, cache_write: 4 });
  usage.addSpent({ cost: 0.25, tokens: { in: 10, out: 20, cache_read: 30, cache_write: 40 } });
  expect(usage.tokens).toEqual({ in: 11, out: 22, cache_read: 33, cache_write: 44 });
  expect([usage.cost, usage.agentCalls]).toEqual([0.75, 1]);
});

test('a call without a known cost leaves the sum of the others known', () => {
  const usage = new Usage();
  usage.addCall(null);
  expect([usage.cost, usage.unknownCosts]).toEqual([null, 1]);
  usage.addCall(0.1);
  expect([usage.cost, usage.unknownCosts]).toEqual([0.1, 1]);
});

test('released money can be reserved again, and never more than there was', () => {
  const usage = new Usage();
  usage.reserve(0.3);
  usage.reserve(-0.5);
  expect(usage.reserved).toBe(0);
});

function recorded(attempt: number): RunEvent[] {
  const run = startRun(program, OPTIONS);
  advance(run);
  settle(run, '1', printed('x'));
  return run.takeEvents().map((event) => (event.type === 'effect_settled' ? { ...event, attempt } : event));
}

test.each([
  [1, null],
  [2, 'effect_settled'],
])('an outcome of attempt %i, replayed where attempt 1 waits', (attempt, different) => {
  const asIs = (event: RunEvent): RunEvent => event;
  const options = {
    toRecorded: asIs,
    toCompared: asIs,
    complete: <T>(outcome: T): T => outcome,
    migrate: () => null,
  };
  const replay = new Replay(startRun(program, OPTIONS), options, false);
  const found = recorded(attempt).map((event, seq) => replay.take(seq, event));
  expect(found.find((one) => one !== null)?.recorded.type ?? null).toBe(different);
});

test('a returning member gets a permit before one that has not begun', () => {
  const semaphore = newSemaphore(1);
  const started: number[] = [];
  const run = { enqueue: () => started.push(-1) };
  const fresh = { index: 0, fork: { semaphore } } as unknown as Member;
  const back = { run, member: { index: 1, fork: { semaphore } } } as unknown as Thread;
  semaphore.forks.push({ members: [fresh], next: 0 } as unknown as Member['fork']);
  semaphore.returning.push(back);
  grantPermit(semaphore, ({ index }) => started.push(index));
  grantPermit(semaphore, ({ index }) => started.push(index));
  expect(started).toEqual([-1, 0]);
});
