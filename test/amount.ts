/**
 * How much of a law is tried: random cases, broken texts, crashes. `npm test` tries enough to notice most mistakes;
 * `npm run test:long` sets `LONG=1` and tries more of the same.
 */
const long = process.env.LONG === '1';

export function amount(usually: number, inLongTests: number): number {
  return long ? inLongTests : usually;
}
