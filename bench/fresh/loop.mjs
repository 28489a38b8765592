/**
 * Transitions per millisecond of a loop of the built library in a new process: with its events in memory, with `none` without
 * events, with `disk` with a journal.
 */
import { rmSync } from 'node:fs';
import { compile, memoryJournal, run } from 'statedsl';

const kept = process.argv[2] ?? 'memory';
const TURNS = kept === 'disk' ? 200_000 : 500_000;
const { machine } = compile(`LIMIT: transitions=${TURNS + 1}
STATE: COUNT
  TRACK: n
  IF: n >= ${TURNS} → RETURN
  INCREMENT: n
  GOTO: COUNT
`);
const journal = memoryJournal();
const options = { memory: { journal }, none: {}, disk: { dir: 'fresh-loop' } }[kept];
const begun = performance.now();
const { status } = await run(machine, options);
const ms = performance.now() - begun;
if (status !== 'returned') throw new Error(`the loop ended ${status}`);
if (kept === 'memory' && journal.events.length < 2 * TURNS) throw new Error('events are missing');
rmSync('fresh-loop', { recursive: true, force: true });
console.log(TURNS / ms);
