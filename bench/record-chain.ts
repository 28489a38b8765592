/**
 * What the hashes of a record cost: the time for lines with and without them, as a part of the time of a durable effect, and of
 * a transition of a loop that only computes.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compile, run } from '../src/index.js';
import type { RunEvent } from '../src/interpreter/events/event.js';
import { LineBuffer, readJournalLine } from '../src/runtime/store/journal-line.js';
import type { Row } from './row.js';
import { freshly, inScratch } from './scratch.js';
import { median } from './timing.js';

const TURNS = 1000;
const TIME = new Date(0).toISOString();

const EFFECTS = `STATE: WORK
  TRACK: n = 0
  IF: n >= ${TURNS} → RETURN
  INCREMENT: n
  CHECK: result = step {n}
  GOTO: WORK
`;
const LOOP = EFFECTS.replace('  CHECK: result = step {n}\n', '');

/** The events of a run of this program, as its journal has them. */
async function eventsOf(text: string, dir: string): Promise<RunEvent[]> {
  const { machine } = compile(text, { commands: ['step'] });
  if (machine === null) throw new Error('the program has errors');
  await run(machine, { dir, commands: { step: () => '1' } });
  const [folder = ''] = readdirSync(join(dir, 'runs')).filter((name) => name.includes('-'));
  const lines = readFileSync(join(dir, 'runs', folder, 'journal.ndjson'), 'utf8')
    .split('\n')
    .slice(0, -1);
  return lines.map((line) => {
    const read = readJournalLine(line);
    if (read === null) throw new Error(`the journal has a damaged line: ${line}`);
    return read.event;
  });
}

function msOfLines(events: readonly RunEvent[], { chained, atOnce }: { chained: boolean; atOnce: number }): number {
  const lines = new LineBuffer(chained ? Buffer.from('{}') : null);
  const begun = performance.now();
  for (let at = 0; at < events.length; at++) {
    lines.add(events[at] as RunEvent, at + 1, TIME);
    if (at % atOnce === atOnce - 1) lines.take();
  }
  return performance.now() - begun;
}

/** How many milliseconds hashes add to one turn. `atOnce`: so many lines are written together. */
function addedMs(events: readonly RunEvent[], atOnce: number): number {
  const [withThem, without]: [number[], number[]] = [[], []];
  for (let round = 0; round < 60; round++) {
    const taken = [
      msOfLines(events, { chained: true, atOnce }),
      msOfLines(events, { chained: false, atOnce }),
    ] as const;
    // The first rounds compile the code.
    if (round < 20) continue;
    withThem.push(taken[0]);
    without.push(taken[1]);
  }
  return (median(withThem) - median(without)) / TURNS;
}

export const recordChain: Row = {
  name: 'record chain',
  measure: () =>
    inScratch(async ({ path }) => {
      const added = {
        effect: addedMs(await eventsOf(EFFECTS, join(path, 'effects')), 5),
        turn: addedMs(await eventsOf(LOOP, join(path, 'loop')), 1000),
      };
      const [effects, turns] = freshly(5, path, ['effects.mjs', 'loop.mjs disk']) as [number, number];
      const row = (ms: number, perMs: number) => ({
        sides: `${(ms * 1000).toFixed(2)} µs of ${(1000 / perMs).toFixed(2)} µs`,
        ratio: 1 + ms * perMs,
      });
      return [
        { what: 'durable effect with a hash / without', ...row(added.effect, effects), atMost: 1.03 },
        // It only informs: a turn writes 200 bytes, and hashing them alone takes some per cent of it.
        { what: 'pure loop, journal on, with hashes / without', ...row(added.turn, turns) },
      ];
    }),
};
