/** Limits of accounts and budgets that workers share, on an engine in memory: each worker asks its objects. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { SharedName } from '../../src/engine/client.js';
import { programOf } from '../../src/engine/effect-outputs.js';
import { EngineLimits, sharedStates, watchBudget } from '../../src/engine/engine-limits.js';
import type { FreedCalls, Submission } from '../../src/engine/messages.js';
import type { RunState } from '../../src/engine/run-readers.js';
import type { SharedHandler } from '../../src/engine/services.js';
import { StartedEffects } from '../../src/engine/started-effects.js';
import type { Outcome, Unavailable } from '../../src/interpreter/events/event.js';
import { compile } from '../../src/language/check/compile.js';
import type { AccountCall, BreakerState } from '../../src/runtime/agents/breakers/breaker.js';
import { purseOfDay } from '../../src/runtime/agents/daily-budget.js';
import type { DaySpending, Purse } from '../../src/runtime/agents/spending.js';
import { fixedOptions } from '../../src/runtime/run/run-options.js';
import { digestOf } from '../../src/runtime/store/image.js';
import { VERSION } from '../../src/runtime/version.js';
import { type OpenEntry, ScriptedEngine, SERVICES } from './scripted-engine.js';

const NOON = Date.parse('2026-03-01T12:00:00Z');
const ACCOUNT = 'claude:opus@~/.claude';
const RUNS = Array.from({ length: 12 }, (_, at) => `01900000-0000-7000-8000-0000000001${String(at).padStart(2, '0')}`);
const [RUN = ''] = RUNS;
const told: string[] = [];
const report = (problem: string): void => void told.push(problem);

beforeEach(() => {
  told.length = 0;
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'], now: NOON });
});
afterEach(() => vi.useRealTimers());

/** A run that calls an agent, executed by this. */
type Perform = (attempt: string, limits: EngineLimits) => Promise<Outcome>;

interface Scene {
  readonly engine: ScriptedEngine;
  /** Of one worker each. */
  readonly limits: readonly EngineLimits[];
  readonly client: { askShared<T>(of: SharedName | string, handler: SharedHandler, message: unknown): Promise<T> };
  submit(runId: string, text: string): Promise<void>;
}

type Choice = (open: readonly OpenEntry[], engine: ScriptedEngine) => Promise<OpenEntry | undefined>;

function scene(perform: Perform = async () => expect.unreachable(), choose: Choice = async () => undefined): Scene {
  const client = {
    askShared: <T>(of: SharedName | string, handler: SharedHandler, message: unknown): Promise<T> =>
      engine.call<T>(typeof of === 'string' ? of : `${of.kind} ${of.name}`, handler, message),
  };
  const limits = [new EngineLimits(client), new EngineLimits(client)];
  const submissions = new Map<string, Submission>();
  let turns = 0;
  const host = {
    services: SERVICES,
    environment: {},
    submitters: null,
    functions: null,
    started: new StartedEffects(),
    program: async (runId: string) => programOf(submissions.get(runId) as Submission),
    perform: async (runId: string, _: unknown, request: { readonly effect: string; readonly attempt: number }) => {
      // The workers take turns.
      const own = limits[turns++ % 2] as EngineLimits;
      const outcome = await perform(`${runId} ${request.effect} ${request.attempt}`, own);
      return { outcome, at: Date.now(), printed: 0 };
    },
    newName: () => 'attempt',
    hasWorker: async () => true,
  };
  const world = {
    get now() {
      return Date.now();
    },
    ended: () => undefined,
    next: async (open: readonly OpenEntry[], engine: ScriptedEngine) =>
      (await choose(open, engine)) ?? (open.find(({ kind }) => kind === 'run') as OpenEntry),
  };
  const engine: ScriptedEngine = new ScriptedEngine(world, host as never);
  const submit = async (runId: string, text: string): Promise<void> => {
    const { machine, diagnostics } = compile(text, { name: 'test.dsl', commands: ['work'] });
    if (machine === null) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
    const facts = { runId, machine, digest: digestOf(machine), inputs: {}, startedAt: new Date(0).toISOString() };
    const options = fixedOptions(machine, { jobs: 4 });
    const header = { ...facts, cwd: '/', version: VERSION, sources: [], options, settings: {} };
    const submission = { header, inDoubt: 'fail', by: 'ann' } as const;
    submissions.set(runId, submission);
    await engine.call(runId, 'submit', submission);
    await engine.deliverAll();
  };
  return { engine, limits, client, submit };
}

const idOf = (run: number, effect = '1'): string => `${RUNS[run]} ${effect} 1`;

const begun = (entered: AccountCall | Unavailable): AccountCall => {
  if ('cause' in entered) throw new Error(entered.message);
  return entered;
};
const waiting = (entered: AccountCall | Unavailable): Unavailable => {
  if (!('cause' in entered)) throw new Error('it has begun');
  return entered;
};
const answer = {
  kind: 'exited',
  exit: 0,
  stdout: { text: 'x', bytes: 1 },
  stderr: '',
  duration_ms: 1,
  turns: 1,
} as const;
const limited = (until: number | null): Outcome => ({
  ...answer,
  ...{ exit: 1, is_error: true, turns: 0 },
  unavailable: { cause: 'usage', message: 'usage limit reached', until_ms: until, at_ms: Date.now() },
});

test('a limit that one worker has met keeps the calls of all from beginning, and one goes first after the reset', async () => {
  const { limits, client, engine } = scene();
  const [one, two] = limits as [EngineLimits, EngineLimits];
  const first = begun(await one.enter(ACCOUNT, idOf(0), report));
  const second = begun(await two.enter(ACCOUNT, idOf(1), report));
  const until = NOON + 3_600_000;
  expect(await first.ends(limited(until))).toMatchObject({ unavailable: { until_ms: until, account: ACCOUNT } });
  // It had begun before, and says nothing new.
  expect(await second.ends(limited(null))).toMatchObject({ unavailable: { until_ms: until } });
  expect(waiting(await two.enter(ACCOUNT, idOf(2), report))).toMatchObject({ until_ms: until, account: ACCOUNT });
  vi.setSystemTime(until);
  const probe = begun(await two.enter(ACCOUNT, idOf(1), report));
  expect(waiting(await one.enter(ACCOUNT, idOf(0), report)).until_ms).toBe(until + 60_000);
  probe.hears();
  await probe.ends(answer);
  await engine.deliverToObjects();
  const [state] = await sharedStates<BreakerState>(client, 'breaker');
  expect(state).toMatchObject({ account: ACCOUNT, level: 2, calls: [] });
  expect(told).toEqual([]);
});

test('the places of a ramp go to the runs that wait, the oldest first, and then all go on', async () => {
  const { limits, engine } = scene();
  const [one, two] = limits as [EngineLimits, EngineLimits];
  const freed: string[] = [];
  const { call } = engine;
  engine.call = async (key: string, handler: never, message: unknown) => {
    if (handler === 'freed') freed.push(...Array<string>((message as FreedCalls).count).fill(key));
    return call.call(engine, key, handler, message) as never;
  };
  const until = NOON + 1000;
  await begun(await one.enter(ACCOUNT, idOf(0), report)).ends(limited(until));
  for (let run = 1; run < 12; run++) waiting(await two.enter(ACCOUNT, idOf(run), report));
  vi.setSystemTime(until);
  /** Who was told that a call may begin asks, and what may begin is answered when all have asked. */
  const atOnce: string[][] = [];
  for (let asking = [RUNS[0] as string]; asking.length > 0; asking = freed.splice(0).sort()) {
    const calls: [string, AccountCall][] = [];
    for (const runId of asking) {
      const entered = await one.enter(ACCOUNT, `${runId} 1 1`, report);
      if ('hears' in entered) calls.push([runId, entered]);
    }
    atOnce.push(calls.map(([runId]) => runId));
    for (const [, begun] of calls) await begun.ends(answer);
    await engine.deliverToObjects();
  }
  expect(atOnce).toEqual([RUNS.slice(0, 1), RUNS.slice(1, 3), RUNS.slice(3, 7), RUNS.slice(7)]);
  expect(begun(await two.enter(ACCOUNT, 'x 1 1', report))).toBeDefined();
});

test('a probe whose worker died begins again in another one, and nobody else waits for it for ever', async () => {
  const { limits } = scene();
  const [one, two] = limits as [EngineLimits, EngineLimits];
  await begun(await one.enter(ACCOUNT, idOf(0), report)).ends(limited(NOON + 1000));
  vi.setSystemTime(NOON + 1000);
  begun(await one.enter(ACCOUNT, idOf(0), report));
  waiting(await two.enter(ACCOUNT, idOf(1), report));
  // The engine repeats the effect, which has the same name.
  begun(await two.enter(ACCOUNT, idOf(0), report));
  waiting(await two.enter(ACCOUNT, idOf(1), report));
  // Nobody repeats it.
  vi.setSystemTime(NOON + 11 * 60_000);
  expect(begun(await two.enter(ACCOUNT, idOf(1), report))).toBeDefined();
});

const CALL = 'DO: answer = Task(it) "it"\nRETURN: {answer}\n';

/** The outcome of a call, as workers make it. */
const called =
  (end: () => Outcome, starts: string[] = []): Perform =>
  async (id, limits) => {
    const entered = await limits.enter(ACCOUNT, id, report);
    if ('cause' in entered) return { kind: 'not-started', reason: entered.message, unavailable: entered };
    starts.push(id);
    return entered.ends(end());
  };

test('runs that wait are suspended, and go on at once when the limit is cleared', async () => {
  let isLimited = true;
  const starts: string[] = [];
  const { engine, client, submit } = scene(
    called(() => (isLimited ? limited(NOON + 3_600_000) : { ...answer, cost: 1 }), starts),
  );
  for (const runId of RUNS.slice(0, 3)) await submit(runId, CALL);
  const state = (runId: string): Promise<RunState> => engine.call<RunState>(runId, 'status', null);
  for (const runId of RUNS.slice(0, 3))
    expect(await state(runId)).toMatchObject({
      status: 'suspended',
      report: { waiting: [{ kind: 'time', account: ACCOUNT, until: NOON + 3_600_000 }] },
    });
  expect(starts).toHaveLength(1);
  isLimited = false;
  await client.askShared({ kind: 'breaker', name: ACCOUNT }, 'clear', null);
  await engine.deliverAll();
  for (const runId of RUNS.slice(0, 3)) expect(await state(runId)).toMatchObject({ status: 'returned' });
  expect(await sharedStates(client, 'breaker')).toEqual([]);
  // What was to wake them comes late, and finds nothing to do.
  await engine.deliverDelayed();
  expect(starts).toHaveLength(4);
});

test('a run that works meanwhile hears that its call may begin, also before it knows that the call waits', async () => {
  let isCleared = false;
  const clear = async (engine: ScriptedEngine): Promise<void> => {
    isCleared = true;
    await engine.call(`breaker ${ACCOUNT}`, 'clear', null);
    await engine.deliverToObjects();
  };
  const perform: Perform = async (id, limits) => {
    if (id.includes(' 1.2.')) return { kind: 'value', value: 'worked' };
    return called(() => (isCleared ? answer : limited(NOON + 3_600_000)))(id, limits);
  };
  const text = 'DO: in PARALLEL\n  - a = Task(it) "it"\n  - b = work long\nRETURN: {a} {b}\n';
  for (const isEarly of [true, false]) {
    isCleared = false;
    const { engine, submit } = scene(perform, async (open, own) => {
      const agent = open.find(({ kind, name }) => kind === 'run' && name.endsWith(' agent'));
      if (agent !== undefined) return agent;
      const flush = open.find(({ name }) => name === 'flush');
      const mail = open.find(({ kind, name }) => kind === 'awakeable' && own.resolved.has(name));
      if (mail !== undefined) return mail;
      if (!isCleared && flush !== undefined) {
        if (isEarly) await clear(own);
        return flush;
      }
      if (!isCleared) await clear(own);
      await own.deliverToObjects();
      return open.find(({ kind, name }) => kind === 'awakeable' && own.resolved.has(name)) ?? flush;
    });
    await submit(RUN, text);
    expect(await engine.call<RunState>(RUN, 'status', null)).toMatchObject({ status: 'returned' });
  }
});

const DAY: Purse = purseOfDay({ account: 'release /flows', program: 'release' }, { cost_per_day: 10 }, NOON);
const money = (id: string, most: number | null = 4) => ({ id, agent: 'builder', most });

test('workers keep to the budget of a day together, and a call of a killed worker counts its `max_cost`', async () => {
  const { limits, client, engine } = scene();
  const [one, two] = limits as [EngineLimits, EngineLimits];
  expect(await one.reserve(DAY, money(idOf(0)))).toMatchObject({ isFitting: true });
  expect(await two.reserve(DAY, money(idOf(1)))).toMatchObject({ isFitting: true });
  expect(await two.reserve(DAY, money(idOf(2)))).toMatchObject({ isFitting: false, needs: 4 });
  await one.end(DAY, idOf(0), 1);
  await one.end(DAY, idOf(0), 1);
  expect(await one.reserve(DAY, money(idOf(2)))).toMatchObject({ isFitting: true });
  // Its worker was killed, and the engine repeats it.
  expect(await two.reserve(DAY, money(idOf(1)))).toMatchObject({ isFitting: false });
  await engine.deliverToObjects();
  expect(await sharedStates<DaySpending>(client, 'spending')).toMatchObject([
    { account: 'release /flows', day: '2026-03-01', spent: 5, calls: [{ id: idOf(2), reserved: 4 }] },
  ]);
  const tomorrow = purseOfDay(DAY, { cost_per_day: 10 }, NOON + 86_400_000);
  expect(await two.reserve(tomorrow, money(idOf(1)))).toMatchObject({ isFitting: true, before: { spent: 0 } });
});

test('a run whose call does not fit waits until another call costs less, or somebody raises the budget', async () => {
  let perDay = 4;
  const { waits } = await import('../../src/runtime/agents/spending.js');
  const { engine, client, submit } = scene(async (id, limits) => {
    const purse = purseOfDay(DAY, { cost_per_day: perDay }, Date.now());
    const reserved = await limits.reserve(purse, money(id));
    if (!reserved.isFitting) return waits(reserved, purse);
    await limits.end(purse, id, 3);
    return { ...answer, cost: 3 };
  });
  for (const runId of RUNS.slice(0, 3)) await submit(runId, CALL);
  const statuses = async (): Promise<string[]> => {
    const all = RUNS.slice(0, 3).map((runId) => engine.call<RunState>(runId, 'status', null));
    return (await Promise.all(all)).map(({ status }) => status);
  };
  expect(await statuses()).toEqual(['returned', 'suspended', 'suspended']);
  const { report } = await engine.call<RunState>(RUNS[1] as string, 'status', null);
  expect(report).toMatchObject({
    waiting: [{ kind: 'time', account: 'budget:release@$4', until: Date.parse('2026-03-02T00:00:00Z') }],
  });
  const stop = watchBudget(client, async () => ({ cost_per_day: perDay }));
  await vi.advanceTimersByTimeAsync(2000);
  await engine.deliverAll();
  expect(await statuses()).toEqual(['returned', 'suspended', 'suspended']);
  perDay = 8;
  await vi.advanceTimersByTimeAsync(2000);
  await engine.deliverAll();
  // The first one costs 3 of 8, and then the last one does not fit.
  expect(await statuses()).toEqual(['returned', 'returned', 'suspended']);
  perDay = 100;
  await vi.advanceTimersByTimeAsync(2000);
  await engine.deliverAll();
  expect(await statuses()).toEqual(['returned', 'returned', 'returned']);
  stop();
});

test('what is not a question of a worker is refused, and not tried again and again', async () => {
  const { engine } = scene();
  const refused = async (handler: SharedHandler, message: unknown) =>
    expect(engine.call('key', handler as never, message)).rejects.toMatchObject({ status: 400 });
  for (const asks of [null, { kind: 'other' }, { kind: 'enter' }, { kind: 'tell', news: { kind: 'limit', id: 'a' } }])
    await refused('account', { account: ACCOUNT, at: 1, asks });
  for (const asks of [null, { kind: 'reserve' }, { kind: 'end', id: 'a', cost: 'much' }])
    await refused('spend', { purse: DAY, asks });
  await refused('spend', { purse: { ...DAY, limit: 'much' }, asks: { kind: 'raised' } });
});
