/** What there is besides the tools: tasks, resources, skills and prompts; and clients that do not keep to the protocol. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { engineRuns } from '../../src/engine/runs/engine-runs.js';
import { programsForEngine } from '../../src/engine/runs/start-on-engine.js';
import type { Door } from '../../src/mcp/door.js';
import { oneOf } from '../amount.js';
import { liveEngine, NAMESPACE } from '../engine/live-engine.js';
import { Connection, connect, doorOf, type Frame, NEWEST, tokensOf } from './connection.js';

const FILES = {
  'hello.dsl': 'STATE: A\n  RETURN: hi\n',
  'fails.dsl': 'STATE: A\n  FAIL: no\n',
  'ask.dsl': 'STATE: A\n  ASK user: "Publish?" → go choices=yes,no\n  RETURN: {go}\n',
  'alone.dsl': 'KEY: one\nSTATE: A\n  ASK user: "Go?" → go\n  RETURN: {go}\n',
};
const NUMBERS = {
  'echo.dsl': 'TOOL: yes\nINPUT: a\nINPUT: b\nINPUT: c\nSTATE: A\n  RETURN: "{a} {b[0]} {c}"\n',
  'asks.dsl': 'STATE: A\n  ASK user: "?" → go\n  WAIT: signal s\n  RETURN: "{go} {s.v}"\n',
};
const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
const ERAS = ['modern', 'legacy'] as const;
const text = (result: Frame): string => result.content[0].text;

describe('tasks', () => {
  const settled = async (one: Connection, taskId: string, status: string): Promise<Frame> => {
    for (;;) {
      const { result } = await one.request('tasks/get', { taskId });
      if (result.status === status) return result;
      if (result.status !== 'working') throw new Error(JSON.stringify(result));
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };

  test('a run is a task with its id, which is completed with the result of the tool', async () => {
    const one = await connect(doorOf(FILES), { capabilities: TASKS });
    expect((await one.request('server/discover')).result.capabilities.extensions).toMatchObject(TASKS.extensions);
    const task = await one.call('run', { program: 'hello' });
    expect(task).toMatchObject({ resultType: 'task', status: 'working', structuredContent: { run_id: task.taskId } });
    const { result } = await settled(one, task.taskId, 'completed');
    expect(result.structuredContent).toMatchObject({ run_id: task.taskId, returned: 'hi' });
    const failed = await one.call('run', { program: 'fails' });
    const ended = await settled(one, failed.taskId, 'completed');
    expect(ended.result.structuredContent).toMatchObject({ status: 'failed', error: { message: 'no' } });
    expect((await one.request('tasks/get', { taskId: 'ffffffff' })).error.code).toBe(-32602);
  });

  test('a question is a form of the task, which tasks/update brings back', async () => {
    const one = await connect(doorOf(FILES), { capabilities: { ...TASKS, elicitation: {} } });
    const { taskId } = await one.call('run', { program: 'ask' });
    const asked = await settled(one, taskId, 'input_required');
    expect(asked.inputRequests.form.params.requestedSchema.properties.go.enum).toEqual(['yes', 'no']);
    const wrong = { form: { action: 'accept', content: { go: 'maybe' } } };
    expect((await one.request('tasks/update', { taskId, inputResponses: wrong })).error.message).toContain(
      'one of yes, no',
    );
    const right = { form: { action: 'accept', content: { go: 'yes' } } };
    expect((await one.request('tasks/update', { taskId, inputResponses: right })).result).toBeDefined();
    expect((await settled(one, taskId, 'completed')).result.structuredContent.returned).toBe('yes');
  });

  test('tasks/cancel ends the run', async () => {
    const one = await connect(doorOf(FILES), { capabilities: TASKS });
    const { taskId } = await one.call('run', { program: 'ask' });
    await one.call('get', { run_id: taskId, wait_s: 10 });
    expect((await one.request('tasks/cancel', { taskId })).result).toBeDefined();
    expect((await one.request('tasks/get', { taskId })).result.status).toBe('cancelled');
  });

  test('a run that was skipped is a task that is completed', async () => {
    const one = await connect(doorOf(FILES), { capabilities: TASKS });
    const first = await one.call('run', { program: 'alone' });
    await one.call('get', { run_id: first.taskId, wait_s: 10 });
    const { taskId } = await one.call('run', { program: 'alone', on_busy: 'skip' });
    expect((await settled(one, taskId, 'completed')).result.structuredContent.status).toBe('skipped');
  });
});

describe.each(oneOf(ERAS))('%s revision', (era) => {
  test('runs and sections of the reference are resources, each of at most 1,500 tokens', async () => {
    const one = await connect(doorOf(FILES), { era });
    const { run_id } = (await one.call('run', { program: 'hello' })).structuredContent;
    const { resources } = (await one.request('resources/list')).result;
    const uris = resources.map(({ uri }: Frame) => uri);
    expect(uris).toContain(`statedsl://run/${run_id}`);
    const sections = uris.filter((uri: string) => uri.startsWith('statedsl://reference/'));
    expect(sections.length).toBeGreaterThan(4);
    for (const uri of [...sections, `statedsl://run/${run_id}`]) {
      const [content] = (await one.request('resources/read', { uri })).result.contents;
      expect(tokensOf(content.text), uri).toBeLessThanOrEqual(1500);
    }
    const events = (await one.request('resources/read', { uri: `statedsl://run/${run_id}/events` })).result.contents[0];
    expect(events.text.split('\n').map((line: string) => JSON.parse(line).type)).toContain('run_returned');
    for (const uri of ['statedsl://run/ffffffff', 'statedsl://run/..%2f..%2fetc/events', 'statedsl://reference/none'])
      expect((await one.request('resources/read', { uri })).error, uri).toBeDefined();
  });

  test('the skill is the one of this package', async () => {
    const one = await connect(doorOf(FILES), { era });
    const { skills } = (await one.request('skills/list')).result;
    expect(skills).toMatchObject([{ uri: 'skill://statedsl/SKILL.md', frontmatter: { name: 'statedsl' } }]);
    const [content] = (await one.request('resources/read', { uri: 'skill://statedsl/SKILL.md' })).result.contents;
    expect(content.text).toContain('name: statedsl');
  });

  test('prompts', async () => {
    const one = await connect(doorOf(FILES), { era });
    const { prompts } = (await one.request('prompts/list')).result;
    expect(prompts.map(({ name }: Frame) => name)).toEqual(['write_flow', 'port_script']);
    const got = (await one.request('prompts/get', { name: 'port_script', arguments: { file: 'ci.sh' } })).result;
    expect(got.messages[0].content.text).toContain('Port `ci.sh`');
  });

  test('numbers keep the form in which they were written', async () => {
    const one = await connect(doorOf({ ...FILES, ...NUMBERS }, { agentsMayAnswer: true }), { era, capabilities: {} });
    const sent = async (name: string, given: string): Promise<Frame> => {
      const id = one.send('ping');
      const meta = era === 'modern' ? `, "_meta": ${JSON.stringify(one.meta)}` : '';
      one.raw(
        `{"jsonrpc": "2.0", "id": "n${id}", "method": "tools/call", "params": {"name": "${name}", "arguments": ${given}${meta}}}\n`,
      );
      return (await one.frame((frame) => frame.id === `n${id}`)).result.structuredContent;
    };
    const returned = '1.10 2.50 12345678901234567890';
    const inputs = '{"a": 1.10, "b": [2.50], "c": 12345678901234567890}';
    expect(await sent('run', `{"file": "echo.dsl", "inputs": ${inputs}, "wait_s": 20.0}`)).toMatchObject({ returned });
    expect(await sent('run_echo', inputs)).toMatchObject({ returned });
    const { run_id } = await sent('run', '{"file": "asks.dsl", "wait_s": 20}');
    await sent('answer', `{"run_id": "${run_id}", "answers": {"go": 3.10}}`);
    const { returned: end } = await sent('answer', `{"run_id": "${run_id}", "signal": "s", "payload": {"v": 4.00}}`);
    expect(end).toBe('3.10 4.00');
  });

  test('numbers of answers keep their form, and whole numbers that readers of JSON would change are texts', async () => {
    const program = 'TOOL: yes\nINPUT: a\nSTATE: A\n  RETURN: {a}\n';
    const one = await connect(doorOf({ 'back.dsl': program }), { era });
    const sent = async (method: string, params: string): Promise<string> => {
      const id = `n${one.send('ping')}`;
      const meta = era === 'modern' ? `, "_meta": ${JSON.stringify(one.meta)}` : '';
      one.raw(`{"jsonrpc": "2.0", "id": "${id}", "method": "${method}", "params": {${params}${meta}}}\n`);
      await one.frame((frame) => frame.id === id);
      return one.lines.find((line) => line.includes(`"id":"${id}"`)) ?? '';
    };
    const call = (name: string, given: string): Promise<string> =>
      sent('tools/call', `"name": "${name}", "arguments": ${given}`);
    const values = [
      ['1.10', '1.10'],
      ['9007199254740993', '"9007199254740993"'],
      ['-12e5', '-12e5'],
      ['[-1e999]', '["-1e999"]'],
      ['[1.10, {"b": [0.50, 12345678901234567890]}]', '[1.10,{"b":[0.50,"12345678901234567890"]}]'],
      ['{"__proto__": 1.10, "n": null}', '{"__proto__":1.10,"n":null}'],
    ];
    for (const [given, expected] of values) {
      const frame = await call('run', `{"file": "back.dsl", "inputs": {"a": ${given}}, "wait_s": 20}`);
      expect(frame).toContain(`"returned":${expected},`);
      // The text has the same.
      expect(JSON.parse(frame).result.content[0].text).toContain(`result: ${expected}`);
      const { run_id } = JSON.parse(frame).result.structuredContent;
      expect(await call('run_back', `{"a": ${given}, "wait_s": 20}`)).toContain(`"returned":${expected},`);
      expect(await call('get', `{"run_id": "${run_id}"}`)).toContain(`"returned":${expected},`);
      const output = JSON.parse(await call('get', `{"run_id": "${run_id}", "part": "output"}`));
      expect(output.result.structuredContent.text.replaceAll(/\s/g, '')).toBe(`returned:${expected}`);
      const resource = JSON.parse(await sent('resources/read', `"uri": "statedsl://run/${run_id}"`));
      expect(resource.result.contents[0].text).toContain(`"returned":${expected},`);
    }
    const listed = JSON.parse(await call('list', '{}')).result.structuredContent.runs;
    const titles = listed.map(({ title }: Frame) => title);
    expect(titles).toContain('a=1.10');
    expect(titles).toContain('a=9007199254740993');
  });

  test('a bound and a key are about the numbers that were written', async () => {
    const files = {
      'pay.dsl':
        'INPUT: id (number)\nSTATE: A\n  IF: id != 9007199254740993 → RETURN: 0\n  DO: a = Task(bot) "x"\n  RETURN: {a}\n',
      'statedsl.config.yaml': 'agents: { bot: { adapter: fake, model: ./bot.yaml } }\nconfirm_above: { calls: 0 }\n',
      'bot.yaml': '- paid\n',
    };
    const one = await connect(doorOf(files), { era, capabilities: {} });
    const pay = async (id: string): Promise<string> => {
      const number = one.send('ping');
      const meta = era === 'modern' ? `, "_meta": ${JSON.stringify(one.meta)}` : '';
      const given = `{"file": "pay.dsl", "inputs": {"id": ${id}}, "key": "once", "wait_s": 20}`;
      one.raw(
        `{"jsonrpc": "2.0", "id": "n${number}", "method": "tools/call", "params": {"name": "run", "arguments": ${given}${meta}}}\n`,
      );
      return (await one.frame((frame) => frame.id === `n${number}`)).result.content[0].text;
    };
    expect(await pay('9007199254740993')).toContain('nothing was started: the run has at most 1 call of agents');
    expect(await pay('9007199254740992')).toContain('result: 0');
    expect(await pay('9007199254740992')).toContain('the key was used before');
    expect(await pay('9007199254740992.0')).toContain('was used for another program or other inputs');
  });

  test('five megabytes of arguments, hostile names and values', async () => {
    const one = await connect(doorOf(FILES), { era });
    const large = await one.call('check', { text: `STATE: A\n  RETURN: "${'x'.repeat(5_000_000)}"\n` });
    expect(tokensOf(large)).toBeLessThan(6000);
    const inputs = JSON.parse('{"__proto__": 1, "constructor": 2}');
    expect((await one.call('run', { program: 'hello', inputs })).isError).toBe(true);
    for (const name of ['__proto__', 'constructor', '\u001b[2J', '', 'x'.repeat(10_000)])
      expect((await one.call(name, {})).code ?? -32602).toBe(-32602);
    expect((await one.call('run', { program: '__proto__' })).isError).toBe(true);
    expect((await one.call('list', { q: '\u0000' })).structuredContent.runs).toEqual([]);
  });
});

test('a state that was not sealed by this store, or was changed, is refused', async () => {
  const one = await connect(doorOf(FILES));
  const asked = await one.call('run', { program: 'ask' });
  const response = { action: 'accept', content: { go: 'yes' } };
  const other = await connect(doorOf(FILES));
  for (const state of [`${asked.requestState}x`, '', 'e30.e30', asked.requestState.slice(0, -4)])
    expect((await one.fill('run', {}, { requestState: state }, response)).code).toBe(-32602);
  expect((await other.fill('run', {}, asked, response)).code).toBe(-32602);
  const run_id = (await one.call('list', {})).structuredContent.runs[0].run_id;
  expect((await one.call('get', { run_id })).resultType).toBe('input_required');
});

test('a form outlives the server that showed it', async () => {
  const door = doorOf(FILES);
  const asked = await (await connect(door)).call('run', { program: 'ask' });
  const { programs, directory, skill } = door;
  const later = await connect(doorOf({}, { programs, directory, skill }));
  const result = await later.fill('run', { program: 'ask' }, asked, { action: 'accept', content: { go: 'yes' } });
  expect(result.structuredContent).toMatchObject({ returned: 'yes' });
});

test('a response that a program filled is not an answer', async () => {
  const one = await connect(doorOf(FILES));
  const asked = await one.call('run', { program: 'ask' });
  const response = { action: 'accept', content: { go: 'yes' }, _meta: { 'statedsl/filled-by': 'agent' } };
  const result = await one.fill('run', { program: 'ask' }, asked, response);
  expect(result.content[0].text).toContain('no agent answers for a person');
});

test('a client that lies: a form without the capability, another revision later, half a JSON', async () => {
  const one = await connect(doorOf(FILES), { capabilities: { elicitation: { url: {} } } });
  expect((await one.call('run', { program: 'ask' })).structuredContent.status).toBe('suspended');
  const meta = { 'io.modelcontextprotocol/protocolVersion': '2099-01-01' };
  const { error } = await one.request('tools/list', { _meta: meta });
  expect(error).toMatchObject({ code: -32022, data: { supported: [NEWEST] } });
  expect((await one.request('initialize', { protocolVersion: '2025-11-25' })).error).toBeDefined();
  one.raw('{"jsonrpc": "2.0", "id": 77, "meth\n');
  one.raw('[]\nnull\n"text"\n{"jsonrpc":"1.0","id":78}\n\n');
  await one.frame(({ id }) => id === 78);
  const refused = one.frames.filter((frame) => [-32700, -32600].includes(frame.error?.code) && frame.id !== 3);
  expect(refused.map(({ id, error: { code } }) => [id, code])).toEqual([
    [null, -32700],
    ...[null, null, null, 78].map((id) => [id, -32600]),
  ]);
  const wrong = [
    '{"jsonrpc": "2.0", "id": "list", "method": "tools/list", "params": [1]}',
    '{"jsonrpc": "2.0", "id": null, "method": "tools/list", "params": {}}',
    '{"jsonrpc": "2.0", "id": {}, "method": "tools/list", "params": {}}',
    '{"jsonrpc": "2.0", "id": 1.5, "method": "tools/list", "params": {}}',
    `{"jsonrpc": "2.0", "id": "long", "method": "tools/list", "params": {"x": "${'x'.repeat(17 * 1024 * 1024)}"}}`,
  ];
  const before = one.frames.length;
  one.raw(`${wrong.join('\n')}\n`);
  expect((await one.call('list', {})).structuredContent.runs).toHaveLength(1);
  const answers = one.frames.slice(before, -1).map(({ id, error: { code, message } }) => [id, code, message]);
  expect(answers).toEqual([
    ['list', -32600, expect.stringContaining('`params`')],
    [null, -32600, expect.stringContaining('an `id` that is')],
    [null, -32600, expect.stringContaining('an `id` that is')],
    [1.5, -32600, expect.stringContaining('an `id` that is')],
    [null, -32600, expect.stringContaining('more than 16 MiB')],
  ]);
});

test('servers of one store that get the same key at the same time start one run', async () => {
  const door = doorOf({ 'pay.dsl': 'STATE: A\n  DO: echo paid >> paid\n  RETURN: done\n' });
  const { programs, directory, skill } = door;
  const doors = [door, ...Array.from({ length: 3 }, () => doorOf({}, { programs, directory, skill }))];
  const clients = await Promise.all(doors.map((one) => connect(one)));
  const call = { program: 'pay', key: 'once', wait_s: 50 };
  const answers = await Promise.all(clients.map((one) => one.call('run', call)));
  const ids = new Set(answers.map(({ structuredContent }) => structuredContent.run_id));
  expect([ids.size, ...answers.map(text)]).toEqual([1, ...answers.map(() => expect.stringContaining('returned'))]);
  expect(readFileSync(join(programs, 'paid'), 'utf8')).toBe('paid\n');
});

test('a client that dies leaves its run going', async () => {
  const door = doorOf({ 'slow.dsl': 'STATE: S\n  WAIT: 300ms\n  RETURN: done\n' });
  const one = new Connection(door);
  one.send('tools/call', { name: 'run', arguments: { program: 'slow' }, _meta: { progressToken: 1 } });
  await one.frame(({ method }) => method === 'notifications/progress');
  one.close();
  const two = await connect(door);
  expect((await two.call('get', { wait_s: 20 })).structuredContent).toMatchObject({
    status: 'returned',
    returned: 'done',
  });
});

describe.each(oneOf(ERAS))('runs on an engine, %s revision', (era) => {
  const FLOWS = {
    'hello.dsl': 'INPUT: n = 1\nSTATE: A\n  DO: x = tell {n}\n  RETURN: {x}\n',
    'ask.dsl': 'ASK user: "Publish?" → go choices=yes,no\nRETURN: {go}\n',
    'wait.dsl': 'WAIT: signal GO\nRETURN: went\n',
    'fails.dsl': 'STATE: A\n  FAIL: it does not work\n',
    'functions.mjs': 'export const tell = ([n]) => "n is ".concat(n);\n',
    'statedsl.config.yaml': 'engine: {commands: ./functions.mjs}\n',
  };

  async function onEngine(flows: Partial<typeof FLOWS> = FLOWS) {
    const { programs, directory } = doorOf(flows as typeof FLOWS);
    const on = await liveEngine({}, { submitters: ['agent tester'] });
    const own = { folder: programs, dir: directory };
    const runs = engineRuns({ ...own, on, namespace: NAMESPACE });
    const engine = { on, runs, programs: await programsForEngine(own) };
    const door = doorOf({}, { programs, directory, engine });
    return { door, runs, one: await connect(door, { era }) };
  }

  const { 'functions.mjs': _, 'statedsl.config.yaml': __, ...PLAIN } = FLOWS;

  test('are started, followed, answered, ended and replayed as those of a folder', async () => {
    const { one, door } = await onEngine(PLAIN);
    const wait = (await one.call('run', { program: 'wait' })).structuredContent;
    expect(wait).toMatchObject({ status: 'suspended', waiting: [{ kind: 'signal', name: 'GO' }] });
    const { run_id } = wait;
    const sent = await one.call('answer', { run_id, signal: 'GO' });
    expect(sent.structuredContent).toMatchObject({ run_id, status: 'returned', returned: 'went' });
    expect((await one.call('get', {})).structuredContent).toMatchObject({ run_id, status: 'returned' });
    const events = await one.call('get', { run_id, part: 'events' });
    expect(text(events)).toContain('run_returned');
    const again = await one.call('control', { run_id, action: 'replay', from: '2' });
    expect(again.structuredContent).toMatchObject({ status: 'suspended' });
    const other = again.structuredContent.run_id;
    const ended = await one.call('control', { run_id: other, action: 'cancel' });
    expect(ended.structuredContent).toMatchObject({ run_id: other, status: 'failed', error: { kind: 'cancelled' } });
    expect((await one.call('list', {})).structuredContent.runs).toHaveLength(2);
    const failed = (await one.call('run', { program: 'fails' })).structuredContent;
    expect(failed).toMatchObject({ status: 'failed', error: { message: 'it does not work' } });
    const resumed = await one.call('control', { run_id: failed.run_id, action: 'resume' });
    expect(text(resumed)).toContain('the run would fail again at line 2');
    expect(existsSync(join(door.directory, 'service'))).toBe(false);
  });

  test('only a person answers, and the record says who', async () => {
    const { one, runs } = await onEngine(PLAIN);
    const id = one.send('tools/call', { name: 'run', arguments: { program: 'ask' } });
    if (era === 'legacy') {
      const form = await one.frame(({ method }) => method === 'elicitation/create');
      one.raw(
        `${JSON.stringify({ jsonrpc: '2.0', id: form.id, result: { action: 'accept', content: { go: 'yes' } } })}\n`,
      );
    }
    let { result } = await one.frame((frame) => frame.id === id && frame.method === undefined);
    if (era === 'modern')
      result = await one.fill('run', { program: 'ask' }, result, { action: 'accept', content: { go: 'yes' } });
    expect(result.structuredContent).toMatchObject({ status: 'returned', returned: 'yes' });
    const audit = await runs.audit(result.structuredContent.run_id);
    expect(JSON.stringify(audit)).toContain('form (claimed by tester)');
    const blind = await connect((await onEngine(PLAIN)).door, { era, capabilities: {} });
    const asked = (await blind.call('run', { program: 'ask' })).structuredContent;
    const refused = await blind.call('answer', { run_id: asked.run_id, answers: { go: 'yes' } });
    expect([refused.isError, text(refused)]).toEqual([true, expect.stringContaining('no agent answers for a person')]);
  });

  test('a key starts one, and what workers cannot do is refused', async () => {
    const { one } = await onEngine(PLAIN);
    const first = (await one.call('run', { text: 'RETURN: 1.10\n', key: 'k' })).structuredContent;
    const second = (await one.call('run', { text: 'RETURN: 1.10\n', key: 'k' })).structuredContent;
    expect(second).toMatchObject({ run_id: first.run_id, returned: '1.10' });
    expect((await one.call('list', {})).structuredContent.runs).toHaveLength(1);
    const { run_id } = first;
    const refusals: readonly (readonly [string, Frame, string])[] = [
      ['run', { program: 'wait', on_busy: 'skip' }, 'this run has no key'],
      ['run', { text: 'INPUT: a\nRETURN: {a}\n' }, 'the input `a` has no value'],
      ['run', { program: 'wait', only: 'MAIN' }, '`only` has no effect on an engine'],
      ['run', { program: 'wait', trial: { cases: 'cases.yaml' } }, 'a trial is executed by a process of this machine'],
      ['list', { what: 'trials' }, 'a trial is executed by a process of this machine'],
      ['control', { run_id, action: 'rollback' }, 'a run on an engine cannot be rolled back from outside'],
      ['control', { run_id, action: 'resume' }, 'the run has returned'],
      ['control', { run_id, action: 'replay' }, 'a replay needs a point'],
      ['get', { run_id: 'ffffffff' }, 'there is no run `ffffffff` on the engine'],
    ];
    for (const [name, given, words] of refusals)
      expect([name, text(await one.call(name, given))]).toEqual([name, expect.stringContaining(words)]);
  });

  test('of runs with a key one is executed at a time', async () => {
    const { one } = await onEngine(PLAIN);
    const run = async (more: object) =>
      (await one.call('run', { program: 'wait', run_key: 'a', ...more })).structuredContent;
    const first = await run({});
    expect(await run({ wait_s: 0 })).toMatchObject({ status: 'running', run_id: expect.any(String) });
    expect(await run({ on_busy: 'skip' })).toMatchObject({ status: 'skipped' });
    expect(text(await one.call('get', { run_id: first.run_id, part: 'events' }))).toContain('"how":"skipped"');
  });

  test('programs may call the functions of workers; without one that answers, the run is kept', async () => {
    const { one, door, runs } = await onEngine();
    expect((await one.call('check', { file: 'hello.dsl' })).structuredContent).toMatchObject({ valid: true });
    const start: Door['runs']['start'] = async () => ({
      ok: true,
      value: { started: { run_id: 'x', machine: 'wait', status: 'running' }, isAccepted: false } as never,
    });
    const other = await connect({ ...door, runs: { ...runs, start } }, { era });
    const kept = await other.call('run', { program: 'wait' });
    expect([kept.isError, text(kept)]).toEqual([true, expect.stringContaining('no worker answers')]);
    expect(kept.structuredContent.run_id).toMatch(/^[0-9a-f-]{36}$/);
  });
});
