/** `program_dir()`: a program finds what lies next to it, wherever it is run from. */
import { chmodSync, realpathSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectFolder } from './statedsl.js';

const program = `DO: x = {program_dir()}/tool.sh
DO: told = sh -c 'echo "$STATEDSL_PROGRAM_DIR"'
ASK user: "go?" → go
RETURN: {x} {told} {program_dir()} {go}
`;

test('is the folder of the file, for commands too, and stays what it was when the run began', async () => {
  const one = projectFolder({ 'sub/p.dsl': program, 'sub/tool.sh': '#!/bin/sh\necho found\n' });
  const sub = join(realpathSync(one.folder), 'sub');
  chmodSync(join(sub, 'tool.sh'), 0o755);
  const report = JSON.parse((await one.run(['run', 'sub/p.dsl', '--json', '--quiet'])).stdout);
  renameSync(sub, `${sub}-moved`);
  const answered = await one.run(['answer', report.run_id, 'go=yes', '--json', '--quiet']);
  expect(JSON.parse(answered.stdout).returned).toBe(`found ${sub} ${sub} yes`);
});

test('is the directory of the run for standard input, and that of the program in an imported pattern', async () => {
  const one = projectFolder({
    'a/p.dsl': 'IMPORT: "../lib/where.dsl"\nSTATE: S\n  USE: WHERE\n  RETURN: {it}\n',
    'lib/where.dsl': 'PATTERN: WHERE\n  DO: it = program_dir()\n',
  });
  const folder = realpathSync(one.folder);
  expect((await one.runProcess(['run', '-', '--quiet'], { input: 'RETURN: {program_dir()}\n' })).stdout).toBe(
    `${folder}\n`,
  );
  expect((await one.run(['run', 'a/p.dsl', '--quiet'])).stdout).toBe(`${join(folder, 'a')}\n`);
});
