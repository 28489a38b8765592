/** A run can be looked at after each of its events, and what is shown is what the events before it say. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { compile } from '../../src/language/check/compile.js';
import { inspectRun } from '../../src/runtime/inspect-run.js';
import { resume } from '../../src/runtime/run/again/resume-run.js';
import type { RunOptions } from '../../src/runtime/run/run-options.js';
import { earlierCheckpoints } from '../../src/runtime/store/checkpoint.js';
import { longTest } from '../amount.js';
import { runKept } from './running.js';

const PROGRAMS: Readonly<Record<string, { readonly text: string; readonly options?: RunOptions }>> = {
  loop: { text: 'STATE: A\n  TRACK: n\n  INCREMENT: n\n  IF: n < 5 → GOTO: A\n  RETURN: {n}' },
  parallel: {
    text: `STATE: A
  TRACK: n = 1
  DO: FOR EACH x in [1, 2, 3] in PARALLEL [max=2]:
    CHECK: got = echo {x}
  DO: false
  RETURN
  ON ERROR: → SET: n = 2, GOTO: B with why={error}
STATE: B
  IF: why == "nothing" → RETURN
  RETURN: {why}`,
  },
  question: { text: 'STATE: A\n  DO: x = echo 1\n  ASK user: "Go on?" → ok choices=yes,no\n  RETURN: {ok}' },
  failure: { text: 'STATE: A\n  TRACK: n = 1\n  DO [retry=1]: exit 3\n  RETURN' },
  nothing: { text: 'STATE: A\n  TRACK: n = null\n  TRACK: m\n  SET: n = 1\n  SET: m = n\n  RETURN: {m}' },
  limit: { text: 'STATE: A\n  TRACK: n\n  INCREMENT: n\n  GOTO: A', options: { limits: { transitions: 3 } } },
  secret: {
    text: 'INPUT: key = "sesame" (secret)\nSTATE: A\n  TRACK: k = {key}\n  DO: x = echo "got {key}"\n  RETURN: {x}',
  },
};

async function kept(name: string) {
  const { text, options = {} } = PROGRAMS[name] as (typeof PROGRAMS)[string];
  const { machine, diagnostics } = compile(text);
  if (machine === null) throw new Error(JSON.stringify(diagnostics));
  const ran = await runKept(machine, options);
  return { ...ran, store: dirname(dirname(ran.folder)), id: basename(ran.folder) };
}

describe.each(Object.keys(PROGRAMS))('%s', (name) => {
  test('at its end it is what the run reported', async () => {
    const { report, events, store, id, folder } = await kept(name);
    const { run, recent } = inspectRun(store, id, null);
    const { duration_ms: _, ...rest } = report;
    expect(run).toMatchObject(rest);
    expect(run).toMatchObject({ seq: events.length, last_seq: events.length });
    expect(run.values).toEqual(JSON.parse(readFileSync(join(folder, 'state.json'), 'utf8')));
    expect(recent.map(({ event }) => event)).toEqual(events.slice(-10));
  });

  test('after each event it is what the events up to there say', async () => {
    const { events, store, id } = await kept(name);
    const tracked: Record<string, unknown> = {};
    const states: string[] = [];
    for (const [at, event] of events.entries()) {
      if (event.type === 'tracked_set') tracked[event.name] = event.value;
      if (event.type === 'state_entered') states.push(event.state);
      const { run } = inspectRun(store, id, at + 1);
      expect(run.seq).toBe(at + 1);
      expect(run.states).toEqual(states);
      expect(run.tracked).toEqual(tracked);
      const ends = ['run_returned', 'run_failed', 'run_suspended'].includes(event.type);
      expect(run.status === 'running').toBe(!ends);
    }
  });
});

test('of the states of a long loop the last 1,000 are kept, at its end and before', async () => {
  const text = 'STATE: A\n  TRACK: n\n  INCREMENT: n\n  IF: n < 1200 → GOTO: B\n  RETURN: {n}\nSTATE: B\n  GOTO: A';
  const { machine } = compile(text);
  const { report, events, folder } = await runKept(machine as NonNullable<typeof machine>);
  const entered = events.flatMap((event) => (event.type === 'state_entered' ? [event.state] : []));
  expect(report).toMatchObject({ states: entered.slice(-1000), states_total: entered.length });
  const at = events.length - 1001;
  const before = events.slice(0, at).flatMap((event) => (event.type === 'state_entered' ? [event.state] : []));
  const { run } = inspectRun(dirname(dirname(folder)), basename(folder), at);
  expect(run).toMatchObject({ states: before.slice(-1000), states_total: before.length, state: before.at(-1) });
});

test('secrets are shown as they are recorded', async () => {
  const { store, id } = await kept('secret');
  const { run } = inspectRun(store, id, 5);
  expect(JSON.stringify(run)).not.toContain('sesame');
  expect(run).toMatchObject({
    inputs: { key: '***' },
    tracked: { k: '***' },
    values: { 'input.key': '***', 'track.k': '***' },
  });
});

test('what a state has bound is shown, and entry values with it', async () => {
  const { store, id, events } = await kept('parallel');
  expect(inspectRun(store, id, null).run.bound).toEqual({ why: 'exit 1' });
  const settled = events.findLastIndex(({ type }) => type === 'effect_settled');
  expect(inspectRun(store, id, settled).run.bound).toEqual({ got: [1, 2, 3] });
});

test('an event that is not there, and damage before the event that is shown, are refused', async () => {
  const { store, id, folder, events } = await kept('loop');
  expect(() => inspectRun(store, id, events.length + 1)).toThrow(`the run has no event ${events.length + 1}`);
  const path = join(folder, 'journal.ndjson');
  const lines = readFileSync(path, 'utf8').split('\n');
  const offset = lines.slice(0, 4).join('\n').length + 1;
  lines[4] = lines[4]?.replace('"seq":5', '"seq":6') as string;
  writeFileSync(path, lines.join('\n'));
  expect(() => inspectRun(store, id, null)).toThrow(`event 5, which begins at byte ${offset},`);
  expect(() => inspectRun(store, id, 5)).toThrow(`event 5, which begins at byte ${offset},`);
  expect(inspectRun(store, id, 4).run.seq).toBe(4);
});

longTest('a run with checkpoints is shown as without them, after any event', async () => {
  const { machine } = compile(`LIMIT: transitions=1000000
STATE: A
  TRACK: n = 0
  TRACK: list = []
  INCREMENT: n
  IF: n % 50 == 0 → SET: list = list + [n]
  IF: n < 9000 → GOTO: B
  CHECK: x = echo 5
  IF: n < 9050 → GOTO: B
  RETURN: {n}
STATE: B
  IF: n > 0 → GOTO: A`);
  if (machine === null) throw new Error('the program is wrong');
  const { events, folder } = await runKept(machine, { limits: { transitions: 18_010 } });
  const { dir, run_id } = { dir: dirname(dirname(folder)), run_id: basename(folder) };
  const ended = await resume(run_id, { dir, limits: { transitions: 1_000_000 } });
  expect([events.at(-1)?.type, ended.status]).toEqual(['run_failed', 'returned']);
  const { last_seq } = inspectRun(dir, run_id, null).run;
  const kept = earlierCheckpoints(folder).length;
  expect(kept).toBeGreaterThan(1);
  const points = Array.from({ length: 9 }, (_, at) => last_seq - Math.floor(at ** 3 * 40));
  const shown = points.map((at) => inspectRun(dir, run_id, at));
  rmSync(join(folder, 'checkpoints'), { recursive: true });
  rmSync(join(folder, 'checkpoint.json'));
  expect(points.map((at) => inspectRun(dir, run_id, at))).toEqual(shown);
});
