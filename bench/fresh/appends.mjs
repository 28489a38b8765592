/** What the disk allows: a line appended and made durable, as often as there are effects, per millisecond. */
import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs';

const COUNT = 2000;
const line = Buffer.from(`${JSON.stringify({ seq: 1, type: 'effect_settled', padding: 'x'.repeat(200) })}\n`);
const file = openSync('fresh-plain', 'a');
const begun = performance.now();
for (let index = 0; index < COUNT; index++) {
  writeSync(file, line);
  fdatasyncSync(file);
}
const ms = performance.now() - begun;
closeSync(file);
rmSync('fresh-plain');
console.log(COUNT / ms);
