/** Runs of a folder that something else executes, followed as if they were executed here. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { FollowOptions } from '../../src/app/execution-options.js';
import { openRuns } from '../../src/app/open-runs.js';
import type { Result } from '../../src/app/result.js';
import type { Runs } from '../../src/app/runs.js';
import type { RunEvent } from '../../src/interpreter/events/event.js';

function value<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(JSON.stringify(result.refusal));
  return result.value;
}

const commands = { paint: ([colour]: readonly string[]) => `painted ${colour}\n` };

function runsOfTwo(): { readonly executing: Runs; readonly following: Runs; readonly folder: string } {
  const folder = mkdtempSync(join(tmpdir(), 'statedsl-follow-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return { executing: openRuns({ folder, commands }), following: openRuns({ folder }), folder };
}

/** Leaves a question open until it is withdrawn, as a person does who has gone. */
const nobody = (_: unknown, signal: AbortSignal): Promise<null> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(null)));

async function followed(runs: Runs, run: string | null, options: FollowOptions = {}) {
  const types: string[] = [];
  const onEvent = (event: RunEvent): void => void types.push(event.type);
  const execution = value(await runs.follow(run, { ...options, onEvent }));
  return { types, started: execution.started, report: await execution.report };
}

const ASKS = `STATE: A
  TRACK: log = ""
  SET: log = "one, "
  ASK user: "Which colour?" → colour choices=red,blue default=blue
  SET: log = "{log}two"
  DO: x = paint {colour}
  RETURN: {log} {x}
`;

test('a run that has ended has the events and the report that it had', async () => {
  const { executing, following } = runsOfTwo();
  const plain = value(await executing.start({ text: 'DO: x = paint red\nRETURN: {x}\n' }));
  const report = await plain.report;
  const seen = await followed(following, null);
  expect(seen.report).toEqual({ ...report, title: 'stdin', duration_ms: seen.report.duration_ms });
  expect(seen.started).toEqual(plain.started);
  expect([seen.types[0], seen.types.at(-1)]).toEqual(['run_started', 'run_returned']);
  expect((await followed(following, null, { from: 3 })).types).toEqual(seen.types.slice(2));
});

test('a person who follows a run answers what it asks', async () => {
  const { executing, following } = runsOfTwo();
  const execution = value(await executing.start({ text: ASKS }, { ask: nobody, suspendAfterMs: null }));
  const asked: unknown[] = [];
  const { report, types } = await followed(following, execution.started.run_id, {
    person: 'ada',
    ask: async (question) => {
      asked.push(question);
      return 'red';
    },
  });
  expect(asked).toEqual([
    { name: 'colour', question: 'Which colour?', choices: ['red', 'blue'], default: 'blue', deadlineMs: null },
  ]);
  expect([report.status, report.returned]).toEqual(['returned', 'one, two painted red']);
  expect(types).toContain('answered');
  expect((await execution.report).returned).toBe('one, two painted red');
});

test('a question that is answered elsewhere is withdrawn', async () => {
  const { executing, following } = runsOfTwo();
  const execution = value(await executing.start({ text: ASKS }, { ask: nobody, suspendAfterMs: null }));
  const { run_id } = execution.started;
  let withdrawn = false;
  const { report } = await followed(following, run_id, {
    ask: async (question, signal) => {
      void following.answer(run_id, { colour: 'blue' });
      const answer = await nobody(question, signal);
      withdrawn = true;
      return answer;
    },
  });
  expect([report.returned, withdrawn]).toEqual(['one, two painted blue', true]);
});

test('a run is left alone by who follows it, and one that was left says what it waits for', async () => {
  const { executing, following } = runsOfTwo();
  const execution = value(await executing.start({ text: ASKS }, { ask: nobody, suspendAfterMs: null }));
  const { run_id } = execution.started;
  const leaving = new AbortController();
  const left = followed(following, run_id, { signal: leaving.signal });
  leaving.abort();
  expect((await left).report.status).toBe('interrupted');
  const open = await followed(following, run_id, { ask: async () => null });
  expect(open.report).toMatchObject({ status: 'suspended', waiting: [{ kind: 'ask', name: 'colour' }] });
  value(await following.answer(run_id, { colour: 'red' }));
  expect((await execution.report).status).toBe('returned');
});

test('a run that waits without a process ends the following', async () => {
  const { executing, following, folder } = runsOfTwo();
  const execution = value(await executing.start({ text: ASKS }));
  await execution.report;
  const { report } = await followed(following, null, { ask: async () => 'red' });
  expect(report).toMatchObject({ status: 'suspended', waiting: [{ name: 'colour' }] });
  expect((await following.follow('nothing')).ok).toBe(false);
  rmSync(join(folder, '.statedsl', 'runs', execution.started.run_id), { recursive: true });
  expect((await following.follow(execution.started.run_id)).ok).toBe(false);
});

test('a run that is removed while it is followed', async () => {
  const { executing, following, folder } = runsOfTwo();
  const stop = new AbortController();
  const execution = value(
    await executing.start({ text: ASKS }, { ask: nobody, suspendAfterMs: null, signal: stop.signal }),
  );
  const { run_id } = execution.started;
  const remove = (): void => rmSync(join(folder, '.statedsl', 'runs', run_id), { recursive: true, force: true });
  const seen = value(await following.follow(run_id, { onEvent: remove }));
  await expect(seen.report).rejects.toMatchObject({
    name: 'OperationRefused',
    message: `run \`${run_id}\` was removed`,
  });
  stop.abort();
  await execution.report.catch(() => undefined);
});
