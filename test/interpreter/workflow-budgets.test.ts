/** The budgets of called workflows: what their calls used, and how much time is left for the next one. */
import { expect, test } from 'vitest';
import { reserveFor, spendInWorkflows, timeIsUp, timeLeft } from '../../src/interpreter/control/reservations.js';
import type { Outcome } from '../../src/interpreter/events/event.js';
import type { Frame, ScopeFrame, StepFrame } from '../../src/interpreter/run-state/frame.js';
import { StepRecords } from '../../src/interpreter/run-state/step-records.js';
import type { Thread } from '../../src/interpreter/run-state/thread.js';
import { printed } from './machine-builder.js';

const scope = (prefix: string, budget: Omit<NonNullable<ScopeFrame['budget']>, 'name'>): Frame => ({
  kind: 'scope',
  prefix,
  budget: { name: prefix, ...budget },
});

function threadIn(frames: readonly Frame[], nowMs = 0): { thread: Thread; steps: StepRecords } {
  const steps = new StepRecords();
  steps.tick(nowMs);
  return { thread: { frames, run: { steps, result: null } } as unknown as Thread, steps };
}

test('a call has the time that the workflow with the least of it leaves', () => {
  const long = scope('long/', { timeMs: 1000, sinceMs: 0 });
  const short = scope('short/', { timeMs: 300, sinceMs: 100 });
  const open = scope('open/', { sinceMs: 0 });
  const left = (frames: readonly Frame[], nowMs: number) => timeLeft(threadIn(frames, nowMs).thread);
  expect(left([long, short, open], 200)).toBe(200);
  expect(left([short, long], 200)).toBe(200);
  expect(left([short, long], 900)).toBe(1);
  expect(left([open], 900)).toBeNull();
});

test('a call counts for every workflow around it', () => {
  const { thread, steps } = threadIn([
    scope('outer/', { cost: 5, sinceMs: 0 }),
    { kind: 'scope', prefix: 'group/' },
    scope('inner/', { tokens: 1000, sinceMs: 0 }),
  ]);
  const outcome = { ...printed(''), cost: 0.1, tokens: { in: 10, out: 5, cache_read: 0, cache_write: 0 } } as Outcome;
  for (let call = 0; call < 3; call++) expect(spendInWorkflows(thread, {} as StepFrame, outcome)).toBe(false);
  for (const prefix of ['outer/', 'inner/']) expect(steps.budget(prefix)).toMatchObject({ cost: 0.3, tokens: 45 });
  expect(steps.budget('group/')).toMatchObject({ cost: 0, tokens: 0 });
});

/** A run that stops at the first limit, and says which one. */
function limitedRun(frames: readonly Frame[], isReading = false) {
  const { thread, steps } = threadIn(frames);
  const waiting: Thread[] = [];
  const usage = { knownCost: 0, reserved: 0, reserve: () => undefined };
  const recordNow = (event: { type: string; scope?: string }) => {
    throw new Error(`${event.type} ${event.scope}`);
  };
  Object.assign(thread.run, {
    ...{ limits: {}, usage, overlooksLimits: isReading, undo: { endedAs: null }, recordNow },
    waitForBudget: (one: Thread) => waiting.push(one),
  });
  return { thread, steps, waiting };
}

test('a call that can never fit ends the run, but waits while a record is read', () => {
  const frames = [scope('one/', { cost: 0.3, sinceMs: 0 })];
  const frame = { path: 'one', reserved: 0 } as StepFrame;
  expect(() => reserveFor(limitedRun(frames).thread, frame, 0.4)).toThrow('budget_exceeded cost');
  const { thread, waiting } = limitedRun(frames, true);
  expect(reserveFor(thread, frame, 0.4)).toBe('wait');
  expect([thread.status, waiting]).toEqual(['blocked', [thread]]);
});

test('amounts that add up to a limit do not exceed it', () => {
  const { thread, steps } = limitedRun([scope('one/', { cost: 0.3, tokens: 45, timeMs: 100, sinceMs: 5 })]);
  steps.setBudget('one/', { cost: 0.1, tokens: 30, reserved: 0 });
  expect(reserveFor(thread, { path: 'one', reserved: 0 } as StepFrame, 0.2)).toBe('reserved');
  const tokens = { in: 10, out: 5, cache_read: 0, cache_write: 0 };
  const outcome = { ...printed(''), cost: 0.2, tokens } as Outcome;
  expect(spendInWorkflows(thread, {} as StepFrame, outcome)).toBe(false);
  const one = { ...printed(''), tokens: { ...tokens, in: 0, out: 1 } } as Outcome;
  expect(() => spendInWorkflows(thread, {} as StepFrame, one)).toThrow('budget_exceeded tokens');
  const paid = { ...printed(''), cost: 0.001 } as Outcome;
  expect(() => spendInWorkflows(thread, {} as StepFrame, paid)).toThrow('budget_exceeded cost');
  expect(timeIsUp(thread, 105)).toBe(false);
  expect(() => timeIsUp(thread, 106)).toThrow('budget_exceeded time');
});
