/** Processes that are killed at random times while runs are executed, and what the runs show for it. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { loop } from './tools.mjs';

const TOKEN = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/**
 * `which`: `worker`, `server`, `one` of several workers, `server of two` of them, or `any of three` of these, killed so many times while so many runs are executed. Every effect
 * has an outcome, none is executed again after its outcome is on record, and what must not run twice does not.
 */
export async function killed({ submit, ended, begun, engine, journal }, which, times, many = 6) {
  // With two workers nothing waits for the one that is killed.
  const hasTwo = which === 'one' || which === 'any of three';
  const count = hasTwo ? Math.max(80, times * 12) : Math.max(15, times * 4);
  const runs = [];
  for (let at = 0; at < many; at++) runs.push(await submit(loop(count, `mark {n} ${many * 10}`)));
  const ends = runs.map(async (id) => (await ended(id)).report);
  let open = many;
  for (const one of ends) one.then(() => open--).catch(() => undefined);
  const once = [];
  const gaps = [];
  /** Those whose worker was killed while they ran. */
  const doubtful = new Set();
  for (let kill = 0; kill < times; kill++) {
    if (kill % 4 === 0 || which.includes('of')) {
      once.push(await submit('DO [once]: mark pay 1500\nRETURN: paid\n'));
      await begun(once.at(-1));
    }
    const isServer = which.startsWith('server') || (which === 'any of three' && Math.random() < 0.6);
    const startAgain = await engine.kill(isServer ? 'server' : hasTwo ? 'one' : which);
    for (const id of once)
      if (engine.effects().some(({ run, port }) => run === id && port === startAgain.port)) doubtful.add(id);
    // The other worker goes on before the killed one is there again.
    if (which === 'one' && open > 0) gaps.push(await untilNextEffect(engine));
    await startAgain();
    await sleep(100 + Math.random() * 400);
  }
  for (const report of ends) assert.equal((await report).returned, count);
  const paid = await Promise.all(once.map(async (id) => (await ended(id)).report));
  const lasting = await Promise.all(runs.map(journal));
  const { effects, again, lost, twice } = repeated(engine.effects(), runs, lasting.flat());
  assert.deepEqual({ effects, again, lost }, { effects: many * count, again: 0, lost: 0 });
  const onceAgain = once.filter(
    (id) => engine.effects().filter((one) => one.run === id && one.what === 'start').length > 1,
  );
  assert.deepEqual(onceAgain, []);
  // A worker that lives has what it started; after its death an effect that must not run twice is in doubt.
  if (which.startsWith('server')) assert.equal(twice, 0);
  for (const [at, { returned, error }] of paid.entries())
    assert.equal(returned ?? error?.kind, returned === null && doubtful.has(once[at]) ? 'in_doubt' : 'paid');
  return {
    kills: times,
    effects,
    again,
    lost,
    twice,
    once: once.length,
    inDoubt: paid.filter(({ error }) => error).length,
    ...(which === 'one' ? { measured: gaps.length, slowestMs: Math.max(...gaps) } : {}),
  };
}

/** How many milliseconds until an effect begins, at most half a minute. */
export async function untilNextEffect({ effects }) {
  const begin = performance.now();
  const before = effects().length;
  while (effects().length === before && performance.now() - begin < 30_000) await sleep(5);
  return Math.round(performance.now() - begin);
}

/** Compares what was executed with the outcomes on record. */
function repeated(effects, runs, events) {
  const settled = events.filter(({ type }) => type === 'effect_settled');
  const onRecord = new Set(settled.flatMap(({ outcome }) => JSON.stringify(outcome).match(TOKEN) ?? []));
  const starts = new Map();
  for (const { what, run, name, token } of effects) {
    if (what !== 'start' || !runs.includes(run)) continue;
    const key = `${run} ${name}`;
    starts.set(key, [...(starts.get(key) ?? []), token]);
  }
  const all = [...starts.values()];
  return {
    effects: all.length,
    // One that was executed after the one whose outcome is on record.
    again: all.filter((tokens) => tokens.some((one) => onRecord.has(one)) && !onRecord.has(tokens.at(-1))).length,
    lost: all.filter((tokens) => !tokens.some((one) => onRecord.has(one))).length,
    twice: all.filter((tokens) => tokens.length > 1).length,
  };
}
