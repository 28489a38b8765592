import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { CommandFunction } from '../../src/runtime/command-function.js';
import { boundedMatches } from '../../src/runtime/matches.js';
import { scriptedEffects } from '../../src/runtime/pretended-world.js';
import type { RunOptions } from '../../src/runtime/run/run-options.js';
import { run } from '../../src/runtime/run/start-run.js';
import {
  type Code,
  call,
  constant,
  done,
  emit,
  hole,
  input,
  local,
  machine,
  shell,
} from '../interpreter/machine-builder.js';
import { commands, runKept, temporaryFolder } from './running.js';

const command = (name: string, args: string[] = [], more: Partial<Extract<Code, { op: 'function' }>> = {}): Code => ({
  op: 'function',
  name,
  args: args.map((text) => ({ template: [text] })),
  ok: 'any',
  reading: 'check-named',
  bind: { slot: 0 },
  text: name,
  ...more,
});
const ask = (more: Partial<Extract<Code, { op: 'ask' }>> = {}): Code => ({
  op: 'ask',
  name: 'go',
  question: ['Deploy?'],
  choices: [],
  value: null,
  deadline: null,
  bind: 0,
  ...more,
});
const signal: Code = { op: 'signal', name: 'ready', timeout: ['24h'], bind: 0, timedOut: 1 };
const one = (...code: Code[]) => machine({ MAIN: { locals: ['x', 'timed_out'], code: [...code, done(local(0))] } });

describe('functions bound as commands', () => {
  const returned = async (function_: CommandFunction, code = [command('f', ['a', 'b c'])]) =>
    (await runKept(one(...code), { commands: { f: function_ } })).report;

  test('get their arguments and give a value', async () => {
    expect((await returned((args) => ({ args }))).returned).toEqual({ args: ['a', 'b c'] });
    expect((await returned(async () => [1, null])).returned).toEqual([1, null]);
    expect((await returned(() => '{"printed": 1.10}\n')).returned).toEqual({ printed: 1.1 });
  });

  test('get the output before them', async () => {
    const code = [shell('printf "one\\ntwo"'), command('f', [], { piped: true })];
    expect((await returned((_, { stdin }) => stdin?.split('\n') ?? null, code)).returned).toEqual(['one', 'two']);
  });

  test('fail by throwing', async () => {
    const thrown = await returned(() => {
      throw Object.assign(new Error('no luck'), { code: 4 });
    });
    expect(thrown.error).toMatchObject({ kind: 'tool_failure', message: 'no luck', tool: 'f' });
  });

  test('must give what JSON can hold', async () => {
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    for (const value of [cycle, () => 1, Number.NaN, { at: [Number.NEGATIVE_INFINITY, null] }, [1n, Number.NaN]]) {
      expect((await returned(() => value)).error?.message).toBe('`f` returned a value that JSON cannot represent');
    }
  });

  test('give a whole number of any length as a BigInt', async () => {
    expect((await returned(() => 10n)).returned).toBe(10);
    const { returned: made } = await returned(() => ({ id: 9007199254740993n, names: ['null', null] }));
    expect(made).toEqual({ id: '9007199254740993', names: ['null', null] });
  });

  test('are notified of a time limit and not awaited', async () => {
    let told = false;
    const report = await returned(
      (_, { signal: stop }) => {
        stop.addEventListener('abort', () => {
          told = true;
        });
        return new Promise(() => undefined);
      },
      [command('f', [], { timeout: ['50ms'] })],
    );
    expect(report.error).toMatchObject({ kind: 'timeout', tool: 'f' });
    expect(told).toBe(true);
  });
});

describe('people', () => {
  test('a question without anybody suspends the run', async () => {
    const { report, events, folder } = await runKept(one(ask({ choices: [['yes'], ['no']] })));
    expect(report).toMatchObject({
      status: 'suspended',
      state: 'MAIN',
      error: null,
      waiting: [{ kind: 'ask', name: 'go', question: 'Deploy?', choices: ['yes', 'no'] }],
    });
    expect(events.at(-1)).toMatchObject({ type: 'run_suspended', waiting: [{ kind: 'ask' }] });
    const index = readFileSync(join(folder, '..', 'index.ndjson'), 'utf8');
    expect(JSON.parse(index)).toMatchObject({ status: 'suspended' });
  });

  test('a question is put to who is there, and the answer is text', async () => {
    const asked: unknown[] = [];
    const { report, events } = await runKept(one(ask()), {
      person: 'ada',
      ask: async (question) => {
        asked.push(question);
        return '5';
      },
    });
    expect(asked).toMatchObject([{ name: 'go', question: 'Deploy?', choices: null, default: null }]);
    expect(report.returned).toBe('5');
    expect(events).toContainEqual(expect.objectContaining({ type: 'answered', name: 'go', value: '5', by: 'ada' }));
  });

  test('who goes away leaves the question open', async () => {
    expect((await runKept(one(ask()), { ask: async () => null })).report.status).toBe('suspended');
  });

  test('questions of branches come one at a time', async () => {
    let open = 0;
    let most = 0;
    const branch = (slot: number) => [ask({ bind: slot }), { op: 'branch-end' as const }];
    const fork = {
      op: 'fork' as const,
      branches: [
        { pc: 1, collect: [0] },
        { pc: 3, collect: [1] },
      ],
      join: 5,
      max: null,
      agents: false,
      quorum: null,
      wait: null,
    };
    const { report } = await runKept(one(fork, ...branch(0), ...branch(1)), {
      ask: async () => {
        most = Math.max(most, ++open);
        await new Promise((resolve) => setTimeout(resolve, 10));
        open--;
        return 'ok';
      },
    });
    expect(report.returned).toBe('ok');
    expect(most).toBe(1);
  });

  test('a signal suspends, however long it may take', async () => {
    const { report } = await runKept(one(signal));
    expect(report).toMatchObject({ status: 'suspended', waiting: [{ kind: 'signal', name: 'ready' }] });
    expect(report.waiting[0]?.until).toBeGreaterThan(Date.now() + 23 * 3_600_000);
  });
});

describe('time', () => {
  const sleep = (duration: string): Code => ({ op: 'sleep', duration: [duration] });

  test('a wait takes as long as it says', async () => {
    const begun = Date.now();
    const f = () => Date.now() - begun;
    const { report } = await runKept(one(sleep('150ms'), command('f')), { commands: { f } });
    expect(report.returned).toBeGreaterThanOrEqual(150);
  });

  test('a wait that is longer than allowed suspends', async () => {
    const { report } = await runKept(one(sleep('40d')), { suspendAfterMs: 1000 });
    expect(report).toMatchObject({ status: 'suspended', waiting: [{ kind: 'time' }] });
  });

  test('a shorter one does not', async () => {
    expect((await runKept(one(sleep('20ms'), done()), { suspendAfterMs: 1000 })).report.status).toBe('returned');
  });

  test('an endless computation can be interrupted', async () => {
    const controller = new AbortController();
    const loop = machine({ A: { code: [{ op: 'goto', state: 0, args: [] }] } }, { limits: { transitions: 1e12 } });
    setTimeout(() => controller.abort('SIGINT'), 50);
    expect((await run(loop, { signal: controller.signal })).status).toBe('interrupted');
    expect((await run(loop, { limits: { timeMs: 50 } })).error).toMatchObject({ kind: 'limit' });
  });

  test('a limit that is exceeded while the record is written ends the run', async () => {
    const slow = {
      open: () => ({
        folder: null,
        append: () => undefined,
        sync: () => new Promise<void>((resolve) => setTimeout(resolve, 150)),
        close: async () => undefined,
      }),
    };
    const { report } = await runKept(commands('sleep 3000'), { journal: slow, limits: { timeMs: 50 } });
    expect(report.error).toMatchObject({ kind: 'limit' });
  });

  test('a run that is interrupted before it starts does nothing', async () => {
    const { report } = await runKept(commands('echo no'), { signal: AbortSignal.abort('SIGTERM') });
    expect(report).toMatchObject({ status: 'interrupted' });
  });
});

describe('the report', () => {
  test('has every member', async () => {
    const report = await run(one(done(constant('x'))));
    expect(report).toEqual({
      run_id: expect.any(String),
      status: 'returned',
      machine: 'test',
      state: 'MAIN',
      states: ['MAIN'],
      states_total: 1,
      returned: 'x',
      tracked: {},
      error: null,
      waiting: [],
      cost: 0,
      tokens: { in: 0, out: 0, cache_read: 0, cache_write: 0 },
      duration_ms: expect.any(Number),
      effects: 0,
    });
  });

  test.each<[RunOptions['inputs'], string]>([
    [{}, 'the input `who` has no value'],
    [{ who: 'me', whom: 1 }, 'the program has no input `whom`'],
    [{ who: 5 }, 'the input `who` must be a string, not a number'],
    [{ who: undefined as unknown as string }, 'the input `who` has no value'],
    [{ who: (() => 1) as unknown as string }, 'the input `who` has a value that JSON cannot represent'],
    [{ who: 'me', mode: 'slowly' }, 'the input `mode` must be one of fast, slow'],
  ])('inputs %j are refused before anything runs', async (inputs, message) => {
    const program = machine(
      { MAIN: { code: [emit('X'), done(input(0))] } },
      {
        inputs: [
          { name: 'who', type: 'string' },
          { name: 'mode', value: 'fast', choices: ['fast', 'slow'] },
        ],
      },
    );
    const { report, events } = await runKept(program, { inputs: inputs ?? {} });
    expect(report).toMatchObject({ status: 'failed', error: { kind: 'bad_value', message } });
    expect(events).toEqual([]);
  });

  test('limits given win over those of the program', async () => {
    const loop = machine({ A: { code: [{ op: 'goto', state: 0, args: [] }] } }, { limits: { transitions: 5 } });
    expect((await run(loop)).states).toHaveLength(6);
    expect((await run(loop, { limits: { transitions: 3 } })).states).toHaveLength(4);
  });
});

describe('agents', () => {
  const agent = (more: Partial<Extract<Code, { op: 'agent' }>> = {}): Code => ({
    op: 'agent',
    agent: 'scout',
    prompt: ['Find ', hole(constant('it'))],
    args: [],
    ok: [0],
    reading: 'do',
    bind: { slot: 0 },
    text: 'Task(scout)',
    ...more,
  });

  function settings(script: string): RunOptions {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'scout.sh'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const cwd = join(folder, 'elsewhere');
    mkdirSync(cwd);
    return { cwd, agents: { agents: { scout: { adapter: 'command', run: ['./scout.sh'] } }, folder } };
  }

  test('get the prompt on standard input and print the answer', async () => {
    const { report } = await runKept(one(agent()), settings('cat; echo "!"'));
    expect(report).toMatchObject({ returned: 'Find it!', cost: null, effects: 1 });
  });

  test('know their step, their attempt and a folder of their own', async () => {
    const script = 'echo "$STATEDSL_STEP $STATEDSL_ATTEMPT [$STATEDSL_SESSION] $(ls -A "$STATEDSL_OUT" | wc -l)"';
    expect((await runKept(one(agent()), settings(script))).report.returned).toBe('MAIN 1 [] 0');
  });

  test('may end in a line that reports result and cost', async () => {
    const line =
      '{"type":"result","result":"{\\"a\\":1}","total_cost_usd":0.25,"usage":{"input_tokens":3,"output_tokens":4}}';
    const { report } = await runKept(one(agent()), settings(`echo working; echo '${line.replaceAll('\\', '\\\\')}'`));
    expect(report).toMatchObject({ returned: { a: 1 }, cost: 0.25, tokens: { in: 3, out: 4 } });
  });

  test('write the file that the program names', async () => {
    const options = settings('cat');
    await runKept(one(agent({ output: ['notes/plan.md'] })), options);
    expect(readFileSync(join(options.cwd as string, 'notes', 'plan.md'), 'utf8')).toBe('Find it');
  });

  test('can be replaced for one run, and must be known', async () => {
    const options = settings('echo real');
    const other = { adapter: 'command', run: ['echo', 'other'] };
    const agents = { ...options.agents, agents: { ...options.agents?.agents, other }, instead: { scout: 'other' } };
    expect((await runKept(one(agent()), { ...options, agents })).report.returned).toBe('other');
    const unknown = await runKept(one(agent({ agent: 'nobody' })), options);
    expect(unknown.report.error?.message).toContain('there is no agent `nobody`: configured are `scout`');
  });
});

test('scripted effects answer without the world', async () => {
  const { report } = await runKept(one(shell('deploy'), { op: 'sleep', duration: ['9h'] }, command('f')), {
    effects: scriptedEffects({ deploy: '', f: [{ ok: true }] }),
  });
  expect(report.returned).toEqual({ ok: true });
  const missing = await runKept(commands('rm -rf /'), { effects: scriptedEffects() });
  expect(missing.report.error?.message).toBe('the script has no answer for `rm -rf /`');
});

test('two runs at once do not meet', async () => {
  const dir = join(temporaryFolder(), '.statedsl');
  const each = await Promise.all([1, 2, 3, 4].map((n) => runKept(commands(`sleep 0.05; echo ${n}`), { dir })));
  expect(each.map(({ report }) => report.returned)).toEqual([1, 2, 3, 4]);
  expect(
    readFileSync(join(dir, 'runs', 'index.ndjson'), 'utf8')
      .trim()
      .split('\n'),
  ).toHaveLength(4);
});

test('what a listener throws ends the run with it, and nothing is left running', async () => {
  const folder = temporaryFolder();
  const fork = machine({ MAIN: { code: [shell(`echo $$ > ${folder}/pid; sleep 30`), done()] } });
  const running = run(fork, {
    onEvent: ({ type }) => {
      if (type === 'effect_requested') throw new Error('the listener broke');
    },
  });
  await expect(running).rejects.toThrow('the listener broke');
  expect(existsSync(join(folder, 'pid'))).toBe(false);
});

test('no temporary folder is left', async () => {
  const namesIn = (folder: string) => (existsSync(folder) ? readdirSync(folder) : []);
  const left = () =>
    [tmpdir(), '/dev/shm'].flatMap(namesIn).filter((name) => name.startsWith(`statedsl-${process.pid}-`));
  let during = 0;
  const before = left().length;
  await runKept(commands('seq 20000 | tail -1'), {
    onEvent: () => {
      during = Math.max(during, left().length);
    },
  });
  expect(during).toBeGreaterThan(before);
  expect(left()).toHaveLength(before);
});

test('regular expressions take bounded time', async () => {
  const matches = boundedMatches(100);
  // Unbounded, each would take longer than anybody lives.
  expect(matches(/(a+)+$/u, `${'a'.repeat(60)}b`)).toBeNull();
  expect(matches(/a*a*a*a*a*a*$/u, `${'a'.repeat(5000)}b`)).toBeNull();
  expect(matches(/^(ab)+$/u, 'ababab')).toBe(true);
  expect(matches(/x\d{2}/u, 'a x12')).toBe(true);
});

test('a call is a value', async () => {
  expect((await run(one(done(call('len', constant('abc')))))).returned).toBe(3);
});
