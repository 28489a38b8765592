/** The process of a worker: programs are read once, effects share what their run uses, and secrets stay here. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { programOf } from '../../src/engine/effect-outputs.js';
import type { ArtifactContent, Doing, Submission } from '../../src/engine/messages.js';
import { RecentlyUsed } from '../../src/engine/recently-used.js';
import { END_ONLY, EXECUTE, type ProgramNeeds, ProgramRefused } from '../../src/engine/turn-host.js';
import { bytesOfArtifact } from '../../src/engine/turn-record.js';
import { WorkerFolders } from '../../src/engine/worker-folders.js';
import { type WorkerHost, workerHost } from '../../src/engine/worker-host.js';
import type { Outcome } from '../../src/interpreter/events/event.js';
import { compile } from '../../src/language/check/compile.js';
import type { Effects, PerformedRequest, RunResources } from '../../src/runtime/effect-context.js';
import { outputSink } from '../../src/runtime/process/output.js';
import { artifactPath } from '../../src/runtime/process/scratch.js';
import { headerOf } from '../../src/runtime/run/header.js';
import { fixedOptions } from '../../src/runtime/run/run-options.js';
import { LazySignal } from '../../src/runtime/stop-signal.js';
import { artifactName } from '../../src/runtime/store/artifacts.js';
import { longTest } from '../amount.js';
import { SERVICES } from './scripted-engine.js';

const RUN = '01900000-0000-7000-8000-000000000004';

function submission(): Submission {
  const { machine } = compile('RETURN\n', { name: 'test.dsl' });
  if (machine === null) throw new Error('it does not compile');
  const made = {
    runId: RUN,
    startedAt: new Date(0).toISOString(),
    redactor: null,
    fixed: fixedOptions(machine, {}),
  };
  return { header: headerOf(machine, {}, made), inDoubt: 'fail', by: 'ann' };
}

const request = { kind: 'uuid', effect: '1', attempt: 1, delayMs: 0 } as const;
const context = { stopping: new LazySignal(), outputLimit: 100, onExceeded: () => undefined };

test('outcomes have no secrets, and say how much was printed', async () => {
  const used: RunResources[] = [];
  let closed = 0;
  let asked = 0;
  const host = workerHost({
    knows: async () => false,
    services: SERVICES,
    client: {
      about: async () => {
        asked++;
        return asked > 2 ? null : submission();
      },
      store: async () => undefined,
      artifact: async () => null,
    },
    cwd: '/work',
    secrets: [{ name: 'TOKEN', value: 'geheim' }],
    environment: {},
    effects: {
      perform: async (_, { resources, cwd, runId }) => {
        used.push(resources);
        if (used.length === 1) resources.onEnd(async () => void closed++);
        resources.outputs.use.bytes += 43;
        const stdout = { text: `geheim ${cwd} ${runId}`, bytes: 40 };
        return { kind: 'exited', exit: 0, stdout, stderr: 'oh!', duration_ms: 1 };
      },
    },
  });
  const program = await host.program(RUN);
  expect(await host.program(RUN)).toBe(program);
  expect(asked).toBe(1);
  const { outcome, printed } = await host.perform(RUN, program, request, context);
  await host.perform(RUN, program, request, context);
  expect(outcome).toMatchObject({ stdout: { text: `*** /work ${RUN}` } });
  expect([printed, used[0] === used[1], used[0]?.outputs.use.limit]).toEqual([43, true, 143]);
  await host.close();
  expect(closed).toBe(1);
  await host.program('another');
  await expect(host.program('removed')).rejects.toThrow('run `removed` was removed');
});

test('effects that print more than their run may are stopped, and what was not kept counts, too', async () => {
  let stopped = 0;
  const host = workerHost({
    knows: async () => false,
    services: SERVICES,
    client: { about: async () => submission(), store: async () => undefined, artifact: async () => null },
    cwd: tmpdir(),
    secrets: [],
    environment: {},
    effects: {
      perform: async (_, { resources }) => {
        const sink = outputSink(resources.outputs, null);
        for (let at = 0; at < 3; at++) sink.write(Buffer.from('x'.repeat(40)));
        return { kind: 'exited', exit: 0, stdout: await sink.finish(false), stderr: '', duration_ms: 1 };
      },
    },
  });
  const bounds = { ...context, onExceeded: () => void stopped++ };
  const { outcome, printed } = await host.perform(RUN, programOf(submission()), request, bounds);
  expect([outcome.kind === 'exited' && outcome.stdout.bytes, printed, stopped]).toEqual([80, 120, 1]);
  // The limit of the run was raised meanwhile.
  const next = await host.perform(RUN, programOf(submission()), request, { ...bounds, outputLimit: 1000 });
  expect([next.printed, stopped]).toEqual([120, 1]);
  await host.close();
});

test('an effect whose working directory cannot be made is not started', async () => {
  const host = workerHost({
    knows: async () => false,
    services: SERVICES,
    client: { about: async () => submission(), store: async () => undefined, artifact: async () => null },
    cwd: '/work',
    // Not a folder.
    shared: import.meta.filename,
    secrets: [],
    environment: {},
    effects: { perform: () => expect.unreachable() },
  });
  const { outcome } = await host.perform(RUN, programOf(submission()), request, context);
  expect(outcome).toMatchObject({ kind: 'not-started', reason: expect.stringContaining('cannot be made: ENOTDIR') });
  await host.close();
});

longTest(
  'large outputs are stored on the engine before their outcomes, without secrets, and fetched where they are read',
  async () => {
    const stored = new Map<string, ArtifactContent>();
    let fetched = 0;
    const newHost = (perform: Effects['perform']): WorkerHost =>
      workerHost({
        knows: async () => false,
        services: SERVICES,
        client: {
          about: async () => submission(),
          store: async (_, { name, content }) => void stored.set(name, content),
          artifact: async (_, name) => {
            fetched++;
            return stored.get(name) ?? null;
          },
        },
        cwd: tmpdir(),
        secrets: [{ name: 'TOKEN', value: 'geheim' }],
        environment: {},
        effects: { perform },
      });
    const print = async (text: string, needsText: boolean): Promise<Outcome> => {
      const host = newHost(async (_, { resources }) => {
        const sink = outputSink(resources.outputs, null);
        for (let from = 0; from < text.length; from += 1_000_000)
          sink.write(Buffer.from(text.slice(from, from + 1_000_000)));
        return { kind: 'exited', exit: 0, stdout: await sink.finish(needsText), stderr: '', duration_ms: 1 };
      });
      const { outcome } = await host.perform(RUN, programOf(submission()), request, { ...context, outputLimit: 1e9 });
      await host.close();
      return outcome;
    };
    const long = 'geheim '.repeat(20_000);
    const first = await print(long, true);
    const clean = long.replaceAll('geheim', '***');
    const name = artifactName(clean);
    expect(first).toMatchObject({ stdout: { text: clean, artifact: name } });
    expect(stored.get(name)).toEqual({ text: clean });
    // A value that is larger than an image of the run may have.
    const large = 'x'.repeat(5_000_000);
    expect(await print(large, true)).toMatchObject({ stdout: { artifact: artifactName(large), unbound: true } });
    // More than an engine stores of one output.
    const huge = 'y'.repeat(17_000_000);
    const beginning = huge.slice(0, 16 * 1024 * 1024);
    expect(await print(huge, false)).toMatchObject({
      stdout: { artifact: artifactName(beginning), bytes: huge.length, cut: true },
    });
    // The next command of a pipe, on another machine.
    let read = '';
    const host = newHost(async (_, { resources }) => {
      read = readFileSync(artifactPath(resources.outputs, name), 'utf8');
      return { kind: 'value', value: 'z'.repeat(5_000_000) };
    });
    const piped = { ...request, kind: 'argv', stdin: { artifact: name, bytes: 1 } } as unknown as PerformedRequest;
    const { outcome } = await host.perform(RUN, programOf(submission()), piped, context);
    expect([read, fetched, outcome]).toMatchObject([clean, 1, { kind: 'failed', error_type: 'value_too_large' }]);
    await host.close();
  },
);

longTest('workers with a folder in common have large outputs there, however large they are', async () => {
  const shared = mkdtempSync(join(tmpdir(), 'statedsl-shared-'));
  const newHost = (perform: Effects['perform']): WorkerHost =>
    workerHost({
      knows: async () => false,
      services: SERVICES,
      client: {
        about: async () => submission(),
        store: () => expect.unreachable(),
        artifact: () => expect.unreachable(),
      },
      cwd: tmpdir(),
      shared,
      secrets: [],
      environment: {},
      effects: { perform },
    });
  const text = 'y'.repeat(17_000_000);
  const name = artifactName(text);
  const first = newHost(async (_, { resources }) => {
    const sink = outputSink(resources.outputs, null);
    sink.write(Buffer.from(text));
    return { kind: 'exited', exit: 0, stdout: await sink.finish(false), stderr: '', duration_ms: 1 };
  });
  const program = programOf(submission());
  const printed = await first.perform(RUN, program, request, { ...context, outputLimit: 1e9 });
  expect(printed.outcome).toMatchObject({ stdout: { artifact: name, bytes: text.length } });
  expect(printed.outcome).not.toMatchObject({ stdout: { cut: true } });
  expect(readFileSync(join(shared, 'artifacts', name), 'utf8')).toBe(text);
  // What a client asks for.
  let read = '';
  for (let from: number | undefined = 0; from !== undefined; ) {
    const part: ArtifactContent | null = first.shared?.read(RUN, name, from) ?? expect.unreachable();
    read += bytesOfArtifact(part).toString();
    from = 'next' in part ? part.next : undefined;
  }
  expect([artifactName(read), first.shared?.read(RUN, '../artifacts', 0)]).toEqual([name, null]);
  await first.close();
  let size = 0;
  const second = newHost(async (_, { resources }) => {
    size = readFileSync(artifactPath(resources.outputs, name)).length;
    return { kind: 'value', value: 1 };
  });
  const piped = { ...request, kind: 'argv', stdin: { artifact: name, bytes: 1 } } as unknown as PerformedRequest;
  await second.perform(RUN, program, piped, context);
  expect(size).toBe(text.length);
  await second.close();
  // Another run has the same output. The last one that is removed takes it along, and nothing else.
  const other = '01900000-0000-7000-8000-00000000000f';
  const kept = join(shared, 'artifacts', name);
  second.shared?.put(other, name, kept);
  writeFileSync(join(shared, 'runs', other, 'mine.txt'), 'mine');
  second.shared?.drop(RUN);
  second.shared?.drop('../../x');
  expect([existsSync(kept), second.shared?.read(other, name, 0) === null]).toEqual([true, false]);
  second.shared?.drop(other);
  expect([existsSync(kept), existsSync(join(shared, 'runs', other, 'mine.txt'))]).toEqual([false, true]);
});

/** A host of a worker that has the variable `TOKEN`, if that is given. */
function hostWith(about: Submission, token: string | null, functions: string | null = null): WorkerHost {
  return workerHost({
    knows: async () => false,
    services: SERVICES,
    client: {
      about: async (id) => ({ ...about, header: { ...about.header, runId: id } }),
      store: async () => undefined,
      artifact: async () => null,
    },
    cwd: '/work',
    secrets: [],
    environment: token === null ? {} : { TOKEN: token },
    submitters: ['ann'],
    functions,
    effects: { perform: async () => ({ kind: 'value', value: 'geheim' }) },
  });
}

test('an outcome has no secrets, however many programs were read since its turn began', async () => {
  const host = hostWith({ ...submission(), variables: { token: 'TOKEN' } }, 'geheim');
  const program = await host.program(RUN);
  for (let other = 0; other < 1001; other++) await host.program(`other ${other}`);
  const { outcome } = await host.perform(RUN, program, request, context);
  expect(outcome).toEqual({ kind: 'value', value: '***' });
  await host.close();
});

test('what was used last is kept, as long as it is not too large together', () => {
  const recent = new RecentlyUsed<number>(10);
  for (const [at, size] of [4, 4, 2].entries()) recent.set(`${at}`, at, size);
  expect(recent.get('0')).toBe(0);
  recent.set('3', 3, 1);
  expect(['0', '1', '2', '3'].map((key) => recent.get(key))).toEqual([0, undefined, 2, 3]);
  recent.set('3', 4, 50);
  expect(['0', '2', '3'].map((key) => recent.get(key))).toEqual([undefined, undefined, 4]);
  recent.delete('3');
  recent.set('4', 5, 10);
  expect([recent.get('3'), recent.get('4')]).toEqual([undefined, 5]);
});

test('a program that another version has accepted is refused, and a person learns why', async () => {
  const warned: string[] = [];
  const said: Doing[] = [];
  const one = submission();
  const { header } = one;
  const hostOf = (more: object): WorkerHost =>
    workerHost({
      ...{ knows: async () => false, services: SERVICES, cwd: '/work', secrets: [], environment: {} },
      client: {
        about: async () => ({ ...one, home: 'lab', header: { ...header, ...more } }),
        store: async () => undefined,
        artifact: async () => null,
        note: async (_, doing) => void said.push(doing),
      },
      effects: { perform: async () => ({ kind: 'value', value: 1 }) },
      address: () => 'http://here',
      warn: (message) => void warned.push(message),
    });
  const reasonOf = (more: object): Promise<unknown> =>
    hostOf(more)
      .program(RUN, END_ONLY)
      .catch((cause) => cause);
  const machine = { ...header.machine, version: 99 };
  expect(await reasonOf({ machine, version: '9.9' })).toMatchObject({
    message: expect.stringContaining('compiled by statedsl 9.9, which writes format 99'),
    unreadableOf: 'lab',
  });
  expect(await reasonOf({ digest: '0' })).toMatchObject({ message: expect.stringContaining('the digest of') });
  expect(await reasonOf({})).toMatchObject({ home: 'lab' });
  const host = hostOf({});
  for (const turn of [1, 1, 2]) host.noteRefusal?.({ runId: RUN, turn, invocation: 'inv_1' }, 'it does not fit');
  expect(warned).toEqual(['it does not fit']);
  const doing = { worker: 'http://here', invocation: 'inv_1', waits: [], refused: 'it does not fit' };
  expect(said).toMatchObject([1, 1, 2].map((turn) => ({ ...doing, turn })));
  expect(said[0]?.since).toBe(said[1]?.since);
});

test('a program is refused for what is missing, but only where that is needed', async () => {
  const refusal = async (about: Submission, host: WorkerHost, needs?: ProgramNeeds) => {
    const cause = await host.program(RUN, needs).then(
      () => null,
      (failure: unknown) => failure,
    );
    if (cause === null) return null;
    expect(cause).toBeInstanceOf(ProgramRefused);
    const { message, isFinal } = cause as ProgramRefused;
    expect(isFinal).toBe(about.home !== undefined && !message.includes('functions'));
    return message.replace(`run \`${RUN}\` `, '');
  };
  for (const home of [undefined, 'here']) {
    const placed = { ...submission(), ...(home === undefined ? {} : { home }) };
    const byEve = { ...placed, by: 'eve' };
    expect(await refusal(byEve, hostWith(byEve, null))).toBe('is by eve, who may not execute programs');
    const secret = { ...placed, variables: { token: 'TOKEN' } };
    expect(await refusal(secret, hostWith(secret, null))).toMatch(/^needs the variable `TOKEN`/);
    expect(await refusal(secret, hostWith(secret, null), { ...EXECUTE, secrets: false })).toBeNull();
    const withFunctions = { ...placed, functions: 'a' };
    expect(await refusal(withFunctions, hostWith(withFunctions, null, 'b'))).toMatch(/^needs the functions of another/);
    expect(await refusal(withFunctions, hostWith(withFunctions, null, 'a'))).toBeNull();
    expect(await refusal({ ...byEve, functions: 'a' }, hostWith(byEve, null), END_ONLY)).toBeNull();
  }
});

test('what a later process has to know of a run is in a folder of the worker, until the engine no longer has the run', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'statedsl-folders-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const folders = new WorkerFolders(directory, 'this engine');
  const seen: { folder: string | undefined; again: unknown; resources: RunResources }[] = [];
  const agent = { kind: 'agent', effect: '1', attempt: 1, agent: 'one', prompt: 'go' } as unknown as PerformedRequest;
  const hostOf = (home: string | undefined) =>
    workerHost({
      knows: async () => false,
      services: SERVICES,
      client: {
        about: async () => ({ ...submission(), ...(home === undefined ? {} : { home }) }),
        store: async () => undefined,
        artifact: async () => null,
      },
      cwd: '/work',
      secrets: [],
      environment: {},
      folders,
      shared: home === undefined ? null : directory,
      effects: {
        perform: async (asked, { program, resources }) => {
          const { again } = asked as { again?: boolean };
          seen.push({ folder: resources.runFolder?.(), again, resources });
          expect(program).toBe('test');
          if (seen.length === 4) throw new Error('the process dies');
          return { kind: 'exited', exit: 0, stdout: { text: '', bytes: 0 }, stderr: '', duration_ms: 1 };
        },
      },
    });
  for (const home of [undefined, 'lab']) {
    const host = hostOf(home);
    for (let call = 0; call < 3; call++)
      await host.perform(RUN, await host.program(RUN), agent, context).catch(() => undefined);
    await host.close();
  }
  const folder = join(directory, 'worker-runs', RUN);
  expect(seen.map((one) => [one.folder, one.again])).toEqual([
    [folder, undefined],
    [folder, undefined],
    [folder, undefined],
    [folder, undefined],
    [folder, true],
    [folder, undefined],
  ]);
  expect(seen[0]?.resources).toBe(seen[1]?.resources);
  await new WorkerFolders(directory, 'another engine').removeGone(async () => true);
  await folders.removeGone(async () => false);
  expect(existsSync(folder)).toBe(true);
  await folders.removeGone(async (runId) => runId === RUN);
  expect(existsSync(folder)).toBe(false);
  await new WorkerFolders(join(directory, 'absent'), '').removeGone(async () => true);
});

test('an effect with a label works in the directory of its worker, if the worktree of the run is elsewhere', async () => {
  const seen: string[] = [];
  const host = workerHost({
    knows: async () => false,
    services: SERVICES,
    client: {
      about: async () => ({ ...submission(), home: 'lab', worktree: {} }),
      store: async () => undefined,
      artifact: async () => null,
    },
    cwd: '/work',
    secrets: [],
    environment: {},
    effects: {
      perform: async (_, { cwd }) => {
        seen.push(cwd);
        return { kind: 'value', value: null };
      },
    },
  });
  const program = await host.program(RUN);
  await host.perform(RUN, { ...program, isRouted: true }, request, context);
  await expect(host.perform(RUN, program, request, context)).rejects.toThrow('is not on this worker');
  expect(seen).toEqual(['/work']);
  await host.close();
});
