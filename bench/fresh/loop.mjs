/** Transitions per millisecond of a loop of the built library in a new process, which keeps its events in memory. */
import { compile, memoryJournal, run } from 'statedsl';

const TURNS = 500_000;
const { machine } = compile(`LIMIT: transitions=${TURNS + 1}
STATE: COUNT
  TRACK: n
  IF: n >= ${TURNS} → RETURN
  INCREMENT: n
  GOTO: COUNT
`);
const journal = memoryJournal();
const begun = performance.now();
const { status } = await run(machine, { journal });
const ms = performance.now() - begun;
if (status !== 'returned' || journal.events.length < 2 * TURNS) throw new Error(`the loop ended ${status}`);
console.log(TURNS / ms);
