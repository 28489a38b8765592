/**
 * The rate of effects on a real engine, compared with that of empty entries of its SDK in the same processes:
 * `npm run bench -- engine`. Prints JSON.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { install, startEngine } from './real/engine.mjs';
import { loop, tools } from './real/tools.mjs';

const TURNS = 5;
/** A run with so many effects behind it is killed, and one with few. */
const MANY = 50_000;
const FEW = 500;
const reason = install();
if (reason !== null) throw new Error(`no engine was started: ${reason}`);
const msOf = async (action) => {
  const begin = performance.now();
  await action();
  return performance.now() - begin;
};
/** `start`: the name of what starts its workers. */
async function withEngine(start, measure) {
  const folder = mkdtempSync(join(tmpdir(), 'statedsl-engine-'));
  const engine = await startEngine(folder);
  try {
    await engine.startServer();
    await engine[start]();
    return await measure(engine, tools(engine, folder));
  } finally {
    await engine.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
const startsOf = (engine, run) => engine.effects().filter((one) => one.run === run && one.what === 'start').length;

/** After so many effects, a run begins one that lasts. */
const long = (count) => `LIMIT: transitions=${3 * count + 100}
STATE: A
  TRACK: n = 0
  GOTO: B
STATE: B
  IF: n >= ${count} → GOTO: C
  INCREMENT: n
  DO: noop
  GOTO: B
STATE: C
  DO: mark behind 600000
`;

/** How long it takes until a run continues whose worker was killed, with so many effects behind it. The best of several kills. */
async function continueAfter(count, engine, { submit, begun, client, ended }) {
  const id = await submit(long(count));
  await begun(id);
  const taken = [];
  for (let turn = 0; turn < TURNS; turn++) {
    const before = startsOf(engine, id);
    taken.push(
      await msOf(async () => {
        await engine.restart('worker');
        while (startsOf(engine, id) === before) await sleep(5);
      }),
    );
  }
  await client.deliver(id, [{ kind: 'cancel', by: 'bench' }]);
  await ended(id);
  return Math.min(...taken);
}

/** How long it takes until each of several runs has begun another effect, after the death of one of two workers. */
async function nextAfterDeath(engine, { submit, begun, ended }) {
  const taken = [];
  for (let turn = 0; turn < TURNS; turn++) {
    const runs = [];
    for (let at = 0; at < 4; at++) runs.push(await submit(loop(40, 'mark {n} 100')));
    for (const run of runs) await begun(run);
    const startAgain = await engine.kill('one');
    const before = runs.map((run) => startsOf(engine, run));
    taken.push(
      await msOf(async () => {
        while (runs.some((run, at) => startsOf(engine, run) === before[at])) await sleep(5);
      }),
    );
    await startAgain();
    for (const run of runs) await ended(run);
  }
  return Math.min(...taken);
}

async function measureAll(engine, all) {
  const { submit, ended, begun, client } = all;
  const entries = async (count) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${engine.ingress}/empty/entries`, { method: 'POST', headers, body: String(count) });
    if (!answer.ok) throw new Error(await answer.text());
  };
  const run = async (count) => {
    const { report } = await ended(await submit(loop(count, 'noop')));
    if (report?.returned !== count) throw new Error(JSON.stringify(report));
  };
  const many = (action) => () => Promise.all(Array.from({ length: 20 }, () => action(100)));
  /** The best of several turns of both, one after the other. */
  const best = async (own, other) => {
    const taken = { own: [], other: [] };
    for (let turn = 0; turn < TURNS; turn++) {
      taken.other.push(await msOf(other));
      taken.own.push(await msOf(own));
    }
    return { own: Math.min(...taken.own), other: Math.min(...taken.other) };
  };
  await run(50);
  await entries(50);
  const one = await best(
    () => run(1000),
    () => entries(1000),
  );
  const twenty = await best(many(run), many(entries));
  /** The work of the server in all turns, so that a tick more or less does not count. Both take turns: the server also tidies up. */
  const server = { own: 0, other: 0 };
  const count = async (side, action) => {
    const before = engine.serverMs();
    await action();
    server[side] += engine.serverMs() - before;
  };
  for (let turn = 0; turn < TURNS; turn++) {
    await count('other', () => entries(1000));
    await count('own', () => run(1000));
  }
  const cancelled = [];
  const next = [];
  for (let turn = 0; turn < TURNS; turn++) {
    const id = await submit('DO: mark long 600000\n');
    await begun(id);
    cancelled.push(
      await msOf(async () => {
        await client.deliver(id, [{ kind: 'cancel', by: 'bench' }]);
        await ended(id);
      }),
    );
    const killed = await submit(loop(40, 'mark {n} 100'));
    await begun(killed);
    const effects = () => engine.effects().length;
    const before = effects();
    next.push(
      await msOf(async () => {
        await engine.restart('worker');
        while (effects() === before) await sleep(5);
      }),
    );
    await ended(killed);
  }
  const few = await continueAfter(FEW, engine, all);
  const again = { own: await continueAfter(MANY, engine, all), other: few };
  return { one, twenty, server, again, cancelMs: Math.min(...cancelled), nextMs: Math.min(...next) };
}

const measured = await withEngine('startWorker', measureAll);
const deathMs = await withEngine('startWorkers', nextAfterDeath);
console.log(JSON.stringify({ ...measured, deathMs }));
