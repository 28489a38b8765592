/** Spans of runs: a receiver on loopback gets them, checks their form, and gets the same ones again. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { OtlpSpan } from '../../src/runtime/trace/otlp.js';
import { until } from '../harness/until.js';
import { exportRequest, receiver } from './span-receiver.js';
import { type ProjectFolder, projectFolder } from './statedsl.js';

const PROGRAM = `INPUT: word = "private words"
STATE: A
  DO: out = echo "$TRACEPARENT"
  DO [retry=2]: test -e flag || { touch flag; exit 3; }
  DO: in PARALLEL
    - true
    - echo {word}
  GOTO: B with out
STATE: B (out)
  STEP: code
    AGENT: helper
    PROMPT: "write {word}"
    GATE: bash "test -e done || { touch done; false; }" as unit
    RETRY: EXIT 3
  WAIT: 50ms
  DO: touch begun; test -e go || sleep 300
  ASK user: "Go on?"
  RETURN: {out}
`;
const FILES = {
  'a.dsl': PROGRAM,
  'statedsl.config.yaml': 'agents:\n  helper: { adapter: fake, model: answers.yaml }\n',
  'answers.yaml': 'answer: hello\ncost: 0.4\nturns: 2\ntokens: { in: 1, out: 3, cache_read: 10, cache_write: 0 }\n',
};
const PARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

function attributeOf(span: OtlpSpan | undefined, key: string): unknown {
  const found = span?.attributes.find((one) => one.key === key)?.value;
  return found === undefined ? undefined : Object.values(found)[0];
}

const has = (one: ProjectFolder, name: string): boolean => existsSync(join(one.folder, name));

function runsIn(one: ProjectFolder): string[] {
  return readdirSync(join(one.folder, '.statedsl/runs')).filter((name) => /^[0-9a-f-]{36}$/.test(name));
}

/** The texts of all files of the store. */
function storeOf(one: ProjectFolder): string {
  const folder = join(one.folder, '.statedsl');
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
  return names.map((name) => (statSync(name).isFile() ? readFileSync(name, 'utf8') : '')).join('\n');
}

describe('a run with retries, a crash and a resume', () => {
  test('is one trace, sent in the background and exported again', async () => {
    const one = projectFolder(FILES);
    const { url, requests, spans } = await receiver();
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20s3cret-key-99',
      TRACEPARENT: PARENT,
    };
    const child = one.start(['run', 'a.dsl', '--quiet'], env);
    await until(() => has(one, 'begun'));
    child.kill('SIGKILL');
    await child.end;
    const [id = ''] = runsIn(one);
    one.file('go', '');
    const { TRACEPARENT: _, ...later } = env;
    expect(await one.run(['resume', id, '--quiet'], { env: later })).toMatchObject({ code: 75, stderr: '' });
    expect(await one.run(['answer', id, 'answer=yes', '--quiet'], { env: later })).toMatchObject({ code: 0 });

    const list = [...spans.values()];
    const named = (name: string) => list.filter((span) => span.name === name);
    expect(new Set(list.map((span) => span.traceId))).toEqual(new Set(['0af7651916cd43dd8448eb211c80319c']));
    const [root] = named('run a');
    expect(root?.parentSpanId).toBe('b7ad6b7169203331');
    // No span hangs in the air, and none of its parts begins before it.
    for (const span of list) if (span !== root) expect(spans.get(span.parentSpanId ?? ''), span.name).toBeDefined();
    expect(named('command test').map((span) => span.status)).toEqual([{ code: 2, message: 'exit 3' }, {}]);
    expect(named('attempt 1 of B/code')[0]?.status.code).toBe(2);
    expect(named('gate unit').map((span) => attributeOf(span, 'statedsl.gate.pass'))).toEqual([false, true]);
    expect(named('step B/code')).toHaveLength(1);
    expect(named('question answer').length + named('wait').length).toBe(2);
    const [agent] = named('invoke_agent helper');
    expect(attributeOf(agent, 'gen_ai.operation.name')).toBe('invoke_agent');
    expect(attributeOf(agent, 'gen_ai.usage.input_tokens')).toBe('11');
    expect(attributeOf(agent, 'gen_ai.input.messages')).toBeUndefined();
    const [first, second] = named('resume a');
    expect(first?.links).toEqual([{ traceId: root?.traceId, spanId: root?.spanId }]);
    expect(second?.links).toEqual([{ traceId: root?.traceId, spanId: first?.spanId }]);
    expect(JSON.stringify(list)).not.toContain('private words');
    expect(requests[0]).toMatchObject({
      path: '/v1/traces',
      headers: { authorization: 'Bearer s3cret-key-99', 'content-type': 'application/json' },
    });

    // The command had the span as its parent that was sent for it.
    const { stdout } = await one.run(['output', id, 'line:3']);
    expect(stdout.trim()).toBe(`00-${root?.traceId}-${named('command echo')[0]?.spanId}-01`);

    const before = spans.size;
    const exported = await one.run(['export', 'otel', id], { env: later });
    expect(exported).toMatchObject({ code: 0, stderr: `sent ${before} spans of run ${id} to ${url}/v1/traces\n` });
    expect(spans.size).toBe(before);
    const printed = await Promise.all([1, 2].map(() => one.run(['export', 'otel', id, '--json'])));
    expect(printed[0]?.stdout).toBe(printed[1]?.stdout);
    exportRequest.parse(JSON.parse(printed[0]?.stdout ?? ''));
    expect(storeOf(one)).not.toContain('s3cret-key-99');
  });

  test('has a span for each time that a command ran, also after a failure or a crash', async () => {
    const program =
      'STATE: A\n  DO [retry=1/10ms]: test -e ready\n  DO: echo x > begun; test -e go || sleep 300\n  RETURN: 1\n';
    const one = projectFolder({ 'a.dsl': program });
    expect(await one.run(['run', 'a.dsl', '--quiet'])).toMatchObject({ code: 1 });
    one.file('ready', '');
    const child = one.start(['resume', '--quiet'], {});
    await until(() => has(one, 'begun'));
    child.kill('SIGKILL');
    await child.end;
    one.file('go', '');
    expect(await one.run(['resume', '--quiet'])).toMatchObject({ code: 0 });
    const { stdout } = await one.run(['export', 'otel', '--json']);
    const spans: OtlpSpan[] = JSON.parse(stdout).resourceSpans[0].scopeSpans[0].spans;
    const named = (name: string) => spans.filter((span) => span.name === name);
    expect(named('command test').map(({ status }) => status.code)).toEqual([2, 2, undefined]);
    const cutOff = named('command echo').map((span) => attributeOf(span, 'statedsl.interrupted'));
    expect(cutOff).toEqual([true, undefined]);
    const ids = new Set(spans.map(({ spanId }) => spanId));
    expect(ids.size).toBe(spans.length);
    expect(spans.filter(({ parentSpanId = '' }) => !ids.has(parentSpanId)).map(({ name }) => name)).toEqual(['run a']);
    // What was made again began after it had been cut off.
    const [, again] = named('command echo');
    const [, resumed] = named('resume a');
    expect(again?.startTimeUnixNano).toBe(resumed?.startTimeUnixNano);
  });

  test('and a replayed run is a trace of its own, with a link to its origin', async () => {
    const one = projectFolder({ 'a.dsl': 'STATE: A\n  DO: true\n  GOTO: B\nSTATE: B\n  DO: echo x\n' });
    const { url, spans } = await receiver();
    await one.run(['run', 'a.dsl'], { env: { TRACEPARENT: PARENT } });
    const [origin = ''] = runsIn(one);
    expect(spans.size).toBe(0);
    await one.run(['replay', origin, '--from', 'B', '--quiet'], { env: { OTEL_EXPORTER_OTLP_ENDPOINT: url } });
    const names = [...spans.values()].map(({ name }) => name).sort();
    // The trace of its origin has the command of A, which ended right before the copy did.
    expect(names).toEqual(['command echo', 'run a', 'state A', 'state B']);
    const root = [...spans.values()].find(({ name }) => name === 'run a');
    expect(root?.parentSpanId).toBeUndefined();
    const exported = JSON.parse((await one.run(['export', 'otel', origin, '--json'])).stdout);
    const old = exported.resourceSpans[0].scopeSpans[0].spans.find((span: OtlpSpan) => span.name === 'run a');
    expect(root?.links).toEqual([{ traceId: '0af7651916cd43dd8448eb211c80319c', spanId: old.spanId }]);
    expect(root?.traceId).not.toBe(old.traceId);
    const copy = runsIn(one).find((run) => run !== origin);
    const about = ['statedsl.run.id', 'statedsl.machine', 'statedsl.replay.of', 'statedsl.resume.event'];
    expect(about.map((key) => attributeOf(root, key))).toEqual([copy, 'a', origin, expect.anything()]);
    expect(attributeOf(root, 'statedsl.by')).toBe(userInfo().username);
  });
});

describe('a receiver that is dead, hangs or refuses', () => {
  const hello = { 'a.dsl': 'DO: true\n' };

  test.each([
    ['closed', {}, 'connection refused'],
    ['hangs', { hangs: true }, 'no answer in time'],
    ['fails', { status: 500 }, 'the receiver answered 500'],
    [
      'refuses',
      { body: '{"partialSuccess":{"rejectedSpans":"2","errorMessage":"full"}}' },
      'refused 2 of 3 spans: full',
    ],
  ])('%s: the run returns, and says once what was not sent', async (kind, answer, why) => {
    const one = projectFolder(hello);
    const { url, server } = await receiver(answer);
    if (kind === 'closed') await new Promise((resolve) => server.close(resolve));
    const { code, stderr } = await one.run(['run', 'a.dsl', '--quiet'], { env: { OTEL_EXPORTER_OTLP_ENDPOINT: url } });
    expect(code).toBe(0);
    const [id] = runsIn(one);
    expect(stderr).toContain(`warning: 3 spans were not sent to ${url}/v1/traces (`);
    expect(stderr).toContain(why);
    expect(stderr).toContain(`\`statedsl export otel ${id}\` sends all of them\n`);
    if (kind === 'hangs') return;
    const exported = await one.run(['export', 'otel'], { env: { OTEL_EXPORTER_OTLP_ENDPOINT: url } });
    expect(exported.code).toBe(1);
    expect(exported.stderr).toContain(why);
  });
});

test('the configuration names the receiver, and prompts only where it says so', async () => {
  const { url, spans } = await receiver();
  const one = projectFolder({
    ...FILES,
    'a.dsl': 'INPUT: word = "poems"\nDO: Task(helper) "write {word}"\n',
    'statedsl.config.yaml': `${FILES['statedsl.config.yaml']}otel: { endpoint: "${url}/", prompts: true }\n`,
  });
  const ran = await one.run(['run', 'a.dsl', '--quiet']);
  expect(ran.stderr).toBe('');
  const agent = [...spans.values()].find(({ name }) => name === 'invoke_agent helper');
  expect(attributeOf(agent, 'gen_ai.input.messages')).toContain('write poems');
  expect(attributeOf(agent, 'gen_ai.output.messages')).toContain('hello');
  expect((await one.run(['export', 'otel', '--json'], { env: { OTEL_SDK_DISABLED: 'true' } })).code).toBe(0);
});

test('without a receiver, export says how to name one; a wrong TRACEPARENT has no effect', async () => {
  const one = projectFolder({ 'a.dsl': 'DO: true\n' });
  await one.run(['run', 'a.dsl'], { env: { TRACEPARENT: '00-zz-1-01' } });
  const refused = await one.run(['export', 'otel']);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('no receiver of spans is configured');
  const { stdout } = await one.run(['export', 'otel', '--json']);
  expect(exportRequest.parse(JSON.parse(stdout)).resourceSpans[0].scopeSpans[0].spans).toHaveLength(3);
});
