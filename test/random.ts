/** Random inputs of tests: all are drawn from the one number that `seed.ts` chose, which a failing property prints. */
import fc from 'fast-check';

export const seed = Number(process.env.TEST_SEED);
/** A property that does not say how often it is tried is tried a hundred times, and in the night as often as others. */
const numRuns = process.env.NIGHTLY === '1' ? 5000 : 100;
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed, numRuns });

/** Numbers below a number, always the same ones for the same first state, which is not 0 (xorshift). */
export function sequenceFrom(first: number): (below: number) => number {
  let state = first;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state % below;
  };
}

/** The same for a text. */
export function sequenceOf(text: string): (below: number) => number {
  let state = 0x9e3779b9;
  for (let at = 0; at < text.length; at++) state = Math.imul(state ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return sequenceFrom(state || 1);
}

/** Random numbers below 1, always the same ones for the same number. */
export function randomNumbers(from: number): () => number {
  let state = from >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** What random programs are drawn with. */
export class Draw {
  private readonly next: () => number;

  constructor(from: number) {
    this.next = randomNumbers(from);
    for (let at = 0; at < 5; at++) this.next();
  }

  below(most: number): number {
    return Math.floor(this.next() * most);
  }

  shuffled<T>(list: readonly T[]): T[] {
    const rest = [...list];
    return list.map(() => rest.splice(this.below(rest.length), 1)[0] as T);
  }
}
