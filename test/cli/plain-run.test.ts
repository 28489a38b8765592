/** What is read without the parser of command lines is what the parser would have read. */
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { createProgram } from '../../src/cli/arguments/create-program.js';
import { readPlainRun, SWITCHES, TEXTS } from '../../src/cli/arguments/plain-run.js';

/** The file and flags that the parser gives to `run`. */
async function parsed(words: readonly string[]): Promise<{ file: string; flags: unknown }> {
  const program = createProgram(() => {});
  const run = program.commands.find((command) => command.name() === 'run') as Command;
  let result = { file: '', flags: {} as unknown };
  run.action((file: string, flags: unknown) => {
    result = { file, flags };
  });
  await program.parseAsync(['node', 'statedsl', ...words]);
  return result;
}

const lines: string[][] = [
  ['run', 'a.dsl'],
  ['run', 'constructor'],
  ...[...SWITCHES.keys()].map((name) => ['run', name, 'a.dsl']),
  ...[...TEXTS.keys()].map((name) => ['run', 'a.dsl', name, 'value']),
  ['run', '-i', 'a=1', 'a.dsl', '--input', 'b=x y', '--quiet', '--quiet'],
  ['run', '--dir', 'one', 'a.dsl', '--dir', 'two', '--json'],
];

test.each(lines.map((words) => [words]))('%j', async (words) => {
  expect(readPlainRun(words, {})).toEqual(await parsed(words));
});

const others: string[][] = [
  [],
  ['check', 'a.dsl'],
  ['run'],
  ['run', 'a.dsl', 'b.dsl'],
  ['run', '--help'],
  ['run', 'a.dsl', '--dir'],
  ['run', 'a.dsl', '--dir', '--json'],
  ['run', 'a.dsl', '--dir=x'],
  ['run', 'a.dsl', '-ia=1'],
  ['run', '-'],
  ['run', '--', 'a.dsl'],
  ['run', 'a.dsl', '--jobs', '2'],
  ['run', 'a.dsl', '--allow-outside'],
  ['run', 'a.dsl', '--worktree'],
  ['run', 'a.dsl', '--unknown'],
];

test.each(others.map((words) => [words]))('the parser reads %j', (words) => {
  expect(readPlainRun(words, {})).toBeNull();
});

test('the parser reads variables that set flags', () => {
  expect(readPlainRun(['run', 'a.dsl'], { STATEDSL_DIR: 'x' })).toBeNull();
});
