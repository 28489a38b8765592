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
const reason = install();
if (reason !== null) throw new Error(`no engine was started: ${reason}`);
const folder = mkdtempSync(join(tmpdir(), 'statedsl-engine-'));
const engine = await startEngine(folder);
try {
  await engine.startServer();
  await engine.startWorker();
  const { submit, ended, begun, client } = tools(engine, folder);
  const entries = async (count) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${engine.ingress}/empty/entries`, { method: 'POST', headers, body: String(count) });
    if (!answer.ok) throw new Error(await answer.text());
  };
  const run = async (count) => {
    const { report } = await ended(await submit(loop(count, 'noop')));
    if (report?.returned !== count) throw new Error(JSON.stringify(report));
  };
  const msOf = async (action) => {
    const begin = performance.now();
    await action();
    return performance.now() - begin;
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
  /** The work of the server in all turns, so that a tick more or less does not count. */
  const serverMs = async (action) => {
    const before = engine.serverMs();
    for (let turn = 0; turn < TURNS; turn++) await action();
    return engine.serverMs() - before;
  };
  const server = { own: await serverMs(() => run(1000)), other: await serverMs(() => entries(1000)) };
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
  console.log(JSON.stringify({ one, twenty, server, cancelMs: Math.min(...cancelled), nextMs: Math.min(...next) }));
} finally {
  await engine.stop();
  rmSync(folder, { recursive: true, force: true });
}
