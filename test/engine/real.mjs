/**
 * Runs on a real engine, whose packages are installed once into `node_modules/.cache`: `npm run test:engine`. `-- NAME`: only
 * cases whose names contain a text. `-- --kills 50,20,20,20,20`: only kills at random times while 20 runs are executed, of the worker,
 * of the server, of one of two workers, of the server of two workers, and of any of these three. `-- --slow`: an effect that lasts for a minute and a half does so.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tryCommands, withCommands } from './real/commands.mjs';
import { documentedFiles } from './real/documented.mjs';
import { install, modules, startEngine } from './real/engine.mjs';
import { killed } from './real/killed.mjs';
import { shareLimits } from './real/limits.mjs';
import { loop, tools } from './real/tools.mjs';
import { slowEffect, timersOverKills, updateByAddress, updateInPlace } from './real/updates.mjs';

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
const isSlow = process.argv.includes('--slow');
const cases = {
  'a command': async ({ submit, ended }) => {
    const { report } = await ended(await submit('DO: x = echo "hello"\nRETURN: {x}\n'));
    assert.deepEqual([report.status, report.returned], ['returned', 'hello']);
  },
  'a question, a signal and a timer': async ({ submit, ended, seen, client }) => {
    const id = await submit('ASK user: "Go on?" → ok\nWAIT: signal GO\nWAIT: 1s\nRETURN: {ok}\n');
    await seen(id, 'run_suspended');
    await client.deliver(id, [{ kind: 'answer', name: 'ok', value: 'yes', by: 'ann' }]);
    await client.deliver(id, [{ kind: 'signal', name: 'GO', payload: null, by: 'ann' }]);
    const { report } = await ended(id);
    assert.equal(report.returned, 'yes');
    await assert.rejects(client.deliver(id, []), { kind: 'refused', status: 409 });
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
  'a run of many effects has several turns': async ({ submit, ended, client }) => {
    const id = await submit(loop(1200, 'noop'));
    const { report } = await ended(id);
    const { turn } = await client.status(id);
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
  'workers that are killed': (all) => killed(all, 'worker', 4),
  'a server that is killed': (all) => killed(all, 'server', 4),
  'runs with a key while worker and server are killed': async ({ submit, ended, engine }) => {
    const key = { name: 'deploy' };
    const runs = [];
    for (let at = 0; at < 6; at++) runs.push(await submit('DO: mark key 400\nRETURN: {1}\n', key));
    for (const which of ['worker', 'server', 'worker', 'server']) await engine.restart(which);
    const ends = [];
    for (const id of runs) ends.push((await ended(id)).report);
    assert.deepEqual([...new Set(ends.map((one) => one.status))], ['returned']);
    // No run begins again, or ends, after another one has begun.
    const order = engine.effects().flatMap(({ run }) => (runs.includes(run) ? [run] : []));
    const changes = order.filter((run, at) => run !== order[at - 1]);
    assert.equal(changes.length, runs.length);
    assert.equal(new Set(changes).size, runs.length);
  },
  'timers while worker and server are killed': timersOverKills,
  'a worker with other entries at the same address': updateInPlace,
  'an effect that is silent for longer than the server waits': (all) => slowEffect(all, isSlow ? 90_000 : 4000),
  // The last one: another worker stays.
  'a worker at a new address': updateByAddress,
};
/** Each with an engine of its own. */
const campaigns = (times, many) => [
  ['worker', times[0], many],
  ['server', times[1], many],
  ['one', times[2], many],
  ['server of two', times[3], many],
  ['any of three', times[4], many],
];

/** Starts an engine with a worker, or with two of them that share an address. */
async function withEngine(start, action) {
  const folder = mkdtempSync(join(tmpdir(), 'statedsl-engine-'));
  const engine = await startEngine(folder);
  try {
    await engine.startServer();
    await engine[start]();
    return await action(tools(engine, folder), folder);
  } finally {
    await engine.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function kills(all) {
  for (const [which, times = 0, many] of all) {
    if (times === 0) continue;
    const start = ['one', 'server of two', 'any of three'].includes(which) ? 'startWorkers' : 'startWorker';
    const shown = await withEngine(start, (each) => killed(each, which, times, many));
    console.log(`passed: ${JSON.stringify({ killed: which, runs: many, ...shown })}`);
  }
}

async function tryDocumented() {
  const folder = mkdtempSync(join(tmpdir(), 'statedsl-documented-'));
  try {
    await documentedFiles(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  console.log('passed: the files of the documentation');
}

async function tryCases(only) {
  if ('the files of the documentation'.includes(only)) await tryDocumented();
  const isWanted = ([one]) => one.includes(only);
  if (Object.entries(cases).some(isWanted) || 'commands'.includes(only))
    await withEngine('startWorker', (all, folder) => tryOn(all, folder, only));
  if (SHARED.includes(only)) await trySharedLimits();
  if ('one of two workers is killed'.includes(only)) await kills([['one', 3, 6]]);
  if ('the server of two workers is killed'.includes(only)) await kills([['server of two', 4, 6]]);
}

const SHARED = 'workers share limits and budgets';

async function trySharedLimits() {
  const folder = mkdtempSync(join(tmpdir(), 'statedsl-limits-'));
  let shown = null;
  try {
    const action = async (all) => {
      shown = await shareLimits(all);
    };
    await withCommands(join(folder, 'limits'), modules, action);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  console.log(`passed: ${SHARED} ${JSON.stringify(shown)}`);
}

async function tryOn(all, folder, only) {
  for (const [name, action] of Object.entries(cases).filter(([one]) => one.includes(only))) {
    await action(all);
    console.log(`passed: ${name}`);
  }
  if ('commands'.includes(only)) {
    await withCommands(join(folder, 'commands'), modules, tryCommands);
    console.log('passed: commands');
  }
}

const reason = install();
const [first = '', second = ''] = process.argv.slice(2).filter((one) => one !== '--slow');
try {
  if (reason !== null) throw new Error(`no engine was started: ${reason}`);
  if (first === '--kills') await kills(campaigns(second.split(',').map(Number), 20));
  else await tryCases(first);
} catch (cause) {
  console.error(cause);
  process.exitCode = 1;
}
