/** Runs over HTTP: each route does what the command of the same name does. */
import fs, { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openRuns } from '../../src/app/open-runs.js';
import { compile, type Machine, run } from '../../src/index.js';
import { lockRun } from '../../src/runtime/store/run-lock.js';
import { httpHelp } from '../../src/serve/http-answer.js';
import { repository } from '../runtime/repositories.js';
import { parsePrometheus } from './prometheus.js';
import { serviceOf } from './service.js';

const PROGRAMS = {
  'hello.dsl': 'INPUT: who = "world"\nCHECK: greeting = printf "hello %s" {who}\nRETURN: {greeting}\n',
  'ask.dsl': 'ASK user: "Go on?" → ok choices=yes,no\nRETURN: {ok}\n',
  'wait.dsl': 'WAIT: signal go\nRETURN: "gone"\n',
  'digits.dsl':
    'INPUT: a (number)\nINPUT: b (list)\nINPUT: k (secret, number)\nWAIT: signal go\nASK user: "Which?" → free\nASK user: "Which?" → chosen choices=1.10,1.2\nDO: x = printf "%s %s %s %s %s %s" {a} {b} {k} {go.x} {free} {chosen}\nEMIT: OUT free={free} b={b}\nRETURN: [x, b[1] == 9007199254740993]\n',
  'fail.dsl': 'STATE: A\n  DO: test -e there\n  RETURN: 1\n',
  'held.dsl': 'INPUT: key (secret)\nASK user: "Go on?" → ok\nRETURN: 1\n',
  'secret.dsl': 'INPUT: key (secret)\nDO: x = printf %s {key}\nRETURN: {x}\n',
};

describe('runs', () => {
  test('are started, listed and shown', async () => {
    const { send, idle } = await serviceOf(PROGRAMS);
    const started = await send('POST', '/api/v1/runs', { program: 'hello.dsl', inputs: { who: 'Ada' } });
    expect(started.status).toBe(201);
    const id = started.json.run_id as string;
    expect(started.headers.get('location')).toBe(`/api/v1/runs/${id}`);
    await idle();
    const { json } = await send('GET', `/api/v1/runs/${id}`);
    expect(json).toMatchObject({ run_id: id, status: 'returned', returned: 'hello Ada', inputs: { who: 'Ada' } });
    expect((await send('GET', `/api/v1/runs/${id}?at=2`)).json).toMatchObject({ seq: 2, status: 'running' });
    expect((await send('GET', `/api/v1/runs/${id}?at=99`)).status).toBe(422);
    const { runs } = (await send('GET', '/api/v1/runs')).json as { runs: object[] };
    expect(runs).toMatchObject([{ run_id: id, machine: 'hello', status: 'returned' }]);
  });

  test('belong to the trace of the request', async () => {
    const { send, idle, folder } = await serviceOf(PROGRAMS);
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const started = async (header: string) => {
      const { json } = await send('POST', '/api/v1/runs', { program: 'hello.dsl' }, { traceparent: header });
      await idle();
      const about = readFileSync(join(folder, '.statedsl', 'runs', json.run_id as string, 'run.json'), 'utf8');
      return (JSON.parse(about) as { settings: object }).settings;
    };
    expect(await started(traceparent)).toMatchObject({ traceparent });
    expect(await started('not a traceparent')).not.toHaveProperty('traceparent');
  });

  test('list what was spent, and the limits of accounts, which can be cleared', async () => {
    const agents = 'agents: {paid: {adapter: fake, model: ./paid.yaml}}\nbudget: {cost_per_day: 5}\n';
    const { send, finish } = await serviceOf({
      'paid.dsl': 'DO: x = Task(paid) "Say it."\nRETURN: {x}\n',
      'paid.yaml': '- {answer: said, cost: 2}\n',
      'statedsl.config.yaml': agents,
    });
    await finish('paid.dsl');
    const { json } = await send('GET', '/api/v1/limits');
    expect(json).toMatchObject({ budgets: [{ program: 'paid', spent: 2, reserved: 0 }], problems: [] });
    const cleared = await send('POST', '/api/v1/limits/clear', { account: 'no such account' });
    expect(cleared).toMatchObject({ status: 404, json: { code: 'unknown' } });
    expect((await send('POST', '/api/v1/limits/clear', {})).status).toBe(400);
  });

  test('use the memo as they are asked to, and one of a single part is not continued behind it', async () => {
    const part = 'STATE: PLAN\n  DO [memo]: plan = echo call >> made; echo planned\n  GOTO: NEXT with plan={plan}\n';
    const program = `${part}STATE: NEXT\n  DO: echo {plan} >> made\n  GOTO: LAST\nSTATE: LAST\n  DO: echo last >> made\n  RETURN: 1\n`;
    const { send, idle, folder, executions } = await serviceOf({ 'memo.dsl': program });
    const made = () => readFileSync(join(folder, 'made'), 'utf8').trimEnd().split('\n');
    const start = async (options: object) => {
      const { json } = await send('POST', '/api/v1/runs', { program: 'memo.dsl', ...options });
      await idle();
      return json;
    };
    const refused = await start({ only: 'NEXT' });
    const { text } = await send('GET', `/api/v1/runs/${refused.run_id as string}/events?follow=false`);
    expect(text).toContain('comes before `NEXT`, and the memo does not have it; run the program once without `--only`');
    expect(executions.queuedRuns()).toEqual([]);
    await start({ only: 'PLAN' });
    expect(made()).toEqual(['call']);
    const { run_id: id } = await start({ only: 'NEXT', memo_max_age: 600 });
    expect(made()).toEqual(['call', 'planned']);
    expect((await send('GET', `/api/v1/runs/${id as string}`)).json).toMatchObject({ status: 'interrupted' });
    await start({ fresh: true });
    expect(made()).toEqual(['call', 'planned', 'call', 'planned', 'last']);
    expect(await start({ only: 'NXT' })).toMatchObject({ code: 'wrong-use', help: 'did you mean `NEXT`?' });
    expect(await start({ memo_max_age: 0 })).toMatchObject({ code: 'wrong-request' });
  });

  test('can be verified and audited', async () => {
    const { send, idle } = await serviceOf(PROGRAMS);
    const { json } = await send('POST', '/api/v1/runs', { program: 'hello.dsl', inputs: { who: 'Ada' } });
    await idle();
    const at = `/api/v1/runs/${json.run_id as string}`;
    const { json: verified } = await send('GET', `${at}/verify`);
    expect(verified).toMatchObject({ status: 'unbroken', problems: [] });
    const audit = (await send('GET', `${at}/audit`)).text.trimEnd().split('\n');
    expect(JSON.parse(audit[0] as string)).toMatchObject({ entry: 'run', inputs: { who: 'Ada' } });
    expect(JSON.parse(audit.at(-1) as string)).toMatchObject({ entry: 'chain', head: verified.head });
  });

  test('that may call agents more often than `confirm_above` allows need `confirm`', async () => {
    const { send, idle } = await serviceOf({
      ...PROGRAMS,
      'twice.dsl': 'DO: Task(bot) "x"\nDO: Task(bot) "y"\nRETURN: 2\n',
      'once.dsl': 'DO: Task(bot) "x"\nRETURN: 1\n',
      'endless.dsl': 'STATE: A\n  DO: Task(bot) "x"\n  GOTO: A\n',
      'statedsl.config.yaml': 'agents: { bot: { adapter: fake, model: ./bot.yaml } }\nconfirm_above: { calls: 1 }\n',
      'bot.yaml': '{ answer: done }\n',
      'id.dsl':
        'INPUT: id (number)\nSTATE: A\n  IF: id != 9007199254740993 → RETURN: 0\n  DO: Task(bot) "x"\n  DO: Task(bot) "y"\n  RETURN: 2\n',
    });
    const start = (body: object) => send('POST', '/api/v1/runs', body);
    const bound = { calls: 2, cost: null, agents: [{ agent: 'bot', at_most: 2 }] };
    const refused = await start({ program: 'twice.dsl' });
    expect(refused.status).toBe(409);
    expect(refused.json).toMatchObject({
      code: 'unconfirmed',
      message: expect.stringMatching(/^nothing was started: the run has at most 2 calls of agents: .*\(1 call\)$/),
      help: expect.stringContaining('"confirm": true'),
      bound,
    });
    expect((await start({ program: 'endless.dsl', confirm: false })).json).toMatchObject({
      message: expect.stringContaining('no number bounds the calls of agents (bot: '),
      bound: { calls: null },
    });
    const limited = await start({ program: 'endless.dsl', limits: { transitions: 3 } });
    expect(limited.json).toMatchObject({ code: 'unconfirmed', bound: { calls: 4 } });
    const check = (body: object) => send('POST', '/api/v1/check', body);
    expect((await check({ program: 'twice.dsl', inputs: {} })).json).toMatchObject({ valid: true, bound });
    const meant = { program: 'endless.dsl', inputs: {}, limits: { transitions: 3 } };
    expect((await check(meant)).json).toMatchObject({ bound: { calls: 4 } });
    // As a number of JavaScript it is another one, for which nothing is called.
    const paid = '{"program": "id.dsl", "inputs": {"id": 9007199254740993}}';
    expect((await send('POST', '/api/v1/check', paid)).json).toMatchObject({ bound });
    expect((await send('POST', '/api/v1/runs', paid)).json).toMatchObject({ code: 'unconfirmed', bound });
    expect((await check({ program: 'hello.dsl', inputs: {} })).json).toMatchObject({ valid: true, bound: null });
    expect((await check({ program: 'hello.dsl' })).json).not.toHaveProperty('bound');
    expect((await start({ program: 'twice.dsl', confirm: true })).json).toMatchObject({ bound });
    expect((await start({ program: 'once.dsl' })).json).toMatchObject({ bound: { calls: 1 } });
    expect((await start({ program: 'hello.dsl' })).json).not.toHaveProperty('bound');
    await idle();
    const { runs } = (await send('GET', '/api/v1/runs')).json as { runs: { machine: string }[] };
    expect(runs.map(({ machine }) => machine).sort()).toEqual(['hello', 'once', 'twice']);
  });

  test('are removed by their ids: those that have ended, and with `all` those that wait, too', async () => {
    const { send, finish } = await serviceOf(PROGRAMS);
    const [first, second, waiting] = [await finish('hello.dsl'), await finish('hello.dsl'), await finish('ask.dsl')];
    const remove = (body: object) => send('POST', '/api/v1/runs/remove', body);
    const listed = async () =>
      ((await send('GET', '/api/v1/runs')).json as { runs: { run_id: string }[] }).runs.map(({ run_id }) => run_id);
    const meant = { removed: [{ run_id: first }], kept: [{ run_id: waiting, status: 'suspended' }] };
    expect((await remove({ runs: [first, waiting], dry_run: true })).json).toMatchObject({ ...meant, dry_run: true });
    expect(await listed()).toEqual([waiting, second, first]);
    expect((await remove({ runs: [first, waiting] })).json).toMatchObject({ ...meant, dry_run: false });
    expect(await listed()).toEqual([waiting, second]);
    expect((await remove({ runs: [waiting], all: true })).json).toMatchObject({
      removed: [{ run_id: waiting }],
      kept: [],
    });
    expect(await listed()).toEqual([second]);
    for (const runs of [[], ['../..'], [second.slice(0, 8)]])
      expect((await remove({ runs })).status, String(runs)).toBe(400);
  });

  test('are filtered and come in pages, newest first', async () => {
    const { send, finish } = await serviceOf(PROGRAMS);
    const ids: string[] = [];
    for (const who of ['a', 'b', 'c']) ids.unshift(await finish('hello.dsl', { who }));
    const failed = await finish('fail.dsl');
    const list = async (query: string) =>
      (await send('GET', `/api/v1/runs?${query}`)).json as { runs: { run_id: string }[]; next?: string };
    expect((await list('machine=hello')).runs.map(({ run_id }) => run_id)).toEqual(ids);
    expect((await list('status=failed')).runs.map(({ run_id }) => run_id)).toEqual([failed]);
    expect((await list('q=%22who%22:%22b%22')).runs.map(({ run_id }) => run_id)).toEqual([ids[1]]);
    const first = await list('limit=3');
    expect(first.runs).toHaveLength(3);
    const second = await list(`limit=3&cursor=${first.next}`);
    expect(second).toEqual({ runs: [expect.objectContaining({ run_id: ids[2] })] });
  });

  test('are approved with `true` and denied with `false`, and refuse every other answer', async () => {
    const { send, finish, idle } = await serviceOf({
      'p.json': JSON.stringify([{ _tool: 'pay', ok: '†state.approvals.go' }]),
      'tools.yaml': 'pay: { module: ./pay.mjs#pay, idempotent: false }\n',
      'pay.mjs': 'export const pay = () => 1;\n',
    });
    const id = await finish('p.json');
    for (const no of ['no', 'False', '"false"', 0, 1, null, '', [], {}, 'yes']) {
      const { status, text } = await send('POST', `/api/v1/runs/${id}/answers`, { answers: { 'approvals.go': no } });
      expect([no, status]).toEqual([no, 422]);
      expect(text).toMatch(/`true`.*`false`/);
    }
    expect((await send('POST', `/api/v1/runs/${id}/answers`, { answers: { 'approvals.go': false } })).status).toBe(200);
    await idle();
    expect((await send('GET', `/api/v1/runs/${id}`)).json).toMatchObject({ status: 'failed' });
  });

  test('continue after an answer, which can be given once', async () => {
    const { send, finish, idle } = await serviceOf(PROGRAMS);
    const id = await finish('ask.dsl');
    const wrong = await send('POST', `/api/v1/runs/${id}/answers`, { answers: { ok: 'maybe' } });
    expect(wrong.status).toBe(422);
    expect((await send('POST', `/api/v1/runs/${id}/answers`, { answers: {} })).status).toBe(400);
    const right = await send('POST', `/api/v1/runs/${id}/answers`, { answers: { ok: 'yes' } });
    expect(right).toMatchObject({ status: 200, json: { run_id: id, delivery: 'recorded' } });
    expect((await send('POST', `/api/v1/runs/${id}/answers`, { answers: { ok: 'no' } })).status).toBe(409);
    await idle();
    expect((await send('GET', `/api/v1/runs/${id}`)).json).toMatchObject({ status: 'returned', returned: 'yes' });
    const events = await send('GET', `/api/v1/runs/${id}/events`);
    expect(events.text).toMatch(/"type":"answered".*"by":"tester"/);
  });

  test('tell two questions of one name apart by their ids', async () => {
    const { send, finish, idle } = await serviceOf({
      'two.dsl': 'DO: in PARALLEL:\n  - ASK user: "north?" → go\n  - ASK user: "south?" → go\nRETURN: over\n',
    });
    const id = await finish('two.dsl');
    const path = `/api/v1/runs/${id}/answers`;
    const { json } = await send('GET', '/api/v1/waiting');
    expect(json).toMatchObject({ runs: [{ waiting: [{ id: 'go@1' }, { id: 'go@2' }] }] });
    const unclear = await send('POST', path, { answers: { go: 'yes' } });
    expect(unclear).toMatchObject({ status: 422, json: { message: expect.stringMatching(/`go@1` and `go@2`/) } });
    expect((await send('POST', path, { go: 'yes' })).json).toMatchObject({ code: 'wrong-request' });
    expect((await send('POST', path, { answers: { 'go@2': 'south', go: 'north' } })).status).toBe(200);
    await idle();
    const events = await send('GET', `/api/v1/runs/${id}/events`);
    expect(events.text).toMatch(
      /"id":"go@2","name":"go","value":"south"(.|\n)*"id":"go@1","name":"go","value":"north"/,
    );
    expect(await send('POST', path, { answers: { 'go@1': 'again' } })).toMatchObject({ status: 409 });
  });

  test('say who changed them, where a proxy names the user', async () => {
    const { send, finish, idle } = await serviceOf(PROGRAMS, { userHeader: 'x-user' });
    const id = await finish('ask.dsl');
    await send('POST', `/api/v1/runs/${id}/answers`, { answers: { ok: 'yes' } }, { 'x-user': 'ada' });
    await idle();
    const recorded = (await send('GET', `/api/v1/runs/${id}/events`)).text;
    expect(recorded).toMatch(/^\{"seq":1,.*"type":"run_started".*"by":"tester"/);
    expect(recorded).toMatch(/"type":"answered".*"by":"ada"/);
    const again = await send('POST', `/api/v1/runs/${id}/replay`, { from: 2 }, { 'x-user': 'grace' });
    await idle();
    await send('POST', `/api/v1/runs/${again.json.run_id}/cancel`, {}, { 'x-user': 'alan' });
    const { text } = await send('GET', `/api/v1/runs/${again.json.run_id}/events`);
    expect(text).toMatch(/"type":"run_started".*"by":"tester"/);
    expect(text).toMatch(/"type":"run_resumed".*"by":"grace"/);
    expect(text).toMatch(/"type":"run_cancelled".*"by":"alan"/);
  });

  test('are resumed if who started them has the name of a secret', async () => {
    const { send, finish, idle } = await serviceOf(PROGRAMS, { user: 'a-name-and-secret' });
    const id = await finish('held.dsl', { key: 'a-name-and-secret' });
    expect(await send('POST', `/api/v1/runs/${id}/answers`, { answers: { ok: 'yes' } })).toMatchObject({
      status: 200,
      json: { delivery: 'recorded' },
    });
    await idle();
    expect((await send('GET', `/api/v1/runs/${id}`)).json).toMatchObject({ status: 'returned' });
  });

  test('are applied by somebody, whom the commit names', async () => {
    const one = repository({ 'a.txt': 'a\n' });
    const { machine } = compile('DO: echo x > new\nRETURN: 1\n', { name: 'p.dsl' });
    const { run_id } = await run(machine as Machine, { cwd: one.root, dir: one.store, worktree: true });
    const user = 'ada\u202e\x1b[2J\nbob';
    const { send } = await serviceOf({}, { runs: openRuns({ folder: one.root, dir: one.store }), user });
    const file = { path: 'new', status: 'added', added: 1, removed: 0 };
    const before = (await send('GET', `/api/v1/runs/${run_id}/files`)).json;
    expect(before).toMatchObject({ files: [file], truncated: false, merge: { into: 'main', conflicts: [] } });
    expect(before.diff).toContain('+x');
    one.write({ new: 'other\n' });
    one.git('add', '--all');
    one.git('commit', '-q', '-m', 'the same file');
    expect((await send('GET', `/api/v1/runs/${run_id}/files`)).json).toMatchObject({ merge: { conflicts: ['new'] } });
    one.git('reset', '-q', '--hard', 'HEAD~1');
    const { status, json } = await send('POST', `/api/v1/runs/${run_id}/apply`);
    const after = (await send('GET', `/api/v1/runs/${run_id}/files`)).json;
    expect(after).toMatchObject({ files: [file], merge: { contained: true } });
    expect({ status, json }).toMatchObject({ status: 200, json: { run_id, status: 'applied', files: ['new'] } });
    expect(one.git('log', '-1', '--format=%B').trim()).toBe(
      `Merge run ${run_id} of p\n\nApplied-by: ada\\u202e\\x1b[2J bob`,
    );
  });

  test('keep how numbers are written, on every way in and out', async () => {
    const { send, idle } = await serviceOf(PROGRAMS);
    const given = '{"program": "digits.dsl", "inputs": {"a": 1.10, "b": [12e5, 9007199254740993], "k": 7654.10}}';
    const id = (await send('POST', '/api/v1/runs', given)).json.run_id as string;
    await idle();
    const sent = await send('POST', `/api/v1/runs/${id}/signals`, '{"name": "go", "payload": {"x": 1.10}}');
    expect(sent.status).toBe(200);
    await idle();
    expect((await send('POST', `/api/v1/runs/${id}/answers`, '{"answers": {"free": 2.50}}')).status).toBe(200);
    await idle();
    expect((await send('POST', `/api/v1/runs/${id}/answers`, '{"answers": {"chosen": 1.10}}')).status).toBe(200);
    await idle();
    const shown = (await send('GET', `/api/v1/runs/${id}`)).text;
    expect(shown).toContain('"inputs":{"a":1.10,"b":[12e5,"9007199254740993"],"k":"***"}');
    expect(shown).toContain('"returned":["1.10 [12e5,9007199254740993] *** 1.10 2.50 1.10",true]');
    expect(shown).toContain('"input.a":1.10');
    const { text } = await send('GET', `/api/v1/runs/${id}/events`);
    const events = text.split('\n').filter((line) => line !== '');
    const ofType = (type: string) => events.filter((line) => line.includes(`"type":"${type}"`)).join();
    expect(ofType('run_started')).toContain('"printed":{"a":"1.10","b":"[12e5,9007199254740993]"');
    expect(ofType('signal_received')).toContain('"printed":"{\\"x\\":1.10}"');
    // An answer is a text, so it needs no printed form.
    expect(ofType('answered')).toContain('"value":"2.50"');
    expect(ofType('emitted')).toContain('"free":"2.50"');
    const output = await send(
      'GET',
      `/api/v1/runs/${id}/effects/${JSON.parse(ofType('effect_settled')).effect}/output`,
    );
    expect(output.text).toBe('1.10 [12e5,9007199254740993] *** 1.10 2.50 1.10');
    const point = JSON.parse(ofType('effect_settled')).seq - 1;
    const again = `{"from": ${point}, "inputs": {"k": 7654.10}}`;
    const { json } = await send('POST', `/api/v1/runs/${id}/replay`, again);
    await idle();
    const replayed = (await send('GET', `/api/v1/runs/${json.run_id}`)).text;
    expect(replayed).toContain('"returned":["1.10 [12e5,9007199254740993] *** 1.10 2.50 1.10",true]');
  });

  test('get a number that none can represent as a text, as from a command line', async () => {
    const { send, idle } = await serviceOf({ 'big.dsl': 'INPUT: a\nINPUT: n = 1\nRETURN: {a}\n' });
    const given = '{"program": "big.dsl", "inputs": {"a": {"x": [1e400, -1e999, 1.10]}}}';
    const id = (await send('POST', '/api/v1/runs', given)).json.run_id as string;
    await idle();
    const shown = (await send('GET', `/api/v1/runs/${id}`)).text;
    expect(shown).toContain('"returned":{"x":["1e400","-1e999",1.10]}');
    const refused = await send('POST', '/api/v1/runs', '{"program": "big.dsl", "inputs": {"a": 1, "n": 1e400}}');
    expect(refused).toMatchObject({ status: 422, json: { message: expect.stringContaining('must be a number') } });
  });

  test('continue after a signal', async () => {
    const { send, finish, idle, executions } = await serviceOf(PROGRAMS);
    // Waits for the signal for a while, so that the service passes it on; then it is suspended.
    const { json } = await send('POST', '/api/v1/runs', { program: 'wait.dsl' });
    const id = json.run_id as string;
    while (!(await send('GET', `/api/v1/runs/${id}/events?follow=false`)).text.includes('wait')) {
      expect(executions.executing).toBe(1);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect((await send('POST', `/api/v1/runs/${id}/signals`, { name: 'go' })).status).toBe(200);
    await idle();
    expect((await send('GET', `/api/v1/runs/${id}`)).json).toMatchObject({ status: 'returned', returned: 'gone' });
    expect(await finish('hello.dsl')).toHaveLength(36);
  });

  test('are cancelled, also while they wait for their turn', async () => {
    const { send, finish } = await serviceOf(PROGRAMS);
    const id = await finish('ask.dsl');
    expect((await send('POST', `/api/v1/runs/${id}/cancel`, {})).json).toMatchObject({ run_id: id, status: 'failed' });
    expect((await send('POST', `/api/v1/runs/${id}/cancel`, {})).status).toBe(409);
  });

  test('are resumed also if the process has not ended yet that wrote their end', async () => {
    let leave = (): void => undefined;
    const beforeLeaving = new Promise<void>((resolve) => {
      leave = resolve;
    });
    const { send, idle } = await serviceOf(PROGRAMS, { beforeLeaving });
    const { run_id: id } = (await send('POST', '/api/v1/runs', { program: 'fail.dsl' })).json;
    const statusNow = async () => (await send('GET', `/api/v1/runs/${id}`)).json.status;
    while ((await statusNow()) !== 'failed') await new Promise((resolve) => setTimeout(resolve, 5));
    const resumed = send('POST', `/api/v1/runs/${id}/resume`, {});
    await new Promise((resolve) => setTimeout(resolve, 20));
    leave();
    expect(await resumed).toMatchObject({ status: 202, json: { run_id: id } });
    await idle();
  });

  test('are resumed, with larger limits', async () => {
    const { send, finish, idle, folder } = await serviceOf({ ...PROGRAMS, 'x/there': '' });
    const id = await finish('fail.dsl');
    expect((await send('GET', `/api/v1/runs/${id}`)).json).toMatchObject({ status: 'failed' });
    expect(readdirSync(folder)).not.toContain('there');
    const resumed = await send('POST', `/api/v1/runs/${id}/resume`, { limits: { time: 60 } });
    expect(resumed).toMatchObject({ status: 202, json: { run_id: id } });
    await idle();
    expect((await send('GET', `/api/v1/runs/${id}`)).json).toMatchObject({ status: 'failed' });
    const done = await finish('hello.dsl');
    expect((await send('POST', `/api/v1/runs/${done}/resume`, {})).status).toBe(409);
  });

  test('are replayed from an event as a new run', async () => {
    const { send, finish, idle } = await serviceOf(PROGRAMS);
    const id = await finish('hello.dsl');
    expect((await send('POST', `/api/v1/runs/${id}/replay`, { from: 99 })).status).toBe(422);
    for (const body of [{}, { from: true }, { from: 0 }, { from: { state: 'A', at: 1 } }])
      expect((await send('POST', `/api/v1/runs/${id}/replay`, body)).json).toMatchObject({
        code: 'wrong-request',
        message: expect.stringMatching(/^`from\S*` (?:must be|has no)/),
      });
    const replayed = await send('POST', `/api/v1/runs/${id}/replay`, { from: 3 });
    expect(replayed.status).toBe(201);
    await idle();
    const fresh = replayed.json.run_id as string;
    expect(fresh).not.toBe(id);
    expect((await send('GET', `/api/v1/runs/${fresh}`)).json).toMatchObject({ status: 'returned' });
  });

  test('are not replayed from where they never were, nor resumed after they were cancelled', async () => {
    const { send, finish } = await serviceOf(PROGRAMS);
    const id = await finish('ask.dsl');
    for (const [from, message] of [
      [1, 'no event 1'],
      [99, 'no event 99'],
      [{ state: 'NOWHERE' }, 'never entered `NOWHERE`'],
      ['NOWHERE#2', 'never entered `NOWHERE`'],
      ['A#0', 'is not a point of a run'],
      ['failed', 'no member'],
    ] as const) {
      const { status, json } = await send('POST', `/api/v1/runs/${id}/replay`, { from });
      expect({ from, status, json }).toMatchObject({
        status: 422,
        json: { message: expect.stringContaining(message) },
      });
    }
    expect((await send('GET', '/api/v1/runs')).json).toMatchObject({ runs: [{ run_id: id }] });
    expect((await send('POST', `/api/v1/runs/${id}/answers`, { answers: { ok: { a: 1 } } })).json.message).toContain(
      '`{"a":1}`',
    );
    expect((await send('POST', `/api/v1/runs/${id}/cancel`)).status).toBe(200);
    const { status, json } = await send('POST', `/api/v1/runs/${id}/resume`);
    expect({ status, json }).toMatchObject({ status: 409, json: { code: 'over' } });
  });

  test('keep secrets out of the store, also in the queue', async () => {
    const { send, folder, idle } = await serviceOf(PROGRAMS, { atOnce: 1 });
    const key = 'correct-horse-battery';
    const all = [0, 1, 2].map(() => send('POST', '/api/v1/runs', { program: 'secret.dsl', inputs: { key } }));
    const ids = (await Promise.all(all)).map(({ json }) => json.run_id as string);
    const texts = () =>
      readdirSync(join(folder, '.statedsl'), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
    expect(texts().join('\n')).not.toContain(key);
    await idle();
    for (const id of ids) {
      const { text, json } = await send('GET', `/api/v1/runs/${id}`);
      expect(json).toMatchObject({ status: 'returned' });
      expect(text).not.toContain(key);
    }
    expect(texts().join('\n')).not.toContain(key);
  });

  test('with a secret input are answered and replayed without giving it again', async () => {
    const program = 'INPUT: key (secret)\nASK user: "Go on?" → ok\nRETURN: {ok}\n';
    const { send, finish, idle, folder } = await serviceOf({ 'ask.dsl': program });
    const key = 'correct-horse-battery';
    const id = await finish('ask.dsl', { key });
    const replayed = await send('POST', `/api/v1/runs/${id}/replay`, { from: 2 });
    expect(replayed.status).toBe(201);
    await idle();
    // An answer that holds the secret.
    const answered = await send('POST', `/api/v1/runs/${id}/answers`, { answers: { ok: `${key}!` } });
    expect(answered).toMatchObject({ status: 200, json: { delivery: 'recorded' } });
    await idle();
    const shown = (await send('GET', `/api/v1/runs/${id}`)).json;
    expect(shown).toMatchObject({ status: 'returned', returned: '***!' });
    expect((await send('GET', `/api/v1/runs/${replayed.json.run_id}`)).json).toMatchObject({ status: 'suspended' });
    const journal = readFileSync(join(folder, '.statedsl/runs', id, 'journal.ndjson'), 'utf8');
    expect(journal).not.toContain(key);
  });
});

describe('the queue', () => {
  test('cancels a run that has just been accepted', async () => {
    const { send, idle } = await serviceOf({ 'long.dsl': 'DO: sleep 60\nRETURN\n' });
    const { json } = await send('POST', '/api/v1/runs', { program: 'long.dsl' });
    const cancelled = await send('POST', `/api/v1/runs/${json.run_id}/cancel`, {});
    expect(cancelled).toMatchObject({ status: 200, json: { status: 'failed', error: { kind: 'cancelled' } } });
    await idle();
  });

  test('keeps signals for a run that waits for its turn, and gives them to it when it begins', async () => {
    const program = 'INPUT: token (secret)\nWAIT: signal go\nWAIT: signal more\nRETURN: {go} {more}\n';
    const files = { 'slow.dsl': 'WAIT: signal later\nRETURN: 1\n', 'two.dsl': program };
    let leave: () => void = () => undefined;
    const beforeLeaving = new Promise<void>((resolve) => {
      leave = resolve;
    });
    const { send, idle, folder, runs } = await serviceOf(files, { atOnce: 1, beforeLeaving });
    await send('POST', '/api/v1/runs', { program: 'slow.dsl' });
    const { run_id, status } = (
      await send('POST', '/api/v1/runs', { program: 'two.dsl', inputs: { token: 'geheim-9' } })
    ).json;
    expect(status).toBe('queued');
    const signal = (name: string, payload: unknown) =>
      send('POST', `/api/v1/runs/${run_id}/signals`, { name, payload });
    expect(await signal('go', 'geheim-9')).toMatchObject({ status: 200, json: { run_id, delivery: 'passed-on' } });
    expect((await signal('more', 2)).status).toBe(200);
    expect((await signal('no name', 1)).json).toMatchObject({
      code: 'wrong-use',
    });
    const kept = readFileSync(join(folder, '.statedsl/service/processes', `${run_id}`, 'inbox.ndjson'), 'utf8');
    expect([kept.includes('"payload":2'), kept.includes('geheim')]).toEqual([true, false]);
    leave();
    await idle();
    expect(await runs.inspect(`${run_id}`)).toMatchObject({
      ok: true,
      value: { status: 'returned', returned: '*** 2' },
    });
  });

  test('continue if somebody holds them for a moment while they are to begin', async () => {
    const { send, finish, idle, executions, folder, runs } = await serviceOf(PROGRAMS);
    const id = await finish('ask.dsl');
    await runs.answer(id, { ok: 'yes' });
    // As who records another answer does.
    const held = lockRun(join(folder, '.statedsl/runs', id));
    if ('owner' in held) throw new Error('the run is executed');
    const resumed = send('POST', `/api/v1/runs/${id}/resume`, {});
    while (executions.executing === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await new Promise((resolve) => setTimeout(resolve, 100));
    held.lock.release();
    expect((await resumed).status).toBe(202);
    await idle();
    expect((await send('GET', `/api/v1/runs/${id}`)).json).toMatchObject({ status: 'returned', returned: 'yes' });
  });

  test('takes nothing else for a run that waits for its turn, and lists it by its status', async () => {
    const { send, request, runs } = await serviceOf(
      { 'slow.dsl': 'DO: sleep 60\nRETURN: 1\n', ...PROGRAMS },
      { atOnce: 1 },
    );
    await send('POST', '/api/v1/runs', { program: 'slow.dsl' });
    const { run_id } = (await send('POST', '/api/v1/runs', { program: 'ask.dsl' })).json as { run_id: string };
    // Others than the service only know that it has the run.
    const early = { message: `run \`${run_id}\` has not begun: it is in the queue of a service` };
    for (const result of [
      await runs.answer(run_id, { ok: 'yes' }),
      await runs.signal(run_id, 'go', null),
      await runs.cancel(run_id.slice(0, 30)),
    ])
      expect(result).toMatchObject({ ok: false, refusal: early });
    for (const [what, body] of [
      ['answers', { answers: { ok: 'yes' } }],
      ['resume', {}],
      ['replay', { from: 2 }],
    ] as const) {
      const answer = await request('POST', `/api/v1/runs/${run_id}/${what}`, JSON.stringify(body));
      expect({ what, status: answer.status, json: await answer.json() }).toMatchObject({
        ...{ status: 409, json: { code: 'held', help: 'try again when it is executed' } },
      });
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect(await send('POST', `/api/v1/runs/${run_id}/apply`)).toMatchObject({ status: 409, json: { code: 'held' } });
    for (const path of [`/runs/${run_id}/program`, `/runs/${run_id}/effects/1/output`, `/report?run=${run_id}`])
      expect(await send('GET', `/api/v1${path}`)).toMatchObject({ status: 409, json: { code: 'held' } });
    expect(await send('GET', `/api/v1/runs/${run_id}/events?follow=false`)).toMatchObject({ status: 200, text: '' });
    expect((await send('GET', '/api/v1/runs?status=queued')).json).toMatchObject({ runs: [{ run_id }] });
    expect((await send('GET', '/api/v1/runs?status=failed')).json).toEqual({ runs: [] });
    const sse = { accept: 'text/event-stream' };
    const followed = await request('GET', `/api/v1/runs/${run_id}/events`, undefined, sse);
    expect(followed.status).toBe(200);
    expect((await send('POST', `/api/v1/runs/${run_id}/cancel`)).json).toMatchObject({ error: { kind: 'cancelled' } });
    expect(await followed.text()).toContain(
      'event: end\ndata: {"reason":"failed","message":"tester cancelled the run before it began"}',
    );
    const cancelled = { run_id, status: 'failed', error: { kind: 'cancelled' } };
    expect((await send('GET', `/api/v1/runs/${run_id}`)).json).toMatchObject(cancelled);
    expect((await send('GET', '/api/v1/runs?status=failed')).json).toMatchObject({ runs: [cancelled] });
    const refused = { code: 'over', message: 'tester cancelled the run before it began' };
    for (const query of ['', '?follow=false'])
      expect(await send('GET', `/api/v1/runs/${run_id}/events${query}`)).toMatchObject({ status: 409, json: refused });
    const again = await send('POST', `/api/v1/runs/${run_id}/cancel`, {});
    expect(again).toMatchObject({ status: 409, json: { message: 'tester cancelled the run before it began' } });
    for (const what of ['cancel', 'resume'])
      expect(await send('POST', `/api/v1/runs/${run_id}/${what}`)).toMatchObject({
        status: 409,
        json: { code: 'over' },
      });
  });

  test('is a part of lists: filtered, and in pages', async () => {
    const { send } = await serviceOf({ 'slow.dsl': 'DO: sleep 60\nRETURN: 1\n' }, { atOnce: 1 });
    const made: string[] = [];
    for (let n = 0; n < 4; n++)
      made.push((await send('POST', '/api/v1/runs', { program: 'slow.dsl' })).json.run_id as string);
    const list = async (query: string) => {
      const { runs, next } = (await send('GET', `/api/v1/runs?${query}`)).json as {
        runs: { run_id: string; status: string }[];
        next?: string;
      };
      return { ids: runs.map(({ run_id }) => run_id), statuses: runs.map(({ status }) => status), next };
    };
    const newest = made.toReversed();
    const [a, b, c, d] = newest;
    expect(await list('')).toEqual({ ids: newest, statuses: ['queued', 'queued', 'queued', 'running'] });
    expect(await list('limit=2')).toMatchObject({ ids: [a, b], next: b });
    expect(await list(`limit=2&cursor=${b}`)).toEqual({ ids: [c, d], statuses: ['queued', 'running'] });
    expect(await list('status=queued&limit=1')).toMatchObject({ ids: [a], next: a });
    expect(await list('status=running')).toMatchObject({ ids: [d] });
    expect(await list('since=2999-01-01')).toMatchObject({ ids: [] });
    expect(await list('until=2000-01-01')).toMatchObject({ ids: [] });
  });

  test('executes in the order of the requests, so many at once', async () => {
    const program = 'INPUT: n = 1\nDO: echo {n} >> order; sleep 0.05\nRETURN: {n}\n';
    const { send, idle, folder, executions } = await serviceOf({ 'slow.dsl': program }, { atOnce: 1 });
    for (const n of [1, 2, 3, 4]) {
      const { json } = await send('POST', '/api/v1/runs', { program: 'slow.dsl', inputs: { n } });
      expect(json.status).toBe(n === 1 ? 'running' : 'queued');
      expect(executions.executing).toBe(1);
    }
    const { runs } = (await send('GET', '/api/v1/runs?status=queued')).json as { runs: { run_id: string }[] };
    expect(runs).toHaveLength(3);
    const last = runs[0]?.run_id as string;
    const queued = { run_id: last, status: 'queued', error: null, waiting: [], seq: 0, last_seq: 0, values: {} };
    expect((await send('GET', `/api/v1/runs/${last}`)).json).toMatchObject(queued);
    expect((await send('POST', `/api/v1/runs/${last}/cancel`, {})).json).toMatchObject({ status: 'failed' });
    expect((await send('GET', `/api/v1/runs/${last}`)).json).toMatchObject({
      status: 'failed',
      error: { kind: 'cancelled', state: null, file: null },
    });
    await idle();
    expect(readFileSync(join(folder, 'order'), 'utf8')).toBe('1\n2\n3\n');
    // It says what became of it.
    expect(readdirSync(join(folder, '.statedsl/service/queue'))).toEqual([`${last}.json`]);
  });
});

describe('streams', () => {
  test('events are NDJSON, or server-sent events with their numbers', async () => {
    const { send, finish, request } = await serviceOf(PROGRAMS);
    const id = await finish('hello.dsl');
    const lines = (await send('GET', `/api/v1/runs/${id}/events`)).text.trim().split('\n');
    const events = lines.map((line) => JSON.parse(line));
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at + 1));
    expect(events.at(-1)).toMatchObject({ type: 'run_returned', value: 'hello world' });
    const after = await send('GET', `/api/v1/runs/${id}/events?after=3`);
    expect(after.text.trim().split('\n')).toEqual(lines.slice(3));
    const response = await request('GET', `/api/v1/runs/${id}/events`, undefined, {
      accept: 'text/event-stream',
      'last-event-id': '4',
    });
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    let text = '';
    while (!text.includes(`id: ${lines.length}\n`)) text += new TextDecoder().decode((await reader.read()).value);
    expect(text).toMatch(/^: statedsl\n\nid: 5\ndata: \{"seq":5/);
    // It ends, because nothing can follow, and says so. A browser that connects again by itself is stopped.
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      text += new TextDecoder().decode(value);
    }
    expect(text).toMatch(/event: end\ndata: \{"reason":"over"\}\n\n$/);
    const again = { accept: 'text/event-stream', 'last-event-id': String(lines.length) };
    expect((await send('GET', `/api/v1/runs/${id}/events`, undefined, again)).status).toBe(204);
  });

  test('a stream of NDJSON says when the run was removed', async () => {
    const { request, finish, folder } = await serviceOf({ 'ask.dsl': 'ASK user: "Name?" → name\nRETURN: {name}\n' });
    const id = await finish('ask.dsl');
    const response = await request('GET', `/api/v1/runs/${id}/events`);
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    let text = '';
    while (!text.includes('run_suspended')) text += new TextDecoder().decode((await reader.read()).value);
    rmSync(join(folder, '.statedsl/runs', id), { recursive: true });
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      text += new TextDecoder().decode(value);
    }
    expect(text.trim().split('\n').at(-1)).toBe('{"type":"stream_ended","reason":"removed"}');
  });

  test('a run whose files cannot be used is refused with the same status, whatever is asked', async () => {
    const { send, finish, folder } = await serviceOf(PROGRAMS);
    const fileOf = (id: string, name: string) => join(folder, '.statedsl/runs', id, name);
    const [torn, unreadable] = [await finish('ask.dsl'), await finish('ask.dsl')];
    writeFileSync(fileOf(unreadable, 'machine.json'), '{');
    writeFileSync(
      fileOf(torn, 'journal.ndjson'),
      readFileSync(fileOf(torn, 'journal.ndjson'), 'utf8').replace('A', 'B'),
    );
    const wanted = { [torn]: 'damaged', [unreadable]: 'unusable' };
    for (const [id, code] of Object.entries(wanted)) {
      const answers = [
        await send('GET', `/api/v1/runs/${id}`),
        await send('POST', `/api/v1/runs/${id}/replay`, { from: 3 }),
        await send('POST', `/api/v1/runs/${id}/resume`, {}),
        await send('POST', `/api/v1/runs/${id}/answers`, { answers: { ok: 'yes' } }),
        await send('POST', `/api/v1/runs/${id}/signals`, { name: 'go' }),
      ];
      for (const { status, json } of answers) expect({ status, json }).toMatchObject({ status: 422, json: { code } });
    }
    expect((await send('GET', `/api/v1/runs/${unreadable}/program`)).status).toBe(422);
    expect((await send('GET', '/api/v1/runs')).status).toBe(200);
    const whole = await finish('hello.dsl');
    const other = await send('GET', `/api/v1/runs/${whole}/program?digest=${'0'.repeat(64)}`);
    expect(other).toMatchObject({ status: 404, json: { code: 'unknown' } });
  });

  test('events of a run that has just been accepted wait for its record', async () => {
    const { send } = await serviceOf(PROGRAMS);
    const { json } = await send('POST', '/api/v1/runs', { program: 'hello.dsl' });
    const { status, text } = await send('GET', `/api/v1/runs/${json.run_id}/events`);
    expect(status).toBe(200);
    expect(text).toMatch(/"type":"run_returned".*\n$/);
  });

  test('events of a suspended run are followed until it is resumed and over', async () => {
    const { send, finish, request } = await serviceOf(PROGRAMS);
    const id = await finish('ask.dsl');
    const response = await request('GET', `/api/v1/runs/${id}/events`);
    const reader = (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes('run_suspended')) text += (await reader.read()).value;
    await send('POST', `/api/v1/runs/${id}/answers`, { answers: { ok: 'yes' } });
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      text += value;
    }
    const events = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at + 1));
    expect(events.at(-1)).toMatchObject({ type: 'run_returned', value: 'yes' });
  });

  test('damage is no event after which a reader continues', async () => {
    const { send, finish, request, folder } = await serviceOf(PROGRAMS);
    const id = await finish('hello.dsl');
    const journal = join(folder, '.statedsl/runs', id, 'journal.ndjson');
    const lines = readFileSync(journal, 'utf8').split('\n');
    writeFileSync(journal, [...lines.slice(0, 2), 'noise', ...lines.slice(2)].join('\n'));
    const response = await request('GET', `/api/v1/runs/${id}/events?follow=false`, undefined, {
      accept: 'text/event-stream',
    });
    const frames = (await response.text()).split('\n\n').filter((frame) => frame.includes('data: {"seq"'));
    expect(frames[2]).toMatch(/^data: \{"seq":2,"type":"journal_damaged"/);
    expect(frames[3]).toMatch(/^id: 3\n/);
    expect((await send('GET', `/api/v1/runs/${id}`)).json).toMatchObject({ code: 'damaged', damage: { seq: 3 } });
  });

  test('output comes whole or in ranges', async () => {
    const { send, finish } = await serviceOf({ 'a.dsl': 'DO: printf 0123456789\nDO: echo oops >&2\nRETURN\n' });
    const id = await finish('a.dsl');
    const path = `/api/v1/runs/${id}/effects/1/output`;
    const whole = await send('GET', path);
    expect(whole).toMatchObject({ status: 200, text: '0123456789' });
    expect(whole.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    const range = async (header: string) => send('GET', path, undefined, { range: header });
    expect(await range('bytes=2-4')).toMatchObject({ status: 206, text: '234' });
    expect((await range('bytes=2-4')).headers.get('content-range')).toBe('bytes 2-4/10');
    expect(await range('bytes=7-')).toMatchObject({ status: 206, text: '789' });
    expect(await range('bytes=-2')).toMatchObject({ status: 206, text: '89' });
    expect(await range('bytes=8-99')).toMatchObject({ status: 206, text: '89' });
    expect(await range('bytes=0-1,3-4')).toMatchObject({ status: 200, text: '0123456789' });
    expect((await range('bytes=10-')).status).toBe(416);
    const empty = `/api/v1/runs/${id}/effects/2/output`;
    expect(await send('GET', empty, undefined, { range: 'bytes=0-9' })).toMatchObject({ status: 200, text: '' });
    const errors = await send('GET', `/api/v1/runs/${id}/effects/2/output?stream=stderr`);
    expect(errors.text).toBe('oops\n');
    expect((await send('GET', `/api/v1/runs/${id}/effects/9/output`)).status).toBe(404);
  });

  test('of a large output, only the part that is wanted is read', async () => {
    const { send, finish } = await serviceOf({
      'a.dsl': "DO: head -c 3000000 /dev/zero | tr '\\0' x; echo end\nRETURN\n",
    });
    const id = await finish('a.dsl');
    const hash = /"artifact":"([0-9a-f]{64})"/.exec((await send('GET', `/api/v1/runs/${id}/events`)).text)?.[1];
    const { readSync } = fs;
    let bytes = 0;
    fs.readSync = ((...given: Parameters<typeof readSync>) => {
      const count = readSync(...given);
      bytes += count;
      return count;
    }) as typeof readSync;
    syncBuiltinESMExports();
    try {
      for (const part of ['effects/1/output', `artifacts/${hash}`]) {
        const { status, text, headers } = await send('GET', `/api/v1/runs/${id}/${part}`, undefined, {
          range: 'bytes=-5',
        });
        expect({ status, text }).toEqual({ status: 206, text: 'xend\n' });
        expect(headers.get('content-range')).toBe('bytes 2999999-3000003/3000004');
      }
    } finally {
      fs.readSync = readSync;
      syncBuiltinESMExports();
    }
    expect(bytes).toBeLessThan(100_000);
  });
});

describe('about the service', () => {
  test('programs with their inputs and graph', async () => {
    const { send } = await serviceOf({ ...PROGRAMS, 'flows/deep.dsl': 'RETURN: 1\n' });
    const { json } = await send('GET', '/api/v1/programs');
    expect((json.programs as { path: string }[]).map(({ path }) => path)).toContain('flows/deep.dsl');
    const shown = await send('GET', '/api/v1/programs/flows%2Fdeep.dsl');
    expect((await send('GET', '/api/v1/programs/flows/deep.dsl')).json).toEqual(shown.json);
    expect(shown.json).toMatchObject({
      name: 'flows/deep.dsl',
      diagnostics: [],
      graph: expect.stringContaining('MAIN'),
    });
    expect((await send('GET', '/api/v1/programs/hello.dsl')).json).toMatchObject({ inputs: [{ name: 'who' }] });
    expect((await send('GET', '/api/v1/programs/..%2Fx.dsl')).status).toBe(404);
  });

  test('texts are checked, and run where that is allowed', async () => {
    const { send, idle } = await serviceOf({}, { allowText: true });
    const checked = await send('POST', '/api/v1/check', { text: 'EMIT A\nGOTO: NOWHERE\n' });
    expect(checked.json).toMatchObject({
      valid: false,
      diagnostics: [
        { code: 'missing-colon', fixes: [{ preferred: true, safe: true, edits: [{ line: 1, text: ':' }] }] },
        { code: 'unknown-state' },
      ],
    });
    const { json } = await send('POST', '/api/v1/runs', { text: 'RETURN: seven\n' });
    await idle();
    expect((await send('GET', `/api/v1/runs/${json.run_id}`)).json).toMatchObject({ returned: 'seven' });
  });

  test('a report', async () => {
    const { send, finish } = await serviceOf(PROGRAMS);
    const id = await finish('hello.dsl');
    const days = await send('GET', '/api/v1/days?zone=Europe/Vienna');
    expect((days.json as { days: object[] }).days).toContainEqual(
      expect.objectContaining({ runs: expect.any(Number) }),
    );
    expect((await send('GET', '/api/v1/days?zone=nowhere')).status).toBe(400);
    expect((await send('GET', '/api/v1/days?limit=3')).status).toBe(400);
    expect((await send('GET', `/api/v1/report?run=${id}`)).status).toBe(200);
    expect((await send('GET', '/api/v1/report?last=5')).status).toBe(200);
    expect((await send('GET', `/api/v1/report?run=${id}&last=5`)).status).toBe(422);
  });

  test('a report on several runs has the damaged ones, and what comes before the damage', async () => {
    const { folder, send, finish } = await serviceOf(PROGRAMS);
    const [whole, torn, gone] = [await finish('hello.dsl'), await finish('hello.dsl'), await finish('hello.dsl')];
    const journalOf = (id: string) => join(folder, '.statedsl/runs', id, 'journal.ndjson');
    writeFileSync(journalOf(torn), readFileSync(journalOf(torn), 'utf8').replace('effect_settled', 'effect_Settled'));
    rmSync(journalOf(gone));
    const { status, json } = await send('GET', '/api/v1/report?last=5');
    expect({ status, runs: json.runs }).toMatchObject({
      status: 200,
      runs: [
        { run_id: gone, machine: 'hello', damage: { message: expect.stringContaining('cannot read') } },
        { run_id: torn, machine: 'hello', damage: { seq: 4, message: expect.stringContaining('event 4') } },
        { run_id: whole },
      ],
    });
    expect((json.runs as object[])[2]).not.toHaveProperty('damage');
    expect(json).toMatchObject({ effects: 2 });
    const named = await send('GET', `/api/v1/report?run=${torn}`);
    const help = `look at the run as it was before: \`GET /api/v1/runs/${torn}?at=3\``;
    expect(named).toMatchObject({ status: 422, json: { code: 'damaged', help, damage: { seq: 4 } } });
    // The latest run is not named.
    const latest = await send('GET', '/api/v1/report');
    expect(latest).toMatchObject({ status: 200, json: { runs: [{ run_id: gone, damage: expect.anything() }] } });
  });

  test('the next step of a refusal is a request, or needs a terminal', async () => {
    const { send, finish, folder } = await serviceOf(PROGRAMS);
    const unknown = '/api/v1/runs/01975c3a-5b9e-7c2f-9d1a-3f0e6b8c4d21';
    const helpOf = async (...given: [string, string, unknown?]) => (await send(...given)).json.help;
    expect(await helpOf('GET', unknown)).toBe('start a run: `POST /api/v1/runs`');
    const id = await finish('fail.dsl');
    expect(await helpOf('GET', unknown)).toBe('list the runs: `GET /api/v1/runs`');
    expect(await helpOf('POST', `/api/v1/runs/${id}/apply`)).toBe(`resume it: \`POST /api/v1/runs/${id}/resume\``);
    const journal = join(folder, '.statedsl/runs', id, 'journal.ndjson');
    const whole = readFileSync(journal, 'utf8');
    writeFileSync(journal, whole.replace('effect_settled', 'effect_Settled'));
    expect(await send('POST', `/api/v1/runs/${id}/apply`)).toMatchObject({
      status: 422,
      json: { code: 'damaged', help: `look at the run as it was before: \`GET /api/v1/runs/${id}?at=3\`` },
    });
    writeFileSync(journal, whole);
    const asked = await finish('ask.dsl');
    await send('POST', `/api/v1/runs/${asked}/cancel`, {});
    expect(await helpOf('POST', `/api/v1/runs/${asked}/apply`)).toBe(
      'it had no worktree, so there is nothing to merge',
    );
    expect(httpHelp('use `--worktree=off`', id)).toBe('in a terminal: use `--worktree=off`');
    expect(await helpOf('POST', `/api/v1/runs/${id}/replay`, { from: 'failed' })).toBe(
      'start again from a state: `{"from": {"state": STATE}}`',
    );
    expect(await helpOf('POST', `/api/v1/runs/${id}/replay`, { from: { state: 'B' } })).toBe(
      `list its states: \`GET /api/v1/runs/${id}\``,
    );
  });

  test('metrics by route, and runs by status', async () => {
    const { send, finish, prepare } = await serviceOf(PROGRAMS);
    const id = await finish('hello.dsl');
    await send('GET', `/api/v1/runs/${id}`);
    // Only requests of clients count.
    expect(await prepare(`/api/v1/runs/${id}`)).toBe(200);
    const { text, headers } = await send('GET', '/api/v1/metrics');
    expect(headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(text).not.toContain(id);
    const families = new Map(parsePrometheus(text).map((family) => [family.name, family]));
    expect(families.get('statedsl_runs')).toMatchObject({
      type: 'GAUGE',
      metrics: expect.arrayContaining([{ value: '1', labels: { status: 'returned' } }]),
    });
    expect(families.get('statedsl_http_requests_total')).toMatchObject({
      type: 'COUNTER',
      metrics: expect.arrayContaining([
        { value: '1', labels: { method: 'GET', route: '/api/v1/runs/:id', status: '200' } },
      ]),
    });
    expect(families.get('statedsl_http_request_duration_seconds')?.type).toBe('HISTOGRAM');
    expect([...families.keys()].every((name) => name.startsWith('statedsl_'))).toBe(true);
  });

  test('an OpenAPI document that names every route', async () => {
    const { send } = await serviceOf({});
    const { json } = await send('GET', '/api/v1/openapi.json');
    expect(json).toMatchObject({ openapi: '3.1.0' });
    expect(Object.keys(json.paths as object)).toEqual(
      expect.arrayContaining([
        '/api/v1/runs',
        '/api/v1/runs/{id}',
        '/api/v1/runs/{id}/events',
        '/api/v1/runs/{id}/effects/{effect}/output',
        '/api/v1/runs/{id}/artifacts/{hash}',
        '/api/v1/runs/{id}/answers',
        '/api/v1/runs/{id}/signals',
        '/api/v1/runs/{id}/cancel',
        '/api/v1/runs/{id}/resume',
        '/api/v1/runs/{id}/replay',
        '/api/v1/runs/{id}/apply',
        '/api/v1/runs/{id}/files',
        '/api/v1/days',
        '/api/v1/report',
        '/api/v1/check',
        '/api/v1/programs',
        '/api/v1/programs/{name}',
        '/api/v1/healthz',
        '/api/v1/metrics',
      ]),
    );
  });

  test('the OpenAPI document names the types that are answered', async () => {
    const { send, finish } = await serviceOf(PROGRAMS);
    const id = await finish('hello.dsl');
    const { json } = await send('GET', '/api/v1/openapi.json');
    type Described = { get: { responses: { 200: { content: object } } } };
    const typesOf = (path: string) =>
      Object.keys(
        (json.paths as Readonly<Record<string, Described>>)[`/api/v1${path}`]?.get.responses[200].content ?? {},
      );
    for (const [path, given] of [
      ['/runs', '/runs'],
      ['/runs/{id}', `/runs/${id}`],
      ['/runs/{id}/events', `/runs/${id}/events`],
      ['/runs/{id}/effects/{effect}/output', `/runs/${id}/effects/1/output`],
      ['/runs/{id}/program', `/runs/${id}/program`],
      ['/report', '/report'],
      ['/programs', '/programs'],
      ['/service', '/service'],
      ['/healthz', '/healthz'],
      ['/metrics', '/metrics'],
    ] as const) {
      const { headers } = await send('GET', `/api/v1${given}`);
      expect(typesOf(path), path).toContain(headers.get('content-type')?.split(';')[0]);
    }
  });
});
