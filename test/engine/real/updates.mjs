/** Runs that outlive their workers, their server, and the version of statedsl that began them. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

const starts = (engine, id) => engine.effects().filter(({ what, run }) => what === 'start' && run === id);

/** The server suspends a handler that is silent for a second, but the effect that it executes runs once. `ms`: how long that is. */
export async function slowEffect({ submit, ended, engine }, ms) {
  await engine.configure('statedsl.Turn', { inactivity_timeout: '1s' });
  const id = await submit(`DO: x = mark slow ${ms}\nDO: mark after\nRETURN: {x}\n`);
  const { report } = await ended(id);
  assert.equal(report.status, 'returned');
  assert.deepEqual(
    starts(engine, id).map(({ name }) => name),
    ['slow', 'after'],
  );
  assert.equal(report.returned, starts(engine, id)[0].token);
}

/** One that waits without a turn, and one in a turn with an effect. The time passes while nothing is there. */
export async function timersOverKills({ submit, ended, seen, begun, engine }) {
  const alone = await submit('WAIT: 3s\nDO: mark after\nRETURN: over\n');
  const beside = await submit('DO: in PARALLEL [quorum=1]\n  - a = mark long 600000\n  - WAIT: 3s\nRETURN: over\n');
  await seen(alone, 'run_suspended');
  await begun(beside);
  const from = Date.now();
  const startWorker = await engine.kill('worker');
  const startServer = await engine.kill('server');
  await sleep(1000);
  await startServer();
  await startWorker();
  for (const id of [alone, beside]) assert.equal((await ended(id)).report.returned, 'over');
  const took = Date.now() - from;
  assert(took > 1900 && took < 30_000, `the timers ended after ${took} ms`);
  assert.equal(starts(engine, alone).length, 1);
}

/** The turn in flight ends at the address where it began, and the next one is at that of the new worker. */
export async function updateByAddress({ submit, ended, begun, engine }) {
  const id = await submit('DO: mark first 2000\nWAIT: 10ms\nDO: mark second\nRETURN: over\n');
  await begun(id);
  const before = starts(engine, id)[0].port;
  const after = await engine.startNext();
  assert.notEqual(before, after);
  assert.equal((await ended(id)).report.returned, 'over');
  assert.deepEqual(
    starts(engine, id).map(({ name, port }) => [name, port]),
    [
      ['first', before],
      ['second', after],
    ],
  );
}

/** A worker with other entries takes the address of one that has a turn in flight, until that one is back. */
export async function updateInPlace({ submit, ended, begun, engine, client }) {
  const id = await submit('DO: mark first\nDO: mark second 3000\nDO: mark third\nRETURN: over\n');
  await begun(id);
  while (starts(engine, id).length < 2) await sleep(20);
  const startAgain = await engine.kill('worker');
  let changes = 0;
  await engine.startChanged((code) =>
    code.replaceAll(/\$\{request\d*\.effect\}\.\$\{request\d*\.attempt\} \$\{request\d*\.kind\}/g, (name) => {
      changes++;
      return `other ${name}`;
    }),
  );
  assert.equal(changes, 1);
  const warning = () => engine.effects().find(({ what, message }) => what === 'warning' && message.includes(id));
  for (let tries = 0; warning() === undefined && tries < 200; tries++) await sleep(50);
  assert.match(warning()?.message, /was made by statedsl \d\S+, and this worker makes other entries: start statedsl/);
  // Other runs continue there.
  assert.equal((await ended(await submit('DO: mark other\nRETURN: other\n'))).report.returned, 'other');
  const where = await client.whereabouts(id);
  assert.match(where.made_by, /^\d/);
  assert.equal((await client.status(id)).status, 'running');
  await engine.kill('worker');
  await startAgain();
  assert.equal((await ended(id)).report.returned, 'over');
  assert.deepEqual([...new Set(starts(engine, id).map(({ name }) => name))], ['first', 'second', 'third']);
  assert.equal(starts(engine, id).filter(({ name }) => name === 'first').length, 1);
}
