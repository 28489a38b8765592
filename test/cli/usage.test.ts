import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { projectFolder } from './statedsl.js';

describe('wrong usage ends with 2, says what is wrong, and prints no object', () => {
  const cases: [string, string[], RegExp][] = [
    ['no command', [], /Usage: statedsl/],
    ['control characters in a command', ['\x1b[31mrun\nok'], /unknown command '\\x1b\[31mrun ok'\n {2}= help/],
    ['control characters in an option', ['run', '--\x1b[2J'], /unknown option '--\\x1b\[2J'\n/],
    ['a misspelt command', ['rnu', 'a.dsl'], /unknown command 'rnu'\n\(Did you mean run\?\)/],
    ['a file instead of a command', ['a.dsl'], /unknown command 'a\.dsl'\n\(To run it: statedsl run a\.dsl\)/],
    ['a name that is too long', ['run', 'x'.repeat(300)], /its name is too long/],
    ['a misspelt flag', ['run', 'a.dsl', '--jsn'], /unknown option '--jsn'\n\(Did you mean --json\?\)/],
    ['no file', ['run'], /missing required argument 'file'/],
    ['two files', ['run', 'a.dsl', 'b.dsl'], /too many arguments/],
    [
      'a file that is not there',
      ['run', 'b.dsl', '--json'],
      /cannot read `b.dsl`: no such file; did you mean `a.dsl`\?/,
    ],
    ['a directory', ['run', '.'], /cannot read `.`: it is a directory/],
    ['no jobs', ['run', 'a.dsl', '--jobs', '0'], /whole number of at least 1/],
    ['negative transitions', ['run', 'a.dsl', '--max-transitions', '-5'], /whole number of at least 1/],
    ['no transitions', ['run', 'a.dsl', '--max-transitions', '0'], /whole number of at least 1/],
    ['a duration without a unit', ['run', 'a.dsl', '--timeout', '5'], /a number with a unit/],
    ['no time', ['run', 'a.dsl', '--timeout', '0s'], /longer than 0/],
    ['no time for effects', ['run', 'a.dsl', '--effect-timeout', '0ms'], /longer than 0/],
    ['a cost that is no number', ['run', 'a.dsl', '--max-cost', 'much'], /an amount above 0/],
    ['tokens that are no number', ['run', 'a.dsl', '--max-tokens', '0'], /at least 1/],
    ['two things on stdout', ['run', 'a.dsl', '--json', '--events'], /`--json` and `--events`/],
    [
      'a directory that is not there',
      ['run', 'a.dsl', '--cwd', 'nowhere'],
      /the directory `nowhere` in which commands would run does not exist/,
    ],
    ['an agent that is not configured', ['run', 'a.dsl', '--agent', 'a=b'], /no agent `b`/],
    ['an unknown format', ['graph', 'a.dsl', '--format', 'gif'], /Allowed choices are mermaid, dot, svg, ascii/],
    ['an unknown machine of a graph', ['graph', 'a.dsl', '--machine', 'b'], /there is no machine `b`/],
    ['an unknown shell', ['completion', 'tcsh'], /Allowed choices are bash, zsh, fish/],
  ];
  test.each(cases)('%s', async (_, args, words) => {
    const { code, stdout, stderr } = await projectFolder({ 'a.dsl': 'RETURN: x\n' }).run(args);
    expect(stderr).toMatch(words);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  });
});

test('variables set what flags set, and flags win', async () => {
  const one = projectFolder({ 'a.dsl': 'RETURN: x\n' });
  expect((await one.run(['run', 'a.dsl'], { env: { STATEDSL_JOBS: 'x' } })).stderr).toContain(
    "from env 'STATEDSL_JOBS'",
  );
  const limit = { STATEDSL_MAX_TRANSITIONS: '7' };
  expect((await one.run(['run', 'a.dsl', '--dry-run'], { env: limit })).stdout).toContain('transitions 7');
  const both = await one.run(['run', 'a.dsl', '--dry-run', '--max-transitions', '9'], { env: limit });
  expect(both.stdout).toContain('transitions 9');
  const empty = await one.run(['run', 'a.dsl', '--quiet'], { env: { STATEDSL_JOBS: '', STATEDSL_DIR: '' } });
  expect(empty).toEqual({ code: 0, stdout: 'x\n', stderr: '' });
  expect(existsSync(join(one.folder, '.statedsl'))).toBe(true);
});

test('help and version go to stdout', async () => {
  const one = projectFolder();
  const version = await one.run(['--version']);
  expect(version).toMatchObject({ code: 0, stderr: '' });
  expect(version.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  const help = await one.run(['run', '--help']);
  expect(help.code).toBe(0);
  for (const flag of ['--input', '--mock', '--detach', '--auto-events', '--suspend-after', '--effect-timeout'])
    expect(help.stdout).toContain(flag);
});
