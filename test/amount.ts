/**
 * How much of a law is tried: random cases, broken texts, crashes. `npm test` tries enough to notice most mistakes;
 * `npm run test:long` sets `LONG=1` and tries large values and more of the same; `npm run nightly` sets `NIGHTLY=1` too,
 * tries twenty times as much of that, and all of it ten times.
 */
import { test } from 'vitest';
import { seed } from './random.js';

export const isLong = process.env.LONG === '1';

const isNight = process.env.NIGHTLY === '1';

/** A number that is larger in the long tests: a size, or how many of a list. */
export function amount(usually: number, inLongTests: number): number {
  return isLong ? inLongTests : usually;
}

/** How often something random is tried, which is all in the night and a twentieth of it in the long tests. */
export function tries(usually: number, inTheNight: number): number {
  return amount(usually, isNight ? inTheNight : Math.max(usually, Math.ceil(inTheNight / 20)));
}

/**
 * Some of the numbers below a length, evenly spread; with a length of their own, others: so a few for each of many runs
 * are at all distances from the beginning. Each number, if there are not more than that.
 */
export function pointsBelow(length: number, most: number): readonly number[] {
  const step = Math.max(1, length / most);
  const first = (length * 0.618) % step;
  return Array.from({ length: Math.min(length, most) }, (_, at) => Math.floor(first + at * step));
}

/** Some of a list, spread over it; all of it in the long tests. */
export function some<T>(all: readonly T[], most: number): readonly T[] {
  const every = Math.max(1, all.length / amount(most, all.length));
  return all.filter((_, at) => Math.floor(at / every) !== Math.floor((at - 1) / every));
}

/** Node 20 tries all in the long tests; of the newer versions, each tries another third. */
export const isOtherNode = process.env.PROCESSES !== undefined;
const SHARE = isOtherNode ? Math.floor(Number.parseInt(process.versions.node, 10) / 2) : seed;

/** A third of many similar cases, another one for each seed; all in the long tests, and where their file is named. */
export function share<T>(all: readonly T[]): readonly T[] {
  if (process.env.WHOLE !== undefined || (isLong && !isOtherNode)) return all;
  return all.filter((_, at) => at % 3 === SHARE % 3);
}

/** One of a few similar ways, another one for each seed; all in the long tests, and where their file is named. */
export function oneOf<T>(all: readonly T[]): readonly T[] {
  const isAll = process.env.WHOLE !== undefined || (isLong && !isOtherNode);
  return isAll ? all : all.slice(SHARE % all.length, (SHARE % all.length) + 1);
}

const leaveOut = (): void => {};

/**
 * A test of the long tests alone: many processes, real time, large values, or more of what its neighbours show. It takes
 * what `test` takes.
 */
export const longTest: typeof test = isLong
  ? test
  : (Object.assign(leaveOut, { each: () => leaveOut, for: () => leaveOut }) as unknown as typeof test);
