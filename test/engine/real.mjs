/**
 * Runs on a real engine, whose packages are installed once into `node_modules/.cache`: `npm run test:engine`. `-- NAME`: only
 * cases whose names contain a text.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { execaSync } from 'execa';
import { tryCommands, withCommands } from './real/commands.mjs';
import { install, modules, startEngine } from './real/engine.mjs';

const cli = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), 'dist', 'cli.js');
const LOOP = `STATE: A
  TRACK: n = 0
  GOTO: B
STATE: B
  IF: n >= COUNT → RETURN: {n}
  INCREMENT: n
  DO: WORK
  GOTO: B
`;
/** An output that becomes a value, one that is piped into a command, one that is too large for a value, and one of stderr. */
const LARGE = `STATE: A
  TRACK: a = ""
  TRACK: b = ""
  CHECK: first = head -c 200000 /dev/zero | tr '\\0' x
  CHECK: second = head -c 3000000 /dev/zero | tr '\\0' y
  SET: a = first
  SET: b = second
  GOTO: B
STATE: B
  CHECK: c = head -c 6000000 /dev/zero | tr '\\0' z
  RETURN: {c}
  ON ERROR value_too_large: → GOTO: C
STATE: C
  DO: head -c 100000 /dev/zero | tr '\\0' w >&2
  DO: |
    head -c 300000 /dev/zero
    wc -c
  RETURN: sizes {len(a)} {len(b)}
`;
const loop = (count, work) => LOOP.replace('COUNT', count).replace('WORK', work);

/** What a case may use. */
function tools(engine, folder) {
  const { compile, engineClient, fixedOptions, headerOf, mirrorRun, newRunId } = engine.core;
  const client = engineClient({ url: engine.ingress, namespace: 'statedsl', token: null, patienceMs: 60_000 });
  const submit = async (text) => {
    const { machine, diagnostics } = compile(text, { name: 'case.dsl', commands: ['noop', 'mark'] });
    assert.notEqual(machine, null, diagnostics.map(({ message }) => message).join('\n'));
    const fixed = fixedOptions(machine, { jobs: 4, cwd: folder });
    const made = { runId: newRunId(), startedAt: new Date().toISOString(), redactor: null, fixed };
    const sources = [{ name: 'case.dsl', text }];
    await client.submit({ header: headerOf(machine, { cwd: folder, sources }, made), inDoubt: 'fail', by: 'tester' });
    return made.runId;
  };
  /** Follows a run until it has ended. A connection that breaks is made again. */
  const ended = async (runId, onEvent = () => undefined) => {
    for (let from = 1; ; ) {
      try {
        for await (const { lines } of client.events(runId, from)) {
          from += lines.length;
          for (const line of lines) await onEvent(JSON.parse(line));
        }
        return await client.status(runId);
      } catch {
        await sleep(100);
      }
    }
  };
  const seen = async (runId, type) => {
    for await (const { lines } of client.events(runId))
      if (lines.some((line) => JSON.parse(line).type === type)) return;
  };
  const begun = async (runId) => {
    while (!engine.effects().some(({ run }) => run === runId)) await sleep(20);
  };
  const mirror = (runId) =>
    mirrorRun(client, { url: engine.ingress, namespace: 'statedsl' }, runId, join(folder, 'store'));
  const statedsl = (...words) =>
    execaSync(process.execPath, [cli, ...words, '--dir', join(folder, 'store')], { reject: false });
  return { client, submit, ended, seen, begun, mirror, statedsl, engine };
}

/** What was started again although it had ended, and what was started more than once, of these runs. */
function repeated(effects, runs) {
  const over = new Set();
  const starts = new Map();
  let afterEnd = 0;
  for (const { what, run, name } of effects.filter((one) => runs.includes(one.run))) {
    const key = `${run} ${name}`;
    if (what === 'end') over.add(key);
    else {
      if (over.has(key)) afterEnd++;
      starts.set(key, (starts.get(key) ?? 0) + 1);
    }
  }
  return { effects: starts.size, afterEnd, twice: [...starts.values()].filter((times) => times > 1).length };
}

const cases = {
  'a command': async ({ submit, ended }) => {
    const { status, report } = await ended(await submit('DO: x = echo "hello"\nRETURN: {x}\n'));
    assert.deepEqual([status, report.returned], ['returned', 'hello']);
  },
  'a question, a signal and a timer': async ({ submit, ended, seen, client }) => {
    const id = await submit('ASK user: "Go on?" → ok\nWAIT: signal GO\nWAIT: 1s\nRETURN: {ok}\n');
    await seen(id, 'run_suspended');
    await client.deliver(id, [{ kind: 'answer', name: 'ok', value: 'yes', by: 'ann' }]);
    await client.deliver(id, [{ kind: 'signal', name: 'GO', payload: null, by: 'ann' }]);
    const { report } = await ended(id);
    assert.equal(report.returned, 'yes');
    await assert.rejects(client.deliver(id, []), { kind: 'refused', status: 410 });
    await assert.rejects(client.deliver('nothing', []), { kind: 'refused', status: 404 });
  },
  'a quorum stops what is no longer needed': async ({ submit, ended }) => {
    const { report } = await ended(
      await submit('DO: in PARALLEL [quorum=1]\n  - a = sleep 0.1\n  - b = sleep 600\nRETURN: over\n'),
    );
    assert.equal(report.returned, 'over');
  },
  'a run that is cancelled': async ({ submit, ended, begun, client }) => {
    const id = await submit('DO: mark long 600000\n');
    await begun(id);
    await client.deliver(id, [{ kind: 'cancel', by: 'ann' }]);
    const { report } = await ended(id);
    assert.equal(report.error.kind, 'cancelled');
  },
  'a run of many effects has several turns': async ({ submit, ended }) => {
    const { report, turn } = await ended(await submit(loop(1200, 'noop')));
    assert.deepEqual([report.returned, turn], [1200, 3]);
  },
  'its folder is that of any run': async ({ submit, ended, mirror, statedsl }) => {
    const id = await submit('DO: x = echo "hello"\nWAIT: 100ms\nRETURN: {x}\n');
    await ended(id);
    await mirror(id);
    const replayed = statedsl('replay', id, '--json');
    assert.equal(JSON.parse(replayed.stdout).status, 'same', replayed.stderr);
    assert.match(statedsl('show', id).stdout, /returned/);
    assert.equal(statedsl('report', id).exitCode, 0);
  },
  'large outputs and values': async ({ submit, ended, mirror, statedsl }) => {
    const id = await submit(LARGE);
    const { report } = await ended(id);
    assert.deepEqual([report.returned, report.error], ['sizes 200000 3000000', null]);
    await mirror(id);
    assert.equal(JSON.parse(statedsl('replay', id, '--json').stdout).status, 'same');
    assert.equal(statedsl('output', id, 'line:4').stdout.trimEnd().length, 200_000);
  },
  'workers that are killed': async (all) => killed(all, 'worker'),
  'a server that is killed': async (all) => killed(all, 'server'),
};

async function killed({ submit, ended, begun, engine }, which) {
  const runs = [];
  for (let count = 0; count < 6; count++) runs.push(await submit(loop(15, 'mark {n} 60')));
  const once = await submit('DO [once]: mark pay 3000\nRETURN: paid\n');
  await begun(once);
  for (let count = 0; count < 4; count++) {
    await engine.restart(which);
    await sleep(200 + Math.random() * 400);
  }
  for (const id of runs) assert.equal((await ended(id)).report.returned, 15);
  const { afterEnd, twice, effects } = repeated(engine.effects(), runs);
  assert.deepEqual([effects, afterEnd], [90, 0]);
  const { report } = await ended(once);
  assert.equal(repeated(engine.effects(), [once]).twice, 0);
  // A worker that lives has what it started; after its death an effect that must not run twice is in doubt.
  if (which === 'server') assert.deepEqual([twice, report.returned], [0, 'paid']);
  else assert.equal(report.error?.kind, 'in_doubt');
}

const reason = install();
if (reason !== null) {
  console.error(`error: no engine was started: ${reason}`);
  process.exitCode = 1;
} else {
  const folder = mkdtempSync(join(tmpdir(), 'statedsl-engine-'));
  const engine = await startEngine(folder);
  try {
    await engine.startServer();
    await engine.startWorker();
    const only = process.argv[2] ?? '';
    for (const [name, action] of Object.entries(cases).filter(([one]) => one.includes(only))) {
      await action(tools(engine, folder));
      console.log(`passed: ${name}`);
    }
    if ('commands'.includes(only)) {
      await withCommands(join(folder, 'commands'), modules, tryCommands);
      console.log('passed: commands');
    }
  } catch (cause) {
    console.error(cause);
    process.exitCode = 1;
  } finally {
    await engine.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
