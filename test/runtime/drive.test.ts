/** The loop of one run, in a world that answers in the order of the test: what is recorded, started and kept, and when. */
import { expect, test } from 'vitest';
import type { Outcome, RunEvent } from '../../src/interpreter/events/event.js';
import { run } from '../../src/runtime/run/start-run.js';
import { type Journal, memoryJournal } from '../../src/runtime/store/journal.js';
import { type Code, constant, done, machine, shell } from '../interpreter/machine-builder.js';

const NOTHING: Outcome = { kind: 'value', value: null };

/** A state that executes these commands at the same time. */
function parallel(...names: readonly string[]) {
  const branches = names.map((_, index) => ({ pc: 1 + 2 * index, collect: [] }));
  const code = names.flatMap((name): Code[] => [shell(name), { op: 'branch-end' }]);
  const join = 1 + code.length;
  const fork: Code = { op: 'fork', branches, join, max: null, agents: false, quorum: null, wait: null };
  return machine({ A: { code: [fork, ...code, done()] } });
}

test('what a member came to is on disk while others still run, even if nothing shows it', async () => {
  const log: string[] = [];
  const journal: Journal = {
    open: () => ({
      folder: null,
      append: (events) => log.push(...events.map(({ type }) => type)),
      sync: async () => void log.push('sync'),
      close: async () => undefined,
    }),
  };
  let isDurable: boolean | null = null;
  const slow = async (): Promise<Outcome> => {
    for (let turn = 0; turn < 1000 && !log.includes('effect_settled'); turn++) await nextTurn();
    for (let turn = 0; turn < 50; turn++) await nextTurn();
    isDurable = log.indexOf('sync', log.indexOf('effect_settled')) > 0;
    return NOTHING;
  };
  await run(parallel('quick', 'slow'), {
    journal,
    effects: { perform: (request) => ('text' in request && request.text === 'slow' ? slow() : NOTHING) },
  });
  expect(isDurable).toBe(true);
});

test('an outcome that came before the signal is kept, and nothing is started after it', async () => {
  const journal = memoryJournal();
  const stop = new AbortController();
  const started: string[] = [];
  const { status } = await run(parallel('a', 'b'), {
    journal,
    signal: stop.signal,
    effects: {
      perform: (request) => {
        started.push('text' in request ? request.text : request.kind);
        stop.abort();
        return NOTHING;
      },
    },
  });
  expect(status).toBe('interrupted');
  expect(started).toEqual(['a']);
  const ends = journal.events.map(({ type }: RunEvent) => type).filter((type) => /settled|interrupted/.test(type));
  expect(ends).toEqual(['effect_settled', 'run_interrupted']);
});

test('no process waits for the deadline of a question', async () => {
  const ask: Code = {
    op: 'ask',
    name: 'ok',
    question: ['ok?'],
    choices: [],
    value: ['no'],
    deadline: ['1h'],
    bind: 0,
  };
  const { status, waiting } = await run(machine({ A: { locals: ['x'], code: [ask, done()] } }), {
    journal: memoryJournal(),
    env: {},
  });
  expect([status, waiting?.map(({ kind }) => kind)]).toEqual(['suspended', ['ask']]);
});

test('a signal waits until what it stops has ended, and says why it came', async () => {
  const journal = memoryJournal();
  const stop = new AbortController();
  let hasEnded = false;
  const { status } = await run(machine({ A: { code: [shell('long'), done()] } }), {
    journal,
    signal: stop.signal,
    effects: {
      perform: async (_, { stop: stopped }) => {
        queueMicrotask(() => stop.abort('SIGTERM'));
        while (!stopped.aborted) await nextTurn();
        for (let turn = 0; turn < 20; turn++) await nextTurn();
        hasEnded = true;
        return NOTHING;
      },
    },
  });
  expect({ status, hasEnded }).toEqual({ status: 'interrupted', hasEnded: true });
  expect(journal.events.at(-1)).toEqual({ type: 'run_interrupted', reason: 'SIGTERM' });
  expect(journal.events.some(({ type }) => type === 'effect_settled')).toBe(false);
});

test('an effect is started, and its end is shown, only after the record is on disk', async () => {
  const log: string[] = [];
  let written = 0;
  let durable = 0;
  const journal: Journal = {
    open: () => ({
      folder: null,
      append: (events) => {
        written += events.length;
      },
      sync: async () => {
        await nextTurn();
        durable = written;
      },
      close: async () => undefined,
    }),
  };
  const note = (what: string) => log.push(`${what}${durable === written ? '' : ' too early'}`);
  await run(machine({ A: { code: [shell('a'), shell('b'), done()] } }), {
    journal,
    onEvent: ({ type }) => note(type),
    effects: {
      perform: (request) => {
        note(`start ${'text' in request ? request.text : ''}`);
        return NOTHING;
      },
    },
  });
  expect(log.filter((line) => /^start |returned|early/.test(line))).toEqual(['start a', 'start b', 'run_returned']);
});

test('a run that waits for a person records that it is suspended, last of all', async () => {
  const journal = memoryJournal();
  const ask: Code = { op: 'ask', name: 'ok', question: ['ok?'], choices: [], value: null, deadline: null, bind: 0 };
  await run(machine({ A: { locals: ['x'], code: [ask, done()] } }), { journal, env: {} });
  expect(journal.events.at(-1)).toMatchObject({ type: 'run_suspended', waiting: [{ kind: 'ask' }] });
});

test('what an effect throws is not an outcome: the run stops, and so does everything that it had started', async () => {
  let isStopped = false;
  const running = run(parallel('breaks', 'long'), {
    journal: memoryJournal(),
    effects: {
      perform: async (request, { stop }) => {
        if ('text' in request && request.text === 'breaks') throw new Error('a bug');
        while (!stop.aborted) await nextTurn();
        isStopped = true;
        return NOTHING;
      },
    },
  });
  await expect(running).rejects.toThrow('a bug');
  expect(isStopped).toBe(true);
});

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

test('what the second of two outcomes ends is not started because of the first one', async () => {
  const branches = [1, 4].map((pc) => ({ pc, collect: [] }));
  const fork: Code = { op: 'fork', branches, join: 6, max: null, agents: false, quorum: constant(1), wait: null };
  const code: Code[] = [
    fork,
    shell('long'),
    shell('after long'),
    { op: 'branch-end' },
    shell('short'),
    { op: 'branch-end' },
  ];
  const started: string[] = [];
  const { status } = await run(machine({ A: { code: [...code, done()] } }), {
    effects: {
      perform: (request) => {
        started.push('text' in request ? request.text : request.kind);
        return NOTHING;
      },
    },
  });
  expect({ status, started }).toEqual({ status: 'returned', started: ['long', 'short'] });
});
