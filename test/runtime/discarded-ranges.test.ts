/** Which events of a record still count after resumes: the rules for ranges, without a record. */
import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../src/interpreter/events/event.js';
import {
  areAllAfter,
  type DiscardedRange,
  discardedMembers,
  heldAfter,
  isDiscarded,
  knownRanges,
} from '../../src/runtime/record/counted-events.js';

const range = (from: number, until: number, without: readonly number[] = []): DiscardedRange => ({
  from,
  until,
  without,
});
const held = (thread: string) => [{ thread, number: 1 }];

test('the events of a range are discarded from its first to the resume that made it, and single outcomes before it', () => {
  const seqs = [2, 3, 4, 5, 7, 8, 9];
  expect(seqs.filter((seq) => isDiscarded([range(5, 8, [3])], seq))).toEqual([3, 5, 7]);
  expect(seqs.filter((seq) => isDiscarded([range(5, 8), range(9, 12)], seq))).toEqual([5, 7, 9]);
});

test.each([
  ['all of it', range(5, 8), true],
  ['its first event', range(4, 8), false],
  ['an outcome', range(5, 8, [6, 4]), false],
  ['a later outcome', range(5, 8, [6]), true],
  ['a failure of the run itself', { ...range(5, 8), held: held('') }, true],
  ['a failure of a branch, at an unknown position', { ...range(5, 8), held: held('3.1') }, false],
])('a position is before %s', (_, one, expected) => {
  expect(areAllAfter([range(9, 10), one], { seq: 4 })).toBe(expected);
});

describe('ranges of known resumes', () => {
  const resumed = (seq: number, from: number, more: object = {}) => ({
    seq,
    event: { type: 'run_resumed', by: 'x', from, ...more } as RunEvent,
  });
  const start = { seq: 0 };
  const last = range(50, Number.POSITIVE_INFINITY);

  test('count between a position and what is about to be discarded', () => {
    const resumes = [resumed(10, 5), resumed(20, 15, { without: [12], held: held('1.1') }), resumed(50, 45)];
    expect(knownRanges(resumes, { from: 50, without: [] }, { seq: 10 })).toEqual([
      { from: 15, until: 20, without: [12], held: held('1.1') },
      last,
    ]);
    expect(knownRanges([{ seq: 9, event: { type: 'run_resumed', by: 'x' } }], last, start)).toEqual([last]);
  });

  test('do not count if a later resume went back before them', () => {
    const kept = (...resumes: readonly ReturnType<typeof resumed>[]) =>
      knownRanges(resumes, { from: 50, without: [] }, start).map(({ from, until }) => [from, until]);
    expect(kept(resumed(10, 5), resumed(30, 9))).toEqual([
      [9, 30],
      [50, Number.POSITIVE_INFINITY],
    ]);
    // The resume itself is the first event that is discarded.
    expect(kept(resumed(10, 5), resumed(30, 10))[0]).toEqual([10, 30]);
    expect(kept(resumed(10, 5), resumed(30, 11))[0]).toEqual([5, 10]);
  });
});

test('a run waits at the failures of the next range that is still ahead', () => {
  const ranges = [
    { ...range(20, 30), held: held('later') },
    { ...range(5, 10), held: held('first') },
  ];
  expect([0, 9, 10, 29, 30].map((seq) => heldAfter(ranges, seq)[0]?.thread)).toEqual([
    'first',
    'first',
    'later',
    'later',
    undefined,
  ]);
});

test('the event of a resume names only what is discarded', () => {
  expect(discardedMembers({ from: 5, without: [] })).toEqual({ from: 5 });
  const all = { from: 5, without: [3], held: held('1.1') };
  expect(discardedMembers(all)).toEqual(all);
});
