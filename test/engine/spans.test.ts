/** Workers send the spans of what they execute: once, and the same ones that an export of the record has. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { spansOfRun } from '../../src/app/folder/spans-of-run.js';
import type { Result } from '../../src/app/result.js';
import { engineClient } from '../../src/engine/client.js';
import { programOf } from '../../src/engine/effect-outputs.js';
import type { Submission } from '../../src/engine/messages.js';
import type { EventLines } from '../../src/engine/run-journal.js';
import { engineRuns } from '../../src/engine/runs/engine-runs.js';
import { StartedEffects } from '../../src/engine/started-effects.js';
import type { TurnHost } from '../../src/engine/turn-host.js';
import { WorkerSpans } from '../../src/engine/worker-spans.js';
import { compile } from '../../src/language/check/compile.js';
import type { CommandFunction } from '../../src/runtime/command-function.js';
import type { Effects } from '../../src/runtime/effect-context.js';
import { hostEffects } from '../../src/runtime/effects.js';
import { headerOf } from '../../src/runtime/run/header.js';
import { fixedOptions } from '../../src/runtime/run/run-options.js';
import { readJournalLine } from '../../src/runtime/store/journal-line.js';
import type { OtlpSpan } from '../../src/runtime/trace/otlp.js';
import { RunSpans } from '../../src/runtime/trace/run-spans.js';
import { traceEndpoint } from '../../src/runtime/trace/trace-options.js';
import { receiver } from '../cli/span-receiver.js';
import { liveEngine, NAMESPACE } from './live-engine.js';
import { type Cut, type OpenEntry, ScriptedEngine, SERVICES } from './scripted-engine.js';

const PARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

function value<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(JSON.stringify(result.refusal));
  return result.value;
}

/** An engine whose worker sends its spans to `to`. */
async function tracedRuns(to: string, commands: Readonly<Record<string, CommandFunction>>, env = {}, worker = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'statedsl-spans-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const endpoint = traceEndpoint({ OTEL_EXPORTER_OTLP_ENDPOINT: to }, undefined);
  if (endpoint === null) throw new Error('no endpoint');
  const warnings: string[] = [];
  let url = '';
  // It is asked only for runs that another worker had before.
  const client = { events: (...asked: [string]) => engineClient(optionsOf(url)).events(...asked) };
  const warn = (message: string): void => void warnings.push(message);
  url = await liveEngine(commands, {
    spans: { client, endpoint, prompts: false, on: 'http://engine', warn },
    ...worker,
  });
  const runs = engineRuns({ folder, on: url, namespace: NAMESPACE, commands, env });
  const exported = (id: string): OtlpSpan[] => spansOfRun(join(folder, '.statedsl'), id, false);
  return { runs, exported, warnings };
}

const optionsOf = (url: string) => ({ url, namespace: NAMESPACE, token: null, patienceMs: 0 });

const sorted = (spans: Iterable<OtlpSpan>): OtlpSpan[] => [...spans].sort((a, b) => (a.spanId < b.spanId ? -1 : 1));

test('a run that fails, is resumed, waits and returns is one trace, and each span comes once', async () => {
  const { url, spans, ids } = await receiver();
  let calls = 0;
  const flaky = (): string => {
    calls++;
    if (calls < 3) throw new Error('not now');
    return 'done';
  };
  const { runs, exported, warnings } = await tracedRuns(url, { flaky }, { TRACEPARENT: PARENT });
  const text = 'DO [retry=1]: x = flaky\nASK user: "Go on?" → ok\nRETURN: {ok} {x}\n';
  const started = value(await runs.start({ text }, { person: 'ann' }));
  const { run_id: id } = started.started;
  expect((await started.report).status).toBe('failed');
  await expect.poll(() => ids.length).toBeGreaterThan(0);
  const asked = value(await runs.resume(id, { person: 'tester' }));
  expect((await asked.report).status).toBe('suspended');
  value(await runs.answer(id, { ok: 'yes' }));
  await expect.poll(async () => value(await runs.inspect(id)).status).toBe('returned');
  await expect.poll(() => ids.length).toBe(exported(id).length);
  expect(new Set(ids).size).toBe(ids.length);
  // A run that fails ends its trace; what is resumed later is in it, too.
  expect(sorted(spans.values())).toEqual(sorted(exported(id)));
  const list = [...spans.values()];
  expect(new Set(list.map(({ traceId }) => traceId))).toEqual(new Set(['0af7651916cd43dd8448eb211c80319c']));
  expect(list.filter(({ name }) => name === 'function flaky').map(({ status }) => status.message)).toEqual([
    'not now',
    'not now',
    undefined,
  ]);
  expect(list.filter(({ name }) => name.startsWith('resume '))).toHaveLength(2);
  expect(list.filter(({ name }) => name === 'question ok')).toHaveLength(1);
  expect(warnings).toEqual([]);

  const replayed = value(await runs.replay(id, 2, { person: 'ann' }));
  const copy = replayed.started.run_id;
  await replayed.report;
  value(await runs.inspect(copy));
  const root = (): OtlpSpan | undefined =>
    [...spans.values()].find(({ traceId, links }) => traceId !== list[0]?.traceId && links?.[0]?.spanId === firstRoot);
  const firstRoot = list.find(({ parentSpanId }) => parentSpanId === 'b7ad6b7169203331')?.spanId;
  value(await runs.answer(copy, { ok: 'no' }));
  await expect.poll(root).toMatchObject({ links: [{ traceId: '0af7651916cd43dd8448eb211c80319c' }] });
  value(await runs.inspect(copy));
  const ofCopy = [...spans.values()].filter(({ traceId }) => traceId === root()?.traceId);
  expect(sorted(ofCopy)).toEqual(sorted(exported(copy)));
  expect(ofCopy.length).toBeGreaterThan(3);
});

test('a receiver that is dead holds up no run, and is said once', async () => {
  const { url, server } = await receiver();
  await new Promise((resolve) => server.close(resolve));
  const { runs, warnings, exported } = await tracedRuns(url, {});
  for (const text of ['RETURN: a\n', 'RETURN: b\n']) {
    const started = value(await runs.start({ text }, { person: 'ann' }));
    const { run_id: id } = started.started;
    expect((await started.report).status).toBe('returned');
    await expect.poll(() => warnings.length).toBe(1);
    value(await runs.inspect(id));
    expect(exported(id).length).toBe(2);
  }
  expect(warnings[0]).toMatch(
    /^2 spans were not sent to http:\S+\/v1\/traces \(connection refused\); `statedsl export otel \S+ --on http:\/\/engine` sends all of them$/,
  );
});

test('whoever began the trace may not want its spans', async () => {
  const { url, requests } = await receiver();
  const { runs } = await tracedRuns(url, {}, { TRACEPARENT: PARENT.replace(/01$/, '00') });
  const started = value(await runs.start({ text: 'RETURN: a\n' }, { person: 'ann' }));
  await started.report;
  const second = value(await runs.start({ text: 'RETURN: b\n' }, { person: 'ann' }));
  await second.report;
  expect(requests).toEqual([]);
});

const RUN = '01900000-0000-7000-8000-000000000009';

/** Executes a run whose turns are cut off there, and goes on with the next of these workers. */
async function cutOff(cut: Cut | null, urls: readonly (string | null)[]) {
  const text = 'DO: x = work\nASK user: "Go on?" → ok\nDO: y = work\nRETURN: {ok} {x}\n';
  const { machine } = compile(text, { name: 'test.dsl', commands: ['work'] });
  if (machine === null) throw new Error('it does not compile');
  const made = { runId: RUN, startedAt: new Date(0).toISOString(), redactor: null, fixed: fixedOptions(machine, {}) };
  const header = headerOf(machine, { cwd: '/', sources: [{ name: 'test.dsl', text }] }, made);
  const about: Submission = { header, inDoubt: 'retry', by: 'ann' };
  const world = {
    now: 1_700_000_000_000,
    ended: () => undefined,
    next: async (open: readonly OpenEntry[]) => open[0] as OpenEntry,
  };
  const problems: string[] = [];
  const hostOn = (url: string | null): TurnHost => {
    const endpoint = traceEndpoint({ OTEL_EXPORTER_OTLP_ENDPOINT: url ?? undefined }, undefined);
    const client = {
      events: async function* (runId: string) {
        yield await engine.call<EventLines>(runId, 'events', { from: 1 });
      },
    };
    const warn = (message: string): void => void problems.push(message);
    const spans = endpoint === null ? null : new WorkerSpans({ client, endpoint, prompts: false, on: '', warn });
    return {
      services: SERVICES,
      environment: {},
      submitters: null,
      functions: null,
      started: new StartedEffects(),
      program: async () => programOf(about),
      perform: async () => ({ outcome: { kind: 'value', value: 5 }, at: world.now + 10, printed: 0 }),
      newName: () => 'one',
      hasWorker: async () => false,
      ...(spans === null ? {} : { sendSpans: (turn, recorded) => spans.send(turn, recorded, header.settings) }),
    };
  };
  const [first, ...others] = urls.map(hostOn);
  const engine: ScriptedEngine = new ScriptedEngine(
    world,
    first as TurnHost,
    cut,
    () => others.shift() ?? (first as TurnHost),
  );
  await engine.call(RUN, 'submit', about);
  await engine.deliverAll();
  await engine.call(RUN, 'tell', [{ kind: 'answer', name: 'ok', value: 'yes', by: 'ann' }]);
  await engine.deliverAll();
  const { lines } = await engine.call<EventLines>(RUN, 'events', { from: 1 });
  const wanted: OtlpSpan[] = [];
  const spans = new RunSpans({
    runId: RUN,
    parent: null,
    origin: null,
    prompts: false,
    emit: (span) => wanted.push(span),
    forget: () => wanted.splice(0),
  });
  for (const line of lines) spans.take(readJournalLine(line) ?? expect.unreachable());
  return { engine, wanted, problems };
}

test('wherever a turn is cut off, another worker sends what is not sent yet, and the same', async () => {
  const whole = await receiver();
  const { engine, wanted } = await cutOff(null, [whole.url]);
  expect(whole.ids).toHaveLength(wanted.length);
  expect(engine.operations).toBeGreaterThan(10);
  for (let after = 0; after <= engine.operations; after++) {
    for (const during of [false, true]) {
      const got = await receiver();
      const other = await cutOff({ after, during }, [got.url, got.url]);
      const where = `after ${after} operations${during ? ' and an action' : ''}`;
      expect(sorted(got.spans.values()), where).toEqual(sorted(other.wanted));
      expect(other.problems, where).toEqual([]);
      // Only what was sent and is not on record comes again, with the same ids: the receiver has checked that.
      if (!during) expect(new Set(got.ids).size, where).toBe(got.ids.length);
    }
  }
});

test('a worker without a receiver goes on with the turn of one that has one', async () => {
  const whole = await receiver();
  const { engine } = await cutOff(null, [whole.url]);
  for (let after = 0; after <= engine.operations; after++) {
    const got = await receiver();
    for (const urls of [
      [got.url, null],
      [null, got.url],
    ]) {
      const { problems, engine: one } = await cutOff({ after, during: false }, urls);
      expect(problems).toEqual([]);
      expect(one.turns.at(-1)).toMatchObject({ end: 'stopped', report: { status: 'returned', returned: 'yes 5' } });
    }
  }
});

test('what workers perform gets the TRACEPARENT of its span, in each attempt, also after a resumption', async () => {
  const { url, ids } = await receiver();
  const seen: string[] = [];
  let calls = 0;
  const flaky = (): string => {
    if (calls++ < 2) throw new Error('not now');
    return 'done';
  };
  const functions = hostEffects({ commands: { flaky, fine: () => 'fine' } });
  const effects: Effects = {
    perform: (request, context) => {
      seen.push(context.traceparentOf?.(request.effect) ?? 'none');
      return functions.perform(request, context);
    },
  };
  const { runs, exported } = await tracedRuns(url, { flaky, fine: flaky }, { TRACEPARENT: PARENT }, { effects });
  const text = 'DO [retry=1]: flaky\nDO: in PARALLEL\n  - x = fine\n  - y = fine\nRETURN: {x}\n';
  const started = value(await runs.start({ text }, { person: 'ann' }));
  const { run_id: id } = started.started;
  expect((await started.report).status).toBe('failed');
  expect((await value(await runs.resume(id, { person: 'tester' })).report).status).toBe('returned');
  await expect.poll(async () => value(await runs.inspect(id)).status).toBe('returned');
  await expect.poll(() => ids.length).toBe(exported(id).length);
  const spans = exported(id).filter(({ attributes }) => attributes.some(({ key }) => key === 'statedsl.effect'));
  expect(new Set(seen).size).toBe(seen.length);
  expect([...seen].sort()).toEqual(spans.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`).sort());
  expect(seen[0]).toContain(PARENT.split('-')[1]);
});

test('what a turn hands over to the next one gets the TRACEPARENT of its span, too', async () => {
  const { url, ids } = await receiver();
  const seen: string[] = [];
  const functions = hostEffects({ commands: { fine: () => 'fine' } });
  const effects: Effects = {
    perform: (request, context) => {
      seen.push(context.traceparentOf?.(request.effect) ?? 'none');
      return functions.perform(request, context);
    },
  };
  const { runs, exported } = await tracedRuns(url, { fine: () => '' }, {}, { effects });
  const loop =
    'STATE: A\n  TRACK: n = 0\n  GOTO: B\nSTATE: B\n  IF: n >= 502 → RETURN: {n}\n  INCREMENT: n\n  DO: fine\n  GOTO: B\n';
  const started = value(await runs.start({ text: loop }, { person: 'ann' }));
  expect((await started.report).returned).toBe(502);
  await runs.inspect(started.started.run_id);
  const spans = exported(started.started.run_id).filter(({ name }) => name.includes('fine'));
  expect(seen).toEqual(spans.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`));
  await expect.poll(() => ids.length).toBeGreaterThan(1000);
});

test('a run that is not traced passes nothing on', async () => {
  const seen: unknown[] = [];
  const perform: Effects['perform'] = ({ effect }, { traceparentOf }) => {
    seen.push(traceparentOf?.(effect));
    return { kind: 'value', value: 'done' };
  };
  const on = await liveEngine({}, { effects: { perform } });
  const folder = mkdtempSync(join(tmpdir(), 'statedsl-spans-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const env of [{}, { TRACEPARENT: 'nonsense' }, { TRACEPARENT: PARENT.replace(/01$/, '00') }]) {
    const runs = engineRuns({ folder, on, namespace: NAMESPACE, env, commands: { fine: () => '' } });
    await value(await runs.start({ text: 'DO: fine\nRETURN: 1\n' }, { person: 'ann' })).report;
  }
  expect(seen).toEqual([
    undefined,
    undefined,
    expect.stringMatching(/^00-0af7651916cd43dd8448eb211c80319c-\w{16}-00$/),
  ]);
});
