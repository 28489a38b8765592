/** The budgets of called workflows: what their calls used, and how much time is left for the next one. */
import { expect, test } from 'vitest';
import { spendInWorkflows, timeLeft } from '../../src/interpreter/control/reservations.js';
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
