/** In which order the lines of two streams came. */
import { Buffer } from 'node:buffer';
import { expect, test } from 'vitest';
import { ArrivalOrder } from '../../src/runtime/process/output.js';

function orderOf(...chunks: readonly (readonly ['stdout' | 'stderr', string])[]): readonly number[] | undefined {
  const order = new ArrivalOrder();
  for (const [stream, text] of chunks) order[stream](Buffer.from(text));
  return order.finish();
}

test('the lines of each stream are counted, in turns', () => {
  expect(orderOf(['stdout', 'a\nb\n'], ['stderr', 'x\n'], ['stdout', 'c\n'])).toEqual([2, 1, 1]);
  expect(orderOf(['stderr', 'x\n'], ['stdout', 'a\n'])).toEqual([0, 1, 1]);
  // A line counts when it is complete.
  expect(orderOf(['stdout', 'a'], ['stderr', 'x\n'], ['stdout', 'b\n'], ['stderr', 'y\n'])).toEqual([0, 1, 1, 1]);
});

test('nothing is said where all of stdout came first, and where there is too much', () => {
  expect(orderOf(['stdout', 'a\n'], ['stderr', 'x\n'])).toBeUndefined();
  expect(orderOf(['stdout', 'a\n'])).toBeUndefined();
  const turns = Array.from({ length: 1100 }, (_, at) => [at % 2 === 0 ? 'stdout' : 'stderr', '\n'] as const);
  expect(orderOf(...turns)).toBeUndefined();
  expect(orderOf(['stderr', 'x\n'], ['stdout', 'a\n'], ['stdout', 'b'.repeat(2 ** 20)])).toBeUndefined();
});
