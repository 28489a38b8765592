/** How fast results become durable: JavaScript functions as commands, against append and fdatasync alone. */
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { compile, run } from '../src/index.js';
import type { Row } from './row.js';
import { freshly, inScratch } from './scratch.js';
import { compare, measureTurns, type Taken } from './timing.js';

const COUNT = 1000;

/** What a program does between two effects: it counts, compares and reads what the effect gave. */
const LOOP = `
STATE: BEGIN
  TRACK: n = 0
  GOTO: WORK

STATE: WORK
  IF: n >= ${COUNT} → GOTO: END
  INCREMENT: n
  CHECK: result = step {n}
  GOTO: WORK

STATE: END
  RETURN: "{n}"
`;

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
      const { machine, diagnostics } = compile(LOOP, { name: 'effects.dsl', commands: ['step'] });
      if (machine === null) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
      const [plainOnes, own] = (await measureTurns(7, [
        () => plain(join(path, 'plain')),
        () => run(machine, { dir: join(path, 'store'), commands: { step: () => '1' } }),
      ])) as [Taken, Taken];
      const rate = ({ ms }: Taken): string => `${((COUNT / ms) * 1000).toFixed(0)}/s`;
      const sides = `${rate(own)} vs ${rate(plainOnes)}`;
      const [first, appends] = freshly(5, path, ['effects.mjs', 'appends.mjs']) as [number, number];
      const fresh = `${Math.round(first * 1000)}/s vs ${Math.round(appends * 1000)}/s`;
      return [
        {
          what: 'first 2,000 effects, new process / append + fdatasync',
          sides: fresh,
          ratio: first / appends,
          atLeast: 0.5,
        },
        { what: 'durable effects / append + fdatasync', sides, ...compare(plainOnes, own), atLeast: 0.5 },
      ];
    }),
};
