/** The turns of the loop of one run, with every part of its surroundings made by hand: what happens, and in which order. */
import { expect, test } from 'vitest';
import type { RunEvent } from '../../src/interpreter/events/event.js';
import type { Delivery, Inbox } from '../../src/runtime/store/inbox.js';
import { VirtualTime } from '../../src/runtime/virtual-time.js';
import { printed } from '../interpreter/machine-builder.js';
import {
  COMPUTES,
  DONE,
  driven,
  inboxOf,
  nextTurn,
  type Parts,
  type Perform,
  signal,
  typesIn,
  untilStopped,
} from './driven.js';

test('a turn writes, shows, stores the state and a checkpoint if one is due, and then starts', async () => {
  const log: string[] = [];
  const stateFile = { note: () => undefined, now: () => log.push('state'), later: () => log.push('state later') };
  const checkpoints = {
    due: () => {
      log.push('due?');
      return !log.some((line) => line.startsWith('checkpoint'));
    },
    write: (_: unknown, { seq }: { seq: number }) => log.push(`checkpoint ${seq}`),
  };
  await driven(
    'STATE: A\n  DO: a\n  RETURN\n',
    {
      ...{ stateFile, checkpoints },
      onEvent: ({ type }: RunEvent) => log.push(`show ${type}`),
      perform: async () => {
        await nextTurn();
        return DONE;
      },
    } as unknown as Parts,
    log,
  );
  expect(log).toEqual([
    'record run_started',
    'record state_entered',
    'record effect_requested',
    'sync',
    'show run_started',
    'show state_entered',
    'show effect_requested',
    'state',
    'due?',
    'checkpoint 3',
    'start a',
    'state later',
    'record effect_settled',
    'record run_returned',
    'sync',
    'show effect_settled',
    'show run_returned',
    'state',
    'due?',
    'checkpoint 5',
  ]);
});

const QUORUM = 'STATE: A\n  DO: in PARALLEL [quorum=1]\n    - long\n    - short\n  DO: after\n  RETURN\n';

test('what is no longer needed is stopped, and nothing is started before it has ended', async () => {
  const log: string[] = [];
  const perform: Perform = async (name, context) =>
    name === 'long' ? untilStopped(context, () => log.push('end long')) : DONE;
  const { events } = await driven(QUORUM, { perform }, log);
  expect(log.filter((line) => /long|after/.test(line))).toEqual(['start long', 'end long', 'start after']);
  expect(events.filter((event) => event.type === 'effect_settled' && event.stopped !== true)).toHaveLength(2);
});

test('outcomes that came when the time was up are kept, and nothing follows from them', async () => {
  const time = new VirtualTime(0);
  const perform: Perform = () => {
    time.advance();
    time.skipTo(70);
    return DONE;
  };
  const { events } = await driven('STATE: A\n  DO: a\n  DO: b\n  RETURN\n', { time, timeMs: 50, perform });
  expect(typesIn(events).slice(2)).toEqual(['effect_requested', 'effect_settled', 'budget_exceeded', 'run_failed']);
  expect(events.find(({ type }) => type === 'budget_exceeded')).toMatchObject({ limit: 50, used: 70 });
});

test('nothing is started when the time is up, and the limit counts the time of earlier processes', async () => {
  const time = new VirtualTime(0);
  const begin = { seq: 0, events: [], activeMs: 30 };
  const perform: Perform = () => {
    time.advance();
    return DONE;
  };
  const { log, events } = await driven('STATE: A\n  DO: in PARALLEL\n    - a\n    - b\n  RETURN\n', {
    ...{ time, timeMs: 50, begin, perform },
  });
  expect(log.filter((line) => line.startsWith('start'))).toEqual(['start a']);
  expect(time.now).toBe(20);
  expect(events.find(({ type }) => type === 'budget_exceeded')).toMatchObject({ limit: 50, used: 50 });
  // The clock of a run that has ended does not go on.
  expect(time.advance()).toBeNull();
});

test('what is on its way when the disk is full comes to nothing, and an ended run gets no warnings', async () => {
  let used = 0;
  let asked = 0;
  const growth = {
    watch: () => undefined,
    exceededLimit: () => (used > 10 ? { scope: 'output', limit: 10, used } : null),
    warnings: () => {
      asked++;
      return [{ type: 'warned', message: 'near', state: '', line: 0, by: 'runner' }];
    },
  };
  const run = (perform: Perform) =>
    driven('STATE: A\n  DO: a\n  RETURN\n', { growth, perform } as unknown as Parts).then(({ events }) => events);
  const full = await run(() => {
    used = 11;
    return DONE;
  });
  expect(
    typesIn(full)
      .filter((type) => type !== 'warned')
      .slice(3),
  ).toEqual(['budget_exceeded', 'effect_settled', 'run_failed']);
  expect(full.find(({ type }) => type === 'effect_settled')).toMatchObject({ stopped: true });
  used = 0;
  asked = 0;
  const events = await run(async () => DONE);
  expect(typesIn(events).at(-1)).toBe('run_returned');
  expect([asked > 0, typesIn(events).filter((type) => type === 'warned').length]).toEqual([true, asked]);
});

test('what is sent to a run after its end changes nothing', async () => {
  const begin = {
    ...{ seq: 0, events: [], activeMs: 0 },
    deliveries: [
      { kind: 'cancel', by: 'ann' },
      { kind: 'answer', name: 'x', value: 1, by: 'ann' },
    ] as Delivery[],
  };
  const { events } = await driven('STATE: A\n  WAIT: signal go\n  RETURN\n', { begin });
  expect(typesIn(events).slice(-2)).toEqual(['run_cancelled', 'run_failed']);
});

test('an inbox is looked at once more before a run is suspended', async () => {
  const inbox = inboxOf([]);
  let looks = 0;
  const late: Inbox = {
    ...inbox,
    hasMore: () => {
      // The first look is at the start.
      if (++looks === 2) inbox.send(signal('go'));
      return inbox.hasMore();
    },
  };
  const { end, events } = await driven('STATE: A\n  WAIT: signal go\n  RETURN\n', { inbox: late });
  expect(end.kind).toBe('ended');
  expect(events.find(({ type }) => type === 'signal_received')).toMatchObject({ inbox: 1 });
});

test('what a run has read is blanked in its inbox after it is on disk, if the run has secrets', async () => {
  const redactor = { event: (event: RunEvent) => event, value: (value: unknown) => value };
  const run = async (secrets: boolean) => {
    const log: string[] = [];
    const inbox = inboxOf([signal('go')], log);
    const parts = { inbox, ...(secrets ? { redactor } : {}) } as unknown as Parts;
    await driven('STATE: A\n  WAIT: signal go\n  RETURN\n', parts, log);
    return log;
  };
  expect(await run(false)).not.toContain('forget');
  const log = await run(true);
  expect(log.slice(log.indexOf('record signal_received'))).toEqual([
    'record signal_received',
    'record run_returned',
    'sync',
    'forget',
  ]);
});

test('the files before a state are committed on record before anything is started in it, and not after the end', async () => {
  const labels: string[] = [];
  const worktrees = { keepPoint: async (label: string) => `c${labels.push(label)}` };
  const text = 'STATE: A\n  DO: a\n  GOTO: B\nSTATE: B\n  DO: b\n  DO: b again\n  GOTO: C\nSTATE: C\n  RETURN\n';
  const { log, events } = await driven(text, { resources: { worktrees } });
  expect(labels).toEqual(['before A', 'before B']);
  const commits = events.filter((event) => event.type === 'worktree_committed');
  expect(commits).toMatchObject([
    { commit: 'c1', since: 0 },
    { commit: 'c2', since: 1 + events.findIndex(({ type }) => type === 'effect_settled') },
  ]);
  const at = log.indexOf('start b');
  expect(log.slice(at - 3, at)).toEqual(['sync', 'record worktree_committed', 'sync']);
});

test('a run that is interrupted has a checkpoint, with one outcome that came before, and not with two', async () => {
  const run = async (together: number) => {
    const stop = new AbortController();
    const log: string[] = [];
    const checkpoints = { due: () => false, write: () => log.push('checkpoint') };
    const perform: Perform = (name, context) => {
      if (name === 'c') stop.abort('SIGTERM');
      return name !== 'c' && Number(name.slice(1)) <= together ? DONE : untilStopped(context, () => undefined);
    };
    const text = 'STATE: A\n  DO: in PARALLEL\n    - m1\n    - m2\n    - c\n  RETURN\n';
    await driven(text, { perform, checkpoints, signal: stop.signal } as unknown as Parts, log);
    return log.filter((line) => /checkpoint|settled|interrupted/.test(line));
  };
  const end = ['record effect_settled', 'record run_interrupted'];
  expect(await run(0)).toEqual(['record run_interrupted', 'checkpoint']);
  expect(await run(1)).toEqual([...end, 'checkpoint']);
  expect(await run(2)).toEqual(['record effect_settled', ...end]);
});

test('a run hands its signal and its clock back', async () => {
  const stop = new AbortController();
  const listening: string[] = [];
  const watched = {
    get aborted() {
      return stop.signal.aborted;
    },
    addEventListener: () => listening.push('add'),
    removeEventListener: () => listening.push('remove'),
  };
  await driven('STATE: A\n  RETURN\n', { signal: watched } as unknown as Parts);
  expect(listening).toEqual(['add', 'remove']);
});

test('what is requested while the run computes is on record before it starts, and settled when the run waits', async () => {
  const { log } = await driven(COMPUTES);
  expect(log.slice(log.indexOf('record effect_requested'), log.indexOf('start b'))).toEqual([
    'record effect_requested',
    'sync',
    'start a',
    'record effect_requested',
    'sync',
  ]);
});

test('a run that only computes writes once, but shows nothing that is not written', async () => {
  const text = 'STATE: A\n  TRACK: n = 0\n  FOR EACH: y in range(300):\n    SET: n = n + 1\n  RETURN\n';
  expect((await driven(text)).log.filter((line) => line === 'sync')).toHaveLength(1);
  const log: string[] = [];
  await driven(text, { onEvent: () => void log.push('show') }, log);
  const written = log.map((line) => (line === 'sync' ? '|' : line === 'show' ? 's' : 'w')).join('');
  expect(written).toMatch(/^(?:w+\|s+){2,}$/);
  expect(written.replace(/[^w]/g, '')).toHaveLength(written.replace(/[^s]/g, '').length);
});

test('the process blocks for the disk only while nothing is in flight', async () => {
  const perform: Perform = async (name, context) =>
    name === 'long' ? untilStopped(context, () => undefined) : nextTurn().then(() => DONE);
  const { log } = await driven(QUORUM, { perform, mayBlock: () => true });
  expect(log.filter((line) => line.startsWith('sync'))).toEqual(['sync at once', 'sync', 'sync at once']);
});

test('the loop looks up while it starts many effects, answers itself or only computes', async () => {
  let started = 0;
  let seen = 0;
  const perform: Perform = () => {
    if (started++ === 0)
      setImmediate(() => {
        seen = started;
      });
    return DONE;
  };
  await driven('STATE: A\n  FOR EACH: x in range(100) in PARALLEL:\n    DO: work\n  RETURN\n', { perform });
  expect([started, seen < 100]).toEqual([100, true]);
  for (const text of ['STATE: A\n  GOTO: A\n', 'STATE: A\n  TRACK: id = uuid()\n  SET: id = uuid()\n  GOTO: A\n']) {
    const stop = new AbortController();
    setImmediate(() => setImmediate(() => setImmediate(() => stop.abort())));
    const parts = { signal: stop.signal, limits: { transitions: 100_000 }, journal: null };
    const { end } = await driven(text, { ...parts, perform: () => ({ kind: 'value', value: 'x' }) });
    expect(end.kind).toBe('interrupted');
  }
});

test('output and notices go to whoever watches the run, with the effect', async () => {
  const shown: unknown[] = [];
  const perform: Perform = (_, { show, notice }) => {
    show?.(Buffer.from('x'), 'stderr');
    notice?.('slow');
    shown.push([show === null, notice === undefined]);
    return DONE;
  };
  const text = 'STATE: A\n  DO: a\n  RETURN\n';
  await driven(text, { perform });
  await driven(text, {
    perform,
    onOutput: (effect, bytes, stream) => shown.push([effect, String(bytes), stream]),
    onNotice: (effect, notice) => shown.push([effect, notice]),
  });
  expect(shown).toEqual([
    [true, true],
    ['1', 'x', 'stderr'],
    ['1', 'slow'],
    [false, false],
  ]);
});

test('what a signal stops has ended before the interruption is on record', async () => {
  const stop = new AbortController();
  const log: string[] = [];
  const perform: Perform = (_, context) => {
    stop.abort();
    return untilStopped(context, () => log.push('end'));
  };
  await driven('STATE: A\n  DO: a\n  RETURN\n', { perform, signal: stop.signal }, log);
  expect(log.filter((line) => /^end|interrupted/.test(line))).toEqual(['end', 'record run_interrupted']);
});

test('a run that is suspended has a checkpoint, and one that failed has none', async () => {
  const run = async (text: string, perform: Perform) => {
    const log: string[] = [];
    const inbox = inboxOf(text.includes('WAIT') ? [signal('other')] : []);
    const write = (_: unknown, facts: { inbox: number }) => log.push(`checkpoint ${facts.inbox}`);
    const checkpoints = { due: () => false, write };
    await driven(text, { perform, checkpoints, inbox } as unknown as Parts, log);
    return log.filter((line) => /checkpoint|run_(?!started)/.test(line));
  };
  const waits = 'STATE: A\n  WAIT: signal go\n  RETURN\n';
  expect(await run(waits, () => DONE)).toEqual(['record run_suspended', 'checkpoint 1']);
  expect(await run('STATE: A\n  DO: a\n  RETURN\n', () => printed('', 1))).toEqual(['record run_failed']);
});

test('random identifiers and times are answered in the turn that asks for them', async () => {
  const { log } = await driven('STATE: A\n  TRACK: a = uuid()\n  TRACK: b = uuid()\n  DO: work\n  RETURN\n', {
    perform: (name) => (name === 'work' ? DONE : { kind: 'value', value: name }),
  });
  const syncs = log.slice(0, log.indexOf('start work')).filter((line) => line === 'sync');
  expect(syncs).toHaveLength(1);
});
