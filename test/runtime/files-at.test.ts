/** The files of the worktree with which a new run starts: those of the last commit before its point, told if they are older. */
import { expect, test } from 'vitest';
import type { Run } from '../../src/interpreter/run.js';
import { filesAt, worktreeEvents } from '../../src/runtime/run/again/files-at.js';
import { writtenRecord } from './written-record.js';

const requested = (effect: string, kind = 'shell') => ({ type: 'effect_requested', effect, kind, attempt: 1 });
const settled = (effect: string) => ({ type: 'effect_settled', effect });
const committed = (commit: string, since: number) => ({ type: 'worktree_committed', commit, since });
const entered = { type: 'state_entered', state: 'A' };

/** The events of the new run about its files, with the event from which it continues. */
function startAt(from: number, events: readonly object[], asked: number | string = from): (string | number)[] {
  const files = filesAt(writtenRecord(events), from, { commits: new Map(), committedAt: 0 } as never);
  const found = worktreeEvents(files, asked as never, from, { currentState: 'A' } as Run);
  return found.map((event) => (event.type === 'worktree_committed' ? `${event.commit} ${event.since}` : 'older'));
}

test('the last commit whose changes are before the point counts, also where its event comes after it', () => {
  const events = [entered, requested('1'), settled('1'), requested('2'), committed('c1', 3), settled('2')];
  const later = [...events, requested('3'), committed('c2', 6), settled('3')];
  expect([2, 4, 5, 6, 7].map((from) => startAt(from, later))).toEqual([
    ...[['base 1'], ['c1 3'], ['c1 4'], ['c1 5'], ['c2 6']],
  ]);
});

test('work that ended between the commit and the point is told, unless the point is a state or a step', () => {
  const events = [entered, requested('1'), settled('1'), requested('2'), committed('c1', 3), settled('2'), entered];
  expect([startAt(7, events), startAt(7, events, 'A')]).toEqual([['c1 6', 'older'], ['c1 6']]);
});

test.each(['shell', 'argv', 'function', 'agent', 'tool'])('the end of %s is the end of work', (kind) => {
  expect(startAt(4, [entered, requested('1', kind), settled('1')])).toEqual(['base 3', 'older']);
  expect(startAt(3, [entered, requested('1', kind), settled('1')])).toEqual(['base 2']);
});

test.each(['clock', 'random', 'ask', 'sleep'])('the end of %s changes no files', (kind) => {
  expect(startAt(4, [entered, requested('1', kind), settled('1')])).toEqual(['base 3']);
});

test('an effect that is settled twice, as after a resume, has worked once', () => {
  const again = [requested('1'), settled('1'), requested('2'), committed('c1', 3), settled('1'), entered];
  expect(startAt(7, again)).toEqual(['c1 6']);
});

test('a run without a worktree starts with no files of its own', () => {
  expect(worktreeEvents(null, 3, 3, { currentState: 'A' } as Run)).toEqual([]);
});
