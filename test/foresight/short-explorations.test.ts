/** What `check` and coverage learn from short explorations: what they are not sure of stays as it is. */
import { expect, test } from 'vitest';
import { withConfirmedLoops } from '../../src/cli/commands/check-loops.js';
import { SHORT } from '../../src/lab/foresight/explore-options.js';
import { unreachableIn } from '../../src/lab/foresight/ways-to.js';
import { compile } from '../../src/language/check/compile.js';
import { machineOf } from './programs.js';

const lines = (...all: string[]): string => `${all.join('\n')}\n`;

/** Warnings about cycles, as `line code`. */
function cyclesIn(text: string): string[] {
  const { diagnostics, sources } = withConfirmedLoops(compile(text, { name: 'p.dsl' }));
  const source = sources[0]?.text ?? '';
  return diagnostics
    .filter(({ code }) => code === 'unbounded-cycle' || code === 'endless')
    .map(({ code, span }) => `${source.slice(0, span.start).split('\n').length} ${code}`);
}

const LOOP = ['STATE: C', '  DO: echo c', '  GOTO: D', 'STATE: D', '  DO: echo d', '  GOTO: C'];

test('cycles that share a state: one is reported, the other keeps its warning', () => {
  const program = lines(
    ...['STATE: A', '  CHECK: x = cat x', '  IF: x == 1 → RETURN: ok', '  GOTO: B'],
    ...['STATE: B', '  CHECK: y = cat y', '  IF: y == 1 → GOTO: A', '  GOTO: C'],
    ...['STATE: C', '  DO: echo c', '  GOTO: B'],
  );
  const before = compile(program, { name: 'p.dsl' }).diagnostics.filter(({ code }) => code === 'unbounded-cycle');
  expect(cyclesIn(program)).toHaveLength(before.length);
  expect(cyclesIn(program).map((one) => one.split(' ')[1])).toEqual(['endless', 'unbounded-cycle']);
});

test('a loop with the defaults says nothing of loops with other inputs', () => {
  const program = lines(
    ...[
      'INPUT: mode = "a"',
      'STATE: START',
      '  CHECK: x = cat x',
      '  IF: x == 1 → GOTO: A',
      '  IF: mode == "b" → GOTO: C',
    ],
    ...['  RETURN: ok', 'STATE: A', '  DO: echo a', '  GOTO: START', ...LOOP],
  );
  expect(cyclesIn(program).map((one) => one.split(' ')[1])).toEqual(['endless', 'unbounded-cycle']);
});

test.each([
  ['a default', 'INPUT: mode = "a"', 'mode == "b"'],
  ['the default null', 'INPUT: note = null\nINPUT: mode = "a"', 'mode == "b" AND note == null'],
])('a loop that needs %s keeps its warning', (_, input, condition) => {
  const program = lines(input, 'STATE: START', `  IF: ${condition} → GOTO: C`, '  RETURN: ok', ...LOOP);
  expect(cyclesIn(program).map((one) => one.split(' ')[1])).toEqual(['unbounded-cycle']);
});

test('coverage counts what needs the default null, or an input that is absent', () => {
  const program = lines('INPUT: note = null', 'STATE: A', '  IF: note == null → RETURN: none', '  RETURN: some');
  const machine = machineOf(program);
  const inputs = machine.inputs.map(({ value: _, ...input }) => ({ ...input, optional: true as const }));
  for (const one of [machine, { ...machine, inputs }]) {
    const isUnreachable = unreachableIn(one);
    const code = one.states.flatMap((state) => state.code);
    const dead = code.filter(({ op }, pc) => op === 'return' && isUnreachable({ pc, is: null }));
    expect(dead).toEqual([]);
  }
});

test('the budget counts no time', () => {
  expect(SHORT.seconds).toBe(Number.POSITIVE_INFINITY);
});
