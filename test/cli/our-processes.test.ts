/** Only processes of a run are stopped, and all of them: tool servers, agents and what they started included. */
import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test, vi } from 'vitest';
import { isRecord } from '../../src/runtime/process/leftovers.js';
import { type SeenProcess, targets } from '../../src/runtime/process/marked.js';
import { killGroup, processStat, stopGroup, stopProcess, thisOrigin } from '../../src/runtime/process/process-group.js';
import { cancelStored } from '../../src/runtime/run/cancel.js';
import { type Started, start } from '../harness/process.js';
import { until } from '../harness/until.js';
import { processesOf } from '../runtime/crashing.js';
import { cli, ended, type ProjectFolder, projectFolder } from './statedsl.js';

const server = join(dirname(dirname(fileURLToPath(import.meta.url))), 'fixtures/mcp/server.mjs');

const runOf = ({ folder }: ProjectFolder): string =>
  readdirSync(join(folder, '.statedsl/runs')).find((name) => name.includes('-')) ?? '';

/** No signal of a test may reach a process: a mistake would end every process of the person who runs the test. */
async function signalsOf(action: () => unknown): Promise<unknown[]> {
  const kill = vi.spyOn(process, 'kill').mockImplementation(() => true);
  try {
    await action();
    return kill.mock.calls.filter(([pid, signal]) => signal !== 0 || !(pid >= 1));
  } finally {
    kill.mockRestore();
  }
}

const hostile = [-1, 0, 1, 1.5, Number.NaN, 2 ** 31, 2 ** 40, Number.POSITIVE_INFINITY];

describe('numbers that are not processes', () => {
  test.each(hostile)('%s is sent nothing', async (number) => {
    const sent = await signalsOf(async () => {
      await stopGroup(number);
      killGroup(number);
      await stopProcess({ pid: number, startedAt: processStat(process.pid)?.startedAt ?? 0 });
    });
    expect(sent).toEqual([]);
    expect(isRecord({ effect: '1', pid: number, group: number, startedAt: 5 })).toBe(false);
  });

  test('a record has the number of a process that leads its own group', () => {
    expect(isRecord({ effect: '1', pid: 5, group: 5, startedAt: 7 })).toBe(true);
    for (const wrong of [
      { group: 6 },
      { group: -1 },
      { pid: '5' },
      { startedAt: null },
      { startedAt: 1.5 },
      { effect: 1 },
    ])
      expect(isRecord({ effect: '1', pid: 5, group: 5, startedAt: 7, ...wrong })).toBe(false);
  });

  test('whatever a planted lock and a planted list of processes say, nothing is stopped', async () => {
    const one = projectFolder({ 'p.dsl': 'ASK user: "Go on?" → ok\n' });
    await one.run(['run', 'p.dsl', '--quiet']);
    const id = runOf(one);
    for (const pid of [...hostile, process.pid, process.ppid, '1', null]) {
      const store = join(one.folder, `store-${pid}`);
      cpSync(join(one.folder, '.statedsl'), store, { recursive: true });
      const startedAt = typeof pid === 'number' ? (processStat(pid)?.startedAt ?? null) : null;
      const planted = [
        { effect: '1', pid, group: -1, startedAt },
        { effect: '1', pid, group: pid, startedAt: (startedAt ?? 0) + 1 },
      ];
      const lines = planted.map((line) => `${JSON.stringify(line)}\n`).join('');
      writeFileSync(join(store, 'runs', id, 'lock.9'), JSON.stringify({ pid, startedAt, ...thisOrigin() }));
      writeFileSync(join(store, 'runs', id, 'processes.ndjson'), lines);
      const sent = await signalsOf(async () => {
        vi.useFakeTimers({ toFake: ['Date', 'hrtime'], now: Date.now() });
        const ended = cancelStored(store, id, 'test').catch(() => undefined);
        const clock = setInterval(() => vi.advanceTimersByTime(1000), 5);
        await ended;
        clearInterval(clock);
        vi.useRealTimers();
      });
      expect(sent, String(pid)).toEqual([]);
    }
  });
});

test('a list of processes stops only those of the run, also in the words of older versions', async () => {
  const one = projectFolder({ 'p.dsl': 'ASK user: "Go on?" → ok\n' });
  await one.run(['run', 'p.dsl', '--quiet']);
  const id = runOf(one);
  const sleeper = (env: NodeJS.ProcessEnv) =>
    start('sleep', ['600'], { detached: true, env: { ...process.env, ...env } });
  const strangers = [sleeper({}), sleeper({ STATEDSL_RUN_ID: id.replace(/.$/, 'x') })];
  const own = sleeper({ STATEDSL_RUN_ID: id, STATEDSL_EFFECT_ID: `${id}:1` });
  const all = [...strangers, own];
  try {
    // What has not become `sleep` yet has the environment of the test.
    await until(() => all.every(({ pid }) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('sleep')));
    const lines = all.map(({ pid }) => ({ effect: '1', pid, group: pid, startedAt: processStat(pid)?.startedAt }));
    const list = join(one.folder, '.statedsl/runs', id, 'processes.ndjson');
    writeFileSync(list, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    await cancelStored(join(one.folder, '.statedsl'), id, 'test');
    await own.end;
    expect(strangers.map((stranger) => stranger.hasEnded())).toEqual([false, false]);
    for (const { pid } of strangers) expect(['S', 'R']).toContain(processStat(pid)?.state);
  } finally {
    for (const child of all) child.kill('SIGKILL');
  }
});

describe('marked processes', () => {
  const seen = (pid: number, group: number, marked: boolean): SeenProcess => ({ pid, group, startedAt: 1, marked });

  test('of a group with another leader only the marked processes are stopped', () => {
    // A shell, the runner it started, and a server that an older version started in their group.
    const all = [seen(10, 10, false), seen(11, 10, false), seen(12, 10, true), seen(90, 90, false)];
    expect(targets(all, 90)).toEqual({ groups: [], alone: [seen(12, 10, true)] });
  });

  test('a group with a marked leader is stopped, and one without a leader if all of its processes are marked', () => {
    const led = [seen(20, 20, true), seen(21, 20, false)];
    const left = [seen(31, 30, true), seen(32, 30, true), seen(41, 40, true), seen(42, 40, false)];
    expect(targets([...led, ...left, seen(90, 90, false)], 90)).toEqual({
      groups: [20, 30],
      alone: [seen(41, 40, true)],
    });
  });

  test('the group of the caller is not stopped', () => {
    expect(targets([seen(50, 50, true), seen(90, 50, true)], 90)).toEqual({ groups: [], alone: [] });
  });
});

/** A server that starts two processes which it never stops, one of them in a session of its own. */
function withServer(more: Record<string, string> = {}): ProjectFolder {
  const one = projectFolder({
    'plan.json': JSON.stringify({
      calls: [
        { _tool: 'text', n: 1, _outputPath: '†state.a' },
        { _tool: 'wait', after: '†state.a', _outputPath: '†state.b' },
      ],
      output: '†state.b',
    }),
    'tools.yaml': 'text: { mcp: tests/text }\nwait: { run: [./wait.sh] }\n',
    'wait.sh': '#!/bin/sh\ncat > /dev/null\ntouch waits\ntest -f go || sleep 600\necho 2\n',
    'server.sh': `#!/bin/sh\nsleep 601 &\nsetsid sleep 602 &\n"${process.execPath}" "${server}"\n`,
    'statedsl.config.yaml': 'mcp: { tests: { command: [./server.sh] } }\n',
    ...more,
  });
  for (const name of ['wait.sh', 'server.sh']) chmodSync(join(one.folder, name), 0o755);
  return one;
}

/** The run is started from a script, whose shell leads the group that the runner is in. */
function fromScript(one: ProjectFolder): Started {
  one.file('start.sh', `"${process.execPath}" "${cli}" run plan.json --quiet\necho $? > survived\n`);
  return start('bash', ['start.sh'], { cwd: one.folder, detached: true });
}

describe('a server of tools', () => {
  test('ends with the run, and so does everything it started', async () => {
    const one = withServer({ go: '' });
    expect(await one.run(['run', 'plan.json', '--quiet'])).toMatchObject({ code: 0, stdout: '2\n' });
    expect(processesOf(runOf(one))).toEqual([]);
  });

  test('is stopped when the run is cancelled; the shell that started the run is not', async () => {
    const one = withServer();
    fromScript(one);
    await until(() => existsSync(join(one.folder, 'waits')));
    expect(processesOf(runOf(one)).length).toBeGreaterThan(2);
    expect((await one.run(['cancel', runOf(one)])).code).toBe(0);
    await until(() => existsSync(join(one.folder, 'survived')));
    expect(processesOf(runOf(one))).toEqual([]);
  });

  test('of a killed runner is stopped before the run is resumed or cancelled', async () => {
    for (const args of [['resume', '--quiet'], ['cancel']]) {
      const one = withServer();
      const child = one.start(['run', 'plan.json', '--quiet']);
      await until(() => existsSync(join(one.folder, 'waits')));
      const gone = ended(child);
      child.kill('SIGKILL');
      await gone;
      expect(processesOf(runOf(one)).length).toBeGreaterThan(1);
      one.file('go', '');
      expect((await one.run([...args, runOf(one)])).code).toBe(0);
      expect(processesOf(runOf(one))).toEqual([]);
    }
  });
});

test('what an agent started in a session of its own ends with the run', async () => {
  const one = projectFolder({
    'p.dsl': 'DO: Task(coder) "work"\nRETURN: "x"\n',
    'statedsl.config.yaml': 'agents: { coder: { adapter: command, run: [./agent.sh] } }\n',
    'agent.sh': '#!/bin/sh\nsetsid sleep 603 > /dev/null 2>&1 &\ntouch called\necho done\n',
  });
  chmodSync(join(one.folder, 'agent.sh'), 0o755);
  expect(await one.run(['run', 'p.dsl', '--quiet'])).toMatchObject({ code: 0 });
  expect(existsSync(join(one.folder, 'called'))).toBe(true);
  expect(processesOf(runOf(one))).toEqual([]);
});
