import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Machine } from '../../src/machine/machine.js';
import type { Effects } from '../../src/runtime/effect-context.js';
import { hostEffects } from '../../src/runtime/effects.js';
import { createMockWorld, missingInMock } from '../../src/runtime/mock.js';
import { loadMock, readMockAnswer } from '../../src/runtime/mock-file.js';
import { type Code, check, done, local, machine, printed, shell } from '../interpreter/machine-builder.js';
import { type Ran, runKept, temporaryFolder } from './running.js';

async function mocked(text: string) {
  const file = join(temporaryFolder(), 'mock.yaml');
  writeFileSync(file, text);
  return loadMock(file);
}

async function runMocked(program: Machine, text: string): Promise<Ran> {
  const { mock } = await mocked(text);
  if (mock === null) throw new Error('the mock is good');
  return runKept(program, { effects: createMockWorld(mock, hostEffects()).effects });
}

const agent = (name: string, output?: string): Code => ({
  op: 'agent',
  agent: name,
  prompt: ['Do it'],
  args: [],
  ...(output === undefined ? {} : { output: [output] }),
  ok: [0],
  reading: 'do',
  bind: { slot: 0 },
  text: `Task(${name})`,
});
const returning = (...code: Code[]): Machine => machine({ MAIN: { locals: ['x'], code: [...code, done(local(0))] } });

describe('answers', () => {
  test('a text is printed, other values are themselves', async () => {
    expect((await runMocked(returning(agent('a')), 'agents: { a: hello }')).report.returned).toBe('hello');
    const { report } = await runMocked(returning(check('look', 0)), 'commands: { look: { n: [1, 2] } }');
    expect(report.returned).toEqual({ n: [1, 2] });
  });

  test('a command is named by its text, its program or its first word', async () => {
    const text = 'commands: { "git status -s": whole, git: program, sudo: word }';
    const program = returning(
      check('git status -s', 0),
      shell('test "$X"', { tool: 'git' }),
      shell('sudo make me', { tool: 'make' }),
    );
    const { events } = await runMocked(program, text);
    const printed = events.flatMap((event) =>
      event.type === 'effect_settled' && event.outcome.kind === 'exited' ? [event.outcome.stdout.text] : [],
    );
    expect(printed).toEqual(['whole', 'program', 'word']);
  });

  test('a list has one for each call', async () => {
    const program = returning(check('n', 0), check('n', 0), check('n', 0));
    expect((await runMocked(program, 'commands: { n: [1, 2, 3] }')).report.returned).toBe(3);
    const { report } = await runMocked(program, 'commands: { n: [1, 2] }');
    expect(report.error?.message).toBe('the mock has 2 answers for `n`, but this is call 3');
  });

  test('a failure', async () => {
    const program = returning(shell('deploy'));
    const failed = await runMocked(program, 'commands: { deploy: { fail: { code: 7, message: no way } } }');
    expect(failed.report.error).toMatchObject({ kind: 'tool_failure', message: 'no way', exit_code: 7 });
    const agents = await runMocked(returning(agent('a')), 'agents: { a: { fail: { code: busy, message: later } } }');
    expect(agents.report.error).toMatchObject({ kind: 'tool_failure', message: 'later' });
  });

  test('an answer may cost money and tokens, and a list may be a value', async () => {
    const text = 'agents: { a: [{ value: done, cost: 0.5, tokens: 30 }, { value: [1, 2], cost: 0.25 }] }';
    const { report } = await runMocked(returning(agent('a'), agent('a')), text);
    expect(report).toMatchObject({ returned: [1, 2], cost: 0.75, tokens: { out: 30 } });
  });

  test('an agent writes its file', async () => {
    const { mock } = await mocked('agents: { a: "the plan" }');
    if (mock === null) throw new Error('the mock is good');
    const cwd = temporaryFolder();
    await runKept(returning(agent('a', 'out/plan.md')), { cwd, effects: createMockWorld(mock, hostEffects()).effects });
    expect(readFileSync(join(cwd, 'out', 'plan.md'), 'utf8')).toBe('the plan');
  });

  test('commands run for real when only agents are named', async () => {
    const { mock } = await mocked('agents: { a: x }');
    if (mock === null) throw new Error('the mock is good');
    const real: Effects = { perform: () => printed('5\n') };
    const program = returning(agent('a'), check('echo 5', 0));
    const { report } = await runKept(program, { effects: createMockWorld(mock, real).effects });
    expect(report.returned).toBe(5);
  });
});

describe('before the run', () => {
  test('what is not named is found', async () => {
    const { mock } = await mocked('agents: { a: x }\ncommands: { git: x }');
    if (mock === null) throw new Error('the mock is good');
    const program = returning(agent('a'), agent('b'), shell('git push'), shell('rm -rf /'));
    expect(missingInMock(mock, program).map(({ file, line, message }) => `${file}:${line} ${message}`)).toEqual([
      `test.dsl:2 the mock \`${mock.file}\` has no answers for the agent \`b\``,
      `test.dsl:4 the mock \`${mock.file}\` has no answers for the command \`rm -rf /\``,
    ]);
  });

  test('an agent needs a name even when no agents are mocked', async () => {
    const { mock } = await mocked('commands: { git: x }');
    if (mock === null) throw new Error('the mock is good');
    expect(missingInMock(mock, returning(agent('a')))).toHaveLength(1);
  });

  test.each([
    ['agent: { a: x }', 'there is no key `agent` in a mock'],
    ['commands: [x]', '`commands` must be a mapping of names to answers'],
    ['hello', 'a mock is a mapping with the keys `commands`, `agents`, `tools`, `asks` and `signals`'],
  ])('%j is refused', async (text, message) => {
    const { mock, problems } = await mocked(text);
    expect(mock).toBeNull();
    expect(problems.map((problem) => problem.message)).toEqual([message]);
  });

  test('a kind of failure that nothing has, unless a tool names it', async () => {
    const one = '{ fail: { kind: timout } }';
    for (const part of ['commands', 'agents'])
      for (const answers of [one, `[ok, ${one}]`]) {
        const { problems } = await mocked(`${part}: { x: ${answers} }`);
        expect(problems).toMatchObject([
          { line: 1, message: 'there is no failure `timout`', help: 'did you mean `timeout`?' },
        ]);
      }
    expect((await mocked(`tools: { x: ${one} }`)).problems).toEqual([]);
    expect((await mocked('commands: { x: { fail: { kind: denied } } }')).problems).toEqual([]);
  });
});

describe('an answer', () => {
  test.each([
    ['done', { result: { stdout: { text: 'done' } } }],
    [
      { value: 'done', cost: 0.5, tokens: 30, after: '30s' },
      { cost: 0.5, tokens: 30, afterMs: 30_000 },
    ],
    [{ value: 'done', other: 1 }, { result: { kind: 'value', value: { value: 'done', other: 1 } } }],
    [{ fail: { code: 3, message: 'broken' } }, { result: { kind: 'exited', exit: 3, stderr: 'broken' } }],
    [{ fail: { code: 3 } }, { result: { kind: 'exited', exit: 3, stderr: '' } }],
    [{ fail: { kind: 'timeout' } }, { result: 'timeout' }],
    [{ fail: { kind: 'auth', code: 3 } }, { result: { kind: 'failed', message: '3', error_type: 'auth', exit: 3 } }],
    [{ fail: { kind: 'auth', message: 'no key' } }, { result: { message: 'no key', error_type: 'auth' } }],
    [{ fail: { kind: 'auth' } }, { result: { message: 'auth' } }],
    [{ fail: {} }, { result: { kind: 'failed', message: 'the mock makes this call fail' } }],
  ])('%j of a command or an agent', (answer, expected) => {
    expect(readMockAnswer(answer, false)).toMatchObject(expected);
  });

  test.each([
    ['done', { result: { kind: 'value', value: 'done' } }],
    [{ a: 1 }, { result: { kind: 'value', value: { a: 1 } } }],
    [{ fail: { code: 'busy' } }, { result: { kind: 'failed', message: 'busy', tool_code: 'busy' } }],
  ])('%j of a tool', (answer, expected) => {
    expect(readMockAnswer(answer, true)).toMatchObject(expected);
  });

  test.each([
    ['commands: { a: { exit: 3 } }', '{fail: {code: 3}}'],
    ['commands: { a: { exit_code: 2, stderr: broken } }', '{fail: {code: 2, message: "broken"}}'],
    ['commands: { a: { code: 0, stdout: fine } }', '{value: "fine"}'],
    ['commands: { a: { stdout: fine } }', '{value: "fine"}'],
    ['commands: { a: { fail: broken } }', '{fail: {code: 1, message: "broken"}}'],
    ['commands: { a: { timeout: 5s } }', '{fail: {kind: timeout}}'],
  ])('in other words is told as it is written: %s', async (text, meant) => {
    const { problems } = await mocked(text);
    expect(problems.map(({ help }) => help)).toEqual([`write \`${meant}\`, or \`{value: …}\` around the object`]);
  });

  test.each([
    ['commands: { a: { value: x, after: 30 } }', '`after` must be a duration, such as `30s`'],
    ['agents: { a: { value: x, cost: -1 } }', '`cost` must be a number of US dollars'],
    ['agents: { a: { value: x, tokens: 1.5 } }', '`tokens` must be a whole number'],
    ['asks: { ok: { value: x, fail: { code: 1 } } }', '`asks` cannot fail'],
    ['asks: { ok: { a: 1 } }', 'the answer of a person must be a text'],
    ['signals: { go: { fail: { code: 1 } } }', '`signals` cannot fail'],
    ['tools: { t: { fail: { kind: 3 } } }', 'the `kind` of a failure must be a text'],
  ])('with a mistake is told: %s', async (text, message) => {
    const { problems } = await mocked(text);
    expect(problems.map((problem) => problem.message)).toEqual([message]);
  });

  test('that is an object of other words is a value', async () => {
    for (const text of ['tools: { t: { code: 3, name: x } }', 'commands: { a: {} }'])
      expect((await mocked(text)).problems).toEqual([]);
  });
});
