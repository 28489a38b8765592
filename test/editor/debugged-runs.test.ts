/**
 * A debugger changes nothing: programs of the corpus, stopped at random, stepped through and executed again from their
 * record, make the same events as without one.
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { openRecord } from '../../src/app/project/stored-record.js';
import { LiveRun } from '../../src/editor/dap/debugged-run.js';
import { PastRun } from '../../src/editor/dap/past-run.js';
import { debugLink } from '../../src/editor/debug/debug-link.js';
import { DebugProgram } from '../../src/editor/debug/debug-program.js';
import { positionOf, type WantedStops } from '../../src/editor/debug/watch.js';
import type { RunEvent } from '../../src/interpreter/events/event.js';
import { advance, link, startRun } from '../../src/interpreter/run.js';
import { compile } from '../../src/language/check/compile.js';
import type { Machine } from '../../src/machine/machine.js';
import { scriptedEffects } from '../../src/runtime/pretended-world.js';
import { fixedOptions, interpreterOptions } from '../../src/runtime/run/run-options.js';
import { run } from '../../src/runtime/run/start-run.js';
import type { JournalRecord } from '../../src/runtime/store/journal-line.js';
import { casesOf, programOf } from '../corpus/case-file.js';
import { compileOptions } from '../corpus/compile-case.js';
import { seed, sequenceFrom } from '../random.js';

const COUNT = process.env.LONG === undefined ? 24 : 500;
const directory = mkdtempSync(join(tmpdir(), 'statedsl-debugged-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

interface Subject {
  readonly name: string;
  readonly machine: Machine;
  readonly program: () => DebugProgram;
}

const subjects: Subject[] = casesOf('run').flatMap((the): Subject[] => {
  const { text, markdown } = programOf(the);
  if (markdown) return [];
  const compiled = compile(text, { ...compileOptions(the), debug: true });
  const { machine, places, sources } = compiled;
  if (machine === null || machine.inputs.some(({ value }) => value === undefined)) return [];
  return [{ name: the.path, machine, program: () => new DebugProgram(link(machine), sources, places) }];
});

const limits = { transitions: 60 };

function executed(machine: Machine, more: object = {}): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  const options = { effects: scriptedEffects(), limits, jobs: 4, suspendAfterMs: null, ...more };
  return run(machine, { ...options, onEvent: (event) => void events.push(event) }).then(() => events);
}

/** What all of them did, so that the tests compare something. */
const total = { stops: 0, places: 0 };

describe('a run is the same under a debugger', () => {
  test.each(Array.from({ length: COUNT }, (_, at) => at))('program %i', async (at) => {
    const random = sequenceFrom((seed + at * 7919) >>> 0 || 1);
    const { machine, program, name } = subjects[random(subjects.length)] as Subject;
    const wanted: WantedStops = { breakpoints: [], data: [], failures: [], log: () => undefined };
    const own = program();
    const choose = (): void => {
      wanted.breakpoints = own.entries
        .filter(() => random(4) === 0)
        .map((entry) => ({
          id: entry.id + 1,
          kind: 'breakpoint',
          entries: [entry],
          condition: null,
          isHit: null,
          message: null,
        }));
      wanted.failures = random(2) === 0 ? [{ id: 'any', condition: null }] : [];
    };
    choose();
    let stops = 0;
    const live: LiveRun = new LiveRun(
      own,
      wanted,
      (stop) => {
        stops++;
        setImmediate(() => {
          if (stops > 200 || random(60) === 0) return live.detach();
          if (random(5) === 0) choose();
          live.update();
          const from = positionOf(stop.thread, stop.pc, stop.depth);
          const kinds = ['run', 'next', 'in', 'out', 'instruction'] as const;
          const kind = kinds[random(kinds.length)] as (typeof kinds)[number];
          live.proceed(kind === 'run' ? { kind } : { kind, from });
        });
      },
      random(2) === 0 ? { kind: 'run' } : { kind: 'pause', reason: 'entry' },
    );
    const plain = await executed(machine);
    const debugged = await executed(machine, {
      hold: live,
      dir: directory,
      runId: `01a00000-0000-7000-8000-${String(at).padStart(12, '0')}`,
    });
    // Which member of a PARALLEL goes first depends on when outcomes are taken, and a stop puts them off.
    const isOrdered = !JSON.stringify(machine.states).includes('"op":"fork');
    const lines = (events: RunEvent[]): string[] => events.map((event) => JSON.stringify(event)).sort();
    if (isOrdered) expect(debugged, name).toEqual(plain);
    else expect(lines(debugged), name).toEqual(lines(plain));
    const id = readdirSync(join(directory, 'runs')).find((one) => Number(one.slice(-12)) === at) ?? '';
    const source = openRecord(directory, id);
    const record = { source, records: source.read(), inputs: {}, redactor: null, programOf: () => program() };
    const past = new PastRun(record, { ...wanted, breakpoints: [] }, null);
    const places: { tick: number; depth: number; pc: number; seq: number }[] = [];
    past.watch.motion = { kind: 'pause', reason: 'pause' };
    while (places.length < 100 && past.forward()) {
      const stop = past.watch.stop;
      if (stop === null) break;
      if (stop.reason !== 'exception')
        places.push({ tick: past.tick, depth: stop.depth, pc: stop.pc, seq: past.seqNow });
      past.watch.proceed({ kind: 'pause', reason: 'pause' });
    }
    expect(past.differs, name).toBeNull();
    total.stops += stops;
    total.places += places.length;
    for (let count = 0; count < 3 && places.length > 0; count++) {
      const place = places[random(places.length)] as (typeof places)[number];
      const again = new PastRun(record, { ...wanted, breakpoints: [], failures: [] }, null);
      expect(again.goTo(place), name).toBe(true);
      expect({ tick: again.tick, pc: again.watch.stop?.pc, seq: again.seqNow }).toEqual({
        tick: place.tick,
        pc: place.pc,
        seq: place.seq,
      });
    }
  });
});

test('they stopped, and had places', () => {
  expect(total.stops).toBeGreaterThan(COUNT);
  expect(total.places).toBeGreaterThan(COUNT);
});

test.each([
  { type: 'key_shared', key: 'k', run_id: 'other', how: 'waits' },
  { type: 'warned', message: 'near a limit', state: 'A', line: 0, by: 'runner' },
] as const)('an event $type that the program does not make is before what follows it', async (added) => {
  const text = 'STATE: A\n  TRACK: n = 0\n  INCREMENT: n\n  RETURN: {n}\n';
  const { machine, places, sources } = compile(text, { debug: true });
  if (machine === null) expect.unreachable();
  const runId = `01a00000-0000-7000-9000-${added.type.length.toString().padStart(12, '0')}`;
  await executed(machine, { dir: directory, runId });
  const source = openRecord(directory, runId);
  const made = source.read();
  const seqsOf = (events: readonly RunEvent[]): number[] => {
    const records = events.map((event, at) => ({ ...(made[0] as JournalRecord), seq: at + 1, event }));
    const programOf = () => new DebugProgram(link(machine), sources, places);
    const wanted: WantedStops = { breakpoints: [], data: [], failures: [], log: () => undefined };
    const past = new PastRun({ source, records, inputs: {}, redactor: null, programOf }, wanted, null);
    past.watch.motion = { kind: 'pause', reason: 'pause' };
    const seqs: number[] = [];
    while (past.forward()) {
      seqs.push(past.seqNow);
      past.watch.proceed({ kind: 'pause', reason: 'pause' });
    }
    return seqs;
  };
  const events = made.map(({ event }) => event);
  expect(seqsOf(events)).toEqual([2, 3, 4]);
  expect(seqsOf([...events.slice(0, 2), added, ...events.slice(2)])).toEqual([2, 4, 5]);
});

test('positions without a breakpoint are not trapped', () => {
  const { machine } = compile('STATE: A\n  TRACK: n = 0\n  INCREMENT: n\n  IF: n >= 5 → RETURN: {n}\n  GOTO: A\n');
  const linked = link(machine as Machine);
  let trapped = 0;
  const traps = debugLink(linked, {
    positions: new Set([1]),
    before: () => {
      trapped++;
      return false;
    },
    failing: null,
    atFailure: () => undefined,
    failures: new Map(),
    leave: () => undefined,
  });
  expect(linked.instructions.filter((one, at) => one !== traps.instructions[at])).toHaveLength(1);
  const fixed = fixedOptions(machine as Machine, {});
  const one = startRun(
    traps,
    interpreterOptions(machine as Machine, fixed, { inputs: {}, record: true, version: '0' }),
  );
  while (advance(one) === 'more');
  expect(one.result?.value).toBe(5);
  expect(trapped).toBe(5);
});
