/** How fast results become durable in a new process: JavaScript functions as commands, against append and fdatasync alone. */
import type { Row } from './row.js';
import { freshly, inScratch } from './scratch.js';

export const durableEffects: Row = {
  name: 'durable effects',
  measure: () =>
    inScratch(async ({ path }) => {
      const [own, appends] = freshly(7, path, ['effects.mjs', 'appends.mjs']) as [number, number];
      const sides = `${Math.round(own * 1000)}/s vs ${Math.round(appends * 1000)}/s`;
      return [{ what: 'first 2,000 durable effects / append + fdatasync', sides, ratio: own / appends, atLeast: 0.5 }];
    }),
};
