/**
 * Transitions per second of a loop that touches nothing outside, against the same machine in xstate: in new processes, with
 * the events kept in memory, and in a process that has warmed up.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { assign, createActor, createMachine } from 'xstate';
import { compile } from '../src/language/check/compile.js';
import type { Machine } from '../src/machine/machine.js';
import { run } from '../src/runtime/run/start-run.js';
import type { Row } from './row.js';
import { freshly, inScratch } from './scratch.js';
import { takeTurns } from './timing.js';

const TURNS = 100_000;
/** The interpreter is measured over more turns than xstate, which would take half a minute for them. */
const OWN_TURNS = 1_000_000;
const JOURNALED_TURNS = 200_000;

function program(turns: number): Machine {
  const text = `LIMIT: transitions=${turns + 1}
STATE: COUNT
  TRACK: n
  IF: n >= ${turns} → RETURN
  INCREMENT: n
  GOTO: COUNT
`;
  const { machine, diagnostics } = compile(text, { name: 'loop.dsl' });
  if (machine === null) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  return machine;
}

function inXstate(): void {
  const machine = createMachine({
    context: { n: 0 },
    initial: 'count',
    states: {
      count: {
        always: [
          { guard: ({ context }) => context.n >= TURNS, target: 'done' },
          { target: 'count', reenter: true, actions: assign({ n: ({ context }) => context.n + 1 }) },
        ],
      },
      done: { type: 'final' },
    },
  });
  if (createActor(machine).start().getSnapshot().status !== 'done') throw new Error('xstate did not finish');
}

async function inMemory(machine: Machine, dir?: string): Promise<void> {
  const { status } = await run(machine, dir === undefined ? {} : { dir });
  if (status !== 'returned') throw new Error(`the loop ended ${status}`);
  if (dir !== undefined) rmSync(dir, { recursive: true });
}

export const pureLoop: Row = {
  name: 'pure loop',
  measure: () =>
    inScratch(async ({ path }) => {
      const memory = program(OWN_TURNS);
      const journaled = program(JOURNALED_TURNS);
      const [xstateMs, memoryMs, journalMs] = (await takeTurns(5, [
        inXstate,
        () => inMemory(memory),
        () => inMemory(journaled, join(path, 'store')),
      ])) as [number, number, number];
      const [freshOwn, freshXstate] = freshly(5, path, ['loop.mjs', 'xstate-loop.mjs']) as [number, number];
      const xstate = TURNS / xstateMs;
      const own = OWN_TURNS / memoryMs;
      const onDisk = JOURNALED_TURNS / journalMs;
      const sides = (mine: number) => `${(mine / 1000).toFixed(2)} M/s vs ${(xstate / 1000).toFixed(2)} M/s`;
      const millions = `${(freshOwn / 1000).toFixed(2)} M/s vs ${(freshXstate / 1000).toFixed(2)} M/s`;
      return [
        {
          what: 'pure loop, new process, events in memory / xstate',
          sides: millions,
          ratio: freshOwn / freshXstate,
          atLeast: 20,
        },
        { what: 'pure loop without events / xstate', sides: sides(own), ratio: own / xstate, atLeast: 20 },
        { what: 'pure loop, journal on / xstate', sides: sides(onDisk), ratio: onDisk / xstate, atLeast: 2 },
      ];
    }),
};
