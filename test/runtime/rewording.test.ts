/** Runs of an earlier version can be resumed although their failures are worded differently today. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type RunReport, resume } from '../../src/index.js';
import { journalLine, readJournalLine } from '../../src/runtime/store/journal-line.js';
import { copied, type KeptRun, keptRun, refusal } from './kept-run.js';

const text = `STATE: A
  TRACK: m
  DO: n = step one
  SET: m = int(n)
  RETURN: {m}
  ON ERROR: GOTO B with why={error}, was={n}
STATE: B
  EMIT: FAILED reason={why} was={was}
  DO: end = step "{why}"
  RETURN: {end}
`;

const commands = { step: ([word]: readonly string[]) => `did ${word}` };
const today = '`int` cannot read `did one` as a whole number';
const before = 'the text "did one" is no number for `int`';

/** The run as a process leaves it that dies at its last command, with `from` replaced by `to` in its events. */
function left(base: KeptRun, from: string, to: string, only: (type: string) => boolean = () => true): KeptRun {
  const copy = copied(base);
  const path = join(copy.path, 'journal.ndjson');
  const lines = readFileSync(path, 'utf8').split('\n');
  const kept = lines.slice(0, lines.findIndex((line) => line.includes('"type":"emitted","by":"author"')) + 1);
  const written = kept.map((line) => {
    const { event, seq, time } = readJournalLine(line) ?? expect.fail(line);
    const changed = JSON.stringify(event).replaceAll(
      JSON.stringify(from).slice(1, -1),
      JSON.stringify(to).slice(1, -1),
    );
    return only(event.type) ? journalLine(JSON.parse(changed), seq, time) : line;
  });
  writeFileSync(path, `${written.join('\n')}\n`);
  for (const name of ['checkpoint.json', '../index.ndjson']) rmSync(join(copy.path, name), { force: true });
  return copy;
}

const resumed = ({ report, dir }: KeptRun): Promise<RunReport> => resume(report.run_id, { dir, commands, env: {} });

test('the words of a failure may differ in the record, wherever the program repeats them', async () => {
  const base = await keptRun(text, commands);
  expect(base.report.returned).toBe(`did ${today}`);
  const old = left(base, today, before);
  expect(readFileSync(join(old.path, 'journal.ndjson'), 'utf8')).toContain('is no number');
  expect((await resumed(old)).status).toBe('returned');
});

test('everything else must follow from the events before it', async () => {
  const base = await keptRun(text, commands);
  const refused = 'the record of the run does not match its program';
  // A value, not words of the interpreter.
  const value = left(base, 'did one', 'did two', (type) => type === 'emitted');
  expect(await refusal(() => resumed(value))).toContain(refused);
  // Words that no failure has introduced.
  const words = left(base, today, before, (type) => type === 'state_entered');
  expect(await refusal(() => resumed(words))).toContain(refused);
  // Another kind of failure.
  const kind = left(base, 'bad_value', 'failed', (type) => type === 'instruction_failed');
  expect(await refusal(() => resumed(kind))).toContain(refused);
});
