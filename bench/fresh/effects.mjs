/** The first effects of the built library in a new process: effects per millisecond. */
import { rmSync } from 'node:fs';
import { compile, run } from 'statedsl';

const COUNT = 2000;
const { machine } = compile(
  `
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
`,
  { commands: ['step'] },
);
const begun = performance.now();
const { returned } = await run(machine, { dir: 'fresh-store', commands: { step: () => '1' } });
const ms = performance.now() - begun;
if (Number(returned) !== COUNT) throw new Error(`the loop returned ${returned}`);
rmSync('fresh-store', { recursive: true });
console.log(COUNT / ms);
