/** Waits in a program whose clock, timers, answers and signals a test gives by hand, in any order. */
import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../src/interpreter/events/event.js';
import { ScriptedProgram } from './scripted-program.js';

const time = (ms: number) => ({ kind: 'value', value: ms }) as const;
const timers = ({ events }: ScriptedProgram): number[] =>
  events.flatMap((event: RunEvent) => (event.type === 'timer_set' ? [event.until] : []));

describe.each([
  { mode: 'as it is', restored: false },
  { mode: 'restored after each step', restored: true },
])('a run $mode', ({ restored }) => {
  const start = (text: string) => new ScriptedProgram(text, { restored });

  test('asks the condition at most once a millisecond', () => {
    const run = start('TRACK: every = 0\nWAIT: false OR timeout=5s every={every}ms\nRETURN: over\n');
    run.end('clock', time(1000));
    for (let now = 1000; now < 1003; now++) {
      run.end('clock', time(now));
      run.end('timer', time(now + 1));
    }
    expect(timers(run)).toEqual([1001, 1002, 1003]);
  });

  test('does not read the clock for a duration that is wrong', () => {
    const run = start('TRACK: x = "soon"\nWAIT: {x}\n');
    expect(run.started).toEqual([]);
    expect(run.run.result?.error).toMatchObject({ kind: 'bad_value', message: expect.stringContaining('soon') });
  });

  test('a signal ends the timer beside it, and a timer the signal', () => {
    const text = 'WAIT: signal go OR timeout=5s\nDO: one\nRETURN: "{timed_out} {go}"\n';
    const signaled = start(text).end('clock', time(1000)).signal('go', 'now');
    expect(signaled.stopped).toEqual(['timer']);
    expect(signaled.end('one').lines.at(-1)).toBe('RETURN "false now"');
    const late = start(text).end('clock', time(1000)).end('timer', time(6000));
    expect(late.run.pending.size).toBe(1);
    expect(late.end('one').lines.at(-1)).toBe('RETURN "true "');
  });

  test('a signal that comes while the clock is read is not waited for', () => {
    const run = start('WAIT: signal go OR timeout=5s\nRETURN: "{timed_out} {go}"\n').signal('go', 'early');
    run.end('clock', time(1000));
    expect(run.lines.at(-1)).toBe('RETURN "false early"');
    expect(timers(run)).toEqual([]);
  });

  test('an answer ends the deadline of its question', () => {
    const run = start('ASK user: "Go?" → x deadline=5s default=no\nDO: one\nRETURN: {x}\n');
    run.end('clock', time(1000));
    expect(run.waiting).toEqual(['ask x', 'timer']);
    run.answer('ask x', 'yes');
    expect(run.stopped).toEqual(['timer']);
    expect(run.waiting).toEqual(['one']);
    expect(run.end('one').lines.at(-1)).toBe('RETURN yes');
  });

  test('a deadline ends its question, with the default or with a failure', () => {
    const expired = (more: string) => {
      const run = start(`ASK user: "Go?" → x deadline=5s${more}\nDO: one\nRETURN: {x}\n`);
      return run.end('clock', time(1000)).end('timer', time(6000));
    };
    const run = expired(' default=no');
    expect(run.waiting).toEqual(['one']);
    expect(run.stopped).toEqual(['ask x']);
    expect(run.events.find(({ type }) => type === 'answered')).toMatchObject({ value: 'no', by: 'deadline' });
    expect(run.end('one').lines.at(-1)).toBe('RETURN no');
  });

  test.each([
    ['a signal', 'WAIT: signal go', (run: ScriptedProgram) => run.signal('go', 1)],
    ['a person', 'ASK user: "Go?" → go', (run: ScriptedProgram) => run.answer('ask go', 1)],
  ])('a member that waits for %s leaves its permit to the next one', (_, wait, come) => {
    const run = start(`DO: in PARALLEL [max=1]:\n  - ${wait}\n  - one\n  - two\nDO: three\n`);
    expect(run.waiting).toContain('one');
    expect(run.waiting).not.toContain('two');
    come(run);
    run.end('one').end('two');
    expect(run.waiting.at(-1)).toBe('three');
  });
});
