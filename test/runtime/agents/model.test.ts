/** The adapter `model` against a model on loopback, in the four languages of its services. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { AgentConfiguration } from '../../../src/runtime/agents/programs/adapter.js';
import { priceOf } from '../../../src/runtime/bridges/prices.js';
import { longTest, share } from '../../amount.js';
import { projectFolder } from '../../cli/statedsl.js';
import { until } from '../../harness/until.js';
import { type Stage, stage } from './calling.js';

interface StandIn {
  readonly url: string;
  readonly requests: readonly {
    readonly said: readonly { role: string; text: string }[];
    readonly body: Record<string, unknown>;
  }[];
  close(): Promise<void>;
}
type Answer = Readonly<Record<string, unknown>>;

let startModel: (script: { all: true; turns: readonly Answer[] }) => Promise<StandIn>;
beforeAll(async () => {
  // The stand-in is a script without types.
  ({ startModel } = (await import(`${'../../agents'}/model.mjs`)) as { startModel: typeof startModel });
});

const SERVICES = [
  ['openai', '/v1', 'OPENAI_API_KEY'],
  ['anthropic', '/v1', 'ANTHROPIC_API_KEY'],
  ['google', '/v1beta', 'GEMINI_API_KEY'],
  ['openai-compatible', '/v1', 'LOCAL_KEY'],
] as const;
type Service = readonly [provider: (typeof SERVICES)[number][0], path: string, key: string];
const KEY = 'sk-secret-key-99';

async function modelStage(
  turns: readonly Answer[],
  [provider, path, key]: Service,
  more: Partial<AgentConfiguration> = {},
): Promise<Stage & { readonly model: StandIn }> {
  const model = await startModel({ all: true, turns });
  onTestFinished(() => model.close());
  const agent = {
    ...{ adapter: 'model', provider, model: 'm-1', base_url: `${model.url}${path}`, env: { [key]: KEY } },
    ...{ key_env: key, prices: { in: 1, out: 2, cache_read: 0.1 }, ...more },
  };
  return { ...stage({ writer: agent }), model };
}

const answerSchema = { type: 'object', properties: { pass: { type: 'boolean' } }, required: ['pass'] };

describe.each(share(SERVICES))('%s', (...service) => {
  test('streams its answer, and tells tokens, cost and session', async () => {
    const one = await modelStage([{ text: 'Hello there' }], service, { temperature: 0.5, max_output: 77 });
    const outcome = await one.exited({ agent: 'writer', prompt: '/init @file Say hello' });
    expect(outcome).toMatchObject({ exit: 0, is_error: false, turns: 1, stdout: { text: 'Hello there' } });
    expect(outcome.tokens).toMatchObject({ in: 100, out: 20, cache_read: 30 });
    expect(outcome.cost).toBeCloseTo(0.000143, 5);
    expect(outcome.session_id).toBeDefined();
    expect(one.shown()).toContain('Hello there');
    expect(one.model.requests[0]?.said.at(-1)?.text).toBe('/init @file Say hello');
    expect(JSON.stringify(one.model.requests[0]?.body)).toContain('77');
    expect(JSON.stringify(outcome)).not.toContain(KEY);
  });

  // The turn is the same for each, and each call starts a process.
  (service[0] === SERVICES[0]?.[0] ? test : longTest)(
    'gets one turn to repair an answer that does not fit its schema',
    async () => {
      const one = await modelStage([{ text: 'Yes.' }, { text: '```json\n{"pass": true}\n```' }], service);
      const outcome = await one.exited({ agent: 'writer', prompt: 'Judge', answerSchema });
      expect(outcome).toMatchObject({ exit: 0, stdout: { text: '{"pass":true}' }, turns: 2 });
      expect(outcome.tokens).toMatchObject({ out: 40 });
      expect(one.model.requests).toHaveLength(2);
      expect(one.model.requests[1]?.said.at(-1)?.text).toContain('it is not JSON');
    },
  );
});

// Each call starts a process.
longTest.each(SERVICES)(
  '%s that is limited, overloaded or gone in the middle is called again later',
  async (...service) => {
    const limited = { status: 429, headers: { 'retry-after': '70' }, body: { error: { message: 'slow down' } } };
    const one = await modelStage(
      [
        limited,
        { status: 529, body: {} },
        { drop: true, text: 'half of an answer that never ends' },
        { status: 401, body: { error: { message: 'bad key' } } },
      ],
      service,
    );
    const before = Date.now();
    const usage = await one.exited({ agent: 'writer' });
    expect(usage).toMatchObject({ is_error: true, cost: 0, unavailable: { cause: 'usage' } });
    expect((usage.unavailable?.until_ms ?? 0) - before).toBeGreaterThan(60_000);
    expect((await one.exited({ agent: 'writer' })).unavailable).toMatchObject({ cause: 'overload' });
    const dropped = await one.exited({ agent: 'writer' });
    expect(dropped).toMatchObject({ is_error: true, unavailable: { cause: 'network' } });
    const refused = await one.exited({ agent: 'writer' });
    expect(refused).toMatchObject({ is_error: true, stdout: { text: expect.stringContaining('401') } });
    expect(refused.unavailable).toBeUndefined();
  },
);

const OPENAI = SERVICES[3];

test('a call that is stopped while the service hangs has no answer', async () => {
  const one = await modelStage([{ hang: true }], OPENAI);
  const stopping = new AbortController();
  const called = one.call({ agent: 'writer' }, { stop: stopping.signal });
  await until(() => one.model.requests.length === 1);
  stopping.abort();
  const outcome = await called;
  expect(JSON.stringify(outcome)).not.toContain('"is_error":false');
});

test('an answer that takes too long, or is cut off, is no answer', async () => {
  const one = await modelStage([{ hang: true }], OPENAI, { timeout: '300ms' });
  const outcome = await one.exited({ agent: 'writer' });
  expect(outcome).toMatchObject({ is_error: true, stdout: { text: 'the model did not answer within 300ms' } });
});

longTest('a prompt of a megabyte arrives whole', async () => {
  const one = await modelStage([{ text: 'read' }], OPENAI);
  const prompt = 'ä\n'.repeat(350_000);
  expect(await one.exited({ agent: 'writer', prompt })).toMatchObject({ exit: 0, stdout: { text: 'read' } });
  expect(one.model.requests[0]?.said.at(-1)?.text).toBe(prompt);
});

longTest('it has the tools that the configuration lists, in its folder only', async () => {
  const call = (name: string, input: Answer) => ({ tool: { name, input } });
  const one = await modelStage(
    [
      call('write_file', { path: 'a/b.txt', content: 'text' }),
      call('read_file', { path: '../../../../etc/hostname' }),
      call('run', { command: 'cat a/b.txt; echo "$LOCAL_KEY"; exit 3' }),
      { text: 'done' },
    ],
    OPENAI,
    { tools: ['read_file', 'write_file', 'run'], key_env: 'LOCAL_KEY', env: { LOCAL_KEY: KEY } },
  );
  const outcome = await one.exited({ agent: 'writer' });
  expect(outcome).toMatchObject({ exit: 0, turns: 4, stdout: { text: 'done' } });
  expect(one.read('a/b.txt')).toBe('text');
  expect(outcome.denied).toMatchObject([{ tool: 'read_file', input: '../../../../etc/hostname' }]);
  const last = JSON.stringify(one.model.requests.at(-1)?.body);
  expect(last).toContain('text\\n\\n[exit code 3]');
  expect(last).not.toContain(KEY);
  const limited = await modelStage([call('run', { command: 'true' }), { text: 'no' }], OPENAI);
  await limited.call({ agent: 'writer' });
  expect(JSON.stringify(limited.model.requests[0]?.body)).not.toContain('"tools"');
});

const server = join(import.meta.dirname, '../../fixtures/mcp/server.mjs');

test('it uses tools of servers and commands of the tools file, and each call is on record', async () => {
  const call = (name: string, input: Answer = {}) => ({ tool: { name, input } });
  const model = await startModel({
    all: true,
    turns: [
      call('tests_structured', { n: 1 }),
      call('tests_wrong'),
      call('weather', { city: 'Oslo' }),
      call('weather', {}),
      call('words'),
      call('nothing'),
      call('tests_image'),
      { text: 'done' },
    ],
  });
  onTestFinished(() => model.close());
  const one = projectFolder({
    'a.dsl': 'DO: answer = Task(writer) "Go"\nRETURN: {answer}\n',
    'weather.sh':
      '#!/bin/sh\nread -r given\ncase "$given" in *Oslo*) echo "rain $given";; *) echo "no city" >&2; exit 3;; esac\n',
    'weather.json': '{"properties": {"city": {"type": "string"}, "_output": {"type": "string"}}, "required": ["city"]}',
    'tools.yaml':
      'weather: { run: [sh, ./weather.sh], schema: weather.json, description: "The weather of a city." }\nwords: { mcp: tests/words }\n',
    'statedsl.config.yaml': `mcp:\n  tests: { run: [node, ${JSON.stringify(server)}, log] }\nagents:\n  writer:\n    adapter: model\n    provider: openai-compatible\n    model: m\n    base_url: "${model.url}/v1"\n    key_env: LOCAL_KEY\n    tools: [tests/structured, tests/wrong, tests/image, weather, words]\n`,
  });
  const { code, stdout, stderr } = await one.run(['run', 'a.dsl', '--quiet'], { env: { LOCAL_KEY: KEY } });
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'done\n', stderr: '' });
  const { tools } = (model.requests[0]?.body ?? {}) as { tools: { function: { name: string; description: string } }[] };
  expect(tools.map((tool) => tool.function.name)).toEqual([
    ...['tests_structured', 'tests_wrong', 'tests_image', 'weather', 'words'],
  ]);
  const journal = readdirSync(one.folder, { recursive: true, encoding: 'utf8' }).find((name) =>
    name.endsWith('journal.ndjson'),
  );
  const lines = readFileSync(join(one.folder, journal ?? ''), 'utf8').split('\n');
  const settled = lines.find((line) => line.includes('"effect_settled"')) ?? '';
  expect(JSON.parse(settled).outcome).toMatchObject({
    tool_calls: [
      { tool: 'tests_structured', input: '{"n":1}', ms: expect.any(Number) },
      { tool: 'tests_wrong', error: 'it cannot be done' },
      { tool: 'weather', input: '{"city":"Oslo"}' },
      { tool: 'weather', error: 'exit code 3: no city' },
      { tool: 'words', ms: expect.any(Number) },
      { tool: 'nothing', ms: 0, error: expect.stringContaining('nothing') },
      { tool: 'tests_image' },
    ],
  });
  const answers = JSON.stringify(model.requests.at(-1)?.body);
  for (const text of ['failed: it cannot be done', 'rain {', 'failed: exit code 3: no city', '[image]'])
    expect(answers).toContain(text);
  expect(readFileSync(join(one.folder, 'log'), 'utf8')).toBe('started for a run\nended\n');
});

test('without a key, or with a model of an unknown service, it says what is missing', async () => {
  const one = stage({
    a: { adapter: 'model', model: 'gpt-5', key_env: 'NO_SUCH_KEY' },
    b: { adapter: 'model', model: 'other' },
    c: { adapter: 'model' },
  });
  expect(await one.exited({ agent: 'a' })).toMatchObject({
    is_error: true,
    stdout: { text: 'the agent `a` needs a key: set NO_SUCH_KEY' },
  });
  expect(await one.call({ agent: 'b' })).toMatchObject({
    kind: 'not-started',
    reason: expect.stringContaining('`provider`'),
  });
  expect(await one.call({ agent: 'c' })).toMatchObject({
    kind: 'not-started',
    reason: expect.stringContaining('`model`'),
  });
});

test('prices are those of a model or of a dated version of it', () => {
  expect(priceOf('gpt-5')?.in).toBe(1.25);
  expect(priceOf('gpt-5-mini-2025-08-07')?.in).toBe(0.25);
  expect(priceOf('gpt-5-pro')).toBeNull();
  expect(priceOf('claude-sonnet-4-5-20250929')?.out).toBe(15);
});

longTest.each(SERVICES)(
  '%s: an answer that is cut off goes on after what its model has done before, in the same call and after kill -9',
  async (provider, path) => {
    const half = { drop: true, text: 'half of an answer that does not come to its end' };
    const pay = { tool: { name: 'run', input: { command: 'echo paid >> paid' } } };
    const model = await startModel({
      all: true,
      turns: [half, pay, half, { ...pay }, { hang: true }, { text: 'done' }],
    });
    onTestFinished(() => model.close());
    const one = projectFolder({
      'a.dsl': 'STATE: A\n  STEP: buy\n    PROMPT: "Buy it"\n    AGENT: buyer\n  RETURN: {buy.output}\n',
      'statedsl.config.yaml': `agents:\n  buyer: { adapter: model, provider: ${provider}, model: m, base_url: "${model.url}${path}", key_env: LOCAL_KEY, tools: [run] }\n`,
    });
    const env = { LOCAL_KEY: KEY };
    const child = one.start(['run', 'a.dsl', '--quiet'], env);
    await until(() => model.requests.length === 5);
    child.kill('SIGKILL');
    await child.end;
    expect(await one.runProcess(['resume', '--quiet'], { env })).toMatchObject({ code: 0, stdout: 'done\n' });
    // The first answer was cut off before anything was done, so its call is made again as it was.
    const [first, again, , cutOff, , last] = model.requests.map(({ said }) => said.map(({ text }) => text));
    expect(again).toEqual(first);
    expect(cutOff?.at(-1)).toMatch(/You were interrupted in the middle of this.*Buy it$/s);
    expect(last?.at(-1)).toContain('Buy it');
    expect(last?.length).toBeGreaterThan(cutOff?.length ?? 0);
    // Each tool was called once, whatever was cut off after it.
    expect(readFileSync(join(one.folder, 'paid'), 'utf8')).toBe('paid\npaid\n');
    expect(model.requests).toHaveLength(6);
  },
);

test('a key under any name, and that of a header, is in no file and no message, also if the service repeats it', async () => {
  const said = `Incorrect key ${KEY}, and not sk-of-a-header-99 either`;
  const model = await startModel({ all: true, turns: [{ status: 401, body: { error: { message: said } } }] });
  onTestFinished(() => model.close());
  const one = projectFolder({
    'a.dsl': 'DO: answer = Task(writer) "Go"\nRETURN: {answer}\n',
    'statedsl.config.yaml': `agents:\n  writer: { adapter: model, provider: openai-compatible, model: m, base_url: "${model.url}/v1", key_env: FUEL, headers: { Authorization: Bearer sk-of-a-header-99 } }\n`,
  });
  const { code, stderr } = await one.run(['run', 'a.dsl'], { env: { FUEL: KEY } });
  expect(code).toBe(1);
  expect(stderr).toMatch(/401 Incorrect key \*\*\*, and not \*\*\* either/);
  const files = readdirSync(join(one.folder, '.statedsl'), { recursive: true, encoding: 'utf8' });
  const texts = files.map((name) => join(one.folder, '.statedsl', name)).filter((file) => statSync(file).isFile());
  expect(texts.length).toBeGreaterThan(3);
  for (const file of texts) expect(readFileSync(file, 'utf8'), file).not.toMatch(/secret-key-99|of-a-header/);
});

longTest('a session continues after the process was killed, and no key is in any file', async () => {
  const model = await startModel({ all: true, turns: [{ text: 'The plan.' }, { hang: true }, { text: 'The code.' }] });
  onTestFinished(() => model.close());
  const one = projectFolder({
    'a.dsl':
      'STATE: A\n  STEP: plan\n    PROMPT: "Plan it"\n    AGENT: writer\n  STEP: code\n    PROMPT: "Code it"\n    SESSION: from=plan\n    AGENT: writer\n  RETURN\n',
    'statedsl.config.yaml': `agents:\n  writer: { adapter: model, provider: openai-compatible, model: m, base_url: "${model.url}/v1", key_env: LOCAL_KEY }\n`,
  });
  const env = { LOCAL_KEY: KEY };
  const child = one.start(['run', 'a.dsl', '--quiet'], env);
  await until(() => model.requests.length === 2);
  child.kill('SIGKILL');
  await child.end;
  const { code, stderr } = await one.runProcess(['resume', '--quiet'], { env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const said = model.requests[2]?.said.map(({ text }) => text) ?? [];
  expect(said.slice(0, 2)).toEqual(['Plan it', 'The plan.']);
  expect(said.at(-1)).toContain('Code it');
  const files = readdirSync(one.folder, { recursive: true, encoding: 'utf8' }).map((name) => join(one.folder, name));
  for (const file of files) if (statSync(file).isFile()) expect(readFileSync(file, 'utf8'), file).not.toContain(KEY);
});
