/** A run that is saved and restored at every point where it waits must continue in the same way. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../src/interpreter/events/event.js';
import type { EffectRequest } from '../../src/interpreter/request.js';
import {
  advance,
  answer,
  link,
  type Run,
  receiveSignal,
  restoreRun,
  settle,
  snapshotOf,
  startRun,
} from '../../src/interpreter/run.js';
import type { Json } from '../../src/machine/expression.js';
import type { Machine } from '../../src/machine/machine.js';
import { tries } from '../amount.js';
import {
  type Code,
  check,
  constant,
  done,
  emit,
  entry,
  goto,
  hole,
  local,
  machine,
  OPTIONS,
  printed,
  say,
  set,
  shell,
  tracked,
} from './machine-builder.js';

type Fork = Extract<Code, { op: 'fork' }>;
const join = { max: null, agents: false, quorum: null, wait: null };

/** A bit of everything that waits: loops, retries, nested forks, a question with a deadline, a signal, a polling WAIT. */
function everything(): Machine {
  const inner: Fork = {
    op: 'fork',
    branches: [
      { pc: 6, collect: [2] },
      { pc: 9, collect: [3] },
    ],
    join: 11,
    ...join,
  };
  return machine(
    {
      START: {
        locals: ['price', 'ids', '$items', '$index', 'n'],
        code: [
          { op: 'track', slot: 0, value: constant(0) },
          check('price', 0),
          check('ids', 1),
          { op: 'each', list: constant([1, 2]), items: 2, index: 3 },
          { op: 'next', items: 2, index: 3, variable: 4, exit: 8 },
          shell('flaky', { retry: { times: 2, pauseMs: 1 } }),
          { op: 'increment', to: { in: 'tracked', slot: 0 }, name: 'count', by: local(4) },
          { op: 'jump', to: 4 },
          emit('PRICE', { price: ['it is ', hole(local(0))], ids: ['', hole(local(1))] }),
          goto(1, { price: local(0) }),
        ],
      },
      FORK: {
        locals: ['item', 'answer', 'x', 'y', 'timed_out'],
        entry: ['price'],
        code: [
          {
            op: 'fork-each',
            list: constant(['p', 'q']),
            variable: 0,
            body: 1,
            collect: [1, 2, 3],
            ...join,
            join: 13,
            max: constant(1),
          },
          say('begin ', hole(local(0)), ' at ', hole(entry(0))),
          { op: 'ask', name: 'answer', question: ['?'], choices: [], value: ['none'], deadline: ['1h'], bind: 1 },
          say('answered ', hole(local(1))),
          shell('out', { reading: 'do', bind: { slot: 4 } }),
          inner,
          shell('x', { reading: 'do', bind: { slot: 2 }, piped: false as never }),
          { op: 'sample', source: 'uuid', slot: 4 },
          { op: 'branch-end' },
          { op: 'signal', name: 'GO', timeout: null, bind: 3, timedOut: 4 },
          { op: 'branch-end' },
          say('end ', hole(local(2)), hole(local(3))),
          { op: 'branch-end' },
          goto(2, { all: { op: 'list', items: [local(1), local(2), local(3)] } }),
        ],
      },
      BESIDE: {
        locals: ['m', '$deadline', 'timed_out'],
        entry: ['all'],
        code: [
          { op: 'fork', branches: [{ pc: 1, collect: [0] }], ...join, join: 3, detached: true },
          shell('slow', { reading: 'do', bind: { slot: 0 } }),
          { op: 'branch-end' },
          { op: 'wait-start', timeout: ['5s'], deadline: 1, timedOut: 2 },
          shell('poll'),
          { op: 'wait-turn', every: ['2s'], deadline: 1, timedOut: 2, again: 4, exit: 6 },
          { op: 'join-detached' },
          set(0, { op: 'list', items: [entry(0), tracked(0), local(2)] }),
          done(local(0)),
        ],
      },
    },
    { tracked: ['count'] },
  );
}

interface Told {
  readonly events: string[];
  readonly result: unknown;
}

/** Drives a run with choices that depend on what is asked alone; `between` may replace the run. */
function play(between: (run: Run) => Run): Told {
  let run = startRun(link(everything()), OPTIONS);
  let now = 5000;
  const tries = new Map<string, number>();
  const open = new Map<string, EffectRequest>();
  const events: RunEvent[] = [];
  for (let turn = 0; turn < 500; turn++) {
    const status = advance(run, 3);
    events.push(...run.takeEvents());
    for (const request of run.takeRequests()) open.set(request.effect, request);
    for (const effect of run.takeCancellations()) open.delete(effect);
    if (status === 'stopped') return { events: events.map((event) => JSON.stringify(event)), result: run.result };
    const before = run;
    run = between(run);
    if (run !== before) {
      // A restored run asks again for what it waits for, and for nothing else.
      const asked = run.takeRequests();
      expect(asked.map(({ effect }) => effect).sort()).toEqual([...open.keys()].sort());
      for (const request of asked) {
        expect({ ...request, delayMs: 0, ms: null }).toEqual({ ...open.get(request.effect), delayMs: 0, ms: null });
        open.set(request.effect, request);
      }
    }
    if (status === 'more') continue;
    const busy = [...open.values()].filter((request) => !('bounds' in request && request.bounds !== undefined));
    const next = busy.find(({ kind }) => kind !== 'ask' && kind !== 'signal') ?? busy[0];
    if (next === undefined) throw new Error('nothing is open');
    open.delete(next.effect);
    const text = 'text' in next ? next.text : next.kind;
    const count = (tries.get(text) ?? 0) + 1;
    tries.set(text, count);
    if (next.kind === 'ask') answer(run, next.effect, `a${count}`, 'me');
    else if (next.kind === 'signal') receiveSignal(run, next.name, { count }, 'me');
    else if (next.kind === 'timer' || next.kind === 'clock') {
      now = next.kind === 'timer' ? (next.until ?? now) : now + 10;
      settle(run, next.effect, { kind: 'value', value: now });
    } else if (next.kind === 'uuid') settle(run, next.effect, { kind: 'value', value: `u${next.effect}` });
    else if (text === 'price') settle(run, next.effect, printed('1.10\n'));
    else if (text === 'ids') settle(run, next.effect, printed('[12345678901234567890, 1e2]'));
    else if (text === 'flaky' && count % 3 !== 0) settle(run, next.effect, printed('', 1, 'try again'));
    else if (text === 'slow') open.set(next.effect, next);
    else settle(run, next.effect, printed(`${text}${count}`));
    if (text === 'slow') rotate(open, next);
  }
  throw new Error('the run does not end');
}

/** Moves a request that is never answered after the others. */
function rotate(open: Map<string, EffectRequest>, request: EffectRequest): void {
  const others = [...open.values()].filter(({ effect }) => effect !== request.effect);
  if (others.length === 0) throw new Error('only the slow one is open');
  open.clear();
  for (const other of [...others, request]) open.set(other.effect, other);
}

const reopened = (run: Run): Run =>
  restoreRun(link(everything()), JSON.parse(JSON.stringify(snapshotOf(run))) as Json, OPTIONS);

describe('a snapshot', () => {
  const reference = play((run) => run);

  test('the reference run comes to its end', () => {
    expect(reference.result).toEqual({
      status: 'returned',
      value: [
        [
          ['a1', 'a2'],
          ['x1', 'x2'],
          [{ count: 1 }, { count: 2 }],
        ],
        3,
        true,
      ],
      error: null,
      state: 'BESIDE',
    });
    expect(reference.events.find((event) => event.includes('"PRICE"'))).toContain(
      '"price":"it is 1.10","ids":["12345678901234567890",100]',
    );
  });

  test('restored at every point, it gives the same events', () => {
    expect(play(reopened)).toEqual(reference);
  });

  test('restored at any points, it gives the same events', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 1, maxLength: 20 }), (when) => {
        let at = 0;
        expect(play((run) => (when[at++ % when.length] ? reopened(run) : run))).toEqual(reference);
      }),
      { numRuns: tries(4, 60) },
    );
  });

  test('of a snapshot is the snapshot', () => {
    play((run) => {
      const image = snapshotOf(run);
      const again = restoreRun(link(everything()), image, OPTIONS);
      expect(snapshotOf(again)).toEqual(image);
      return run;
    });
  });
});
