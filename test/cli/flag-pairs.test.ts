/**
 * Of every pair of flags of a command, each changes something that can be seen although the other one is there, or the
 * pair is refused. "Something" is what is printed, the exit code, or the files of the folder, in one of the situations.
 */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createProgram } from '../../src/cli/arguments/create-program.js';
import { idleFlag } from '../../src/cli/arguments/flag-combinations.js';
import { isLong, tries } from '../amount.js';
import { commandLine } from '../harness/command-line.js';
import { seed } from '../random.js';

const scratch = mkdtempSync(join(tmpdir(), 'statedsl-flags-'));
const stage = join(scratch, 'stage');
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const FILES: Readonly<Record<string, string>> = {
  'good.dsl':
    'INPUT: n = 1 (number)\nSTATE: A\n  DO: a = ./x.sh\n  IF: n > 1 → GOTO: B\n  GOTO: C with a\nSTATE: B\n  RETURN: b\nSTATE: C\n  EMIT: E n={n}\n  RETURN: {a}\n',
  'fixable.dsl': 'STATE: A:\n  DO: echo 1\n  RETURN: it is\n',
  'agent.dsl': 'DO: a = Task(nobody) "Write"\nRETURN: {a}\n',
  'warned.dsl': 'STATE: A\n  DO: a = no-such-program\n  RETURN: done\nSTATE: B\n  RETURN: x\n',
  'two.dsl': 'MACHINE: one\nSTATE: A\n  DO: true\n  RETURN: 1\n\nMACHINE: two\nSTATE: B\n  CALL: t\n  RETURN: 2\n',
  'loop.dsl':
    'INPUT: n = 1 (number)\nINPUT: l = ["a"]\nSTATE: A\n  TRACK: k\n  INCREMENT: k\n  FOR EACH: x in l:\n    DO: echo {x}\n  IF: k < n → GOTO: A\n  DO: sleep 1\n  GOTO: B with k\nSTATE: B\n  RETURN: {k}\nSTATE: ERROR\n  FAIL: no\n',
  'good.test.dsl':
    'TESTS: "./good.dsl"\nPROPERTY: p\n  NEVER: state B\nPROPERTY: q\n  AT MOST: 1 run "./x.sh"\nTEST: one\n  MOCK: "./x.sh" → "1"\n  EXPECT: returned "1"\nTEST: two\n  MOCK: "./x.sh" → "2"\n  EXPECT: returned "1"\nTEST: three\n  GIVEN: n=2\n  MOCK: "./x.sh" → "2"\n  EXPECT: returned "wrong"\n',
  'plan.json': '{"calls": [{"_tool": "t", "v": "†state.q", "_outputPath": "†state.f"}], "output": "†state.f"}',
  'tools.yaml': 't: { run: ["true"] }\n',
  'other.yaml': 'u: { run: ["true"] }\n',
  'state.json': '{"q": 1}',
  'mock.yaml': 'agents:\n  nobody: hi\n',
  'sub/x.sh': '#!/bin/sh\n',
  'implied.dsl': 'STATE: A\n  CHECK: ./x.sh\n  IF: n == 3 → RETURN: it is\n  RETURN: it is not\n',
  'ugly.dsl': 'STATE:   A\n  RETURN:   1\n',
  'fails.dsl':
    'INPUT: n = 1 (number)\nSTATE: A\n  DO: test -e there\n  RETURN: {n}\nSTATE: ERROR\n  DO [ok=any]: false\n  FAIL: "{error}"\n',
  'real.test.dsl': 'TESTS: "./real.dsl"\nTEST: real\n  MOCK: "echo *" → for real\n  EXPECT: snapshot\n',
  'ran.dsl':
    'INPUT: n = 1 (number)\nMACHINE: one\nSTATE: A\n  DO [memo]: echo {n} >> log.txt\n  DO: a = ls\n  DO: t = Task(nobody) "Write"\n  DO: Task(slow) "Write"\n  IF: n > 1 → GOTO: B with a, t\n  GOTO: C with a, t\nSTATE: B\n  RETURN: "b {a} {t}"\nSTATE: C\n  EMIT: E n={n}\n  RETURN: "{n} {a} {t}"\n\nMACHINE: two\nSTATE: Z\n  DO: a = ls\n  DO: t = Task(nobody) "Write"\n  GOTO: B with a, t\nSTATE: B\n  RETURN: "z {a} {t} {n}"\n',
  'kept.dsl':
    'INPUT: n = 1 (number)\nSTATE: A\n  DO [memo]: echo again >> log.txt\n  IF: n > 1 → GOTO: B\n  GOTO: B\nSTATE: B\n  RETURN: {n}\n',
  'asks.dsl': 'DO: a = Task(nobody) "Write"\nASK user: "Go on?" → go choices=yes,no\nRETURN: {a} {go}\n',
  'costly.yaml':
    'agents:\n  nobody: { value: hi, cost: 2, tokens: 900 }\n  slow: { value: hi, after: 2h }\nasks:\n  go: "yes"\n',
  'inputs.yaml': 'n: 3\n',
  'unknown.dsl':
    'MACHINE: one\nSTATE: A\n  RETURN: 1\n\nMACHINE: two\nINPUT: n = 1 (number)\nINPUT: m = 1 (number)\nSTATE: A\n  CHECK: l = ./look\n  FOR EACH x in l:\n    DO: echo {x}\n  IF: n > 5 → RETURN: many\n  GOTO: B\nSTATE: B\n  CHECK: k = ./look\n  FOR EACH x in k:\n    DO: echo {x}\n  IF: m > 9 AND m < 3 → RETURN: never\n  IF: m > 5 → RETURN: more\n  RETURN: few\n',
  'unknown.test.dsl':
    'TESTS: "./unknown.dsl" [machine=two]\nPROPERTY: p\n  NEVER: state B\nPROPERTY: q\n  AT MOST: 1 run "echo *"\n',
  'real.dsl': 'DO: x = echo hi\nRETURN: {x}\n',
};

interface Command {
  /** The words before the flags. */
  readonly situations: readonly (readonly string[])[];
  readonly values: Readonly<Record<string, string>>;
  /** What only a terminal shows, or each situation already has. */
  readonly without?: readonly string[];
  /** Flags that show what they do only where the others, next to each of them, leave nothing of it to happen here. */
  readonly apart?: readonly (readonly [flags: readonly string[], next: readonly string[]])[];
  /** A command line that shows more of what was done. */
  readonly seenBy?: readonly string[];
}

const COMMANDS: Readonly<Record<string, Command>> = {
  check: {
    situations: [
      ['good.dsl'],
      ['fixable.dsl'],
      ['agent.dsl'],
      ['warned.dsl'],
      ['implied.dsl'],
      ['plan.json'],
      ['agent.dsl', 'warned.dsl', 'fixable.dsl', 'good.dsl', 'plan.json'],
    ],
    values: { '--cwd': 'sub', '--tools': 'other.yaml', '--mock': 'mock.yaml' },
    // It is for plans alone, about which other flags say nothing.
    without: ['--state'],
  },
  test: {
    situations: [['good.test.dsl', 'real.test.dsl'], ['good.test.dsl'], ['real.test.dsl']],
    values: { '--filter': 'e', '--reporter': 'tap' },
    // They need files, mistakes or machines that these tests do not have, and have cases of their own.
    without: [
      ...['--jobs', '--rerun-failed', '--update-cassettes', '--fault', '--faults', '--cwd', '--mutate', '--min'],
      ...['--update', '--no-offline', '--coverage-min'],
    ],
  },
  resume: {
    situations: [['$FAILED'], ['$OTHER']],
    values: {
      '--input': 'n=2',
      '--record': 'new.yaml',
      '--max-transitions': '0',
      '--mock': 'mock.yaml',
      '--from-file': 'fails.dsl',
    },
    without: [
      ...[
        '--cwd',
        '--timeout',
        '--max-cost',
        '--max-tokens',
        '--max-journal',
        '--max-output',
        '--agent',
        '--real-time',
      ],
      ...[
        '--in-doubt',
        '--suspend-after',
        '--overwrite',
        '--yes',
        '--detach',
        '--max-transitions',
        '--mock',
        '--verbose',
      ],
    ],
    seenBy: ['runs', '--json'],
  },
  show: { situations: [['$RUN']], values: { '--at': '2' } },
  runs: { situations: [[]], values: { '--last': '1', '--key': 'k' } },
  report: {
    situations: [['$RUN'], ['$OTHER'], []],
    values: { '--last': '2', '--detail': 'MAIN', '--html': 'page.html' },
  },
  output: { situations: [['$RUN']], values: {}, without: ['--raw'] },
  diff: { situations: [['$RUN', '$OTHER']], values: {} },
  list: { situations: [[]], values: {} },
  graph: { situations: [['loop.dsl'], ['two.dsl']], values: { '--format': 'svg', '--machine': 'two' } },
  gc: {
    situations: [
      ['--keep-last', '1'],
      ['--keep-last', '0'],
    ],
    values: {},
    without: ['--keep-last'],
  },
  disassemble: { situations: [['two.dsl']], values: { '--machine': 'two', '--tools': 'other.yaml' } },
  init: { situations: [['flow']], values: {} },
  run: {
    situations: [
      ['ran.dsl', '--mock', 'costly.yaml'],
      ['asks.dsl'],
      ['kept.dsl'],
      ['fails.dsl'],
      ['plan.json'],
      ['drifted.dsl'],
    ],
    values: {
      '--record': 'new.yaml',
      '--cassette': 'tape.yaml',
      '--cassette-match': 'fingerprint',
      '--cassette-drift': 'warn',
      '--input': 'n=2',
      '--name': 'called',
      '--input-file': 'inputs.yaml',
      '--machine': 'two',
      '--start': 'B with a=1, t=2',
      '--cwd': 'sub',
      '--max-transitions': '0',
      // Of the time that is pretended: whether a real command ends within a millisecond depends on the machine.
      '--timeout': '1h',
      '--effect-timeout': '1h',
      '--max-cost': '1',
      '--max-tokens': '100',
      '--max-journal': '1KiB',
      '--max-output': '1B',
      '--agent': 'nobody=elsewhere',
      '--only': 'A',
      '--memo-max-age': '1ms',
      '--mock': 'costly.yaml',
      '--key': 'k2',
      '--key-while': 'running',
      '--from': 'A',
      '--tools': 'other.yaml',
      '--state': 'state.json',
      '--approved': 'no-hash',
    },
    // They need another folder, a terminal, time, or a run that waits, and have cases of their own.
    without: [
      ...['--overwrite', '--worktree', '--jobs', '--yes', '--on-busy', '--key-while', '--detach', '--suspend-after'],
      ...['--in-doubt', '--real-time', '--again'],
    ],
    apart: [
      // A part of a run, or a world without costs, time and commands.
      [
        [
          '--verbose',
          '--cwd',
          '--tools',
          '--timeout',
          '--effect-timeout',
          '--max-cost',
          '--max-tokens',
          '--max-journal',
        ],
        ['--cassette', '--machine', '--start', '--state', '--only', '--agent', '--mock'],
      ],
      [['--max-output'], ['--start', '--state', '--only', '--agent']],
      // What is not remembered comes without an agent and without pretended time, and the log only without `--json`.
      [
        ['--max-cost', '--max-tokens', '--timeout', '--effect-timeout', '--verbose'],
        ['--fresh', '--memo-max-age'],
      ],
      [['--max-cost', '--max-tokens', '--verbose'], ['--json']],
      // The first limit that is exceeded ends the run.
      [
        ['--max-cost', '--max-tokens', '--timeout', '--effect-timeout'],
        ['--max-cost', '--max-tokens', '--timeout', '--max-output', '--max-journal'],
      ],
      [['--cwd'], ['--dry-run']],
      [['--input-file'], ['--input']],
    ],
    seenBy: ['runs', '--json'],
  },
  verify: {
    situations: [['unknown.dsl', '--machine', 'two'], ['unknown.dsl'], ['unknown.test.dsl'], ['loop.dsl']],
    values: {
      '--machine': 'two',
      '--start': 'B',
      '--input': 'n=7',
      '--free': 'm',
      '--len': '1',
      '--max-configurations': '6',
      '--no-reduction': 'saturation',
      '--never': 'run "echo *"',
      '--after': 'run "./look" → returned',
      '--assume': 'n > 5',
      '--property': 'q',
      '--write-tests': 'written',
      '--tools': 'other.yaml',
      '--graph': 'mermaid',
    },
    // They are about how long it takes, or is printed, which is the same for small programs.
    without: ['--seconds', '--timeout', '--no-reduction', '--bounds', '--tools'],
    apart: [
      // The exit code is 1 already.
      [['--strict'], ['--max-configurations', '--never', '--after']],
      [['--len'], ['--graph']],
      [['--input'], ['--start']],
    ],
  },
  'verify-record': { situations: [['$RUN']], values: { '--key': 'state.json' } },
};
/** The id of the failed run. */
let failed = '';
/** What asks for silence is fulfilled where nothing else would be printed either, so scripts may always pass it. */
const SILENCE = '--quiet';
const EVERYWHERE = ['--dir', '--on', '--allow-outside', '--watch', '--follow', '--archive', '--home', '--shared'];

/** As in the shell of a person, wherever the tests run: some flags are the default in CI. */
const { CI: _, ...env } = process.env;
const ids: string[] = [];
let folders = 0;

beforeAll(async () => {
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(join(stage, name, '..'), { recursive: true });
    writeFileSync(join(stage, name), text, { mode: 0o755 });
  }
  for (const word of ['one', 'three', 'two']) {
    const name = `run-${word}.dsl`;
    const colours = `printf '\\033[1m%s\\n' ${word}; echo e >&2`;
    writeFileSync(join(stage, name), `DO: a = ${colours}\nASK user: "Go on?" → go choices=yes,no\nRETURN: {a}\n`);
    const key = word === 'two' ? [] : ['--key', 'k'];
    const { stdout } = await commandLine(['run', name, '--json', ...key], { cwd: stage, env });
    const { run_id } = JSON.parse(stdout) as { run_id: string };
    ids.push(run_id);
    if (word === 'one') await commandLine(['answer', run_id, 'go=yes', '--quiet'], { cwd: stage, env });
  }
  const { stdout } = await commandLine(['run', 'fails.dsl', '--json'], { cwd: stage, env });
  failed = (JSON.parse(stdout) as { run_id: string }).run_id;
  // What was recorded is not what the program does now.
  writeFileSync(join(stage, 'drifted.dsl'), 'DO: a = echo 1\nDO: b = echo 2\nRETURN: {a}\n');
  await commandLine(['run', 'drifted.dsl', '--record', 'tape.yaml', '--quiet'], { cwd: stage, env });
  writeFileSync(join(stage, 'drifted.dsl'), 'DO: b = echo 2\nDO: a = echo 1\nRETURN: {a}\n');
  await commandLine(['run', 'kept.dsl', '--quiet'], { cwd: stage, env });
});

function digestOf(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name)).isFile() && !/\.statedsl\/(?:cache|tmp)/.test(name))
    .sort()
    .map((name) => `${name}: ${name.includes('.statedsl') ? '' : readFileSync(join(folder, name), 'utf8')}`)
    .join('\n');
}

const steady = (text: string): string =>
  text
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'RUN')
    .replace(/\d+(\.\d+)? ?(ms|s)\b/g, 'TIME')
    .replace(/"(\w*_ms|ms|seconds|duration\w*)":\s*[\d.]+/g, '"$1": 0')
    .replace(/\d{4}-\d\d-\d\d[T ][\d:.]+Z?/g, 'DATE')
    .replaceAll(/statedsl-flags-\w+\/\d+/g, 'FOLDER');

async function observe(command: string, words: readonly string[], flags: readonly string[]): Promise<string> {
  const cwd = join(scratch, String(folders++));
  cpSync(stage, cwd, { recursive: true });
  const given = words.map((word) => ({ $RUN: ids[0], $OTHER: ids[1], $FAILED: failed })[word] ?? word);
  const { values, seenBy } = COMMANDS[command] as Command;
  const typed = flags.flatMap((flag) =>
    values[flag] === undefined || values[flag] === '' ? [flag] : [flag, values[flag]],
  );
  const { code, stdout, stderr } = await commandLine([command, ...given, ...typed], { cwd, env });
  const more = seenBy === undefined ? '' : (await commandLine([...seenBy], { cwd, env })).stdout;
  const seen = steady(`${code}\n${stdout}\n--\n${stderr}\n--\n${more}\n--\n${digestOf(cwd)}`);
  rmSync(cwd, { recursive: true });
  return seen;
}

/** Those with many pairs. */
const LENGTHY = ['check', 'graph', 'report', 'resume', 'run', 'test', 'verify'];

/** They have so many that each start of the tests tries a part of them, and the night all. */
const IN_PARTS = ['run', 'verify'];
const PARTS = 20;

const commands = Object.keys(COMMANDS).filter((name) => isLong || !LENGTHY.includes(name));

test.each(commands)(
  'each flag of `%s` has an effect next to each other one, or is refused',
  { timeout: 600_000 },
  async (name) => {
    const { situations, without = [], apart = [] } = COMMANDS[name] as Command;
    const program = createProgram(() => {});
    const command = program.commands.find((one) => one.name() === name);
    const flags = (command?.options ?? []).flatMap(({ long, hidden }) => (long == null || hidden ? [] : [long]));
    const tried = flags.filter((flag) => !EVERYWHERE.includes(flag) && !without.includes(flag));
    const seen = new Map<string, Promise<string>>();
    const of = (at: number, ...given: string[]): Promise<string> => {
      const key = `${at} ${given.sort().join(' ')}`;
      const known = seen.get(key) ?? observe(name, situations[at] as readonly string[], given);
      seen.set(key, known);
      return known;
    };
    const all = situations.map((_, at) => at);
    const idle: string[] = [];
    /** The situations in which a flag changes something. */
    const changes = new Map<string, readonly number[]>();
    for (const flag of tried) {
      const found: number[] = [];
      for (const at of all) if ((await of(at, flag)) !== (await of(at))) found.push(at);
      changes.set(flag, found);
      if (found.length === 0 && flag !== SILENCE && idleFlag(name, new Set([flag])) === null) idle.push(flag);
    }
    const alone = new Set([...idle, SILENCE]);
    /** Those in which it did something alone come first: there it mostly does so next to another flag. */
    const hasEffect = async (flag: string, next: string): Promise<boolean> => {
      const first = changes.get(flag) ?? [];
      for (const at of new Set([...first, ...all]))
        if ((await of(at, flag, next)) !== (await of(at, next))) return true;
      return false;
    };
    const isRefused = async (one: string, other: string): Promise<boolean> => {
      for (const at of all) if (!(await of(at, one, other)).startsWith('2\n')) return false;
      return true;
    };
    const pairs = tried.flatMap((one, at) => tried.slice(at + 1).map((other) => [one, other] as const));
    const parts = tries(1, PARTS);
    for (const [at, [one, other]] of pairs.entries()) {
      if (idleFlag(name, new Set([one, other])) !== null) continue;
      if (IN_PARTS.includes(name) && (at + seed) % PARTS >= parts) continue;
      const isApart = (flag: string, next: string): boolean =>
        apart.some(([flags, others]) => flags.includes(flag) && others.includes(next));
      for (const [flag, next] of [
        [one, other],
        [other, one],
      ] as const) {
        if (alone.has(flag) || next === SILENCE || isApart(flag, next) || (await hasEffect(flag, next))) continue;
        if (!(await isRefused(one, other))) idle.push(`${flag} with ${next}`);
      }
    }
    expect(idle).toEqual([]);
  },
);
