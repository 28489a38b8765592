import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { createProgram } from '../../src/cli/arguments/create-program.js';
import { COMBINATIONS, idleFlag, takenOption } from '../../src/cli/arguments/flag-combinations.js';
import { SWITCHES, TEXTS } from '../../src/cli/arguments/plain-run.js';

const program = createProgram(() => {});
const commandOf = (name: string): Command => program.commands.find((one) => one.name() === name) as Command;
const flagsOf = (name: string): string[] => commandOf(name).options.flatMap(({ long }) => long ?? []);

test('the table names flags that some of its commands have, and no command twice the same way', () => {
  for (const { of, flags, needs = [], idle = [] } of COMBINATIONS) {
    const known = new Set(of.flatMap(flagsOf));
    expect([...flags, ...needs, ...idle].filter((flag) => !known.has(flag))).toEqual([]);
  }
});

const pairs = program.commands.flatMap((command) => {
  const flags = flagsOf(command.name());
  return flags.flatMap((one, at) => flags.slice(at + 1).map((other) => [command.name(), one, other] as const));
});

test('of every pair, what is refused is refused in both orders, and names a flag of the pair', () => {
  let refused = 0;
  for (const [command, one, other] of pairs) {
    const wrong = idleFlag(command, new Set([one, other]));
    expect(idleFlag(command, new Set([other, one]))).toEqual(wrong);
    if (wrong === null) continue;
    refused++;
    expect([one, other].some((flag) => wrong.message.startsWith(`\`${flag}\` `))).toBe(true);
    expect(wrong.help).not.toBe('');
  }
  expect(refused).toBeGreaterThan(200);
});

test('a start without the parser refuses nothing, so it has no pair of the table', () => {
  const plain = [...SWITCHES.keys(), ...TEXTS.keys()].filter((flag) => flag !== '--dry-run');
  for (const one of plain)
    for (const other of plain) {
      const isQuietAndVerbose = new Set([one, other, '--quiet', '--verbose']).size === 2;
      if (!isQuietAndVerbose) expect([one, other, idleFlag('run', new Set([one, other]))]).toEqual([one, other, null]);
    }
});

test('what continues or repeats a run is refused where the run would begin at its first state', () => {
  for (const flag of ['--from', '--again', '--in-doubt']) expect(idleFlag('run', new Set([flag]))).not.toBeNull();
  expect(idleFlag('run', new Set(['--resume', '--again']))).toBeNull();
  expect(idleFlag('run', new Set(['--replay', '--from', '--verbose']))).toBeNull();
  expect(idleFlag('run', new Set(['--resume', '--start']))?.message).toBe('`--start` has no effect with `--resume`');
});

test('no option that names a directory or a file takes an empty name, which would mean the current directory', () => {
  const all = program.commands.flatMap((command) => [command, ...command.commands]);
  const named = all.flatMap((command) =>
    command.options
      .filter(({ flags }) => /<(directory|folder|file)>/.test(flags))
      .map((one) => [command, one] as const),
  );
  const names = named.map(([, { long }]) => long);
  expect(names).toEqual(
    expect.arrayContaining(['--dir', '--cwd', '--programs', '--tools', '--write-tests', '--record']),
  );
  for (const [command, option] of named) {
    command.setOptionValueWithSource(option.attributeName(), '', 'cli');
    expect(takenOption(command)?.message).toBe(`the value of \`${option.long}\` is missing`);
    command.setOptionValueWithSource(option.attributeName(), 'x', 'cli');
    expect(takenOption(command)).toBeNull();
    command.setOptionValueWithSource(option.attributeName(), undefined, undefined);
  }
});
