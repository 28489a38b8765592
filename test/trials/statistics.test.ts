/** Rates and their comparison, against values that are known. */
import { describe, expect, test } from 'vitest';
import { compareRates, wilson } from '../../src/lab/trials/statistics.js';

describe('the interval of a rate', () => {
  test.each([
    [0, 10, 0, 0.2775],
    [5, 10, 0.2366, 0.7634],
    [8, 10, 0.4902, 0.9433],
    [10, 10, 0.7225, 1],
    [1, 1, 0.2065, 1],
    [81, 263, 0.2553, 0.3662],
  ])('of %i of %i', (passed, runs, low, high) => {
    const [from, to] = wilson(passed, runs) as readonly [number, number];
    expect(from).toBeCloseTo(low, 4);
    expect(to).toBeCloseTo(high, 4);
  });

  test('of no runs is not known', () => expect(wilson(0, 0)).toBeNull());
});

/** Cases as passes of the first and the second variant of so many runs each. */
const cases = (runs: number, ...passed: readonly (readonly [number, number])[]) =>
  passed.map((one) => ({ runs: [runs, runs] as const, passed: one }));

describe('the comparison of two variants', () => {
  test('of one case is the exact test of Fisher', () => {
    // The tea of a lady, and one that R computes.
    expect(compareRates(cases(4, [1, 3]))?.p).toBeCloseTo(0.485714, 6);
    expect(compareRates([{ runs: [12, 12], passed: [1, 9] }])?.p).toBeCloseTo(0.00275946, 6);
    expect(compareRates([{ runs: [12, 9], passed: [2, 7] }])?.p).toBeCloseTo(0.0092029, 6);
  });

  test('of cases that were run once is the exact test of McNemar', () => {
    const discordant = [
      ...Array<readonly [number, number]>(2).fill([1, 0]),
      ...Array<readonly [number, number]>(10).fill([0, 1]),
    ];
    const found = compareRates(cases(1, ...discordant, [1, 1], [0, 0], [1, 1]));
    // Twice the chance of at most 2 heads among 12 tosses.
    expect(found?.p).toBeCloseTo((2 * (1 + 12 + 66)) / 4096, 10);
    expect(found?.difference).toBeCloseTo(8 / 15, 10);
  });

  test('compares within cases: a hard and an easy one hide no difference, and make none', () => {
    // Together 13 of 20 pass in both, but the first was run more often on the easy case.
    const uneven = compareRates([
      { runs: [15, 5], passed: [12, 5] },
      { runs: [5, 15], passed: [1, 8] },
    ]);
    expect(uneven?.difference).toBeCloseTo((0.2 + (8 / 15 - 0.2)) / 2, 10);
    expect(compareRates(cases(10, [10, 10], [0, 0]))).toEqual({ difference: 0, p: 1 });
    expect(compareRates(cases(10, [2, 9], [1, 8]))?.p).toBeLessThan(0.001);
  });

  test('needs a case that both have run, and is symmetric', () => {
    expect(compareRates([{ runs: [3, 0], passed: [3, 0] }])).toBeNull();
    const there = compareRates(cases(6, [1, 5], [3, 4]));
    const back = compareRates(cases(6, [5, 1], [4, 3]));
    expect(back?.p).toBeCloseTo(there?.p ?? 0, 10);
    expect(back?.difference).toBeCloseTo(-(there?.difference ?? 0), 10);
  });

  test('sums to one over all results, whatever the numbers of runs', () => {
    // The least extreme result is as likely as all of them.
    expect(compareRates(cases(500, [250, 250]))?.p).toBeCloseTo(1, 9);
    expect(compareRates(cases(200, [20, 180], [100, 100]))?.p).toBeLessThan(1e-12);
  });
});
