/** Deliveries to a run that has not been executed since the one before: each keeps its place in the record. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { compile, type Delivery, openRuns, run } from '../../src/index.js';
import { checkDrift } from '../../src/runtime/run/again/replay-run.js';
import { recordDelivery, resume } from '../../src/runtime/run/again/resume-run.js';
import { deliver } from '../../src/runtime/store/inbox.js';

const PROGRAM = `STATE: A
  WAIT: signal go
  DO: did {go}
  WAIT: signal other
  ASK user: "One?" → one
  RETURN: {one}
`;
const signal = (name: string, payload = name): Delivery => ({ kind: 'signal', name, payload, by: 'ann' });

async function suspended(program = PROGRAM, inputs: Readonly<Record<string, string>> = {}) {
  const dir = mkdtempSync(join(tmpdir(), 'statedsl-later-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const done: string[] = [];
  const commands = { did: ([word = '']: readonly string[]) => void done.push(word) };
  const { machine, diagnostics } = compile(program, { name: 'later', commands: ['did'] });
  if (machine === null) throw new Error(JSON.stringify(diagnostics));
  const { run_id } = await run(machine, { dir, commands, inputs, suspendAfterMs: 0 });
  const options = { dir, commands, suspendAfterMs: 0 };
  return { id: run_id, dir, options, done };
}

test.each([
  ['one after the other', [[signal('go')], [signal('other')]]],
  ['together', [[signal('go'), signal('other')]]],
])('two signals %s, before the run is resumed', async (_, deliveries) => {
  const { id, dir, options, done } = await suspended();
  for (const together of deliveries) await recordDelivery(id, together, { dir });
  expect(done).toEqual([]);
  expect(await resume(id, options)).toMatchObject({ status: 'suspended', waiting: [{ kind: 'ask', name: 'one' }] });
  expect(done).toEqual(['go']);
  expect((await checkDrift(id, { dir })).difference).toBeNull();
  const answers: Delivery[] = [{ kind: 'answer', name: 'one', value: 1, by: 'ann' }];
  expect(await resume(id, { ...options, deliveries: answers })).toMatchObject({ status: 'returned', returned: '1' });
  expect((await checkDrift(id, { dir })).difference).toBeNull();
});

test('a signal before the run is resumed, and one with which it is resumed', async () => {
  const { id, dir, options, done } = await suspended();
  await recordDelivery(id, signal('go', 'first'), { dir });
  const report = await resume(id, { ...options, deliveries: [signal('other')] });
  expect(report).toMatchObject({ status: 'suspended', waiting: [{ kind: 'ask', name: 'one' }] });
  expect(done).toEqual(['first']);
  expect((await checkDrift(id, { dir })).difference).toBeNull();
});

test('a question that the record does not have yet cannot be answered', async () => {
  const { id, dir } = await suspended();
  await recordDelivery(id, signal('go'), { dir });
  const answers: Delivery[] = [{ kind: 'answer', name: 'one', value: 1, by: 'ann' }];
  await expect(recordDelivery(id, answers, { dir })).rejects.toThrow(/does not ask for `one`/);
});

const THREE = `STATE: A
  WAIT: signal go
  DO: did {go}
  WAIT: signal go
  DO: did {go}
  WAIT: signal go
  DO: did {go}
  RETURN: "done"
`;

test('what waits in the inbox comes before what is sent later, however it is sent', async () => {
  const { id, dir, options, done } = await suspended(THREE);
  await recordDelivery(id, [signal('go', 'first'), signal('go', 'second')], { dir });
  const report = await resume(id, { ...options, deliveries: [signal('go', 'third')] });
  expect(report).toMatchObject({ status: 'returned' });
  expect(done).toEqual(['first', 'second', 'third']);
  expect((await checkDrift(id, { dir })).difference).toBeNull();
});

const QUESTION = `STATE: A
  DO: in PARALLEL:
    - ASK user: "One?" → one
    - WAIT: signal go
  DO: did {go}
  RETURN: {one}
`;
const answer = (value: string): Delivery => ({ kind: 'answer', name: 'one', value, by: 'ann' });

test('what no run can be sent is refused before anything happens, whichever way it comes', async () => {
  const { id, dir, options } = await suspended(QUESTION);
  const wrong = signal('not a name!');
  const refused = { kind: 'wrong-use', message: '`not a name!` cannot be the name of a signal' };
  const ways = [
    (sent: readonly Delivery[]) => recordDelivery(id, sent, { dir }),
    (sent: readonly Delivery[]) => resume(id, { ...options, deliveries: sent }),
  ];
  for (const send of ways) {
    await expect(send([wrong])).rejects.toMatchObject(refused);
    await expect(send([answer('yes'), wrong])).rejects.toMatchObject(refused);
  }
  await expect(recordDelivery(id, [], { dir })).rejects.toThrow('there is no answer');
  expect(await openRuns({ dir }).answer(id, {})).toMatchObject({
    ok: false,
    refusal: { message: expect.stringContaining('there is no answer') },
  });
  // None of the answers was delivered.
  await recordDelivery(id, answer('no'), { dir });
});

test('a question with an answer in the inbox is neither answered again nor asked', async () => {
  const { id, dir, options } = await suspended(QUESTION);
  await recordDelivery(id, [answer('yes'), signal('go')], { dir });
  await expect(recordDelivery(id, answer('no'), { dir })).rejects.toThrow(/`one` already has an answer/);
  await expect(resume(id, { ...options, deliveries: [answer('no')] })).rejects.toThrow(/already has an answer/);
  let asked = 0;
  const ask = async () => {
    asked++;
    return 'no';
  };
  expect(await resume(id, { ...options, ask })).toMatchObject({ status: 'returned', returned: 'yes' });
  expect(asked).toBe(0);
});

test('an answer that was late is not there again without the checkpoint', async () => {
  const { id, dir, options } = await suspended(`STATE: A
  WAIT: signal go
  ASK user: "One?" → one
  RETURN: {one}
`);
  deliver(join(dir, 'runs', id), [answer('late'), signal('go')], null);
  const waits = { status: 'suspended', waiting: [{ kind: 'ask', name: 'one' }] };
  expect(await resume(id, options)).toMatchObject(waits);
  rmSync(join(dir, 'runs', id, 'checkpoint.json'), { force: true });
  await recordDelivery(id, answer('mine'), { dir });
  expect(await resume(id, options)).toMatchObject({ status: 'returned', returned: 'mine' });
});

test('what a run is resumed with does not go through the inbox, where secrets are replaced', async () => {
  const inputs = { key: 'hunter2hunter2' };
  const program = `INPUT: key (secret)
STATE: A
  WAIT: signal go
  WAIT: signal go
  DO: did {go}
  RETURN: "done"
`;
  const { id, dir, options, done } = await suspended(program, inputs);
  await recordDelivery(id, signal('go', 'first'), { dir, inputs });
  const deliveries = [signal('go', 'use hunter2hunter2')];
  expect(await resume(id, { ...options, inputs, deliveries })).toMatchObject({ status: 'returned' });
  expect(done).toEqual(['use hunter2hunter2']);
  expect(readFileSync(join(dir, 'runs', id, 'journal.ndjson'), 'utf8')).not.toContain('hunter2');
});

test('what a run is resumed with is not lost when it is interrupted before it waits', async () => {
  const { id, dir, options, done } = await suspended();
  await recordDelivery(id, signal('go'), { dir });
  const stopper = new AbortController();
  const commands = {
    did: ([word = '']: readonly string[]) => {
      done.push(word);
      stopper.abort();
    },
  };
  const stopped = { ...options, commands, signal: stopper.signal, deliveries: [signal('other')] };
  expect(await resume(id, stopped)).toMatchObject({ status: 'interrupted' });
  expect(await resume(id, options)).toMatchObject({ status: 'suspended', waiting: [{ kind: 'ask', name: 'one' }] });
  expect(done.at(0)).toBe('go');
  expect((await checkDrift(id, { dir })).difference).toBeNull();
});

test('the time until something is delivered does not count, whether a checkpoint or a delivery comes before it', async () => {
  const { id, dir, options } = await suspended(
    'LIMIT: time=1m\nDO: in PARALLEL\n  ASK user: "One?" → one\n  ASK user: "Two?" → two\nRETURN: {one}\n',
  );
  onTestFinished(() => void vi.useRealTimers());
  for (const [hours, name] of ['one', 'two'].entries()) {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + (hours + 1) * 3_600_000 });
    await recordDelivery(id, { kind: 'answer', name, value: 'yes', by: 'ann' }, { dir });
  }
  const report = await resume(id, options);
  expect(report).toMatchObject({ status: 'returned', returned: 'yes' });
  expect(report.duration_ms).toBeLessThan(60_000);
  const runs = openRuns({ dir });
  const events = readFileSync(join(dir, 'runs', id, 'journal.ndjson'), 'utf8').split('\n').length - 1;
  for (const at of [null, events]) {
    const shown = await runs.inspect(id, at);
    expect(shown.ok && shown.value.duration_ms).toBeLessThan(60_000);
  }
  const reported = await runs.report({ run: id });
  expect(reported.ok && reported.value.runs[0]?.duration_ms).toBeLessThan(60_000);
});
