/**
 * Breakers of accounts in virtual time: many calls in several processes, limits, and processes that are killed. Counted are
 * the calls that begin although their account has reached its limit.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { listLimits } from '../../../src/app/account-limits.js';
import type { Outcome } from '../../../src/interpreter/events/event.js';
import { accountOf } from '../../../src/runtime/agents/breakers/account.js';
import {
  admit,
  type BreakerState,
  freePermits,
  leftOff,
  noteAnswer,
  reachLimit,
  waitsUntil,
} from '../../../src/runtime/agents/breakers/breaker.js';
import { Breakers, breakerFiles, breakersFolder } from '../../../src/runtime/agents/breakers/breakers.js';
import { resolveAgent } from '../../../src/runtime/agents/resolve.js';
import { randomNumbers, seed } from '../../random.js';

const ACCOUNT = 'claude:opus@~/.claude';

interface Scenario {
  readonly calls: number;
  /** Calls that all processes together have under way at most. */
  readonly atOnce: number;
  /** When the limits begin, and how long each lasts. */
  readonly limits: readonly { readonly from: number; readonly ms: number; readonly named: boolean }[];
  readonly kills: readonly number[];
  readonly callMs: () => number;
}

interface Ended {
  readonly done: number;
  readonly repeated: number;
  /** The useless starts of each window, with the calls in flight when it began. */
  readonly windows: readonly { readonly useless: number; readonly inFlight: number }[];
  readonly until: number;
}

/** Plays calls against the breaker alone: every call that waits asks again when the breaker says so. */
function play({ calls, atOnce, limits, kills, callMs }: Scenario): Ended {
  let now = 1_000_000;
  const start = now;
  let state: BreakerState | null = null;
  let generation = 0;
  const isAlive = (process: unknown): boolean => process === generation;
  const queue: { at: number; order: number; act: () => void }[] = [];
  let order = 0;
  const at = (time: number, act: () => void): void => void queue.push({ at: time, order: order++, act });
  const limitAt = (time: number) => limits.find(({ from, ms }) => time >= start + from && time < start + from + ms);
  const waiting: number[] = [];
  const running = new Map<number, { generation: number; began: number }>();
  const done = new Map<number, number>();
  const windows = limits.map(() => ({ useless: 0, inFlight: -1 }));
  const open = (): void => {
    while (waiting.length > 0 && running.size < atOnce && freePermits(state, now, isAlive) > 0) {
      const call = waiting.shift() as number;
      const admission = admit(state, { id: String(call), began_ms: now, process: generation }, isAlive);
      state = admission.state;
      if (admission.kind === 'waits') throw new Error('a free place was none');
      begin(call);
    }
    if (state !== null && waiting.length > 0) {
      const until = waitsUntil(state, now);
      if (until > now) at(until, open);
    }
  };
  const begin = (call: number): void => {
    const own = { generation, began: now };
    running.set(call, own);
    const took = callMs();
    const limit = limitAt(now);
    at(now + (limit === undefined ? took : 50), () => {
      if (running.get(call) !== own) return;
      running.delete(call);
      const met = limitAt(own.began) ?? (limit === undefined ? undefined : limit);
      if (met === undefined) {
        done.set(call, (done.get(call) ?? 0) + 1);
        if (state !== null) state = noteAnswer(state, String(call));
      } else {
        const window = windows[limits.indexOf(met)] as (typeof windows)[number];
        window.useless++;
        if (window.inFlight < 0) window.inFlight = running.size;
        const until = met.named ? start + met.from + met.ms : null;
        const unavailable = { cause: 'usage', message: 'usage limit', until_ms: until, at_ms: now } as const;
        state = reachLimit(state, { account: ACCOUNT, beganMs: own.began, id: String(call), unavailable });
        waiting.push(call);
      }
      open();
    });
  };
  for (const time of kills)
    at(start + time, () => {
      generation++;
      // What was not on record is called again by the next process.
      waiting.unshift(...running.keys());
      running.clear();
      open();
    });
  for (let call = 0; call < calls; call++) waiting.push(call);
  open();
  while (done.size < calls) {
    queue.sort((a, b) => a.at - b.at || a.order - b.order);
    const next = queue.shift();
    if (next === undefined) throw new Error(`stuck: ${JSON.stringify(state)}, ${waiting.length} wait`);
    now = Math.max(now, next.at);
    next.act();
  }
  return { done: done.size, repeated: [...done.values()].filter((times) => times > 1).length, windows, until: now };
}

describe('a thousand calls', () => {
  const LIMITS = [20_000, 100_000, 220_000, 400_000].map((from) => ({ from, ms: 60_000, named: true }));

  test('with four limits and five kills: none is repeated, and in each window at most those in flight start in vain', () => {
    const random = randomNumbers(seed);
    const ended = play({
      calls: 1000,
      atOnce: 8,
      limits: LIMITS,
      kills: [10_000, 25_000, 90_000, 150_000, 230_000],
      callMs: () => 500 + Math.floor(random() * 5000),
    });
    expect(ended).toMatchObject({ done: 1000, repeated: 0 });
    for (const { useless, inFlight } of ended.windows) {
      expect(useless).toBeGreaterThan(0);
      expect(useless).toBeLessThanOrEqual(1 + inFlight);
    }
  });

  test('one after the other: a limit with a known end is met once', () => {
    const { windows } = play({ calls: 1000, atOnce: 1, limits: LIMITS, kills: [], callMs: () => 500 });
    expect(windows.map(({ useless }) => useless)).toEqual([1, 1, 1, 1]);
  });

  test('without a known end, probes come after 1, 2, 4 … seconds, up to five minutes', () => {
    const limits = [{ from: 2000, ms: 2_000_000, named: false }];
    const { windows, until } = play({ calls: 100, atOnce: 4, limits, kills: [], callMs: () => 500 });
    // 4 in flight, then 9 pauses up to 256 s and five of 300 s.
    expect((windows[0] as { useless: number }).useless).toBeLessThanOrEqual(4 + 9 + 6);
    expect(until - 1_000_000).toBeLessThan(2_400_000);
  });
});

describe('a breaker', () => {
  const usage = (until: number | null, at: number) =>
    ({ cause: 'usage', message: 'usage limit', until_ms: until, at_ms: at }) as const;
  const opened = reachLimit(null, { account: ACCOUNT, beganMs: 0, id: 'a', unavailable: usage(60_000, 1000) });
  const alive = (): boolean => true;
  const call = (id: string, began_ms: number, process: unknown = 1) => ({ id, began_ms, process });

  test('lets one call go first, then two, then four, then all', () => {
    expect(admit(opened, call('b', 59_999), alive)).toMatchObject({ kind: 'waits', untilMs: 60_000 });
    let state: BreakerState | null = opened;
    const levels: number[] = [];
    for (let next = 0; state !== null && next < 200; ) {
      const places = freePermits(state, 60_000, alive);
      levels.push(places);
      const ids = Array.from({ length: places }, () => `c${next++}`);
      for (const id of ids) state = admit(state, call(id, 60_000), alive).state;
      const refused = admit(state, call('late', 60_000), alive);
      expect(refused.kind).toBe('waits');
      state = refused.state;
      for (const id of ids) state = state === null ? null : noteAnswer(state, id);
    }
    expect(levels).toEqual([1, 2, 4, 8, 16, 32, 64]);
  });

  test('is closed when nobody waits any more', () => {
    const probing = admit(opened, call('b', 60_000), alive).state as BreakerState;
    const two = noteAnswer(probing, 'b') as BreakerState;
    const both = admit(admit(two, call('c', 60_001), alive).state, call('d', 60_001), alive).state as BreakerState;
    expect(noteAnswer(noteAnswer(both, 'c') as BreakerState, 'd')).toBeNull();
  });

  test('of a probe whose process was killed lets another one go', () => {
    const probing = admit(opened, call('b', 60_000, 'killed'), alive).state;
    expect(admit(probing, call('c', 60_010), alive).kind).toBe('waits');
    expect(admit(probing, call('c', 60_010), (process) => process !== 'killed').kind).toBe('begins');
  });

  test('of a probe that is silent for ten minutes lets another one go', () => {
    const probing = admit(opened, call('b', 60_000), alive).state;
    expect(admit(probing, call('c', 60_000 + 599_000), alive).kind).toBe('waits');
    expect(admit(probing, call('c', 60_000 + 601_000), alive).kind).toBe('begins');
  });

  test('lets the next one go if a probe was stopped', () => {
    const probing = admit(opened, call('b', 60_000), alive).state as BreakerState;
    expect(admit(leftOff(probing, 'b'), call('c', 60_001), alive).kind).toBe('begins');
  });

  test('waits for no longer than before if the clock is set back', () => {
    const hour = 3_600_000;
    const late = reachLimit(null, {
      account: ACCOUNT,
      beganMs: 10 * hour,
      id: 'a',
      unavailable: usage(11 * hour, 10 * hour),
    });
    const back = admit(late, call('b', hour), alive);
    expect(back).toMatchObject({ kind: 'waits', untilMs: 2 * hour });
    expect(admit(back.state, call('b', 2 * hour), alive).kind).toBe('begins');
  });

  test('is not opened again by a call that had begun before the limit', () => {
    const two = noteAnswer(admit(opened, call('b', 60_000), alive).state as BreakerState, 'b');
    const old = { account: ACCOUNT, beganMs: 500, id: 'old', unavailable: usage(null, 61_000) };
    expect(reachLimit(two, old)).toBe(two);
    const fresh = { account: ACCOUNT, beganMs: 60_500, id: 'new', unavailable: usage(90_000, 61_000) };
    expect(reachLimit(two, fresh)).toMatchObject({ level: 1, until_ms: 90_000 });
  });
});

describe('in files', () => {
  let folder: string;
  const told: string[] = [];
  const tell = (problem: string): void => void told.push(problem);
  const breakers = (): Breakers => new Breakers(breakerFiles(join(folder, 'breakers')));
  const limited = (message: string, until: number | null): Outcome => ({
    ...{ kind: 'exited', exit: 1, stdout: { text: '', bytes: 0 }, stderr: '', duration_ms: 1, is_error: true },
    unavailable: { cause: 'usage', message, until_ms: until, at_ms: Date.now() },
  });
  const answer: Outcome = {
    kind: 'exited',
    exit: 0,
    stdout: { text: '', bytes: 0 },
    stderr: '',
    duration_ms: 1,
    turns: 1,
  };
  const begun = (made: ReturnType<Breakers['enter']>) => {
    if ('cause' in made) throw new Error(`it waits: ${made.message}`);
    return made;
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'statedsl-breakers-'));
    told.length = 0;
  });
  afterEach(() => {
    vi.useRealTimers();
    rmSync(folder, { recursive: true, force: true });
  });

  test('two processes of two stores share one breaker', async () => {
    vi.useFakeTimers();
    const [one, two] = [breakers(), breakers()];
    const until = Date.now() + 60_000;
    const first = begun(one.enter(ACCOUNT, 'a', tell));
    const other = begun(two.enter(ACCOUNT, 'b', tell));
    expect(first.ends(limited('usage limit', until))).toMatchObject({
      unavailable: { until_ms: until, account: ACCOUNT },
    });
    expect(other.ends(limited('usage limit', until))).toMatchObject({ unavailable: { until_ms: until } });
    expect(two.enter(ACCOUNT, 'c', tell)).toMatchObject({ cause: 'usage', until_ms: until, account: ACCOUNT });
    expect(readdirSync(join(folder, 'breakers'))).toHaveLength(1);
    const [file = ''] = readdirSync(join(folder, 'breakers'));
    expect(statSync(join(folder, 'breakers', file)).mode & 0o777).toBe(0o600);

    // Three wait in one process, two in the other; the probe is one of them.
    const woken: string[] = [];
    const stop = new AbortController().signal;
    const wait = (which: Breakers, name: string) =>
      void which.wait(ACCOUNT, stop).then(() => {
        const entered = which.enter(ACCOUNT, name, tell);
        if ('cause' in entered) return void wait(which, name);
        woken.push(name);
        calls.push(entered);
      });
    const calls: ReturnType<typeof begun>[] = [];
    for (const name of ['c', 'd', 'e']) wait(one, name);
    for (const name of ['f', 'g']) wait(two, name);
    await vi.advanceTimersByTimeAsync(59_000);
    expect(woken).toEqual([]);
    await vi.advanceTimersByTimeAsync(3000);
    expect(woken).toHaveLength(1);
    calls.shift()?.hears();
    await vi.advanceTimersByTimeAsync(3000);
    expect(woken).toHaveLength(3);
    for (const one of calls.splice(0)) one.ends(answer);
    await vi.advanceTimersByTimeAsync(3000);
    expect(woken.sort()).toEqual(['c', 'd', 'e', 'f', 'g']);
    expect(told).toEqual([]);
  });

  test('an account that has answered since is free an hour later, whoever has called it', () => {
    vi.useFakeTimers();
    const listed = () => listLimits(null, { XDG_STATE_HOME: folder }).limits.map(({ state }) => state);
    const one = new Breakers(breakerFiles(breakersFolder({ XDG_STATE_HOME: folder })));
    const waits = (id: string): boolean => 'cause' in one.enter(ACCOUNT, id, tell);
    begun(one.enter(ACCOUNT, 'a', tell)).ends(limited('usage limit', Date.now() + 60_000));
    expect(listed()).toEqual(['waits']);
    vi.setSystemTime(Date.now() + 100_000);
    begun(one.enter(ACCOUNT, 'probe', tell)).hears();
    expect(listed()).toEqual(['ramp']);
    expect(['b', 'c', 'd'].map(waits)).toEqual([false, false, true]);
    vi.setSystemTime(Date.now() + 59 * 60_000);
    expect(['e', 'f', 'g'].map(waits)).toEqual([false, false, true]);
    vi.setSystemTime(Date.now() + 61 * 60_000);
    expect(['h', 'i', 'j'].map(waits)).toEqual([false, false, false]);
    expect(listed()).toEqual([]);
    // What it says then holds.
    begun(one.enter(ACCOUNT, 'k', tell)).ends(limited('usage limit', Date.now() + 60_000));
    expect(listed()).toEqual(['waits']);
    expect(waits('l')).toBe(true);
  });

  test('whoever waits goes on after the rest of the time when the clock was set back by hours, and so does a parked run', async () => {
    vi.useFakeTimers();
    const one = breakers();
    begun(one.enter(ACCOUNT, 'a', tell)).ends(limited('usage limit', Date.now() + 10_000));
    let isWoken = false;
    void one.wait(ACCOUNT, new AbortController().signal).then(() => {
      isWoken = true;
    });
    await vi.advanceTimersByTimeAsync(3000);
    vi.setSystemTime(Date.now() - 3 * 3_600_000);
    await vi.advanceTimersByTimeAsync(5000);
    expect(isWoken).toBe(false);
    // Also for a process that comes later.
    expect(breakers().until(ACCOUNT) - Date.now()).toBeLessThan(7000);
    await vi.advanceTimersByTimeAsync(7000);
    expect([isWoken, breakers().until(ACCOUNT) <= Date.now()]).toEqual([true, true]);
    expect(begun(breakers().enter(ACCOUNT, 'b', tell))).toBeDefined();
  });

  test('whoever waits goes on as soon as it is cleared', async () => {
    vi.useFakeTimers();
    const one = breakers();
    begun(one.enter(ACCOUNT, 'a', tell)).ends(limited('usage limit', Date.now() + 3_600_000));
    let isWoken = false;
    void one.wait(ACCOUNT, new AbortController().signal).then(() => {
      isWoken = true;
    });
    await vi.advanceTimersByTimeAsync(5000);
    expect(isWoken).toBe(false);
    breakerFiles(join(folder, 'breakers')).clear(ACCOUNT);
    await vi.advanceTimersByTimeAsync(2000);
    expect(isWoken).toBe(true);
  });

  test.each([
    ['nothing', ''],
    ['no JSON', '{"statedsl_breaker":1,'],
    ['another object', '{"statedsl_breaker":1,"account":5}'],
    ['null', 'null'],
  ])('a file with %s is told, ignored, and replaced by the next limit', (_, content) => {
    const one = breakers();
    begun(one.enter(ACCOUNT, 'a', tell)).ends(limited('usage limit', Date.now() + 60_000));
    const [name = ''] = readdirSync(join(folder, 'breakers'));
    writeFileSync(join(folder, 'breakers', name), content);
    const other = breakers();
    const call = begun(other.enter(ACCOUNT, 'b', tell));
    expect(told).toHaveLength(1);
    expect(told[0]).toMatch(/^the breaker of `claude:opus@~\/\.claude` is ignored: its content is not/);
    call.ends(limited('usage limit', Date.now() + 60_000));
    expect(breakers().enter(ACCOUNT, 'c', tell)).toMatchObject({ cause: 'usage' });
  });

  test('a file of another version stays, and the breaker holds for this process', () => {
    const one = breakers();
    begun(one.enter(ACCOUNT, 'a', tell)).ends(limited('usage limit', Date.now() + 60_000));
    const [name = ''] = readdirSync(join(folder, 'breakers'));
    writeFileSync(join(folder, 'breakers', name), '{"statedsl_breaker":2,"more":"than this version knows"}');
    const other = breakers();
    begun(other.enter(ACCOUNT, 'b', tell)).ends(limited('usage limit', Date.now() + 60_000));
    expect(told.join('\n')).toContain('another version of statedsl wrote it');
    expect(other.enter(ACCOUNT, 'c', tell)).toMatchObject({ cause: 'usage' });
    expect(readdirSync(join(folder, 'breakers'))).toEqual([name]);
    expect(breakerFiles(join(folder, 'breakers')).list().problems).toHaveLength(1);
  });

  test('where nothing can be written, it says so, and the breaker holds for this process', () => {
    writeFileSync(join(folder, 'breakers'), 'a file');
    const one = breakers();
    begun(one.enter(ACCOUNT, 'a', tell)).ends(limited('usage limit', Date.now() + 60_000));
    expect(told).toHaveLength(1);
    expect(told[0]).toMatch(/is not shared with other runs/);
    expect(one.enter(ACCOUNT, 'b', tell)).toMatchObject({ cause: 'usage' });
  });

  test('a folder in its place is told, and nothing is thrown', () => {
    const one = breakers();
    begun(one.enter(ACCOUNT, 'a', tell)).ends(limited('usage limit', Date.now() + 60_000));
    const [name = ''] = readdirSync(join(folder, 'breakers'));
    rmSync(join(folder, 'breakers', name));
    mkdirSync(join(folder, 'breakers', name));
    const other = breakers();
    begun(other.enter(ACCOUNT, 'b', tell)).ends(limited('usage limit', Date.now() + 60_000));
    expect(told.length).toBeGreaterThan(0);
    expect(other.enter(ACCOUNT, 'c', tell)).toMatchObject({ cause: 'usage' });
  });

  test('a network problem and a failure of the task open nothing', () => {
    const one = breakers();
    const network = limited('fetch failed', null) as Extract<Outcome, { kind: 'exited' }>;
    begun(one.enter(ACCOUNT, 'a', tell)).ends({
      ...network,
      unavailable: { cause: 'network', message: 'fetch failed', until_ms: null, at_ms: Date.now() },
    });
    begun(one.enter(ACCOUNT, 'b', tell)).ends({ ...answer, exit: 1, is_error: true } as Outcome);
    expect(breakerFiles(join(folder, 'breakers')).list().states).toEqual([]);
  });
});

describe('an account', () => {
  const env = { HOME: '/home/ada', OPENAI_API_KEY: 'sk-1' };
  const accountWith = (name: string, own: Parameters<typeof resolveAgent>[1]['agents'] = {}, more = {}) => {
    const agent = resolveAgent(name, { agents: own, folder: '/project', instead: {} });
    if (agent === null) throw new Error(`no agent ${name}`);
    return accountOf(agent, { ...env, ...more }, '/project');
  };

  test('is the program, its folder or the digest of its key, and the model', () => {
    expect(accountWith('claude-opus')).toBe('claude:opus@~/.claude');
    expect(accountWith('claude-opus', {}, { CLAUDE_CONFIG_DIR: '/etc/second' })).toBe('claude:opus@/etc/second');
    expect(accountWith('claude')).toBe('claude@~/.claude');
    expect(accountWith('codex')).toMatch(/^codex@key-[0-9a-f]{8}$/);
    expect(accountWith('gpt-5')).toMatch(/^openai:gpt-5@key-[0-9a-f]{8}$/);
    const local = {
      adapter: 'model',
      provider: 'openai-compatible',
      model: 'llama',
      base_url: 'http://u:p@box:11434/v1',
    } as const;
    expect(accountWith('a', { a: local })).toBe('openai-compatible:llama@box:11434/v1');
    expect(accountWith('a', { a: { adapter: 'command', run: ['./it.sh', 'go'] } })).toBe('command@/project/it.sh_go');
    expect(accountWith('a', { a: { adapter: 'fake', model: './busy.yaml' } })).toBe('fake@/project/busy.yaml');
  });

  test('differs by key, and contains none', () => {
    const [one, two] = ['sk-1', 'sk-2'].map((key) => accountWith('gpt-5', {}, { OPENAI_API_KEY: key }));
    expect(one).not.toBe(two);
    expect(`${one}${two}`).not.toContain('sk-');
    const own = (key: string) => accountWith('a', { a: { adapter: 'command', run: ['x'], env: { MY_TOKEN: key } } });
    expect(own('1')).not.toBe(own('2'));
  });
});

test('the folder is that of the state of the user', () => {
  expect(breakersFolder({ XDG_STATE_HOME: '/state' })).toBe('/state/statedsl/breakers');
  expect(breakersFolder({ XDG_STATE_HOME: 'not/absolute', HOME: '/home/ada' })).toBe(
    '/home/ada/.local/state/statedsl/breakers',
  );
});
