/**
 * The agent programs themselves, against a model of our own: `npm run test:agents`. They come from the package registry, into
 * the user's cache. Where they cannot be had, this says so and passes: recorded streams of them are among the other tests.
 *
 * `npm run test:agents -- --only=fork --program=codex --keep`: the cases whose names contain a text, one program; folders of
 * failed cases are kept. With `--record=FOLDER` the streams of all calls are kept there, for `fixtures.mjs`. `--third=N` plays
 * every third case, from one of the first three on, another one for each program.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { permissions } from './cases/permissions.mjs';
import { plugin } from './cases/plugin.mjs';
import { prompts } from './cases/prompts.mjs';
import { protocol } from './cases/protocol.mjs';
import { sandbox } from './cases/sandbox.mjs';
import { server } from './cases/server.mjs';
import { sessions } from './cases/sessions.mjs';
import { trouble } from './cases/trouble.mjs';
import { work } from './cases/work.mjs';
import { installPrograms, PROGRAMS } from './install.mjs';
import { playAll, tableOf } from './table.mjs';

/** A case that takes longer than this has failed. */
const LIMIT_MS = 120_000;

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    program: { type: 'string', default: '' },
    keep: { type: 'boolean', default: false },
    record: { type: 'string' },
    'at-once': { type: 'string', default: '3' },
    third: { type: 'string' },
  },
});

const cases = [
  ...work,
  ...prompts,
  ...sessions,
  ...permissions,
  ...trouble,
  ...plugin,
  ...server,
  ...protocol,
  ...sandbox,
].filter(({ name }) => name.includes(values.only));
const programs = ['opencode', 'qwen', 'gemini', 'claude', 'codex'].filter((name) => name.includes(values.program));

const folder = mkdtempSync(join(tmpdir(), 'statedsl-programs-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
if (values.record !== undefined)
  for (const program of programs) mkdirSync(join(values.record, program), { recursive: true });
const reason = installPrograms(folder, { recording: values.record !== undefined });
if (reason !== null) console.log(`SKIPPED: the agent programs were not run: ${reason}`);
else {
  const results = await playAll(cases, programs, {
    programs: folder,
    limitMs: LIMIT_MS,
    keep: values.keep,
    record: values.record,
    atOnce: Number(values['at-once']),
    third: values.third === undefined ? null : Number(values.third),
    report: ({ program, one, mark, failure, first, reason: why, ms, log }) => {
      console.log(`${mark} ${program}: ${one.name}${why === undefined ? ` (${ms} ms)` : `: ${why}`}`);
      if (first !== undefined) console.log(`the first attempt:\n${first}`.replace(/^/gm, '    '));
      if (failure != null) console.log(`${failure}\n${log ?? ''}`.trim().replace(/^/gm, '    '));
    },
  });
  const columns = PROGRAMS.filter((program) => programs.includes(program));
  console.log(`\n${tableOf(results, cases, columns)}\n`);
  const failures = results.filter(({ failure }) => failure != null);
  for (const { program, one, failure, log } of failures)
    console.log(`✗ ${program}: ${one.name}\n${failure}\n${(log ?? '').slice(-2000)}`.trim().replace(/^/gm, '    '));
  const failed = failures.length;
  const without = results.filter(({ mark }) => mark === '–').length;
  const again = results.filter(({ first }) => first !== undefined).length;
  console.log(
    `${results.length - failed - without} passed (${again} at the second attempt), ${failed} failed, ${without} not for the program`,
  );
  process.exitCode = failed === 0 ? 0 : 1;
}
