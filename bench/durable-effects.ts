/** How fast results become durable: JavaScript functions as commands, against append and fdatasync alone. */
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { compile, run } from '../src/index.js';
import type { Row } from './row.js';
import { inScratch } from './scratch.js';
import { compare, measureTurns, type Taken } from './timing.js';

const COUNT = 1000;

function plain(path: string): void {
  const file = openSync(path, 'a');
  const line = Buffer.from(`${JSON.stringify({ seq: 1, type: 'effect_settled', padding: 'x'.repeat(200) })}\n`);
  for (let index = 0; index < COUNT; index++) {
    writeSync(file, line);
    fdatasyncSync(file);
  }
  closeSync(file);
}

export const durableEffects: Row = {
  name: 'durable effects',
  measure: () =>
    inScratch(async ({ path }) => {
      const text = `FOR EACH: i in range(${COUNT}):\n  DO: step {i}\n`;
      const { machine, diagnostics } = compile(text, { name: 'effects.dsl', commands: ['step'] });
      if (machine === null) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
      const [plainOnes, own] = (await measureTurns(7, [
        () => plain(join(path, 'plain')),
        () => run(machine, { dir: join(path, 'store'), commands: { step: () => '' } }),
      ])) as [Taken, Taken];
      const rate = ({ ms }: Taken): string => `${((COUNT / ms) * 1000).toFixed(0)}/s`;
      const sides = `${rate(own)} vs ${rate(plainOnes)}`;
      return [{ what: 'durable effects / append + fdatasync', sides, ...compare(plainOnes, own), atLeast: 0.5 }];
    }),
};
