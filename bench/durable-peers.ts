/**
 * Durable steps per second, compared with a peer that stores its state in SQLite. The peer is large and partly compiled
 * at installation, so it is not a dependency: without it the row says how to install it.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { compile, run } from '../src/index.js';
import type { Row } from './row.js';
import { inScratch, root } from './scratch.js';
import { median, timed } from './timing.js';

const COUNT = 300;
const ROUNDS = 3;

export const durablePeers: Row = {
  name: 'durable steps of peers',
  measure: () =>
    inScratch(async ({ path }) => {
      const what = 'durable steps / LangGraph.js with SQLite';
      const peers = join(root, 'bench/peers');
      if (!existsSync(join(peers, 'node_modules/@langchain/langgraph')))
        return [
          { what, sides: 'not installed: npm install --prefix bench/peers --no-package-lock', ratio: Number.NaN },
        ];
      const text = `FOR EACH: i in range(${COUNT}):\n  DO: step {i}\n`;
      const { machine } = compile(text, { name: 'steps.dsl', commands: ['step'] });
      if (machine === null) throw new Error('the program of the benchmark has errors');
      const own: number[] = [];
      const theirs: number[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        own.push(await timed(() => run(machine, { dir: join(path, 'store'), commands: { step: () => '' } })));
        const args = [join(peers, 'langgraph.mjs'), String(COUNT), join(path, `peer-${round}.db`)];
        theirs.push(Number(execFileSync(process.execPath, args, { cwd: peers, encoding: 'utf8' })));
      }
      const rate = (ms: number): string => `${((COUNT / ms) * 1000).toFixed(0)}/s`;
      const [ours, other] = [median(own), median(theirs)];
      return [{ what, sides: `${rate(ours)} vs ${rate(other)}`, ratio: other / ours, atLeast: 1 }];
    }),
};
