/** Random inputs of tests: all are drawn from the one number that `seed.ts` chose, which a failing property prints. */
import fc from 'fast-check';

export const seed = Number(process.env.TEST_SEED);
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });

/** Random numbers below 1, always the same ones for the same number. */
export function randomNumbers(from: number): () => number {
  let state = from >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
