/** Scripted agents: what their file may contain, and that a run which is resumed elsewhere continues in the script. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type RunOptions, run } from '../../../src/index.js';
import { compile } from '../../../src/language/check/compile.js';
import { fakeAnswer } from '../../../src/runtime/agents/programs/fake-script.js';
import type { ResumeOptions } from '../../../src/runtime/run/again/resume-options.js';
import { resume } from '../../../src/runtime/run/again/resume-run.js';
import { inFastTime } from '../../harness/fast-time.js';
import { temporaryFolder } from '../running.js';
import { stage } from './calling.js';

describe('a script', () => {
  test('has an answer for each call, reported like a real agent', async () => {
    const one = stage({ planner: { adapter: 'fake', model: './plan.yaml' } });
    one.file(
      'plan.yaml',
      `- first
- { answer: [1, 2], cost: 0.3, turns: 2, tokens: { in: 5, cache_read: 7 }, session: s-1, lines: [noise, "{"] }
- { error: broken, exit: 3, stderr: oh }
- { run: "cat > got", lines: [nothing more] }
- { answer: "it's \\"{quoted}\\" \\\\n\\n†", expect: do it }
`,
    );
    const call = async (effect: string) => one.exited({ agent: 'planner', effect });
    expect(await call('1')).toMatchObject({ stdout: { text: 'first' }, cost: 0, turns: 1, session_id: 'fake' });
    expect(await call('2')).toMatchObject({
      stdout: { text: '[1,2]' },
      cost: 0.3,
      turns: 2,
      tokens: { in: 5, out: 0, cache_read: 7, cache_write: 0 },
      session_id: 's-1',
    });
    expect(await call('3')).toMatchObject({ stdout: { text: 'broken' }, exit: 3, stderr: 'oh\n', is_error: true });
    expect(await call('4')).toMatchObject({ stdout: { text: '' }, cost: 0, is_error: false });
    expect(one.read('got')).toBe('do it');
    expect(await call('5')).toMatchObject({ stdout: { text: 'it\'s "{quoted}" \\n\n†' } });
    // The same call again, as after a crash.
    expect(await call('2')).toMatchObject({ stdout: { text: '[1,2]' } });
    expect(await one.call({ agent: 'planner', effect: '6' })).toMatchObject({
      kind: 'not-started',
      reason: expect.stringContaining('has 5 answers, but this is call 6'),
    });
  });

  test('that the manual shows can be read', async () => {
    const manual = readFileSync(new URL('../../../docs/agents.md', import.meta.url), 'utf8');
    const script = /```yaml\n(- just a text[\s\S]*?)```/.exec(manual)?.[1] ?? '';
    const file = stage().file('manual.yaml', script);
    const answers = [0, 1, 2, 3].map((call) => fakeAnswer(file, call));
    expect(await Promise.all(answers)).toMatchObject([
      { answer: 'just a text' },
      { answer: '{"tasks":["a","b"]}', cost: 0.4, turns: 4, session: 's-1', pauseMs: 200, afterMs: 1000 },
      { error: 'usage limit reached, try again in 2s', exit: 1, stderr: 'rate limited' },
      { lines: ['no JSON', '{"type":'], hang: true },
    ]);
  });

  test('of one answer gives it to all calls, and may be named for one run', async () => {
    const one = stage({}, { instead: { claude: 'fake:any.yaml' } });
    one.file('any.yaml', `answer: ${'x'.repeat(300_000)}\ncost: 0.1\n`);
    for (const effect of ['1', '2'])
      expect((await one.exited({ agent: 'claude', effect })).stdout.text).toHaveLength(300_000);
  });

  test.each([
    ['- { anwser: x }', 'there is no key `anwser`', 'did you mean `answer`?'],
    ['- { cost: much }', '`cost` in', 'an amount'],
    ['- { after: 5 }', '`after` in', 'a duration'],
    ['5', 'must be a text or a mapping', ''],
    ['- [', '`', 'line 2'],
  ])('%s is told', async (text, words, more) => {
    const one = stage({ planner: { adapter: 'fake', model: './plan.yaml' } });
    one.file('plan.yaml', `${text}\n`);
    const outcome = await one.call({ agent: 'planner' });
    expect(outcome).toMatchObject({ kind: 'not-started', reason: expect.stringContaining(words) });
    expect(outcome).toMatchObject({ reason: expect.stringContaining(more) });
  });

  test('may say what the prompt has to contain', async () => {
    const one = stage({ planner: { adapter: 'fake', model: './plan.yaml' } });
    one.file('plan.yaml', '- { answer: x, expect: another }\n');
    const outcome = await one.exited({ agent: 'planner' });
    expect(outcome).toMatchObject({ exit: 1, stderr: 'the prompt does not contain `another`\n' });
  });

  test('has to be there', async () => {
    const one = stage({ a: { adapter: 'fake' }, b: { adapter: 'fake', model: 'b.yaml' } });
    expect(await one.call({ agent: 'a' })).toMatchObject({ reason: expect.stringContaining('model: FILE') });
    expect(await one.call({ agent: 'b' })).toMatchObject({ reason: expect.stringContaining('no such file') });
  });
});

describe('a call that is put off', () => {
  const program = 'STATE: A\n  DO: x = Task(busy) "go"\n  DO: y = Task(busy) "go"\n  RETURN: "{x} {y}"\n';

  function options(script: string, more: RunOptions = {}): RunOptions {
    const one = stage();
    one.file('busy.yaml', script);
    const busy = { adapter: 'fake', model: './busy.yaml' };
    const agents = { agents: { busy }, folder: one.folder };
    return { dir: join(temporaryFolder(), '.statedsl'), cwd: one.folder, agents, ...more };
  }

  const { machine } = compile(program);

  test('suspends a run that would have to wait for long, and is called again when the run is resumed', async () => {
    const later = Math.ceil(Date.now() / 1000) + 3600;
    const script = `- one\n- { error: "usage limit reached|${later}", turns: 0 }\n- two\n`;
    const settings = options(script, { suspendAfterMs: 50 });
    const first = await run(machine as NonNullable<typeof machine>, settings);
    expect(first).toMatchObject({ status: 'suspended', waiting: [{ kind: 'time' }], cost: 0 });
    const early = await resume(first.run_id, settings as ResumeOptions);
    expect(early.status).toBe('suspended');
    vi.useFakeTimers({ toFake: ['Date'], now: later * 1000 });
    onTestFinished(() => void vi.useRealTimers());
    const { dir, agents } = settings;
    const report = await resume(first.run_id, { dir, agents } as ResumeOptions);
    expect(report).toMatchObject({ status: 'returned', returned: 'one two', effects: 2 });
    const journal = readFileSync(join(dir as string, 'runs', first.run_id, 'journal.ndjson'), 'utf8');
    const retried = journal.split('\n').filter((line) => line.includes('"effect_retried"'));
    expect(retried.map((line) => JSON.parse(line))).toMatchObject([{ attempt: 1, until_ms: later * 1000 }]);
    const asked = journal.split('\n').filter((line) => line.includes('"kind":"agent"'));
    expect(asked.map((line) => [JSON.parse(line).effect, JSON.parse(line).attempt])).toEqual([
      ['1', 1],
      ['2', 1],
      ['2', 1],
    ]);
  });

  test('waits longer each time, within the time of the run', async () => {
    const settings = options('error: overloaded\n', { limits: { timeMs: 6500 } });
    const waits: number[] = [];
    const onEvent: RunOptions['onEvent'] = (event) => {
      if (event.type === 'effect_retried') waits.push(event.delay_ms);
    };
    const report = await inFastTime(() => run(machine as NonNullable<typeof machine>, { ...settings, onEvent }));
    expect(report.error?.kind).toBe('limit');
    // On a busy machine the calls themselves take a part of the time.
    expect(waits.length).toBeGreaterThan(1);
    expect(waits).toEqual([1000, 2000, 4000].slice(0, waits.length));
  });
});

test('secrets that an agent says are in no event', async () => {
  const one = stage();
  one.file(
    'a.yaml',
    '- { error: "usage limit reached for hunter22, try again in 5ms", session: hunter22 }\n- { answer: hunter22 }\n',
  );
  const events: string[] = [];
  const { machine } = compile('DO: x = Task(a) "hunter22"\nRETURN: {x}\n');
  const report = await run(machine as NonNullable<typeof machine>, {
    dir: join(temporaryFolder(), '.statedsl'),
    cwd: one.folder,
    env: { ...process.env, A_TOKEN: 'hunter22' },
    agents: { agents: { a: { adapter: 'fake', model: 'a.yaml' } }, folder: one.folder },
    onEvent: (event) => events.push(JSON.stringify(event)),
  });
  expect(report.status).toBe('returned');
  expect(events.filter((event) => event.includes('hunter22'))).toEqual([]);
  expect(events.join('')).toContain('usage limit reached for ***');
});
