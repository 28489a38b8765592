import { expect, test } from 'vitest';
import type { Outcome, RunEvent } from '../../src/interpreter/events/event.js';
import { duration, limitDuration } from '../../src/views/drawing/amounts.js';
import { createPaint } from '../../src/views/drawing/color.js';
import { colorLevel } from '../../src/views/drawing/color-level.js';
import { columns, fitToWidth } from '../../src/views/drawing/columns.js';
import { plain } from '../../src/views/drawing/paint.js';
import { eventLog } from '../../src/views/log/log.js';

function log(terminal = false) {
  return eventLog({
    paint: plain,
    terminal,
    outputOf: (effect, stderr) => `statedsl output 1 effect:${effect}${stderr ? ' --stderr' : ''}`,
    head: () => 'first\nsecond\n',
  });
}

function requested(effect: string, text: string, kind: 'shell' | 'agent' | 'timer' | 'clock' = 'shell'): RunEvent {
  return { type: 'effect_requested', effect, kind, tool: null, text, state: 'A', line: 1, attempt: 1 };
}

function settled(effect: string, outcome: Partial<Extract<Outcome, { kind: 'exited' }>> | Outcome): RunEvent {
  const exited = { kind: 'exited', exit: 0, stdout: { text: '', bytes: 0 }, stderr: '', duration_ms: 120 } as const;
  return { type: 'effect_settled', effect, attempt: 1, outcome: { ...exited, ...outcome } as Outcome };
}

function emitted(event: string | null, fields: Record<string, string | number>, message: string | null): RunEvent {
  return { type: 'emitted', by: 'author', event, fields, message, state: 'A', line: 1 };
}

test('states, events and commands are one line each', () => {
  const one = log();
  expect(one.lines({ type: 'state_entered', state: 'PLAN' })).toEqual(['→ PLAN']);
  expect(one.lines({ type: 'state_entered', state: 'WORK', with: { n: 1, s: 'a b' } })).toEqual([
    '→ WORK with n=1 s=a b',
  ]);
  expect(one.lines(emitted('READY', { count: 3 }, null))).toEqual(['EMIT READY count=3']);
  expect(one.lines(emitted(null, {}, 'all\ndone'))).toEqual(['EMIT all done']);
  expect(one.lines(requested('1', 'python3 x.py'))).toEqual([]);
  expect(one.running()).toHaveLength(1);
  expect(one.lines(settled('1', {}))).toEqual(['  $ python3 x.py (exit 0, 0.12 s)']);
  expect(one.running()).toEqual([]);
});

test('a superfluous effect that is stopped is not a failure, and an effect that cannot start is reported once', () => {
  const one = log();
  one.lines(requested('1', 'sleep 9'));
  const stopped = { kind: 'failed', error_type: 'cancelled', message: 'stopped: its result is not needed' } as const;
  expect(one.lines(settled('1', stopped))).toEqual(['  $ sleep 9 (stopped)']);
  one.lines(requested('2', 'none'));
  const reason = 'cannot start: the program `none` is not on PATH';
  expect(one.lines(settled('2', { kind: 'not-started', reason }))).toEqual([`  $ none (${reason})`]);
});

test('output is below its instruction, with a hint where it is shortened', () => {
  const one = log();
  one.lines(requested('1', 'seq 30'));
  const text = Array.from({ length: 30 }, (_, i) => `${i}\n`).join('');
  const lines = one.lines(settled('1', { stdout: { text, bytes: text.length } }));
  expect(lines).toHaveLength(22);
  expect(lines[1]).toBe('    0');
  expect(lines[21]).toBe('    … 10 more lines: statedsl output 1 effect:1');
});

test('output that went to a file is shown from its beginning', () => {
  const one = log();
  one.lines(requested('1', 'big'));
  expect(one.lines(settled('1', { stdout: { artifact: 'abc', bytes: 1_000_000 } }))).toEqual([
    '  $ big (exit 0, 0.12 s)',
    '    first',
    '    second',
    '    … 1000000 bytes in total: statedsl output 1 effect:1',
  ]);
});

test('every way an effect can end has its words', () => {
  const ends: [Outcome | Partial<Extract<Outcome, { kind: 'exited' }>>, string][] = [
    [{ exit: 3, stderr: 'no\n' }, '(exit 3, 0.12 s)'],
    [{ exit: null, signal: 'SIGKILL' }, '(SIGKILL, 0.12 s)'],
    [
      { kind: 'timed-out', timeout_ms: 30_000, stdout: { bytes: 0 }, stderr: '', duration_ms: 1 },
      '(timed out after 30s)',
    ],
    [{ kind: 'not-started', reason: 'no such directory' }, '(no such directory)'],
    [{ kind: 'failed', message: 'boom' }, '(failed: boom)'],
  ];
  for (const [outcome, words] of ends) {
    const one = log();
    one.lines(requested('1', 'x'));
    expect(one.lines(settled('1', outcome))[0]).toBe(`  $ x ${words}`);
  }
});

test('housekeeping of the engine has no line', () => {
  const one = log();
  expect(one.lines(requested('1', 'now()', 'clock'))).toEqual([]);
  expect(one.lines(settled('1', { kind: 'value', value: 1 }))).toEqual([]);
  expect(one.lines({ type: 'tracked_set', name: 'n', value: 1 })).toEqual([]);
});

test('control sequences are escaped on a terminal and left alone in a file', () => {
  const hostile = emitted('E', { v: '\u001b[2Jx\u202e' }, null);
  expect(log(true).lines(hostile)).toEqual(['EMIT E v=\\x1b[2Jx\\u202e']);
  expect(log(false).lines(hostile)).toEqual(['EMIT E v=\u001b[2Jx\u202e']);
  const one = log(true);
  one.lines(requested('1', 'evil\u0007'));
  const lines = one.lines(settled('1', { stdout: { text: 'a\u001b]0;t\u0007b\n', bytes: 9 } }));
  expect(lines).toEqual(['  $ evil\\x07 (exit 0, 0.12 s)', '    a\\x1b]0;t\\x07b']);
});

test('the level of colours: a no is always heard', () => {
  expect(colorLevel(true, { TERM: 'xterm-256color' })).toBe(2);
  expect(colorLevel(true, { TERM: 'xterm', COLORTERM: 'truecolor' })).toBe(3);
  expect(colorLevel(true, { TERM: 'dumb' })).toBe(0);
  expect(colorLevel(false, { TERM: 'xterm' })).toBe(0);
  expect(colorLevel(false, { FORCE_COLOR: '1' })).toBe(1);
  expect(colorLevel(true, { TERM: 'xterm', FORCE_COLOR: '0' })).toBe(0);
  expect(colorLevel(true, { TERM: 'xterm', NO_COLOR: '1', FORCE_COLOR: '3' })).toBe(0);
  expect(colorLevel(true, { TERM: 'xterm', NO_COLOR: '' })).toBe(1);
  expect(createPaint(1).error('x')).toBe('\u001b[1m\u001b[31mx\u001b[39m\u001b[22m');
  expect(createPaint(0)).toBe(plain);
});

test('durations', () => {
  expect([0, 120, 9994, 12_340, 59_960, 125_000, 7_260_000].map(duration)).toEqual([
    '0.00 s',
    '0.12 s',
    '9.99 s',
    '12.3 s',
    '1 min 0 s',
    '2 min 5 s',
    '2 h 1 min',
  ]);
  expect([500, 30_000, 90_000, 7_200_000, 86_400_000].map(limitDuration)).toEqual(['500ms', '30s', '90s', '2h', '1d']);
});

test('a line is cut by the columns it takes, not by its characters', () => {
  expect(fitToWidth('echo hello', 10)).toBe('echo hello');
  expect(fitToWidth('echo hello', 9)).toBe('echo hel…');
  expect(fitToWidth('日本語日本語', 8)).toBe('日本語…');
  expect(columns(fitToWidth('日本語日本語', 8))).toBeLessThanOrEqual(8);
});

function started(step: string, attempt = 1): RunEvent {
  return { type: 'step_started', step, attempt, agent: 'coder', step_type: 'code' };
}

function inStep(step: string, effect: string, kind: 'shell' | 'agent' = 'shell'): RunEvent {
  const text = kind === 'agent' ? `STEP: ${step}` : 'make';
  const tool = kind === 'agent' ? 'coder' : 'make';
  return { type: 'effect_requested', effect, kind, tool, text, state: 'MAIN', line: 1, attempt: 1, step };
}

function judged(step: string): RunEvent {
  return { type: 'gate_result', step, attempt: 1, gate: 'test', kind: 'test', pass: true };
}

function completed(step: string): RunEvent {
  return { type: 'step_completed', step, attempt: 1, status: 'pass', retries: 0, cost: 0 };
}

test('lines are below the step they belong to', () => {
  const one = log();
  const events = [
    started('a'),
    inStep('a', '1', 'agent'),
    settled('1', { cost: 0.5 }),
    started('a.gate.v.state.look'),
    judged('a.gate.v.state.look'),
    completed('a.gate.v.state.look'),
    judged('a'),
    { ...emitted('X', {}, null), step: 'a' } as RunEvent,
    completed('a'),
  ];
  expect(events.flatMap((event) => one.lines(event))).toEqual([
    '▸ a coder',
    '  agent coder (exit 0, 0.12 s, $0.50)',
    '  ▸ a.gate.v.state.look coder',
    '    gate test passed',
    '    a.gate.v.state.look passed',
    '  gate test passed',
    '  EMIT X',
    '  a passed',
  ]);
});

test('of steps side by side every line names its step, until none of them is open any more', () => {
  const one = log();
  const events = [
    started('b/one/w'),
    started('b/two/w'),
    inStep('b/one/w', '1'),
    settled('1', { stdout: { text: 'out\n', bytes: 4 } }),
    judged('b/two/w'),
    completed('b/two/w'),
    judged('b/one/w'),
    completed('b/one/w'),
    started('c'),
    judged('c'),
  ];
  expect(events.flatMap((event) => one.lines(event))).toEqual([
    '▸ b/one/w coder',
    '▸ b/two/w coder',
    '  b/one/w: $ make (exit 0, 0.12 s)',
    '  b/one/w:   out',
    '  b/two/w: gate test passed',
    '  b/two/w passed',
    '  b/one/w: gate test passed',
    '  b/one/w passed',
    '▸ c coder',
    '  gate test passed',
  ]);
});

test('what runs is shown with its step, its agent and its attempt', () => {
  const one = log();
  for (const event of [started('a', 2), inStep('a', '1', 'agent'), inStep('a', '2')]) one.lines(event);
  expect(one.running().map(({ text }) => text)).toEqual(['a coder, attempt 2', 'a coder, attempt 2: $ make']);
});

test('commands have their values, each shortened', () => {
  const one = log();
  const filled = {
    args: ['it', 'a b', ['x', 'y z'], 'long '.repeat(20), '漢'.repeat(40)],
    holes: [
      [2, 5],
      [7, 10],
      [12, 15],
      [16, 19],
      [20, 23],
    ],
  };
  const event = { ...requested('1', 'f {a} "{b}" {c} {d} {e} …'), ...filled } as RunEvent;
  one.lines({ ...event, member: [3, 6] } as RunEvent);
  expect(one.running()[0]?.text).toMatch(/^3\/6 \$ f it "a b" x 'y z' 'long /);
  const [line] = one.lines(settled('1', {}));
  expect(line).toBe(
    `  3/6 $ f it "a b" x 'y z' '${'long '.repeat(8).slice(0, 39)}…' ${'漢'.repeat(19)}… … (exit 0, 0.12 s)`,
  );
  const large = { $artifact: 'd69e', as: 'text', bytes: 100_000 };
  one.lines({
    ...requested('4', 'f {a} "{b}"'),
    args: [large, large],
    holes: [
      [2, 5],
      [7, 10],
    ],
  } as RunEvent);
  expect(one.lines(settled('4', {}))[0]).toBe('  $ f (100000 bytes) "(100000 bytes)" (exit 0, 0.12 s)');
  one.lines({ ...requested('2', '["f", x]'), kind: 'argv', args: ['f', 'a b', ''] } as RunEvent);
  expect(one.lines(settled('2', {}))[0]).toBe("  $ f 'a b' '' (exit 0, 0.12 s)");
  const prompt = 'Explain the build in two sentences, and what it needs before it can begin at all.';
  one.lines({ ...requested('3', 'Task(claude) "Explain {x}"', 'agent'), tool: 'claude', prompt } as RunEvent);
  expect(one.lines(settled('3', {}))[0]).toBe(
    '  Task(claude) "Explain the build in two sentences, and what it needs befor…" (exit 0, 0.12 s)',
  );
});

test('the written line is shown on request, and always if its values are elsewhere', () => {
  const options = { paint: plain, terminal: false, outputOf: () => null, head: () => null, verbose: true };
  const one = eventLog(options);
  one.lines({ ...requested('1', 'f {a}'), args: ['it'], holes: [[2, 5]] } as RunEvent);
  expect(one.lines(settled('1', {}))).toEqual(['  $ f it (exit 0, 0.12 s)', '    as written: f {a}']);
  one.lines({ ...requested('2', 'f {a}'), holes: [[2, 5]], artifact: 'x' } as RunEvent);
  expect(one.lines(settled('2', {}))).toEqual(['  $ f {a} (exit 0, 0.12 s)']);
  one.lines({ ...requested('3', 'f *** {a}'), args: ['it'], holes: [[9, 12]] } as RunEvent);
  expect(one.lines(settled('3', {}))).toEqual(['  $ f *** {a} (exit 0, 0.12 s)']);
});

test('a failure without a tool is reported once', () => {
  const fields = { tool: null, error: 'no field `x`', exit: null };
  const failure = { type: 'emitted', by: 'engine', event: 'TOOL_FAILURE', fields, message: null, state: 'A', line: 3 };
  const told = 'failed: no field `x` (A, line 3)';
  const handled = log();
  expect(handled.lines(failure as RunEvent)).toEqual([]);
  expect(handled.lines({ type: 'state_entered', state: 'B' })).toEqual([told, '→ B']);
  const entered = log();
  entered.lines(failure as RunEvent);
  expect(entered.lines({ type: 'state_entered', state: 'ERROR', with: { error: 'no field `x`' } })).toEqual([
    '→ ERROR with error=no field `x`',
  ]);
  const ended = log();
  ended.lines(failure as RunEvent);
  const error = {
    kind: 'bad_value',
    message: 'no field `x`',
    state: 'A',
    line: 3,
    file: null,
    tool: null,
    exit_code: null,
  };
  expect(ended.lines({ type: 'run_failed', error })).toEqual([]);
});
