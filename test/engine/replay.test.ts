/** A run of an engine is replayed from a point there: a new run, which takes over what came before. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openRuns } from '../../src/app/open-runs.js';
import type { Result } from '../../src/app/result.js';
import { engineClient } from '../../src/engine/client.js';
import type { Beginning, Submission } from '../../src/engine/messages.js';
import { engineRuns } from '../../src/engine/runs/engine-runs.js';
import { replayOn } from '../../src/engine/runs/replay-on-engine.js';
import { charactersOf } from '../../src/engine/stored-lines.js';
import type { CommandFunction } from '../../src/runtime/command-function.js';
import { newRunId } from '../../src/runtime/run/run-id.js';
import { longTest } from '../amount.js';
import { liveEngine, NAMESPACE } from './live-engine.js';

function value<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(JSON.stringify(result.refusal));
  return result.value;
}

const by = { person: 'ann' } as const;

async function runsOf(
  commands: Readonly<Record<string, CommandFunction>> = {},
  worker: Parameters<typeof liveEngine>[1] = {},
) {
  const folder = mkdtempSync(join(tmpdir(), 'statedsl-replay-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const on = await liveEngine(commands, worker);
  const runs = engineRuns({ folder, on, namespace: NAMESPACE, commands });
  const client = engineClient({ url: on, namespace: NAMESPACE, token: null, patienceMs: 300_000 });
  const store = join(folder, '.statedsl');
  const run = async (text: string, given = {}) => {
    const started = value(await runs.start({ text }, { ...by, ...given }));
    return { id: started.started.run_id, report: await started.report };
  };
  /** The lines that the engine has. */
  const linesOf = async (id: string): Promise<string[]> => {
    const lines: string[] = [];
    const seq = (await client.status(id))?.seq ?? 0;
    for await (const part of client.events(id)) {
      lines.push(...part.lines);
      if (lines.length >= seq) break;
    }
    return lines;
  };
  return { runs, folder, store, on, client, run, linesOf, here: openRuns({ folder }) };
}

const STATES = 'STATE: A\n  DO: x = first\n  GOTO: B with x\nSTATE: B\n  DO: y = second\n  RETURN: {x} {y}\n';
const B = { state: 'B', entry: 1 };

function seqOf(lines: readonly string[], part: string): number {
  const at = lines.findIndex((line) => line.includes(part));
  expect(at).toBeGreaterThan(0);
  return at + 1;
}

test('a run that returned is replayed from a state: what came before is taken over, the rest is executed', async () => {
  const called: string[] = [];
  const commands = {
    first: () => {
      called.push('first');
      return 'one';
    },
    second: () => `two${called.push('second')}`,
  };
  const { runs, run, linesOf, here, client, store, on } = await runsOf(commands);
  const { id, report } = await run(STATES);
  expect(report.returned).toBe('one two2');
  const shown: number[] = [];
  const onEvent = (_: unknown, position: { readonly seq: number }): void => void shown.push(position.seq);
  const replayed = value(await runs.replay(id, B, { ...by, onEvent }));
  const { run_id } = replayed.started;
  expect(run_id).not.toBe(id);
  expect(await replayed.report).toMatchObject({ run_id, status: 'returned', returned: 'one two3' });
  expect(called).toEqual(['first', 'second', 'second']);
  const [old, now] = [await linesOf(id), await linesOf(run_id)];
  const from = seqOf(old, '"state_entered","state":"B"');
  expect(now.slice(0, from - 1)).toEqual(old.slice(0, from - 1));
  expect(JSON.parse(now[from - 1] as string)).toMatchObject({
    ...{ seq: from, type: 'run_resumed', of: id, from, by: 'ann (unverified)' },
  });
  expect(shown).toEqual(now.slice(from - 1).map((_, at) => from + at));
  const about = await client.about(run_id);
  expect(about).toMatchObject({ by: 'ann (unverified)', header: { runId: run_id, settings: { replay_of: id } } });
  expect(about).not.toHaveProperty('beginning');
  // Its copy is one of the engine, and its record fits to its program.
  expect(value(await runs.compare(run_id)).status).toBe('same');
  expect(value(await here.inspect(run_id))).toMatchObject({ status: 'returned', effects: 2 });
  const { settings } = JSON.parse(readFileSync(join(store, 'runs', run_id, 'run.json'), 'utf8'));
  expect(settings).toMatchObject({ engine: on, replay_of: id });
  expect(value(await runs.list()).runs.map((one) => one.run_id)).toEqual([run_id, id]);
  // A replay of the replay, from its first event.
  const again = value(await runs.replay(run_id, 2, by));
  expect(await again.report).toMatchObject({ status: 'returned', returned: 'one two5' });
  expect(called.slice(3)).toEqual(['first', 'second']);
});

test('a failed run repeats the members that failed, and the results of the others stay', async () => {
  const called: string[] = [];
  const echo: CommandFunction = ([all]) => void called.push(String(all));
  const work: CommandFunction = ([item]) => {
    called.push(String(item));
    if (item === 'b' && called.length < 4) throw new Error('not now');
    return `${item}!`;
  };
  const { runs, run } = await runsOf({ work, echo });
  const text =
    'FOR EACH: i in ["a", "b", "c"] in PARALLEL [on_failure=keep]\n  DO: r = work {i}\nDO: echo {r}\nFAIL: {r}\n';
  const { id, report } = await run(text);
  expect([report.status, called.slice(0, 3).sort(), called.slice(3)]).toEqual([
    'failed',
    ['a', 'b', 'c'],
    ['["a!",null,"c!"]'],
  ]);
  const replayed = value(await runs.replay(id, 'failed', by));
  expect((await replayed.report).status).toBe('failed');
  expect(called.slice(4)).toEqual(['b', '["a!","b!","c!"]']);
  expect(value(await runs.compare(replayed.started.run_id)).status).toBe('same');
});

test('a run that waits for an answer is replayed, waits for its own, and the old one still waits', async () => {
  const called: string[] = [];
  const { runs, run, client } = await runsOf({ first: () => void called.push('first') });
  const { id } = await run('DO: first\nASK user: "Go on?" → ok\nRETURN: {ok}\n');
  const seq = (await client.status(id))?.seq ?? 0;
  const asked = value(await runs.replay(id, seq, by));
  const { run_id } = asked.started;
  expect(await asked.report).toMatchObject({ status: 'suspended', waiting: [{ name: 'ok' }] });
  expect(called).toEqual(['first']);
  value(await runs.answer(run_id, { ok: 'yes' }));
  expect(value(await runs.inspect(run_id))).toMatchObject({ status: 'returned', returned: 'yes' });
  expect(value(await runs.inspect(id)).status).toBe('suspended');
  expect(value(await runs.compare(run_id)).status).toBe('same');
});

test('a run that has ended is shown without its engine, as far as it was copied', async () => {
  const { runs, run, folder } = await runsOf({ first: () => 'one' });
  const { id } = await run('DO: x = first\nRETURN: {x}\n');
  const { id: waiting } = await run('ASK user: "Go on?" → ok\nRETURN: {ok}\n');
  for (const known of [id, waiting]) value(await runs.inspect(known));
  const asked: string[] = [];
  const without = engineRuns({ folder, on: 'http://127.0.0.1:1', namespace: NAMESPACE, patienceMs: 0 });
  expect(value(await without.inspect(id))).toMatchObject({ status: 'returned', returned: 'one' });
  expect(value(await without.inspect(id, 1))).toMatchObject({ seq: 1, returned: null });
  for (const read of ['verify', 'compare', 'report', 'program'] as const) {
    const result = read === 'report' ? await without.report({ run: id }) : await without[read](id);
    if (!result.ok) asked.push(`${read}: ${JSON.stringify(result.refusal)}`);
  }
  expect(asked).toEqual([]);
  for (const unknown of [waiting, null]) {
    const result = await without.inspect(unknown);
    expect(result).toMatchObject({ ok: false, refusal: { code: 'unreachable' } });
  }
});

test('other limits hold for the new run', async () => {
  const { runs, run } = await runsOf();
  const { id } = await run('STATE: A\n  GOTO: B\nSTATE: B\n  GOTO: C\nSTATE: C\n  RETURN: x\n');
  const replayed = value(await runs.replay(id, B, { ...by, limits: { transitions: 1 } }));
  expect((await replayed.report).error?.kind).toBe('limit');
  expect(value(await runs.compare(replayed.started.run_id)).status).toBe('same');
});

longTest('a long record is taken over in several parts', async () => {
  const { runs, run, client, linesOf, store } = await runsOf();
  const { id } = await run(
    `STATE: A\n  TRACK: n = 0\n  GOTO: L\nSTATE: L\n  IF: n >= 9000 → GOTO: B\n  INCREMENT: n\n  EMIT: ROUND text="${'x'.repeat(150)}"\n  GOTO: L\nSTATE: B\n  RETURN: {n}\n`,
    { limits: { transitions: 20_000 } },
  );
  const parts: number[] = [];
  const counting = {
    ...client,
    submit: async (submission: Submission, beginning?: Beginning) => {
      parts.push(...(beginning?.lines ?? []).map(charactersOf));
      await client.submit(submission, beginning);
    },
  };
  await runs.inspect(id);
  const { runId, seq } = await replayOn(counting, id, store, { from: B, person: 'ann' });
  expect([parts.length > 1, Math.max(...parts) < 3_000_000]).toEqual([true, true]);
  await expect.poll(async () => (await client.status(runId))?.status).toBe('returned');
  const [old, now] = [await linesOf(id), await linesOf(runId)];
  expect(now.slice(0, seq)).toEqual(old.slice(0, seq));
  expect(value(await runs.inspect(runId))).toMatchObject({ status: 'returned', returned: 9000 });
  expect(value(await runs.compare(runId)).status).toBe('same');
});

test('large values that come from before the point are values of the new run, and its artifacts', async () => {
  const large = 'x'.repeat(200_000);
  const { runs, run, linesOf, client, store } = await runsOf({ first: () => large, second: () => 'two' });
  const { id, report } = await run(STATES);
  const replayed = value(await runs.replay(id, B, by));
  const { run_id } = replayed.started;
  expect((await replayed.report).returned).toBe(report.returned);
  const name = /"artifact":"([0-9a-f]{64})"|"\$artifact":"([0-9a-f]{64})"/.exec((await linesOf(run_id)).join('\n'));
  expect(await client.artifact(run_id, name?.[1] ?? name?.[2] ?? '')).not.toBeNull();
  expect(value(await runs.compare(run_id)).status).toBe('same');
  expect(readdirSync(join(store, 'runs', run_id, 'artifacts'))).not.toEqual([]);
});

test('what cannot be replayed on the engine is refused, and nothing of it stays there', async () => {
  const { runs, run, client, store } = await runsOf({ first: () => 'x'.repeat(200_000), second: () => 'two' });
  const { id } = await run(STATES);
  const runId = newRunId();
  const refusals = [
    await runs.replay(id, { state: 'C', entry: 1 }, by),
    await runs.replay(id, B, { person: 'eve', runId }),
    await runs.replay(newRunId(), B, by),
  ];
  expect(refusals.map((one) => one.ok || [one.refusal.code, one.refusal.message])).toEqual([
    ['wrong-use', 'the run never entered `C`'],
    ['wrong-use', expect.stringContaining('execute no programs of eve')],
    ['unknown', expect.stringContaining('there is no run')],
  ]);
  const other = value(await runs.start({ text: 'RETURN: x\n' }, by));
  await other.report;
  const edited = await runs.replay(id, B, { ...by, program: { text: 'RETURN: x\n' } });
  expect(edited.ok || edited.refusal.code).toBe('wrong-use');
  expect(await client.status(runId)).toBeNull();
  // The artifacts that were stored before the refusal.
  for (const name of readdirSync(join(store, 'runs', id, 'artifacts')))
    expect(await client.artifact(runId, name)).toBeNull();
  const [name = ''] = readdirSync(join(store, 'runs', id, 'artifacts'));
  const content = await client.artifact(id, name);
  await expect(client.store(runId, { name, content: content ?? { text: '' } })).rejects.toThrow('there is no run');
  const hidden = { ...client, about: async (key: string) => ({ ...(await client.about(key)), variables: { t: 'T' } }) };
  await expect(replayOn(hidden as typeof client, id, store, { from: B })).rejects.toThrow('has secret inputs');
  const huge = {
    ...client,
    about: async (key: string) => ({ ...(await client.about(key)), inDoubt: 'x'.repeat(17 * 1024 * 1024) }),
  };
  const tooLarge = await replayOn(huge as unknown as typeof client, id, store, { from: B }).catch((one) => one);
  expect([tooLarge.message, tooLarge.help]).toEqual([
    expect.stringContaining('an engine gets at most 16 MiB'),
    expect.stringContaining('--on none'),
  ]);
});

test('a beginning is of the program that is submitted, and submitting it twice is one run', async () => {
  const called: string[] = [];
  const commands = { first: () => 'one', second: () => `two${called.push('second')}` };
  const { runs, run, client, linesOf, store } = await runsOf(commands);
  const { id } = await run(STATES);
  const sent: [Submission, Beginning][] = [];
  const keeping = {
    ...client,
    submit: async (submission: Submission, beginning?: Beginning) => {
      sent.push([submission, beginning as Beginning]);
      await client.submit(submission, beginning);
    },
  };
  await runs.inspect(id);
  const { runId } = await replayOn(keeping, id, store, { from: B, person: 'ann' });
  for await (const { status } of client.events(runId)) if (status === 'returned') break;
  const [submission, beginning] = sent[0] as [Submission, Beginning];
  const before = await linesOf(runId);
  await client.submit(submission, beginning);
  expect([await linesOf(runId), called.length]).toEqual([before, 2]);
  const another = newRunId();
  const foreign = { ...submission, header: { ...submission.header, runId: another } };
  const image = { ...beginning.image, digest: '0'.repeat(64) };
  await expect(client.submit(foreign, { ...beginning, image })).rejects.toThrow('another program than its own');
  const format = { ...beginning.image, snapshot: { version: 0 } };
  await expect(client.submit(foreign, { ...beginning, image: format })).rejects.toThrow('has format 0');
  expect(await client.status(another)).toBeNull();
});

test('a replay that no worker of the home may execute fails at once', async () => {
  const commands = { first: () => 'a', second: () => 'b' };
  const { runs, folder, run, linesOf } = await runsOf(commands, { submitters: ['ann'], knows: async () => true });
  writeFileSync(join(folder, 'statedsl.config.yaml'), 'engine: {home: lab}\n');
  const { id, report } = await run(STATES);
  expect(report.returned).toBe('a b');
  const refused = value(await runs.replay(id, B, { person: 'bob' }));
  const { status, error, effects } = await refused.report;
  expect([status, error?.message, effects]).toEqual([
    'failed',
    `run \`${refused.started.run_id}\` is by bob (unverified), who may not execute programs`,
    1,
  ]);
  expect(value(await runs.inspect(refused.started.run_id))).toMatchObject({
    status: 'failed',
    state: 'A',
    effects: 1,
    error: { kind: 'refused' },
  });
  expect(value(await runs.compare(refused.started.run_id))).toMatchObject({ status: 'same' });
  const resumed = value(await runs.resume(refused.started.run_id, by));
  expect(await resumed.report).toMatchObject({ status: 'failed', error: { kind: 'refused' } });
  expect((await linesOf(refused.started.run_id)).at(-2)).toContain('"run_resumed","by":"ann (unverified)","from":6,');
  expect(value(await runs.compare(refused.started.run_id))).toMatchObject({ status: 'same' });
});
