/**
 * A parallel loop whose members share nothing needs no limit of its list: what is claimed holds for longer lists, too. Any
 * other loop over a list of unknown length is explored up to a length.
 */
import { describe, expect, test } from 'vitest';
import type { Json } from '../../src/machine/expression.js';
import { amount, isLong } from '../amount.js';
import type { Domain } from './all-outcomes.js';
import { bruteForce } from './brute-force.js';
import { compared } from './compared.js';
import { boundIn, machineOf, verified } from './programs.js';
import { propertiesOf, verdictsOf } from './rules.js';

const lines = (...all: string[]): string => `${all.join('\n')}\n`;

const state = (...body: string[]): string =>
  lines('STATE: A', '  TRACK: n', '  CHECK: files = cat list', ...body.map((line) => `  ${line}`));

const FREE: Readonly<Record<string, string>> = {
  'calls alone': state('FOR EACH: f in files in PARALLEL:', '  DO: lint {f}', 'RETURN'),
  'an empty list is something else': state(
    ...[
      'IF: files is empty → RETURN: nothing',
      'FOR EACH: f in files in PARALLEL [max=2]:',
      '  DO [retry=1]: lint {f}',
    ],
    'RETURN: done',
  ),
  'elements that differ': state(
    'FOR EACH: f in files in PARALLEL:',
    ...['  IF: f == "one" → EMIT: ONE', '  IF: f == "ok" → FAIL: no', '  DO [timeout=5s]: lint {f}'],
    ...['RETURN', 'ON ERROR timeout: → RETURN: late', 'ON ERROR failed: → GOTO: B'],
  ).concat(lines('STATE: B', '  RETURN: b')),
  'results are only shown': state(
    ...['FOR EACH: f in files in PARALLEL:', '  DO: out = cat {f}', '  IF: out == "ok" → FAIL: no'],
    ...['DO: show {out} {files}', 'RETURN'],
  ),
  'again with another list': state(
    ...['FOR EACH: f in files in PARALLEL:', '  DO: lint {f}', 'INCREMENT: n', 'IF: n >= 2 → RETURN', 'GOTO: A'],
  ),
  'an input': lines(
    'INPUT: files (list)',
    'STATE: A',
    '  FOR EACH: f in files in PARALLEL:',
    '    DO: lint {f}',
    '  RETURN',
  ),
};

/** Longer lists than those that are explored. */
const LONGER = 3;
const all = [0, 1, 2, LONGER].flatMap((length): Json[][] => {
  const others = (first: Json): Json[] => (length === 0 ? [] : [first, ...new Array(length - 1).fill('text')]);
  return length === 0
    ? [[]]
    : [others('one'), others('ok').toReversed(), others('text')].slice(0, Math.max(2, amount(2, 3)));
});
const DOMAIN: Domain = { values: [...all, 1, 'ok', null, {}], texts: ['text', 'ok'], tasks: [] };

/** The others have many more runs, and take seconds each. */
const QUICK: readonly string[] = ['elements that differ', 'an input'];

describe.each(Object.entries(FREE))('%s', (_, program) => {
  test('is explored completely', () => {
    const { isBounded, stoppedBy } = verified(program);
    expect([isBounded, stoppedBy]).toEqual([false, null]);
    expect(String(boundIn(verified(program), 'lint') ?? boundIn(verified(program), 'cat {f}'))).toContain(
      '× len(files)',
    );
  });
});

const tried = Object.entries(FREE).filter(([name]) => isLong || QUICK.includes(name));
test.each(tried)('%s: holds for longer lists', (_, program) => {
  const found = bruteForce(machineOf(program), DOMAIN, 100_000);
  if (found === null) throw new Error('it is too large');
  expect(compared(verified(program), found, LONGER)).toEqual({ wrong: [], vague: [] });
});

test.each([
  ['one after the other', state('FOR EACH: f in files:', '  DO: lint {f}', 'RETURN')],
  ['a quorum', state('FOR EACH: f in files in PARALLEL [quorum=1]:', '  DO: lint {f}', 'RETURN')],
  [
    'a timeout',
    state('FOR EACH: f in files in PARALLEL:', '  DO: lint {f}', 'WAIT: All complete OR timeout=5s', 'RETURN'),
  ],
  [
    'results by index',
    state('FOR EACH: f in files in PARALLEL:', '  DO: out = lint {f}', 'IF: out[0] == "x" → RETURN', 'RETURN'),
  ],
  [
    'the number of results',
    state('FOR EACH: f in files in PARALLEL:', '  DO: out = lint {f}', 'IF: len(out) > 2 → RETURN', 'RETURN'),
  ],
  [
    'failures',
    state(
      'FOR EACH: f in files in PARALLEL [on_failure=keep]:',
      '  DO: lint {f}',
      'IF: len(failures) > 2 → RETURN',
      'RETURN',
    ),
  ],
  [
    'the length of the list',
    state('FOR EACH: f in files in PARALLEL:', '  DO: lint {f}', 'IF: len(files) > 2 → RETURN', 'RETURN'),
  ],
  [
    'an element of the list',
    state('IF: files[2] == 1 → RETURN', 'FOR EACH: f in files in PARALLEL:', '  DO: lint {f}', 'RETURN'),
  ],
  [
    'the list twice',
    state('FOR EACH: f in files in PARALLEL:', '  DO: lint {f}', 'FOR EACH: f in files:', '  DO: mend {f}', 'RETURN'),
  ],
  ['a list that is computed', state('FOR EACH: f in files + [1] in PARALLEL:', '  DO: lint {f}', 'RETURN')],
  [
    'undone calls',
    state('FOR EACH: f in files in PARALLEL:', '  DO: lint {f}', '  UNDO: mend {f}', 'ROLLBACK', 'RETURN'),
  ],
  [
    'words of failures',
    state('FOR EACH: f in files in PARALLEL:', '  DO: lint {f}', 'RETURN').concat(
      lines('STATE: ERROR', '  IF: error contains "3 of 3" → RETURN', '  FAIL: {error}'),
    ),
  ],
  [
    'loops of members',
    state('FOR EACH: f in files in PARALLEL:', '  FOR EACH: g in [1, 2]:', '    DO: lint {f}', 'RETURN'),
  ],
])('is explored up to a length: %s', (_, program) => {
  const { isBounded, stoppedBy } = verified(program);
  expect([isBounded, stoppedBy]).toEqual([true, null]);
});

test('lists of one element do not show what two members do', () => {
  expect(verified(FREE['calls alone'] as string, { longest: 1 }).isBounded).toBe(true);
});

test('verdicts do not depend on the length, but of how often something happens', () => {
  const program = FREE['elements that differ'] as string;
  const rules = [
    'NEVER: event ONE',
    'NEVER: state B UNLESS run "lint *"',
    'AFTER: event ONE → returned',
    'ENDS: returned, failed',
    'REACHES: state B',
  ];
  expect(verdictsOf(machineOf(program), rules)).toEqual(['violated', 'violated', 'violated', 'proved', 'proved']);
  const machine = machineOf(program);
  expect(verified(program, { properties: propertiesOf(machine, ['AT MOST: 2 run "lint *"']) }).isBounded).toBe(true);
});

test('cost, time and calls grow with the list, also within a LIMIT', () => {
  const loop = ['FOR EACH: f in files in PARALLEL:', '  DO [timeout=2s]: make {f}', '  DO: Task(claude) "do {f}"'];
  const costs = verified(state(...loop, 'RETURN'), { maxCost: { claude: 0.5 } });
  expect(boundIn(costs, 'cost')).toBe('$0.50 × len(files) + the last turn of each call');
  const program = state(...loop.slice(0, 2), 'GOTO: A').replace('CHECK:', 'CHECK [timeout=1s]:');
  const limited = verified(`LIMIT: transitions=5\n${program}`);
  expect(['cat list', 'make {f}', 'state A', 'time'].map((what) => boundIn(limited, what))).toEqual([
    ...[6, '6 × len(files)', 6, '6s + 12s × len(files)'],
  ]);
  const once = verified(`LIMIT: transitions=5\n${state(...loop.slice(0, 2), 'RETURN')}`);
  expect(boundIn(once, 'make {f}')).toBe('1 × len(files)');
});
