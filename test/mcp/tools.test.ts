/** The tools of agents over raw frames of both revisions: what they answer, how short, and who may answer a question. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../src/machine/expression.js';
import type { Door } from '../../src/mcp/door.js';
import { TOOLS } from '../../src/mcp/tool-definitions.js';
import { schemaValidator } from '../../src/runtime/tools/call-schema.js';
import { longTest, oneOf } from '../amount.js';
import { type Connection, connect, doorOf, type Frame, tokensOf } from './connection.js';

const FILES = {
  'hello.dsl':
    '# Greets.\nINPUT: name = "world"\nSTATE: GREET\n  DO: greeting = echo "Hello, {name}!"\n  RETURN: {greeting}\n',
  'ask.dsl': 'STATE: APPROVE\n  ASK user: "Publish?" → go choices=yes,no default=no deadline=24h\n  RETURN: {go}\n',
  'wrong.dsl': 'STATE: A\n  GOTO: B\n',
  'fails.dsl': 'STATE: A\n  DO: exit 3\n',
};

const ERAS = ['modern', 'legacy'] as const;
const text = (result: Frame): string => result.content[0].text;

describe.each(oneOf(ERAS))('%s revision', (era) => {
  test('lists the tools in their order, each with schemas and annotations', async () => {
    const one = await connect(doorOf(FILES), { era });
    const { tools } = (await one.request('tools/list')).result;
    expect(tools.map(({ name }: Frame) => name)).toEqual(['check', 'run', 'get', 'answer', 'list', 'control']);
    for (const tool of tools) {
      expect(tool.inputSchema.type).toBe('object');
      expect(tool.outputSchema.type).toBe('object');
      expect(Object.keys(tool.annotations)).toHaveLength(4);
    }
  });

  test('checks files and texts, and corrects them without writing', async () => {
    const one = await connect(doorOf(FILES), { era });
    expect((await one.call('check', { file: 'hello.dsl' })).structuredContent).toMatchObject({
      valid: true,
      findings: [],
    });
    const wrong = (await one.call('check', { file: 'wrong.dsl' })).structuredContent;
    expect(wrong).toMatchObject({ valid: false, findings: [{ code: 'unknown-state', line: 2, file: 'wrong.dsl' }] });
    const fixed = await one.call('check', { text: 'STATE: A\n  DOO: echo 1\n', fix: true });
    expect(fixed.structuredContent).toMatchObject({ valid: true, fixed: 1, text: 'STATE: A\n  DO: echo 1\n' });
    expect(text(fixed)).toContain('  DO: echo 1');
  });

  test.each(['../x.dsl', '/etc/passwd', '-', 'a\0b', 'none.dsl', '.'])('refuses the file %j', async (file) => {
    const one = await connect(doorOf(FILES), { era });
    for (const tool of ['check', 'run']) {
      const answer = await one.call(tool, { file });
      expect(answer.isError).toBe(true);
      expect(text(answer)).toMatch(/is not in the folder of the programs|there is no file|is not a file/);
    }
  });

  test('runs a listed program, a file and a text, and gets where they stand', async () => {
    const one = await connect(doorOf(FILES), { era });
    const { structuredContent: told } = await one.call('run', { program: 'hello', inputs: { name: 'Ada' } });
    expect(told).toMatchObject({ status: 'returned', returned: 'Hello, Ada!', machine: 'hello' });
    expect((await one.call('run', { file: 'hello.dsl' })).structuredContent.returned).toBe('Hello, world!');
    expect((await one.call('run', { text: 'STATE: A\n  RETURN: 1\n' })).structuredContent.returned).toBe('1');
    const got = (await one.call('get', { run_id: told.run_id })).structuredContent;
    expect(got).toMatchObject({ run_id: told.run_id, status: 'returned', returned: 'Hello, Ada!' });
    expect(got.recent.at(-1)).toMatch(/^\d+ run_returned/);
    const listed = (await one.call('list', {})).structuredContent.runs;
    expect(listed.map(({ machine }: Frame) => machine)).toEqual(['stdin', 'hello', 'hello']);
    expect((await one.call('list', { status: 'failed' })).structuredContent.runs).toEqual([]);
    const { programs } = (await one.call('list', { what: 'programs', q: 'greets' })).structuredContent;
    expect(programs).toMatchObject([
      { path: 'hello.dsl', about: 'Greets.', inputs: [{ name: 'name', default: '"world"' }] },
    ]);
    expect((await one.call('list', { what: 'limits', q: 'no such account' })).structuredContent.limits).toEqual([]);
  });

  test('uses the memo as it is asked to', async () => {
    const program =
      'STATE: A\n  DO [memo]: x = echo a >> made; echo 1\n  GOTO: B\nSTATE: B\n  DO: echo b >> made\n  RETURN: 1\n';
    const door = doorOf({ 'memo.dsl': program });
    const one = await connect(door, { era });
    const run = (given: Frame) => one.call('run', { program: 'memo', ...given });
    expect((await run({ only: 'A' })).structuredContent).toMatchObject({ status: 'interrupted' });
    expect((await run({ only: 'B' })).structuredContent).toMatchObject({ status: 'returned' });
    expect((await run({ fresh: true, memo_max_age: 60 })).structuredContent).toMatchObject({ status: 'returned' });
    expect(readFileSync(join(door.programs, 'made'), 'utf8')).toBe('a\nb\na\nb\n');
    expect(text(await run({ only: 'C' }))).toContain('there is no state and no step `C`');
  });

  test('says what is wrong with a call, and starts nothing', async () => {
    const one = await connect(doorOf(FILES), { era });
    const refusals: readonly (readonly [string, Frame, RegExp])[] = [
      ['run', {}, /nothing was given\nnext: give `program`, `file` or `text`/],
      ['run', { program: 'helo' }, /there is no program `helo`\nnext: did you mean/],
      ['run', { program: 'hello', inputs: { nam: 1 } }, /has no input `nam`\nnext: its inputs are name/],
      ['run', { program: 'hello', wait_s: 51 }, /must be <= 50/],
      ['run', { program: 'hello', extra: 1 }, /must not have `extra`/i],
      ['run', { file: 'wrong.dsl' }, /nothing was started: not valid\nwrong.dsl:2:9 error \[unknown-state\]/],
      ['get', { run_id: 'ffffffff' }, /no run/],
      ['control', { run_id: 'ffffffff', action: 'cancel' }, /no run/],
      ['answer', { run_id: 'ffffffff', signal: 'GO' }, /no run/],
      ['list', { what: 'programs', status: 'failed' }, /programs have no status/],
      ['list', { what: 'limits', status: 'failed' }, /limits have no status/],
    ];
    const validate = await schemaValidator();
    for (const [name, given, words] of refusals) {
      const answer = await one.call(name, given);
      expect(answer.isError, name).toBe(true);
      // Clients refuse an error that does not fit, and then nobody sees it.
      const { outputSchema } = TOOLS.find((tool) => tool.name === name) as (typeof TOOLS)[number];
      expect([name, validate(outputSchema as Json, answer.structuredContent)]).toEqual([name, null]);
      expect(text(answer)).toMatch(words);
    }
    expect((await one.call('list', {})).structuredContent.runs).toEqual([]);
    expect(await one.call('nothing', {})).toMatchObject({ code: -32602 });
  });

  test('a long program is checked elsewhere before it is started', async () => {
    const door = doorOf(FILES);
    const late = { ok: false, refusal: { code: 'wrong-use', message: 'it takes too long', help: null } } as const;
    const long = (checks: Partial<Door['checks']>) =>
      connect({ ...door, checks: { ...door.checks, isLong: () => true, ...checks } }, { era });
    const one = await long({});
    const near = await (await connect(door, { era })).call('run', { file: 'wrong.dsl' });
    expect(await one.call('run', { file: 'wrong.dsl' })).toEqual(near);
    expect((await one.call('run', { program: 'hello' })).structuredContent).toMatchObject({ status: 'returned' });
    const other = await long({ review: async () => late });
    for (const tool of ['run', 'check'])
      expect(text(await other.call(tool, { file: 'hello.dsl' }))).toContain(late.refusal.message);
  });

  test('a question becomes a form, and the person who fills it is on record', async () => {
    const door = doorOf(FILES);
    const one = await connect(door, { era, name: 'Claude\u001b[31m Code' });
    const result = await withForm(one, 'run', { program: 'ask' }, ({ message, requestedSchema }) => {
      expect(message).toMatch(/^`ask` asks \(run .*\):\n- Publish\? \(yes, no; default: no; until 20/);
      expect(requestedSchema.properties.go).toEqual({
        type: 'string',
        title: 'Publish?',
        enum: ['yes', 'no'],
        default: 'no',
      });
      return { action: 'accept', content: { go: 'yes' } };
    });
    expect(result.structuredContent).toMatchObject({ status: 'returned', returned: 'yes' });
    const { events } = (await one.call('get', { part: 'events' })).structuredContent;
    const answered = events.find(({ type }: Frame) => type === 'answered');
    expect(answered.by).toMatch(/^form \(claimed by Claude.*Code\)$/);
    expect(answered.by).not.toContain('\u001b');
    expect((await one.call('list', {})).structuredContent.runs).toHaveLength(1);
  });

  test.each(['decline', 'cancel'])(
    'a form that a person answers with %s is not shown again in that call',
    async (action) => {
      const one = await connect(doorOf(FILES), { era });
      const result = await withForm(one, 'run', { program: 'ask' }, () => ({ action }));
      expect(result.structuredContent).toMatchObject({
        status: 'suspended',
        note: expect.stringContaining('the person '),
      });
    },
  );

  test.each([{ action: 'accept', content: 'yes' }, { action: 'sure', content: { go: 'yes' } }, { content: null }])(
    'what is no form is one without an answer: %j',
    async (form) => {
      const one = await connect(doorOf(FILES), { era });
      const result = await withForm(one, 'run', { program: 'ask' }, () => form);
      expect(result.structuredContent).toMatchObject({
        status: 'suspended',
        note: expect.stringContaining('the form came back without an answer'),
      });
    },
  );

  test.each([
    [{ go: 7 }, 'the answer to `go` must be a text'],
    [{ go: 'perhaps' }, 'the answer to `go` must be one of yes, no'],
    [{}, 'the form has no answer to `go`'],
    [{ go: 'yes', other: 'x' }, 'the form has no field `other`'],
    [{ go: ['yes'] }, 'the answer to `go` must be a text'],
  ])('a form with %j answers nothing', async (content, words) => {
    const one = await connect(doorOf(FILES), { era });
    const result = await withForm(one, 'run', { program: 'ask' }, () => ({ action: 'accept', content }));
    if (result.isError !== true) throw new Error(JSON.stringify(result));
    expect(text(result)).toContain(words);
    const [{ run_id }] = (await one.call('list', {})).structuredContent.runs;
    const { events } = (await one.call('get', { run_id, part: 'events' })).structuredContent;
    expect(events.some(({ type }: Frame) => type === 'answered')).toBe(false);
  });

  test('no agent answers for a person', async () => {
    const door = doorOf(FILES);
    const one = await connect(door, { era, capabilities: {} });
    const { structuredContent: told } = await one.call('run', { program: 'ask' });
    expect(told).toMatchObject({
      status: 'suspended',
      waiting: [{ kind: 'ask', name: 'go', question: 'Publish?', choices: ['yes', 'no'], default: 'no' }],
      next: `a person has to answer; ask them to run \`statedsl answer ${told.run_id} go=yes\``,
    });
    const answer = await one.call('answer', { run_id: told.run_id, answers: { go: 'yes' } });
    expect(answer.isError).toBe(true);
    expect(text(answer)).toContain('no agent answers for a person');
    expect((await one.call('get', { run_id: told.run_id })).structuredContent.status).toBe('suspended');
  });

  test('a server may let agents answer, and the record says so', async () => {
    const one = await connect(doorOf(FILES, { agentsMayAnswer: true }), { era, capabilities: {} });
    const { run_id } = (await one.call('run', { program: 'ask' })).structuredContent;
    expect(text(await one.call('answer', { run_id, answers: { no: 1 } }))).toContain(
      'does not ask `no`\nnext: it asks `go`',
    );
    expect((await one.call('answer', { run_id, answers: { go: 'maybe' } })).isError).toBe(true);
    const { structuredContent } = await one.call('answer', { run_id, answers: { go: 'yes' }, reason: 'tests pass' });
    expect(structuredContent).toMatchObject({ status: 'returned', returned: 'yes' });
    const { events } = (await one.call('get', { run_id, part: 'events' })).structuredContent;
    expect(events.find(({ type }: Frame) => type === 'answered')).toMatchObject({
      by: 'agent tester',
      through: 'mcp',
      reason: 'tests pass',
    });
  });

  test('what an agent proposes is only the default of the form', async () => {
    const one = await connect(doorOf(FILES), { era });
    await withForm(one, 'run', { program: 'ask' }, () => ({ action: 'decline' }));
    const [{ run_id }] = (await one.call('list', {})).structuredContent.runs;
    const result = await withForm(one, 'answer', { run_id, answers: { go: 'yes' } }, ({ requestedSchema }) => {
      expect(requestedSchema.properties.go.default).toBe('yes');
      return { action: 'accept', content: { go: 'no' } };
    });
    expect(result.structuredContent).toMatchObject({ status: 'returned', returned: 'no' });
  });

  test('two questions of one name are two fields', async () => {
    const both = `STATE: A
  DO: found = ["a", "b"]
  DO: in PARALLEL
    - ASK user: "First?" → go choices=yes,no show=found
    - ASK user: "Second?" → go choices=yes,no
  RETURN: done
`;
    const one = await connect(doorOf({ 'both.dsl': both }), { era });
    const result = await withForm(one, 'run', { program: 'both' }, ({ message, requestedSchema }) => {
      const names = Object.keys(requestedSchema.properties);
      expect(names).toHaveLength(2);
      expect(message).toContain('First? (yes, no)\n  found = ["a","b"]\n');
      return { action: 'accept', content: Object.fromEntries(names.map((name) => [name, 'yes'])) };
    });
    expect(result.structuredContent).toMatchObject({ status: 'returned', returned: 'done' });
  });

  test.each([
    [3, { status: 'returned', returned: 'no' }],
    [7, { status: 'suspended', next: expect.stringContaining('call `get`, which shows a form, or') }],
  ])('%d questions one after the other are as many forms, at most five in one call', async (rounds, end) => {
    const again = `STATE: A
  TRACK: n
  INCREMENT: n
  ASK user: "Round {n}?" → go choices=yes,no
  IF: n < ${rounds} → GOTO A
  RETURN: {go}
`;
    const one = await connect(doorOf({ 'again.dsl': again }), { era });
    const asked: string[] = [];
    const result = await withForm(one, 'run', { program: 'again' }, ({ requestedSchema }) => {
      asked.push(requestedSchema.properties.go.title);
      return { action: 'accept', content: { go: 'no' } };
    });
    expect(asked).toEqual(Array.from({ length: Math.min(5, rounds) }, (_, at) => `Round ${at + 1}?`));
    expect(result.structuredContent).toMatchObject(end);
  });

  test('signals, cancel, resume, replay', async () => {
    const one = await connect(doorOf({ ...FILES, 'wait.dsl': 'STATE: W\n  WAIT: signal GO\n  RETURN: {GO}\n' }), {
      era,
    });
    const waits = (await one.call('run', { program: 'wait', wait_s: 15 })).structuredContent;
    expect(waits.next).toBe('it waits for the signal `GO`: `answer` sends it');
    const sent = await one.call('answer', { run_id: waits.run_id, signal: 'GO', payload: { a: 1 } });
    expect(sent.structuredContent).toMatchObject({ status: 'returned', returned: { a: 1 } });
    const { run_id, error } = (await one.call('run', { program: 'fails' })).structuredContent;
    expect(error).toMatchObject({ kind: 'tool_failure', state: 'A', line: 2 });
    expect((await one.call('control', { run_id, action: 'resume' })).structuredContent.status).toBe('failed');
    const again = (await one.call('control', { run_id, action: 'replay', from: 'A' })).structuredContent;
    expect(again).toMatchObject({ status: 'failed' });
    expect(again.run_id).not.toBe(run_id);
    expect(text(await one.call('control', { run_id, action: 'replay' }))).toContain('give `from`');
    expect(text(await one.call('control', { run_id, action: 'resume', from: 'A' }))).toContain('leave it out');
    const open = await connect(doorOf(FILES), { era, capabilities: {} });
    const asked = (await open.call('run', { program: 'ask' })).structuredContent.run_id;
    const cancelled = await open.call('control', { run_id: asked, action: 'cancel' });
    expect(cancelled.structuredContent).toMatchObject({ status: 'failed', error: { kind: 'cancelled' } });
    const failed = await open.call('list', { status: 'failed' });
    expect(failed.structuredContent.runs).toContainEqual(
      expect.objectContaining({ run_id: asked, status: 'failed', cancelled: true }),
    );
    expect(text(failed)).toContain(`${asked} ask cancelled in APPROVE`);
    expect(text(await open.call('control', { run_id: asked, action: 'resume' }))).toContain('was cancelled');
  });

  test('a read-only server has only the tools that change nothing', async () => {
    const one = await connect(doorOf(FILES, { isReadOnly: true }), { era });
    const { tools } = (await one.request('tools/list')).result;
    expect(tools.map(({ name }: Frame) => name)).toEqual(['check', 'get', 'list']);
    expect((await one.call('run', { program: 'hello' })).message).toContain('this server only reads');
    expect((await one.call('list', { what: 'programs' })).structuredContent.programs).toHaveLength(4);
  });

  test('a program that says so is a tool of its own', async () => {
    const door = doorOf({
      'release.dsl':
        '# Releases.\nTOOL: yes\nINPUT: version (string)\nINPUT: level = "low" (one of: low, high)\nSTATE: A\n  RETURN: {version} {level}\n',
      'no.dsl': 'TOOL: no\nSTATE: A\n  RETURN: 1\n',
      'flow.yaml': 'tool: true\ninputs: [n]\nsteps:\n  - name: say\n    bash: echo hi\n',
    });
    const one = await connect(door, { era });
    const { tools } = (await one.request('tools/list')).result;
    expect(tools.slice(6).map(({ name }: Frame) => name)).toEqual(['run_flow', 'run_release']);
    expect(tools[7]).toMatchObject({
      description: expect.stringContaining('Releases.'),
      inputSchema: {
        required: ['version'],
        properties: { version: { type: 'string' }, level: { enum: ['low', 'high'] } },
      },
    });
    expect((await one.call('run_release', { version: '1' })).structuredContent.returned).toBe('1 low');
    expect(text(await one.call('run_release', {}))).toContain(
      "the arguments of `run_release` must have required property 'version'",
    );
    writeFileSync(join(door.programs, 'release.dsl'), 'STATE: A\n  RETURN: 1\n');
    expect((await one.request('tools/list')).result.tools).toHaveLength(7);
    expect((await one.call('run_release', { version: '1' })).code).toBe(-32602);
  });

  test('a key starts one run', async () => {
    const one = await connect(doorOf(FILES), { era });
    const first = (await one.call('run', { program: 'hello', key: 'k' })).structuredContent;
    const second = (await one.call('run', { program: 'hello', key: 'k' })).structuredContent;
    expect(second).toMatchObject({ run_id: first.run_id, note: expect.stringContaining('used before') });
    expect(text(await one.call('run', { program: 'fails', key: 'k' }))).toContain('was used for another program');
    expect((await one.call('list', {})).structuredContent.runs).toHaveLength(1);
  });

  test('a bound above `confirm_above` is confirmed before anything starts', async () => {
    const files = {
      'spend.dsl': 'STATE: A\n  DO: a = Task(bot) "x"\n  DO: b = Task(bot) "y"\n  RETURN: {a}\n',
      'statedsl.config.yaml': 'agents: { bot: { adapter: fake, model: ./bot.yaml } }\nconfirm_above: { calls: 1 }\n',
      'bot.yaml': '- one\n- two\n',
    };
    const silent = await connect(doorOf(files), { era, capabilities: {} });
    const refused = await silent.call('run', { program: 'spend' });
    expect(text(refused)).toMatch(
      /nothing was started: the run has at most 2 calls of agents.*\nnext: ask the user.*`confirm: true`/,
    );
    expect((await silent.call('run', { program: 'spend', confirm: true })).structuredContent).toMatchObject({
      status: 'returned',
      bound: 'at most 2 calls of agents',
    });
    const one = await connect(doorOf(files), { era });
    const declined = await withForm(one, 'run', { program: 'spend' }, () => ({
      action: 'accept',
      content: { start: false },
    }));
    expect(text(declined)).toContain('the run was not confirmed');
    const begun = await withForm(one, 'run', { program: 'spend' }, ({ message }) => {
      expect(message).toContain('at most 2 calls of agents');
      return { action: 'accept', content: { start: true } };
    });
    expect(begun.structuredContent.status).toBe('returned');
    expect((await one.call('list', {})).structuredContent.runs).toHaveLength(1);
  });

  test('progress where the client asks for it, and a cancelled call leaves the run going', async () => {
    const door = doorOf({ 'slow.dsl': 'STATE: S\n  DO: until test -f go; do sleep 0.02; done\n  RETURN: done\n' });
    const one = await connect(door, { era });
    const id = one.send('tools/call', { name: 'run', arguments: { program: 'slow' }, _meta: { progressToken: 'p' } });
    const { params } = await one.frame(({ method }) => method === 'notifications/progress');
    expect(params).toMatchObject({ progressToken: 'p', message: expect.stringContaining('in S') });
    one.send('notifications/cancelled', { requestId: id }, null);
    const [{ run_id }] = (await one.call('list', { status: 'running' })).structuredContent.runs;
    writeFileSync(join(door.programs, 'go'), '');
    const got = (await one.call('get', { run_id, wait_s: 20 })).structuredContent;
    expect(got).toMatchObject({
      status: 'returned',
      note: 'the call that waited for this run was cancelled; the run went on',
    });
    expect((await one.call('get', { run_id })).structuredContent.note).toBeUndefined();
    expect(one.frames.some((frame) => frame.id === id)).toBe(false);
  });

  // One revision is enough for it: the answers are made before they are put into frames.
  (era === 'legacy' ? longTest : test)(
    'answers are short, say what was left out, and the rest can be asked for',
    async () => {
      const program = 'STATE: A\n  DO: out = head -c 1000000 /dev/zero | tr "\\\\0" "ü"\n  RETURN: {out}\n';
      const one = await connect(doorOf({ 'much.dsl': program }), { era });
      const result = await one.call('run', { program: 'much' });
      expect(tokensOf(text(result))).toBeLessThanOrEqual(2000);
      expect(tokensOf(result.structuredContent)).toBeLessThanOrEqual(2000);
      expect(result.structuredContent.left_out[0]).toMatch(/^returned: cut to .* `part: "output"`$/);
      for (const part of ['output', 'events', 'report', 'graph']) {
        const piece = await one.call('get', { part });
        expect(tokensOf(text(piece)), part).toBeLessThanOrEqual(2000);
        expect(tokensOf(piece.structuredContent), part).toBeLessThanOrEqual(2000);
      }
      const output = (await one.call('get', { part: 'output', after: 900_000 })).structuredContent;
      expect(output.next_after).toBeGreaterThan(900_000);
      const many = `STATE: A\n${Array.from({ length: 300 }, (_, at) => `  GOTO: NOWHERE${at}\n`).join('')}`;
      const checked = await one.call('check', { text: many });
      expect(tokensOf(text(checked))).toBeLessThanOrEqual(2000);
      expect(tokensOf(checked.structuredContent)).toBeLessThanOrEqual(2000);
      expect(checked.structuredContent.left_out[0]).toMatch(/^findings: \d+ of \d+ are not shown; mend these first/);
    },
  );
});

/** Calls a tool and fills the forms that it shows, as a client of either revision does. */
async function withForm(one: Connection, name: string, given: Frame, fill: (form: Frame) => Frame): Promise<Frame> {
  if (one.options.era !== 'legacy') {
    let asked = await one.call(name, given);
    if (asked.resultType !== 'input_required') throw new Error(JSON.stringify(asked));
    while (asked.resultType === 'input_required')
      asked = await one.fill(name, given, asked, fill(asked.inputRequests.form.params));
    return asked;
  }
  let before = one.frames.length;
  const id = one.send('tools/call', { name, arguments: given });
  const isForm = ({ method }: Frame): boolean => method === 'elicitation/create';
  const isEnd = (frame: Frame): boolean => frame.id === id && frame.method === undefined && frame.result !== undefined;
  for (let forms = 0; ; forms++) {
    const next = await one.frame((frame) => (isForm(frame) || isEnd(frame)) && one.frames.indexOf(frame) >= before);
    if (isEnd(next)) {
      if (forms === 0) throw new Error(JSON.stringify(next));
      return next.result;
    }
    before = one.frames.indexOf(next) + 1;
    one.raw(`${JSON.stringify({ jsonrpc: '2.0', id: next.id, result: fill(next.params) })}\n`);
  }
}

test('the names, descriptions and arguments of the tools together stay below 1,500 tokens', () => {
  const described = (schema: unknown): string[] => {
    if (typeof schema !== 'object' || schema === null) return [];
    return Object.entries(schema).flatMap(([key, value]) =>
      key === 'description' && typeof value === 'string' ? [value] : described(value),
    );
  };
  const words = TOOLS.flatMap(({ name, description, inputSchema }) => [name, description, ...described(inputSchema)]);
  expect(tokensOf(words.join(''))).toBeLessThanOrEqual(1500);
});
