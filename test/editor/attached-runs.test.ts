/** A debugger that attaches to a run changes nothing of it, however often, and lets it go on. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { RemoteSession } from '../../src/editor/dap/attached.js';
import { letDebuggerIn } from '../../src/editor/dap/debug-adapter.js';
import { openRuns, run as runInLibrary, unwrap } from '../../src/index.js';
import type { RunEvent } from '../../src/interpreter/events/event.js';
import { compile } from '../../src/language/check/compile.js';
import { newRunId } from '../../src/runtime/run/run-id.js';
import type { RunReport } from '../../src/runtime/run/run-report.js';
import { run } from '../../src/runtime/run/start-run.js';
import { tries } from '../amount.js';
import { projectFolder } from '../cli/statedsl.js';
import { type Debugging, debugging } from './debug-client.js';

const ROUNDS = `INPUT: rounds = 400
STATE: A
  TRACK: n = 0
  SET: n = n + 1
  WAIT: 10ms
  IF: n < rounds → GOTO: A
  RETURN: {n}
`;
const FILES = { 'rounds.dsl': ROUNDS };

/** More rounds than any test waits for: the run is still there when the debugger asks, however busy the machine is. */
const ENDLESS = 1_000_000;

interface LiveProcess {
  readonly id: string;
  readonly report: Promise<RunReport>;
  readonly events: RunEvent[];
}

/** A run that is executed as the command line would. */
function executedIn(
  folder: string,
  inputs: object = {},
  text = ROUNDS,
  answers = true,
  dir = `${folder}/.statedsl`,
): Promise<LiveProcess> {
  const { machine, sources } = compile(text, { name: 'rounds.dsl', commands: ['wait'] });
  if (machine === null) throw new Error('the program has errors');
  const events: RunEvent[] = [];
  return new Promise((resolve, reject) => {
    const report = run(machine, {
      ...{ dir, inputs: inputs as never, sources, cwd: folder },
      commands: { wait: () => new Promise((done) => setTimeout(() => done(''), 10)) },
      onEvent: (event) => void events.push(event),
      onStart: ({ runId }) => resolve({ id: runId, report, events }),
      ...(answers
        ? { onDebugger: (asked, live) => letDebuggerIn(asked, live, { environment: process.env, folder }) }
        : {}),
    });
    report.catch(reject);
  });
}

const attach = (one: Debugging, id: string, lines: readonly (number | object)[] = [], more: object = {}) =>
  one.launch({ run: id, ...more }, { 'rounds.dsl': lines }, undefined, 'attach');

/** Events without what time makes of them. */
const plainEvents = (events: readonly RunEvent[]) =>
  events.map((event) =>
    JSON.parse(
      JSON.stringify(event, (key, value) => (key === 'duration_ms' || (value as number) > 1e12 ? 'time' : value)),
    ),
  );

test('a debugger attaches, stops, looks, goes back, changes a value, and leaves', async () => {
  const one = await debugging(FILES);
  const live = await executedIn(one.folder);
  await attach(one, live.id, [4]);
  const stopped = await one.stop();
  expect(stopped).toMatchObject({ reason: 'breakpoint', stack: ['A:4'] });
  const n = Number(stopped?.scopes.Tracked?.n);
  expect(stopped?.scopes.Inputs).toEqual({ rounds: '400' });
  expect(await one.moves('next', 'next', 'stepBack')).toEqual(['step A:5', 'step A:6', 'step A:5']);
  expect(await one.moves('stepBack', 'next', 'next')).toEqual(['step A:4', 'step A:5', 'step A:6']);
  const { result } = await one.ask('evaluate', { expression: 'n * 2', context: 'watch' });
  expect(Number(result)).toBe(2 * (n + 1));
  await one.ask('evaluate', { expression: 'SET: n = 399', context: 'repl' });
  await one.breakpoints('rounds.dsl', []);
  await one.disconnect();
  expect(await live.report).toMatchObject({ status: 'returned', returned: 400 });
  expect(live.events.find(({ type }) => type === 'variable_changed')).toMatchObject({ by: 'debugger' });
});

test('effects wait for a person, and go on when the debugger leaves', async () => {
  const one = await debugging(FILES);
  const live = await executedIn(one.folder, { rounds: 60 }, ROUNDS.replace('WAIT: 10ms', 'DO: wait'));
  await attach(one, live.id, [], { stopBeforeEffects: 'all' });
  expect(await one.stop()).toMatchObject({ reason: 'pause', stack: ['A:5'] });
  await one.ask('statedsl/effect', { action: 'answer', value: 'by hand' });
  expect(await one.stop()).toMatchObject({ reason: 'pause', stack: ['A:5'] });
  await one.disconnect();
  expect(await live.report).toMatchObject({ status: 'returned', returned: 60 });
  const byHand = live.events.filter((event) => event.type === 'effect_settled' && 'by' in event.outcome);
  expect(byHand).toHaveLength(1);
});

test('the past of a run that another process executes is looked at only, and the run goes on', async () => {
  const one = await debugging(FILES);
  const live = await executedIn(one.folder, { rounds: 60 });
  await attach(one, live.id, [6]);
  await one.stop();
  const past = await one.move('stepBack');
  expect(past?.stack).toEqual(['A:5']);
  const why = 'the run is executed by another process: open it with `launch` to change its past';
  expect(await one.refusal('evaluate', { expression: 'SET: n = 3', context: 'repl' })).toBe(why);
  expect(await one.refusal('restartFrame', { frameId: past?.frameId })).toBe(why);
  await one.disconnect();
  expect(await live.report).toMatchObject({ status: 'returned', returned: 60 });
});

test('the session ends with the run', async () => {
  const one = await debugging(FILES);
  const live = await executedIn(one.folder, { rounds: 60 });
  await attach(one, live.id);
  expect(await one.stop()).toBeNull();
  expect(one.events.find(({ event }) => event === 'exited')?.body).toEqual({ exitCode: 0 });
  expect(await live.report).toMatchObject({ returned: 60 });
});

test('a run is reached where the path of its folder has more bytes than a socket may, and fewer characters', async () => {
  const one = await debugging(FILES);
  const parent = mkdtempSync('/tmp/s-');
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
  // As long as a path may be in characters; in bytes it is longer by these.
  const dir = `${parent}/${'ü'.repeat(99 - `${parent}//runs/${newRunId()}/debugger.sock`.length)}`;
  const live = await executedIn(one.folder, {}, ROUNDS, true, dir);
  await attach(one, live.id, [6], { dir });
  expect(await one.stop()).toMatchObject({ reason: 'breakpoint', stack: ['A:6'] });
  await one.ask('evaluate', { expression: 'SET: n = 400', context: 'repl' });
  await one.leave();
  expect(await live.report).toMatchObject({ returned: 400 });
});

describe('messages of the session in the other process', () => {
  const session = () => {
    const socket = new PassThrough();
    const messages: Record<string, unknown>[] = [];
    new RemoteSession(
      socket as never,
      (message) => void messages.push(message),
      () => undefined,
    );
    return { socket, messages };
  };
  const framed = (message: object): Buffer => {
    const text = Buffer.from(JSON.stringify(message));
    return Buffer.concat([Buffer.from(`Content-Length: ${text.length}\r\n\r\n`), text]);
  };

  test('are found wherever the stream is cut', async () => {
    const all = Buffer.concat([framed({ a: 'ü' }), framed({}), framed({ b: [1] })]);
    for (const size of [1, 2, 7, all.length]) {
      const { socket, messages } = session();
      for (let at = 0; at < all.length; at += size) socket.write(all.subarray(at, at + size));
      socket.end();
      await once(socket, 'close');
      expect(messages).toEqual([{ a: 'ü' }, {}, { b: [1] }]);
    }
  });

  test('are joined once if they are long: copied again with each part, this one takes minutes', () => {
    const { socket, messages } = session();
    const text = 'x'.repeat(30_000_000);
    const all = framed({ text });
    for (let at = 0; at < all.length; at += 500) socket.emit('data', all.subarray(at, at + 500));
    expect(messages.map((one) => (one.text as string).length)).toEqual([text.length]);
  });

  test.each(['Content-Length: 3\r\n\r\n{a}', 'hello\r\n\r\n'])('end the session if they are none: %j', async (text) => {
    const { socket, messages } = session();
    socket.write(text);
    await once(socket, 'close');
    expect([messages, socket.destroyed]).toEqual([[], true]);
  });
});

test('a second debugger is refused by the name of the first', async () => {
  const first = await debugging(FILES);
  const live = await executedIn(first.folder);
  await attach(first, live.id, [6]);
  await first.stop();
  const second = await debugging(FILES);
  const why = await second.refusal('attach', { run: live.id, dir: `${first.folder}/.statedsl` });
  expect(why).toBe(`the run is debugged already by another editor (process ${process.pid})`);
  await first.ask('evaluate', { expression: 'SET: n = 400', context: 'repl' });
  await first.leave();
  expect(await live.report).toMatchObject({ returned: 400 });
});

test('a debugger that asked before it listens is let in', async () => {
  const folder = mkdtempSync(join(tmpdir(), 's-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const socket = join(folder, 's');
  letDebuggerIn(JSON.stringify({ pid: process.pid, by: 'it', socket }), {} as never);
  // The first attempt has failed then.
  await new Promise((done) => setTimeout(done, 10));
  const server = createServer().listen(socket);
  const [reached] = await once(server, 'connection');
  reached.destroy();
  server.close();
  expect(reached.destroyed).toBe(true);
});

test('a process that does not answer is followed in its record', async () => {
  const one = await debugging(FILES);
  const live = await executedIn(one.folder, { rounds: 60 }, ROUNDS, false);
  await attach(one, live.id);
  expect(await one.stop()).toMatchObject({ reason: 'entry' });
  await live.report;
});

test('attached, used and detached often: the events are those without a debugger', async () => {
  const times = tries(4, 500);
  const rounds = 50 * times;
  const folder = await debugging(FILES);
  const live = await executedIn(folder.folder, { rounds });
  for (let time = 0; time < times; time++) {
    const one = await debugging(FILES);
    const dir = `${folder.folder}/.statedsl`;
    await one.launch({ run: live.id, dir }, {}, () => breakAt(one, folder, [6]), 'attach');
    const stopped = await one.stop();
    if (stopped?.reason === 'entry') {
      // The machine is so busy that the process did not answer in time.
      await one.disconnect();
      time--;
      continue;
    }
    expect(stopped).toMatchObject({ reason: 'breakpoint' });
    expect((await one.move(time % 2 === 0 ? 'next' : 'stepIn'))?.reason).toBe('step');
    if (time % 3 === 0) await one.leave();
    else await one.disconnect();
  }
  const { returned } = await live.report;
  expect(returned).toBe(rounds);
  const other = await executedIn(folder.folder, { rounds });
  await other.report;
  expect(plainEvents(live.events)).toEqual(plainEvents(other.events));
});

/** Attaches, stops, steps, makes the round the last one, and leaves the run alone. */
async function attachAndLeave(folder: string, id: string): Promise<void> {
  const one = await debugging(FILES);
  const source = { path: (name: string) => `${folder}/${name}` };
  await one.launch({ run: id, dir: `${folder}/.statedsl` }, {}, () => breakAt(one, source, [4]), 'attach');
  expect(await one.stop()).toMatchObject({ reason: 'breakpoint', stack: ['A:4'] });
  expect(await one.moves('next', 'stepBack', 'next')).toEqual(['step A:5', 'step A:4', 'step A:5']);
  expect(await one.moves('next', 'stepBack', 'next')).toEqual(['step A:6', 'step A:5', 'step A:6']);
  await one.ask('evaluate', { expression: `SET: n = ${ENDLESS}`, context: 'repl' });
  await one.disconnect();
}

const ENDED = { status: 'returned', returned: ENDLESS };

test('runs that the library starts, resumes and executes again are attached to', async () => {
  const { folder } = projectFolder(FILES);
  const runs = openRuns({ folder });
  const stop = new AbortController();
  const inputs = { rounds: ENDLESS };
  const first = unwrap(await runs.start('rounds.dsl', { inputs, signal: stop.signal }));
  stop.abort();
  expect(await first.report).toMatchObject({ status: 'interrupted' });
  const begin = [
    () => runs.start('rounds.dsl', { inputs }),
    () => runs.resume(first.started.run_id),
    () => runs.replay(first.started.run_id, { state: 'A', entry: 1 }),
  ];
  for (const one of begin) {
    const { started, report } = unwrap(await one());
    await attachAndLeave(folder, started.run_id);
    expect(await report).toMatchObject(ENDED);
  }
  const { machine, sources } = compile(ROUNDS, { name: 'rounds.dsl' });
  if (machine === null) throw new Error('the program has errors');
  const dir = `${folder}/.statedsl`;
  const absolute = sources.map(({ name, text }) => ({ name: `${folder}/${name}`, text }));
  for (const given of [sources, absolute]) {
    let report: Promise<RunReport> | null = null;
    const id = await new Promise<string>((resolve) => {
      const onStart = ({ runId }: { runId: string }): void => resolve(runId);
      report = runInLibrary(machine as never, { dir, inputs, sources: given, cwd: folder, onStart });
    });
    await attachAndLeave(folder, id);
    expect(await report).toMatchObject(ENDED);
  }
});

const breakAt = (one: Debugging, owner: Pick<Debugging, 'path'>, lines: readonly number[]) =>
  one.ask('setBreakpoints', {
    source: { path: owner.path('rounds.dsl') },
    breakpoints: lines.map((line) => ({ line })),
  });
