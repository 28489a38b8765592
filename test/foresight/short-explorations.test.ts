/** What `check` and coverage learn from short explorations: what they are not sure of stays as it is. */
import { describe, expect, test } from 'vitest';
import { withConfirmedLoops } from '../../src/cli/commands/check-loops.js';
import { SHORT } from '../../src/lab/foresight/explore-options.js';
import { type Position, unreachableIn, waysTo } from '../../src/lab/foresight/ways-to.js';
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

describe('ways to something, the shortest first, and then as far as it', () => {
  const machine = machineOf(`INPUT: n = 1
STATE: A
  IF: n == 2 → GOTO: B
  CHECK: x = cat v
  IF: x == 1 → GOTO: B
  IF: x == 2 → EMIT: SEEN
  GOTO: A
STATE: B
  DO: ls
  IF: n == 3 → GOTO: D
  RETURN
STATE: C
  GOTO: C
STATE: D
  DO: rm y
  GOTO: D
`);
  const code = machine.states.flatMap((state) => state.code);
  const at = (line: number, op: string, is: boolean | null = null): Position => {
    const pc = code.findIndex((one) => one.origin.line === line && one.op === op);
    expect(pc).toBeGreaterThanOrEqual(0);
    return { pc, is };
  };
  const ways = (goal: Position | null, inputs: 'free' | 'defaults'): string[] => {
    const wanted = { positions: goal === null ? [] : [goal], isShownBy: goal === null ? isSeen : null };
    const [found] = waysTo(machine, [wanted], inputs);
    return [...(found?.() ?? [])].map((one) => {
      const steps = one.steps.map(
        ({ request, label }) => `${request?.text ?? 'begins'}${label === '' ? '' : ` ${label}`}`,
      );
      return `${one.isConfirmed ? '' : 'possible: '}n=${JSON.stringify(one.inputs.n)} ${steps.join(', ')}`;
    });
  };
  const isSeen = ({ type }: { readonly type: string }): boolean => type === 'emitted';

  test('a command', () => {
    expect(ways(at(9, 'shell'), 'free')).toMatchInlineSnapshot(`
      [
        "n=2 begins, ls",
        "n=2 begins",
        "n=0 begins, cat v, ls",
        "n=0 begins, cat v",
      ]
    `);
    expect(ways(at(9, 'shell'), 'defaults')).toMatchInlineSnapshot(`
      [
        "n=undefined begins, cat v, ls",
        "n=undefined begins, cat v",
      ]
    `);
  });

  test('a command behind an input', () => {
    expect(ways(at(15, 'shell'), 'free')).toMatchInlineSnapshot(`
      [
        "n=3 begins, cat v, ls, rm y fails",
        "n=3 begins, cat v, ls",
        "n=3 begins, cat v, ls, rm y, rm y fails",
        "n=3 begins, cat v, ls, rm y",
      ]
    `);
    expect(ways(at(15, 'shell'), 'defaults')).toEqual([]);
  });

  test('an event', () =>
    expect(ways(null, 'defaults')).toMatchInlineSnapshot(`
      [
        "n=undefined begins, cat v, cat v",
        "n=undefined begins, cat v",
        "n=undefined begins, cat v",
        "n=undefined begins, cat v cannot be started",
        "n=undefined begins, cat v prints nothing",
      ]
    `));
  test('a condition that holds', () =>
    expect(ways(at(6, 'unless', true), 'defaults')).toMatchInlineSnapshot(`
      [
        "n=undefined begins, cat v, cat v",
        "n=undefined begins, cat v",
      ]
    `));
  test('a condition that does not', () =>
    expect(ways(at(6, 'unless', false), 'defaults')).toMatchInlineSnapshot(`
      [
        "n=undefined begins, cat v, cat v",
        "n=undefined begins, cat v",
      ]
    `));
  test('nothing that no run does', () => expect(ways(at(13, 'goto'), 'free')).toEqual([]));
});
