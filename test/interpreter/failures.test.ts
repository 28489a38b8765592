/** Failures by hand: which one counts as the cause, who handles it, and what is left of it when the run ends. */
import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../src/interpreter/events/event.js';
import { exceed } from '../../src/interpreter/run.js';
import { beginRollback } from '../../src/interpreter/undo/rollback.js';
import { ScriptedProgram } from './scripted-program.js';

/** The numbers of the effects that made an instruction fail, as the record has them. */
const causesIn = (events: readonly RunEvent[]) =>
  events.flatMap((event) =>
    event.type === 'instruction_failed'
      ? [event.causes.map(({ number, effects }) => [number, ...(effects ?? [])])]
      : [],
  );

describe.each([
  { mode: 'as it is', restored: false },
  { mode: 'restored after each step', restored: true },
])('a run $mode', ({ restored }) => {
  const start = (text: string) => new ScriptedProgram(text, { restored });

  test('a failure of a handler has the cause of the failure that it handles', () => {
    const run = start(`STATE: A
  DO: work
  RETURN
  ON ERROR: → DO: mend, RETURN: mended
`);
    run.fail('work').fail('mend');
    expect(causesIn(run.events)).toEqual([[[1, '1']], [[1, '1']]]);
    expect(run.lines.at(-1)).toMatch(/^FAILED/);
  });

  test('a failure in a state after the one that handled a failure has its own cause', () => {
    const run = start(`STATE: A
  DO: work
  RETURN
  ON ERROR: → GOTO: B
STATE: B
  DO: more
  RETURN
`);
    run.fail('work').fail('more');
    expect(causesIn(run.events)).toEqual([[[1, '1']], [[2, '2']]]);
  });

  test('a failure of an attempt counts when failures are numbered', () => {
    const run = start(`STATE: A
  STEP: one
    DO: work
    GATE: bash "check"
    RETRY:
      EXIT 2
  DO: after
  RETURN
`);
    for (let guard = 0; guard < 9 && !run.waiting.includes('after'); guard++) {
      const [next = ''] = run.waiting;
      if (next === 'clock') run.end('clock', { kind: 'value', value: 1000 });
      else if (next === 'work' && run.started.filter((name) => name === 'work').length === 1) run.fail('work');
      else run.end(next);
    }
    run.fail('after');
    expect(causesIn(run.events).map((causes) => causes.map(([number]) => number))).toEqual([[2]]);
  });

  test('no handler of a state handles what fails in a handler of its pattern', () => {
    const run = start(`PATTERN: tried
  DO: work
  ON ERROR: → DO: mend
STATE: A
  USE: tried
  RETURN
  ON ERROR: → RETURN: handled
`);
    run.fail('work').fail('mend');
    expect(run.lines.at(-1)).toMatch(/^FAILED/);
  });

  test('the end of a run in ERROR has what its FAIL passed', () => {
    const run = start(`STATE: A
  FAIL: "no" with a=1
STATE: ERROR
  RETURN: {error}
`);
    expect(run.run.result?.error).toMatchObject({ message: 'no', with: { a: 1 } });
  });

  test('a run that returned has nothing to undo', () => {
    const run = start('STATE: A\n  DO: work\n  UNDO: back\n  DO: more\n  RETURN\n');
    expect(run.end('work').run.undo.entries).toHaveLength(1);
    expect(run.end('more').run.undo.entries).toHaveLength(0);
  });

  test('no limit ends the rollback of a failed run, and afterwards the run has its former end', () => {
    const run = start('STATE: A\n  DO: work\n  UNDO: back\n  DO: more\n  RETURN\n');
    run.end('work').fail('more');
    const { result } = run.run;
    beginRollback(run.run, 'ann');
    run.signal('nothing', 0);
    exceed(run.run, 'time', 1, 2);
    expect(run.run.result).toBeNull();
    run.end('back');
    expect(run.run.result).toEqual(result);
  });
});
