/** Runs that another process executes, followed from this one. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openRuns } from '../../src/app/open-runs.js';
import type { Result } from '../../src/app/result.js';
import type { OutputStream, Runs } from '../../src/app/runs.js';
import { ended, type ProjectFolder, projectFolder, type Started } from '../cli/statedsl.js';

function unwrap<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(JSON.stringify(result.refusal));
  return result.value;
}

/** Starts a program in a process; gives the id of its run. */
async function startRun(
  one: ProjectFolder,
  more: { readonly env?: Record<string, string> } = {},
): Promise<[Started, string, Runs]> {
  const started = one.start(['run', 'p.dsl', '--suspend-after', 'never', '--quiet'], more.env);
  const runs = openRuns({ folder: one.folder });
  for (;;) {
    const [run] = unwrap(await runs.list()).runs;
    if (run !== undefined && (await runs.inspect(run.run_id)).ok) return [started, run.run_id, runs];
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Waits until a command was requested, and gives the name of its effect. */
async function requested(runs: Runs, id: string): Promise<string> {
  for await (const event of unwrap(await runs.events(id)))
    if (event.type === 'effect_requested') return (event as unknown as { effect: string }).effect;
  throw new Error('no effect was requested');
}

/** Reads a stream; calls `onText` with all of it whenever there is more. */
async function readAll(stream: OutputStream, onText: (text: string) => void = () => undefined): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of stream) {
    pieces.push(piece);
    onText(Buffer.concat(pieces).toString('utf8'));
  }
  return Buffer.concat(pieces).toString('utf8');
}

const WAITS = 'while [ ! -e go ]; do sleep 0.05; done';

test('output is read while its command runs, with secrets replaced', async () => {
  const program = `DO: echo "first $API_TOKEN"; echo problem >&2; ${WAITS}; echo second; echo again >&2\n`;
  const one = projectFolder({ 'p.dsl': program });
  const [running, id, runs] = await startRun(one, { env: { API_TOKEN: 'ab12cd34ef56' } });
  const effect = await requested(runs, id);
  const stderr = unwrap(await runs.output(id, effect, { stream: 'stderr' }));
  const errors = readAll(stderr);
  const stdout = unwrap(await runs.output(id, effect));
  expect(stdout.complete).toBe(false);
  let seen = '';
  const text = await readAll(stdout, (now) => {
    if (seen === '' && now.includes('\n')) {
      seen = now;
      writeFileSync(join(one.folder, 'go'), '');
    }
  });
  expect(seen).toBe('first ***\n');
  expect(text).toBe('first ***\nsecond\n');
  expect(stdout.end).toEqual({ reason: 'over' });
  expect(await errors).toBe('problem\nagain\n');
  expect((await ended(running)).code).toBe(0);
  const late = unwrap(await runs.output(id, effect, { from: 6 }));
  expect([late.complete, late.bytes]).toEqual([true, 17]);
  expect(await readAll(late)).toBe('***\nsecond\n');
});

test('large output is read while it is written, and becomes an artifact', async () => {
  const one = projectFolder({ 'p.dsl': `DO: head -c 300000 /dev/zero | tr '\\0' x; ${WAITS}; echo end\n` });
  const [running, id, runs] = await startRun(one);
  const effect = await requested(runs, id);
  let isWaiting = true;
  const text = await readAll(unwrap(await runs.output(id, effect, { from: 100_000 })), (now) => {
    if (isWaiting && now.length === 200_000) writeFileSync(join(one.folder, 'go'), '');
    isWaiting &&= now.length < 200_000;
  });
  expect(text).toBe(`${'x'.repeat(200_000)}end\n`);
  expect((await ended(running)).code).toBe(0);
});

test('a stream of output ends when its process is killed, and nothing of it stays when the run is resumed', async () => {
  const one = projectFolder({ 'p.dsl': `DO: echo first; ${WAITS}; echo second\n` });
  const [running, id, runs] = await startRun(one);
  const effect = await requested(runs, id);
  const stream = unwrap(await runs.output(id, effect));
  const text = await readAll(stream, () => running.kill('SIGKILL'));
  expect([text, stream.end?.reason]).toEqual(['first\n', 'caught-up']);
  await ended(running);
  writeFileSync(join(one.folder, 'go'), '');
  expect((await one.runProcess(['resume', id, '--quiet'])).code).toBe(0);
  expect(await readAll(unwrap(await runs.output(id, effect)))).toBe('first\nsecond\n');
});

test('events are followed across a suspension and a resume by another process', async () => {
  const one = projectFolder({ 'p.dsl': 'ASK user: "Which?" → what\nDO: echo {what}\n' });
  expect((await one.runProcess(['run', 'p.dsl', '--quiet'])).code).toBe(75);
  const runs = openRuns({ folder: one.folder });
  const [run] = unwrap(await runs.list()).runs;
  const id = run?.run_id as string;
  const aborting = new AbortController();
  const types: string[] = [];
  let answering: Promise<unknown> | null = null;
  for await (const { type } of unwrap(await runs.events(id, 0, aborting.signal))) {
    types.push(type);
    if (type === 'run_suspended') answering = one.runProcess(['answer', id, 'what=tea', '--quiet']);
    if (type === 'run_returned') aborting.abort();
  }
  await answering;
  expect(types.slice(-6)).toEqual([
    'run_suspended',
    'run_resumed',
    'answered',
    'effect_requested',
    'effect_settled',
    'run_returned',
  ]);
});

test('of two answers to a running run, one counts and the other is a conflict', async () => {
  const one = projectFolder({
    'p.dsl': `DO: both in PARALLEL:\n  - ASK user: "Which?" → what\n  - x = ${WAITS}; echo done\nRETURN: {what}\n`,
  });
  const [running, id, runs] = await startRun(one);
  await requested(runs, id);
  const results = await Promise.all([runs.answer(id, { what: 'tea' }), runs.answer(id, { what: 'coffee' })]);
  expect(results.map((result) => (result.ok ? result.value.delivery : result.refusal.code)).sort()).toEqual([
    'conflict',
    'passed-on',
  ]);
  writeFileSync(join(one.folder, 'go'), '');
  expect((await ended(running)).code).toBe(0);
});
