/** Where a record says that a failed run goes on, and where a replay of it begins: found in the events alone. */
import { describe, expect, test } from 'vitest';
import { Replay } from '../../src/interpreter/record/replay.js';
import { advance, link, startRun } from '../../src/interpreter/run.js';
import { locationOf } from '../../src/interpreter/run-state/thread.js';
import { compile } from '../../src/language/check/compile.js';
import type { Machine } from '../../src/machine/machine.js';
import { findResumePoint } from '../../src/runtime/run/again/find-resume-point.js';
import { eventAt, type ReplayPoint } from '../../src/runtime/run/again/replay-point.js';
import { OPTIONS, printed } from '../interpreter/machine-builder.js';
import { ScriptedProgram } from '../interpreter/scripted-program.js';
import { writtenRecord } from './written-record.js';

const start = (text: string, transitions = 9) =>
  new ScriptedProgram(text, { restored: false, clockMs: 1000, run: { limits: { transitions } } });

/** What counts no more, and what is done again, by the names of the effects; `?`: a failure that may be none. */
function point(text: string, { events }: Pick<ScriptedProgram, 'events'>) {
  const found = findResumePoint(writtenRecord(events), compile(text).machine as Machine);
  const [from, ...without] = [found.discarded.from, ...found.discarded.without].map((seq) => events[seq - 1]?.type);
  return { ...found, from, without };
}

const AGAIN = `STATE: A
  DO: one
  DO: two
  ON ERROR: →
    DO: clean
    FAIL: again
`;

describe('a failed run is resumed', () => {
  test('with the effect that failed, and what its handler did stays done', () => {
    const run = start(AGAIN).end('one').fail('two').end('clean');
    const found = point(AGAIN, run);
    expect(found).toMatchObject({ from: 'instruction_failed', without: ['effect_settled'], hopeless: null });
    expect(found.again.map(({ text, line }) => `${line} ${text}`)).toEqual(['3 two']);
    expect(found.doneAgain).toEqual(found.again.map(({ effect }) => effect));
    expect(found.stays.map(({ text }) => text)).toEqual(['clean']);
    expect(found.failure).toMatchObject({ state: 'A', line: 3 });
    expect(found.begun).toEqual({ '': 3 });
  });

  test('from the first of the failures that followed from each other', () => {
    const found = point(AGAIN, start(AGAIN).fail('one').fail('clean'));
    expect([found.again.map(({ text }) => text), found.stays.map(({ text }) => text)]).toEqual([['one'], ['clean']]);
  });

  test('from the failure that led into the state ERROR, and from a later one in any other state', () => {
    const text = `STATE: A
  DO: one
  GOTO: B
STATE: B
  DO: two
  RETURN
STATE: ERROR
  DO: tell
  GOTO: B
`;
    const told = start(text).fail('one').fail('tell');
    expect(point(text, told)).toMatchObject({ again: [{ text: 'one' }], stays: [{ text: 'tell' }] });
    const later = start(text).fail('one').end('tell').fail('two').fail('tell');
    expect(point(text, later)).toMatchObject({ again: [{ text: 'two' }], stays: [{ text: 'tell' }] });
  });

  test('before what failed without an effect, which only an edit can help', () => {
    const text = 'STATE: A\n  CHECK: x = one\n  DO: y = x + 1\n  DO: echo {y}\n  RETURN\n';
    const found = point(text, start(text).end('one', 'word'));
    expect(found).toMatchObject({ from: 'instruction_failed', without: [], again: [], hopeless: 'unless-edited' });
    expect(found.discarded.held).toMatchObject([{ thread: '' }]);
  });

  test('with all members that failed, and not with those that were stopped', () => {
    const text = 'STATE: A\n  DO: in PARALLEL\n    - a\n    - b\n    - c\n  RETURN\n';
    const found = point(text, start(text).end('a').fail('c').fail('b'));
    expect(found).toMatchObject({
      again: [{ text: 'b' }, { text: 'c' }],
      without: ['effect_settled', 'effect_settled'],
    });
    const stopped = text.replace('PARALLEL', 'PARALLEL [quorum=2]');
    expect(point(stopped, start(stopped).fail('b').fail('a')).again).toMatchObject([{ text: 'a' }, { text: 'b' }]);
  });

  test('with what is in doubt, which is not said to have been done', () => {
    const doubt = { kind: 'failed', error_type: 'in_doubt', message: 'lost' } as const;
    const found = point(AGAIN, start(AGAIN).end('one').end('two', doubt).end('clean'));
    expect([found.again.map(({ text }) => text), found.doneAgain]).toEqual([['two'], []]);
  });

  test('from the limit that ended it, whatever failed before', () => {
    const text = `STATE: A\n  DO: one\n  ON ERROR: → GOTO: B\nSTATE: B\n  GOTO: C\nSTATE: C\n  GOTO: A\n`;
    const found = point(text, start(text, 2).fail('one'));
    expect(found).toMatchObject({ from: 'budget_exceeded', without: [], usedUp: { scope: 'transitions', limit: 2 } });
    expect([found.failure, found.again, found.begun, found.hopeless]).toEqual([null, [], null, null]);
  });

  test('never, if the record does not say what failed', () => {
    const text = 'STATE: A\n  DO: one\n  RETURN\n';
    expect(() => point(text, start(text).end('one'))).toThrow('the record of run `r` does not say what failed');
  });
});

describe('a replay begins', () => {
  const TEXT = `STATE: A
  STEP: s
    DO: one
    GATE: bash "good"
    RETRY:
      ATTEMPT 2
      EXIT 3
  GOTO: B
STATE: B
  IF: 1 == 2 → GOTO: A
  RETURN
`;
  const run = start(TEXT).end('one').fail('good').end('one', printed('x')).end('good');
  const from = (point: ReplayPoint) => eventAt(writtenRecord(run.events), point);
  const at = (state: string, entry = 1) => run.events[from({ state, entry }) - 1];

  test('at an entry of a state, or an attempt of a step', () => {
    expect(at('A')).toMatchObject({ type: 'state_entered', state: 'A' });
    expect(at('B')).toMatchObject({ type: 'state_entered', state: 'B' });
    expect(at('s')).toMatchObject({ type: 'step_started', attempt: 1 });
    expect(at('s', 2)).toMatchObject({ type: 'step_started', attempt: 2 });
  });

  test('nowhere else', () => {
    expect(() => at('A', 2)).toThrow('the run entered `A` once');
    expect(() => at('C')).toThrow('the run never entered `C`');
    expect(() => at('s', 3)).toThrow('the step `A/s` had 2 attempts');
    expect(() => at('tep')).toThrow('the run never entered `tep`');
  });

  test('at an event of the record after the first', () => {
    const last = run.events.length;
    expect([from(2), from(last + 1)]).toEqual([2, last + 1]);
    for (const seq of [1, last + 2]) expect(() => from(seq)).toThrow(`the run has no event ${seq} to start from`);
  });

  test('before a damage, or not at all where it may be after it', () => {
    const damaged = writtenRecord(run.events.slice(0, 6), true);
    expect(eventAt(damaged, { state: 'A', entry: 1 })).toBe(2);
    for (const state of ['B', 's']) expect(() => eventAt(damaged, { state, entry: 2 })).toThrow(/damaged/);
  });
});

describe('a run that failed without an effect', () => {
  /** The line at which it goes on, once what it failed at may be another one, and what runs from there. */
  function heldAt(text: string, outputs: Readonly<Record<string, string>>): string {
    const { machine } = compile(text);
    const failed = start(text);
    for (const [name, output] of Object.entries(outputs)) failed.end(name, output);
    const { discarded } = findResumePoint(writtenRecord(failed.events), machine as Machine);
    const { from, without, held = [] } = discarded;
    const begun = startRun(link(machine as Machine), { ...OPTIONS, limits: { transitions: 9 } });
    const same = <T>(one: T): T => one;
    const replay = new Replay(
      begun,
      { toRecorded: same, toCompared: same, complete: same, migrate: () => null },
      false,
    );
    replay.holdAt(held);
    for (const [at, event] of failed.events.entries()) {
      if (at + 1 >= from) break;
      if (without.includes(at + 1)) replay.leaveOut();
      else expect(replay.take(at + 1, event)).toBeNull();
    }
    replay.releaseHeldFailures();
    const run = replay.release();
    const { line } = locationOf(run.main);
    const { state, pc } = run.main;
    const code = run.linked.machine.states[state]?.code ?? [];
    const op = code[pc - (run.linked.starts[state] as number)]?.op;
    // Nothing was edited, so it fails again.
    while (advance(run) === 'more') run.takeEvents();
    expect([held.length, run.result?.status]).toEqual([1, 'failed']);
    return `${line} ${op}`;
  }

  const FIELD = '{a.x}';

  test.each<[string, string, string]>([
    ['a value', '4 set', '  TRACK: n\n  SET: n = a.x\n'],
    ['a text', '3 emit', `  EMIT: "${FIELD}"\n`],
    ['a condition', '3 unless', '  IF: a.x == 1 → GOTO: B\n'],
    ['the second condition of a row', '3 unless', '  IF: a == "1" → GOTO: B\n  IF: a.x == 1 → GOTO: B\n'],
    ['the condition of an ELSE IF', '3 unless', '  IF: a == "1" → GOTO: B\n  ELSE IF: a.x == 1 → GOTO: B\n'],
    ['an action below a condition', '3 unless', `  IF: a == "2" → EMIT: X n=${FIELD}\n`],
    ['the second action below a condition', '3 emit', `  IF: a == "2" → EMIT: Y, EMIT: X n=${FIELD}\n`],
    ['an action below two conditions', '3 unless', `  IF: a == "2" →\n    IF: a != "1" →\n      EMIT: X n=${FIELD}\n`],
    ['an action of an ELSE', '3 unless', `  IF: a == "1" → GOTO: B\n  ELSE → EMIT: X n=${FIELD}\n`],
    [
      'an action below another one',
      '5 unless',
      `  IF: a == "2" →\n    EMIT: Y\n    IF: a != "1" → EMIT: X n=${FIELD}\n`,
    ],
    ['the first line of a loop', '4 emit', `  FOR EACH: i in [1, 2]\n    EMIT: X n=${FIELD}\n`],
    ['a line below a loop', '5 emit', `  FOR EACH: i in [1, 2]\n    EMIT: Y\n  EMIT: X n=${FIELD}\n`],
    ['a line below a condition', '4 emit', `  IF: a == "1" → EMIT: Y\n  EMIT: X n=${FIELD}\n`],
    ['a FAIL', '3 fail', '  FAIL: "no"\n'],
    ['a FAIL below a condition', '3 unless', '  IF: a == "2" → FAIL: "no"\n'],
  ])('at %s: %s', (_, where, body) => {
    const text = `STATE: A\n  DO: a = one\n${body}  GOTO: B\nSTATE: B\n  RETURN\n`;
    expect(heldAt(text, { one: '2' })).toBe(where);
  });
});
