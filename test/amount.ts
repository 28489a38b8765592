/**
 * How much of a law is tried: random cases, broken texts, crashes. `npm test` tries enough to notice most mistakes;
 * `npm run test:long` sets `LONG=1` and tries more of the same.
 */
const long = process.env.LONG === '1';

export function amount(usually: number, inLongTests: number): number {
  return long ? inLongTests : usually;
}

/** Some of a list, spread over it; all of it in the long tests. */
export function some<T>(all: readonly T[], most: number): readonly T[] {
  const every = Math.max(1, all.length / amount(most, all.length));
  return all.filter((_, at) => Math.floor(at / every) !== Math.floor((at - 1) / every));
}
