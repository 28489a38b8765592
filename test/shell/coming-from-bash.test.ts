/** What the manual says to people who come from bash: each row of its table has the effect that it promises. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { commandLine } from '../harness/command-line.js';
import { root } from '../harness/process.js';

const table = readFileSync(join(root, 'docs/shell.md'), 'utf8').split('## Coming from bash')[1] ?? '';
const rows = [...table.matchAll(/^\| `(.+?)` \| .* \|$/gm)].map(([, bash = '']) => bash.replaceAll('\\|', '|'));

/** For the beginning of each row: programs, and what they come to. */
const PROGRAMS: Readonly<Record<string, readonly (readonly [program: string, result: string])[]>> = {
  'x=$(': [['DO: x = echo one\nRETURN: {x}', 'one\n']],
  '"$x"': [['INPUT: x = "a  b*"\nDO: y = printf "<%s>" {x}\nRETURN: {y}', '<a  b*>\n']],
  '"${list': [['INPUT: list = ["a b", "c"]\nDO: y = printf "<%s>" {list*}\nRETURN: {y}', '<a b><c>\n']],
  'set -e': [
    ['DO: false | cat\nRETURN: on', 'failed'],
    ['DO [strict=off]: false | cat\nRETURN: off', 'off\n'],
  ],
  'cmd ||': [
    ['DO: false || true\nRETURN: went on', 'went on\n'],
    ['DO [ok=0,1]: r = test -f none\nRETURN: "{exit_code(r)}"', '1\n'],
  ],
  'if [': [['INPUT: x = "ok"\nIF: x == "ok" → RETURN: yes\nRETURN: no', 'yes\n']],
  while: [['STATE: A\n  TRACK: n\n  IF: n >= 3 → RETURN: {n}\n  INCREMENT: n\n  DO: echo x >> out\n  GOTO: A', '3\n']],
  'for f': [
    [
      'TRACK: seen = []\nDO: files = ls *.md\nFOR EACH: f in lines(files):\n  SET: seen = seen + [f]\nRETURN: {join(seen)}',
      'a.md,b c.md\n',
    ],
  ],
  'cmd1 &': [
    [
      'DO: in PARALLEL:\n  - until test -e b; do sleep 0.02; done; touch a\n  - touch b; until test -e a; do sleep 0.02; done\nRETURN: both',
      'both\n',
    ],
  ],
  'cmd1 |': [
    ["DO: n = printf '1\\n2\\n' | wc -l\nRETURN: {int(n)}", '2\n'],
    ["DO: printf '1\\n2\\n'\nDO: n = | wc -l\nRETURN: {int(n)}", '2\n'],
  ],
  'cd ': [['DO [cwd=dir]: x = basename "$PWD"\nRETURN: {x}', 'dir\n']],
  export: [['DO [env.K=v]: x = echo "$K"\nRETURN: {x}', 'v\n']],
  timeout: [
    ['DO [timeout=50ms]: sleep 30\nRETURN\nON ERROR timeout: → RETURN: late', 'late\n'],
    ['DO: in PARALLEL:\n  - DO [timeout=50ms]: sleep 30\n  - true\nRETURN\nON ERROR timeout: → RETURN: late', 'late\n'],
  ],
  trap: [
    ['DO: false\nRETURN\nON ERROR: → DO: touch cleaned, RETURN: caught', 'caught\n'],
    [
      'STATE: A\n  DO: touch made\n  UNDO: rm made\n  FAIL: no\nSTATE: ERROR\n  ROLLBACK\n  DO [ok=0,1]: r = test -e made\n  RETURN: "{exit_code(r)}"',
      '1\nfailed',
    ],
  ],
  read: [['ASK user: "Name?" → x\nRETURN: {x}', 'suspended']],
  exit: [['FAIL: why', 'failed']],
};

async function resultOf(program: string): Promise<string> {
  const cwd = mkdtempSync(join(tmpdir(), 'statedsl-bash-'));
  try {
    mkdirSync(join(cwd, 'dir'));
    for (const name of ['a.md', 'b c.md']) writeFileSync(join(cwd, name), '');
    writeFileSync(join(cwd, 'flow.dsl'), `${program}\n`);
    const env = { PATH: process.env.PATH, HOME: cwd, XDG_CACHE_HOME: cwd, NO_COLOR: '1' };
    const { code, stdout, stderr } = await commandLine(['run', 'flow.dsl', '--quiet'], { cwd, env });
    expect(code, stderr).not.toBe(2);
    return code === 0 ? stdout : code === 75 ? 'suspended' : `${stdout}failed`;
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

describe('the table for people who come from bash', () => {
  const beginOf = (row: string): string => Object.keys(PROGRAMS).find((begin) => row.startsWith(begin)) ?? row;

  it('has rows with a program each', () => {
    expect(rows.map(beginOf)).toEqual(Object.keys(PROGRAMS));
  });

  test.each(rows)('%s', async (row) => {
    for (const [program, result] of PROGRAMS[beginOf(row)] ?? []) expect(await resultOf(program)).toBe(result);
  });
});
