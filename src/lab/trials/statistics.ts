/** What can be said of runs that pass or fail: an interval for their rate, and whether two variants differ by more than chance. */

/** The quantile of the normal distribution for 95 %. */
const Z = 1.959963984540054;

/** The interval of Wilson, 95 %, for a rate of which `passed` of `runs` are known; null without runs. */
export function wilson(passed: number, runs: number): readonly [number, number] | null {
  if (runs === 0) return null;
  const rate = passed / runs;
  const square = (Z * Z) / runs;
  const middle = (rate + square / 2) / (1 + square);
  const half = (Z / (1 + square)) * Math.sqrt((rate * (1 - rate)) / runs + square / (4 * runs));
  return [passed === 0 ? 0 : Math.max(middle - half, 0), passed === runs ? 1 : Math.min(middle + half, 1)];
}

/** Runs of one case by both variants. */
export interface Stratum {
  readonly runs: readonly [number, number];
  readonly passed: readonly [number, number];
}

export interface RateDifference {
  /** How much more often the second variant passes, from -1 to 1, as the mean of the cases weighted by their runs. */
  readonly difference: number;
  /** The probability of a result at least as unlikely if both variants were the same in each case. */
  readonly p: number;
}

/** Results as unlikely as the observed one count, although their sums are rounded differently. */
const SAME = 1 + 1e-7;

/**
 * The exact test of Mantel and Haenszel: cases are strata, because a hard case is hard for both variants. With one run of each
 * case it is McNemar's exact test, and with one case it is Fisher's. Null: no case was run by both variants.
 */
export function compareRates(strata: readonly Stratum[]): RateDifference | null {
  const both = strata.filter(({ runs: [first, second] }) => first > 0 && second > 0);
  if (both.length === 0) return null;
  let weights = 0;
  let weighted = 0;
  let observed = 0;
  // How likely each number of passes of the second variant is, for the numbers of passes of each case.
  let likely: number[] = [1];
  let least = 0;
  for (const { runs, passed } of both) {
    const [first, second] = runs;
    const weight = (first * second) / (first + second);
    weights += weight;
    weighted += weight * (passed[1] / second - passed[0] / first);
    observed += passed[1];
    const { from, chances } = hypergeometric(first, second, passed[0] + passed[1]);
    least += from;
    likely = convolve(likely, chances);
  }
  const own = likely[observed - least] as number;
  const p = likely.reduce((sum, chance) => (chance <= own * SAME ? sum + chance : sum), 0);
  return { difference: weighted / weights, p: Math.min(p, 1) };
}

/** How likely each number of passes of the second group is, if `passed` passes fall on both groups by chance. */
function hypergeometric(first: number, second: number, passed: number) {
  const from = Math.max(0, passed - first);
  const to = Math.min(second, passed);
  const all = logChoose(first + second, passed);
  const chances: number[] = [];
  for (let count = from; count <= to; count++)
    chances.push(Math.exp(logChoose(second, count) + logChoose(first, passed - count) - all));
  return { from, chances };
}

function convolve(left: readonly number[], right: readonly number[]): number[] {
  const sums = new Array<number>(left.length + right.length - 1).fill(0);
  for (const [at, one] of left.entries())
    for (const [to, other] of right.entries()) sums[at + to] = (sums[at + to] as number) + one * other;
  return sums;
}

const logs: number[] = [0];

function logFactorial(number: number): number {
  for (let at = logs.length; at <= number; at++) logs.push((logs[at - 1] as number) + Math.log(at));
  return logs[number] as number;
}

const logChoose = (of: number, chosen: number): number =>
  logFactorial(of) - logFactorial(chosen) - logFactorial(of - chosen);
