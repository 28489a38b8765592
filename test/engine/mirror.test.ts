/** The folder of a run that was executed on an engine: it is read like any other. */
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { programOf } from '../../src/engine/effect-outputs.js';
import type { ArtifactContent, Submission } from '../../src/engine/messages.js';
import { mirrorRun, type RunSource } from '../../src/engine/mirror.js';
import type { EventLines } from '../../src/engine/run-journal.js';
import type { RunState } from '../../src/engine/run-readers.js';
import { StartedEffects } from '../../src/engine/started-effects.js';
import { compile } from '../../src/language/check/compile.js';
import type { Json } from '../../src/machine/expression.js';
import { checkDrift } from '../../src/runtime/run/again/replay-run.js';
import { headerOf } from '../../src/runtime/run/header.js';
import { fixedOptions } from '../../src/runtime/run/run-options.js';
import { openStoredRun, readIndex } from '../../src/runtime/store/stored-run.js';
import { type OpenEntry, ScriptedEngine, SERVICES } from './scripted-engine.js';

const RUN = '01900000-0000-7000-8000-000000000002';
const URL = { url: 'http://127.0.0.1:8080', namespace: 'statedsl' };

let directory = '';
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'statedsl-mirror-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

async function waitingRun(value: Json = 5): Promise<ScriptedEngine> {
  const text = 'DO: x = work\nASK user: "Go on?" → ok\nRETURN: {ok} {x}\n';
  const { machine } = compile(text, { name: 'test.dsl', commands: ['work'] });
  if (machine === null) throw new Error('it does not compile');
  const made = { runId: RUN, startedAt: new Date(0).toISOString(), redactor: null, fixed: fixedOptions(machine, {}) };
  const header = headerOf(machine, { cwd: directory, sources: [{ name: 'test.dsl', text }] }, made);
  const submission: Submission = { header, inDoubt: 'fail', by: 'ann' };
  const world = {
    now: 1000,
    ended: () => undefined,
    next: async (open: readonly OpenEntry[]) => open[0] as OpenEntry,
  };
  const engine: ScriptedEngine = new ScriptedEngine(world, {
    services: SERVICES,
    environment: {},
    submitters: null,
    functions: null,
    started: new StartedEffects(),
    program: async () => programOf(await engine.call<Submission>(RUN, 'about', null)),
    perform: async () => ({ outcome: { kind: 'value', value }, at: 2000, printed: 0 }),
    newName: () => 'one',
    hasWorker: async () => false,
  });
  await engine.call(RUN, 'submit', submission);
  await engine.deliverAll();
  return engine;
}

/** The engine as its client has it. `asked`: the numbers of the first events that were fetched. */
function sourceOf(engine: ScriptedEngine, asked: number[] = []): RunSource {
  return {
    about: (runId) => engine.call<Submission | null>(runId, 'about', null),
    status: (runId) => engine.call<RunState | null>(runId, 'status', null),
    artifact: (runId, name) => engine.call<ArtifactContent | null>(runId, 'artifact', name),
    async *events(runId, from = 1) {
      asked.push(from);
      yield await engine.call<EventLines>(runId, 'events', { from });
    },
  };
}

test('its lines are those of the engine, it replays, and the index has it', async () => {
  const engine = await waitingRun();
  const asked: number[] = [];
  const path = await mirrorRun(sourceOf(engine, asked), URL, RUN, directory);
  const journal = () => readFileSync(join(path, 'journal.ndjson'), 'utf8');
  const first = journal();
  expect(readIndex(directory).get(RUN)).toMatchObject({
    status: 'suspended',
    effects: 1,
    started_at: '1970-01-01T00:00:00.000Z',
  });
  expect(openStoredRun(directory, RUN).about).toMatchObject({ settings: { engine: URL.url }, sources: ['test.dsl'] });
  await engine.call(RUN, 'tell', [{ kind: 'answer', name: 'ok', value: 'yes', by: 'ann' }]);
  await engine.deliverAll();
  // As after a crash while a line was written.
  appendFileSync(join(path, 'journal.ndjson'), '{"seq":99,"torn');
  await mirrorRun(sourceOf(engine, asked), URL, RUN, directory);
  await mirrorRun(sourceOf(engine, asked), URL, RUN, directory);
  const { lines } = await engine.call<EventLines>(RUN, 'events', {});
  expect(journal()).toBe(lines.map((line) => `${line}\n`).join(''));
  // Only what was missing was fetched.
  expect(asked).toEqual([1, first.split('\n').length]);
  expect(lines[0]).toContain('"by":"ann (unverified)"');
  expect(await checkDrift(RUN, { dir: directory })).toMatchObject({ difference: null, events: lines.length });
  expect(readIndex(directory).get(RUN)?.status).toBe('returned');
});

test('a run that the engine does not have is refused, and leaves nothing', async () => {
  const source = sourceOf(await waitingRun());
  await expect(mirrorRun(source, URL, '01900000-0000-7000-8000-000000000003', directory)).rejects.toThrow(
    `there is no run \`01900000-0000-7000-8000-000000000003\` on the engine at \`${URL.url}\``,
  );
  expect(readIndex(directory).size).toBe(0);
});

test('values that are too large for a line come along as artifacts', async () => {
  const engine = await waitingRun('x'.repeat(100_000));
  const path = await mirrorRun(sourceOf(engine), URL, RUN, directory);
  expect(readFileSync(join(path, 'journal.ndjson'), 'utf8').length).toBeLessThan(10_000);
  expect(readdirSync(join(path, 'artifacts'))).toHaveLength(1);
  // What is missing of an earlier copy comes, too.
  rmSync(join(path, 'artifacts'), { recursive: true });
  await mirrorRun(sourceOf(engine), URL, RUN, directory);
  expect(readdirSync(join(path, 'artifacts'))).toHaveLength(1);
  expect(await checkDrift(RUN, { dir: directory })).toMatchObject({ difference: null });
});
