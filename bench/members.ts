/** A thousand parallel members: the cost of starting and joining them, against xargs. */
import type { Row } from './row.js';
import { cli, inScratch } from './scratch.js';
import { compare, measureTurns, milliseconds, spawned, type Taken } from './timing.js';

const COUNT = 1000;

export const members: Row = {
  name: 'members',
  measure: () =>
    inScratch(async ({ path, write }) => {
      write('members.dsl', `FOR EACH: i in range(${COUNT}) in PARALLEL [max=${COUNT}]:\n  DO: sleep 0.1\n`);
      const [xargs, ours] = (await measureTurns(3, [
        () => spawned('bash', ['-c', `seq ${COUNT} | xargs -P ${COUNT} -n 1 bash -c 'sleep 0.1'`], path),
        () => spawned(process.execPath, [cli, 'run', '--quiet', 'members.dsl'], path),
      ])) as [Taken, Taken];
      const sides = `${milliseconds(ours.ms)} vs ${milliseconds(xargs.ms)}`;
      return [{ what: `${COUNT} members sleep 0.1 / xargs -P ${COUNT}`, sides, ...compare(ours, xargs), atMost: 1.3 }];
    }),
};
