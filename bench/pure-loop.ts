/**
 * Transitions per second of a loop that touches nothing outside, against the same machine in xstate, each in a new process.
 */
import type { Row } from './row.js';
import { freshly, inScratch } from './scratch.js';

export const pureLoop: Row = {
  name: 'pure loop',
  measure: () =>
    inScratch(async ({ path }) => {
      const names = ['xstate-loop.mjs', 'loop.mjs memory', 'loop.mjs none', 'loop.mjs disk'];
      const [xstate, memory, none, disk] = freshly(5, path, names) as [number, number, number, number];
      const against = (own: number) => ({
        sides: `${(own / 1000).toFixed(2)} M/s vs ${(xstate / 1000).toFixed(2)} M/s`,
        ratio: own / xstate,
      });
      return [
        { what: 'pure loop, events in memory / xstate', ...against(memory), atLeast: 20 },
        { what: 'pure loop without events / xstate', ...against(none), atLeast: 20 },
        { what: 'pure loop, journal on / xstate', ...against(disk), atLeast: 2 },
      ];
    }),
};
