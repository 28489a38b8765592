import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../src/interpreter/events/event.js';
import type { Json } from '../../src/machine/expression.js';
import { run } from '../../src/runtime/run/start-run.js';
import { fileJournal, type Journal, memoryJournal } from '../../src/runtime/store/journal.js';
import { journalLine, readJournalLine } from '../../src/runtime/store/journal-line.js';
import { readJournal } from '../../src/runtime/store/read-journal.js';
import type { RunHeader } from '../../src/runtime/store/run-header.js';
import { longTest } from '../amount.js';
import {
  call,
  constant,
  done,
  emit,
  goto,
  hole,
  input,
  machine,
  shell,
  tracked,
} from '../interpreter/machine-builder.js';
import { commands, runKept, temporaryFolder } from './running.js';

const TIME = '2030-01-02T03:04:05.678Z';

function lines(folder: string): string[] {
  return readFileSync(join(folder, 'journal.ndjson'), 'utf8').split('\n').slice(0, -1);
}

describe('a line', () => {
  const events: RunEvent[] = [
    { type: 'state_entered', state: 'A' },
    { type: 'state_entered', state: 'A', with: { x: 'é"\n' } },
    { type: 'tracked_set', name: 'n', value: 0 },
    { type: 'tracked_set', name: 'n', value: 2147483647 },
    { type: 'tracked_set', name: 'n', value: -0 },
    { type: 'tracked_set', name: 'n', value: 1.5 },
    { type: 'tracked_set', name: 'n', value: 4e15 },
    { type: 'tracked_set', name: 'n', value: [{ a: '😀' }] },
    { type: 'run_suspended', waiting: [] },
  ];

  test('is JSON that reads back as the event', () => {
    for (const event of events) {
      const line = journalLine(event, 1234567, TIME);
      expect(readJournalLine(line)).toEqual({ seq: 1234567, time: TIME, event: JSON.parse(JSON.stringify(event)) });
      expect(Object.keys(JSON.parse(line)).slice(0, 3)).toEqual(['seq', 'ts', 'type']);
      expect(Object.keys(JSON.parse(line)).at(-1)).toBe('crc');
    }
  });

  test('ends in the CRC-32 of the bytes before it', () => {
    const line = journalLine({ type: 'tracked_set', name: 'n', value: 'ü' }, 7, TIME);
    const [, body, crc] = /^(.*),"crc":"([0-9a-f]{8})"\}$/.exec(line) ?? [];
    // The trailer of gzip holds the same sum, little end first.
    const gzip = gzipSync(body as string);
    expect(crc).toBe(
      gzip
        .readUInt32LE(gzip.length - 8)
        .toString(16)
        .padStart(8, '0'),
    );
  });

  test('reads as damaged when any byte is another', () => {
    fc.assert(
      fc.property(fc.constantFrom(...events), fc.nat(), fc.integer({ min: 1, max: 255 }), (event, at, change) => {
        const bytes = Buffer.from(journalLine(event, 42, TIME));
        const position = at % bytes.length;
        bytes[position] = (bytes[position] as number) ^ change;
        expect(readJournalLine(bytes.toString('utf8'))).toBeNull();
      }),
    );
  });

  test('reads as torn when its end is missing', () => {
    const line = journalLine(events[1] as RunEvent, 1, TIME);
    for (let length = 0; length < line.length; length++) expect(readJournalLine(line.slice(0, length))).toBeNull();
  });

  test('may hold any value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(), (value, seq) => {
        const event = { type: 'tracked_set', name: 'x', value: value as never } as const;
        expect(readJournalLine(journalLine(event, seq, TIME))?.event).toEqual(JSON.parse(JSON.stringify(event)));
      }),
    );
  });
});

describe('the folder of a run', () => {
  test('holds what the page says', async () => {
    const { folder, report, events } = await runKept(commands('echo hello'), {
      sources: [{ name: 'lib/hello.dsl', text: 'DO: echo hello\n' }],
    });
    expect(readdirSync(folder).sort()).toEqual([
      'artifacts',
      'checkpoint.json',
      'checkpoints',
      'heads.ndjson',
      'journal.ndjson',
      'lock.1',
      'machine.json',
      'processes.ndjson',
      'run.json',
      'source',
      'state.json',
    ]);
    expect(folder.endsWith(join('.statedsl', 'runs', report.run_id))).toBe(true);
    expect(report.run_id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(readFileSync(join(folder, 'source', '0-hello.dsl'), 'utf8')).toBe('DO: echo hello\n');
    expect(JSON.parse(readFileSync(join(folder, 'machine.json'), 'utf8')).version).toBe(1);
    expect(JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8'))).toMatchObject({
      run_id: report.run_id,
      machine: 'test',
      inputs: {},
      program: 'lib/hello.dsl',
    });
    expect(statSync(folder).mode & 0o077).toBe(0);
    const records = lines(folder).map((line) => readJournalLine(line));
    expect(records.map((record) => record?.seq)).toEqual(records.map((_, index) => index + 1));
    expect(records.map((record) => record?.event)).toEqual(JSON.parse(JSON.stringify(events)));
  });

  test('is ignored by git', async () => {
    const { folder } = await runKept(commands('true'));
    expect(readFileSync(join(folder, '..', '..', '.gitignore'), 'utf8')).toBe('*\n');
  });

  test('leaves a folder of another user unchanged', async () => {
    const dir = join(temporaryFolder(), 'mine');
    mkdirSync(dir);
    await runKept(commands('true'), { dir });
    expect(existsSync(join(dir, '.gitignore'))).toBe(false);
  });

  test('gets one line in the index', async () => {
    const { folder, report } = await runKept(commands('echo x'));
    const index = readFileSync(join(folder, '..', 'index.ndjson'), 'utf8')
      .trim()
      .split('\n');
    expect(index.map((line) => JSON.parse(line))).toMatchObject([
      { run_id: report.run_id, machine: 'test', status: 'returned', state: 'MAIN', effects: 1 },
    ]);
  });

  test('says in state.json what the run knows, flat and sorted', async () => {
    const code = [
      { op: 'track' as const, slot: 1, value: constant('z') },
      { op: 'track' as const, slot: 0, value: constant({ b: 1, a: 2 }) },
      done(),
    ];
    const program = machine({ MAIN: { code } }, { tracked: ['alpha', 'zulu'], inputs: [{ name: 'who' }] });
    const { folder } = await runKept(program, { inputs: { who: 'me' } });
    const text = readFileSync(join(folder, 'state.json'), 'utf8');
    expect(JSON.parse(text)).toEqual({ 'input.who': 'me', 'track.alpha': { b: 1, a: 2 }, 'track.zulu': 'z' });
    expect(Object.keys(JSON.parse(text))).toEqual(['input.who', 'track.alpha', 'track.zulu']);
  });
});

describe('durable before visible', () => {
  /** A journal that tells when it was asked for what. */
  function watched(log: string[]): Journal {
    return {
      open: () => ({
        folder: null,
        append: (events) => log.push(...events.map(({ type }) => `append ${type}`)),
        sync: async () => {
          await new Promise((resolve) => setTimeout(resolve, 5));
          log.push('sync');
        },
        close: async () => undefined,
      }),
    };
  }

  test('an event is shown, and an effect started, after the sync', async () => {
    const log: string[] = [];
    await run(machine({ MAIN: { code: [shell('a'), emit('DONE'), shell('b'), done()] } }), {
      journal: watched(log),
      onEvent: ({ type }) => log.push(`show ${type}`),
      effects: {
        perform: (request) => {
          log.push(`start ${request.effect}`);
          return Promise.resolve({ kind: 'value', value: null });
        },
      },
    });
    expect(log).toEqual([
      'append run_started',
      'append state_entered',
      'append effect_requested',
      'sync',
      'show run_started',
      'show state_entered',
      'show effect_requested',
      'start 1',
      'append effect_settled',
      'append emitted',
      'append effect_requested',
      'sync',
      'show effect_settled',
      'show emitted',
      'show effect_requested',
      'start 2',
      'append effect_settled',
      'append run_returned',
      'sync',
      'show effect_settled',
      'show run_returned',
    ]);
  });

  test('time and chance need no sync of their own', async () => {
    let syncs = 0;
    const sample = { op: 'sample' as const, source: 'random' as const, slot: 0 };
    const code = [sample, sample, sample, done(constant(1))];
    await run(machine({ MAIN: { locals: ['x'], code } }), {
      journal: {
        open: () => ({
          folder: null,
          append: () => undefined,
          sync: async () => {
            syncs++;
          },
          close: async () => undefined,
        }),
      },
    });
    expect(syncs).toBe(1);
  });

  test('a disk that is full stops the run before the effect', async () => {
    let started = 0;
    const { report } = await runKept(machine({ MAIN: { code: [shell('a'), shell('b'), done()] } }), {
      journal: failingAfter(fileJournal(join(temporaryFolder(), 'store')), 1),
      effects: {
        perform: () => {
          started++;
          return { kind: 'value', value: null };
        },
      },
    });
    expect(started).toBe(1);
    expect(report).toMatchObject({ status: 'failed', error: { kind: 'store' } });
    expect(report.error?.message).toMatch(/cannot write `.*`: no space left on device/);
  });

  function failingAfter(inner: Journal, good: number): Journal {
    return {
      open(header) {
        const journal = inner.open(header);
        let syncs = 0;
        return {
          folder: journal.folder,
          append: journal.append,
          sync: async () => {
            if (++syncs > good) {
              const { storeError } = await import('../../src/runtime/store/store-error.js');
              throw storeError('write', 'journal.ndjson', Object.assign(new Error('x'), { code: 'ENOSPC' }));
            }
            await journal.sync();
          },
          close: journal.close,
        };
      },
    };
  }

  test('a folder that cannot be made is a failed run', async () => {
    const { report, events } = await runKept(commands('true'), { dir: '/proc/nowhere' });
    expect(report).toMatchObject({ status: 'failed', state: null, error: { kind: 'store' }, effects: 0 });
    expect(report.error?.message).toMatch(/^cannot create the directory of the run `\/proc\/nowhere/);
    expect(events).toEqual([]);
  });
});

test('values over 64 KiB are an artifact, in the journal and for who listens', async () => {
  const value = 'v'.repeat(70_000);
  const template = { parts: ['true ', { ...hole(input(0)), context: 'word' as const }], source: '' };
  const program = machine({ MAIN: { code: [shell('', { template }), done()] } }, { inputs: [{ name: 'v' }] });
  const { events, folder } = await runKept(program, { inputs: { v: value } });
  const requested = events.find(({ type }) => type === 'effect_requested');
  if (requested?.type !== 'effect_requested') throw new Error('there was a request');
  const [reference] = requested.args as unknown as [{ readonly $artifact: string }];
  expect(readFileSync(join(folder, 'artifacts', reference.$artifact), 'utf8')).toBe(value);
  const recorded: RunEvent[] = [];
  readJournal(join(folder, 'journal.ndjson'), ({ event }) => recorded.push(event) > 0);
  expect(recorded.find(({ type }) => type === 'effect_requested')).toMatchObject({ args: [value] });
});

test('a journal in memory holds the same events', async () => {
  const journal = memoryJournal();
  const { events } = await runKept(commands('echo x'), { journal });
  expect(journal.events).toEqual(events);
});

test('a journal in memory gives each event as it was, also after it was read', () => {
  const journal = memoryJournal();
  const open = journal.open({} as RunHeader);
  const entered = { type: 'state_entered', state: 'A' } as const;
  const set = (value: Json, more = {}) => ({ type: 'tracked_set', name: 'n', value, ...more }) as const;
  const first: RunEvent[] = [entered, set(0), set(-0), set(2 ** 31 - 1), set(2 ** 31), set(5, { printed: '5.0' })];
  const later: RunEvent[] = [set('x'), { ...entered, state: 'B' }, { ...entered, with: { a: 1 } }, set(7)];
  open.append(first, 1, '');
  const { events } = journal;
  expect(events).toEqual(first);
  open.append(later, 7, '');
  expect(journal.events).toBe(events);
  expect(events).toEqual([...first, ...later]);
});

longTest('a loop that only computes is kept without holding it in memory', async () => {
  const turns = 50_000;
  const loop = machine(
    {
      LOOP: {
        code: [
          { op: 'track', slot: 0, value: constant(0) },
          {
            op: 'unless',
            condition: { op: 'compare', operator: '>=', left: tracked(0), right: constant(turns) },
            to: 3,
            text: '',
          },
          done(call('string', tracked(0))),
          { op: 'increment', to: { in: 'tracked', slot: 0 }, name: 'n', by: constant(1) },
          goto(0),
        ],
      },
    },
    { tracked: ['n'], limits: { transitions: turns + 1 } },
  );
  const dir = join(temporaryFolder(), '.statedsl');
  let folder = '';
  const report = await run(loop, {
    dir,
    onStart: (started) => {
      folder = started.folder ?? '';
    },
  });
  expect(report.returned).toBe(String(turns));
  expect(report.states_total).toBe(turns + 1);
  expect(report.states).toEqual(new Array(1000).fill('LOOP'));
  const all = lines(folder);
  expect(all).toHaveLength(turns * 2 + 4);
  expect(all.every((line) => readJournalLine(line) !== null)).toBe(true);
});
