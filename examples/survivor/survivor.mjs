// A script that survives its own death: the run is on disk, so the next start of the script resumes it.
//   node examples/survivor/survivor.mjs [FOLDER]     dies halfway; start it again with the same folder
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openRuns, unwrap } from 'statedsl';

const folder = process.argv[2] ?? 'survivor-data';
mkdirSync(folder, { recursive: true });
const note = join(folder, 'run-id');
const sent = join(folder, 'sent.txt');

const text = `
STATE: SEND
  TRACK: sent = 0
  CHECK: letters = load-letters
  DO: FOR EACH letter in letters:
    DO: send-letter {letter}
    INCREMENT: sent
  RETURN: {sent} letters sent
`;

const commands = {
  'load-letters': async () => ['to Ada', 'to Grace', 'to Edsger', 'to Barbara'],
  'send-letter': async ([letter]) => {
    appendFileSync(sent, `${letter}\n`);
    return null;
  },
};

const runs = openRuns({ folder, commands });

// The first process kills itself when two letters are on record as sent. It cannot clean up.
const firstLife = !existsSync(note);
let settled = 0;
const onEvent = (event) => {
  if (firstLife && event.type === 'tracked_set' && ++settled === 3) process.kill(process.pid, 'SIGKILL');
};
const onStart = ({ runId }) => writeFileSync(note, runId);
const execution = firstLife
  ? await runs.start({ text, name: 'letters.dsl' }, { onEvent, onStart })
  : await runs.resume(readFileSync(note, 'utf8'), { onEvent });
const report = await unwrap(execution).report;

console.log(`${report.status}: ${report.returned}`);
console.log(readFileSync(sent, 'utf8').trimEnd());
// The run is over, so the next start begins a new one.
for (const file of [note, sent]) rmSync(file);
