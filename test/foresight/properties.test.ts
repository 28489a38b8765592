/** Properties of programs with known answers: each verdict, and each violation by a run that shows it. */
import { describe, expect, test } from 'vitest';
import type { VerifyOptions } from '../../src/lab/foresight/explore-options.js';
import { longTest } from '../amount.js';
import { machineOf } from './programs.js';
import { verdictsOf } from './rules.js';

const lines = (...all: string[]): string => `${all.join('\n')}\n`;

type Row = readonly [rule: string, verdict: string];

function expectVerdicts(program: string, rows: readonly Row[], options: Partial<VerifyOptions> = {}): void {
  const rules = rows.map(([rule]) => rule);
  const verdicts = verdictsOf(machineOf(program), rules, options);
  expect(rules.map((rule, at) => [rule, verdicts[at]])).toEqual(rows);
}

const COUNT = lines(
  'INPUT: most = 3',
  'STATE: A',
  '  TRACK: n',
  '  DO: make it',
  '  INCREMENT: n',
  '  EMIT: DONE n={n} kind="small"',
  '  IF: n >= most → RETURN: {n}',
  '  GOTO: A',
);

describe('counts', () => {
  test('of a program without failures', () => {
    expectVerdicts(
      COUNT,
      [
        ['AT MOST: 3 run "make *"', 'proved'],
        ['AT MOST: 2 run "make *"', 'violated'],
        ['AT MOST: 0 failed', 'proved'],
        ['AT MOST: 3 (event DONE)', 'proved'],
        ['AT MOST: 1 event DONE WHEN n > 1', 'violated'],
        ['AT MOST: 2 event DONE WHEN n > 1', 'proved'],
        ['AT MOST: 1 event DONE n=2', 'proved'],
        ['NEVER: event DONE n=4', 'proved'],
        ['NEVER: event DONE n=3', 'violated'],
        ['NEVER: event DONE n="3"', 'violated'],
        ['NEVER: event DONE n="3.0"', 'proved'],
        ['NEVER: event DONE n=true', 'proved'],
        ['NEVER: returned "3"', 'violated'],
        ['NEVER: returned 3', 'violated'],
        ['NEVER: returned "4"', 'proved'],
        ['NEVER: event DONE kind="large"', 'proved'],
        ['NEVER: event DONE n=3, kind="small"', 'violated'],
        ['NEVER: state A WHEN n == 3', 'proved'],
        ['NEVER: state A WHEN n == 2', 'violated'],
        ['NEVER: state A WHEN n > most OR n < 0', 'proved'],
        ['NEVER: returned 2', 'proved'],
        ['NEVER: returned 3', 'violated'],
        ['REACHES: returned 3', 'proved'],
        ['REACHES: returned 4', 'violated'],
        ['REACHES: event DONE WHEN n == 3', 'proved'],
        ['REACHES: event DONE WHEN n == 4', 'violated'],
        ['NEVER: run "make it" UNLESS event DONE', 'violated'],
        ['NEVER: returned UNLESS event DONE n=3', 'proved'],
        ['NEVER: returned UNLESS event DONE WHEN n == 4', 'violated'],
        ['AFTER: event DONE n=1 → event DONE n=3', 'proved'],
        ['AFTER: event DONE n=3 → event DONE n=1', 'violated'],
        ['AFTER: event DONE WHEN n > 5 → returned', 'vacuous'],
        ['ENDS: always', 'proved'],
        ['ENDS: returned', 'proved'],
        ['ENDS: failed', 'violated'],
      ],
      { withFailures: false },
    );
  });

  test('with failures', () => {
    expectVerdicts(COUNT, [
      ['ENDS: returned', 'violated'],
      ['ENDS: returned, failed', 'proved'],
      ['AFTER: run "make it" → event DONE', 'violated'],
      ['NEVER: failed in A timeout', 'proved'],
      ['NEVER: failed in A tool_failure', 'violated'],
      ['REACHES: failed tool_failure WHEN n == 2', 'proved'],
      ['REACHES: failed WHEN n == 3', 'violated'],
    ]);
  });

  test('a plain word of EMIT or RETURN is a text, and a number in a moment means both', () => {
    const program = lines(
      'STATE: A',
      '  CHECK: x = look',
      '  EMIT: SEEN n=3 isNew=true m={len("abc")} x={x} s="4"',
      '  RETURN: 3',
    );
    expectVerdicts(
      program,
      [
        ['NEVER: event SEEN n=3', 'violated'],
        ['NEVER: event SEEN n="3"', 'violated'],
        ['NEVER: event SEEN n=4', 'proved'],
        ['NEVER: event SEEN n="03"', 'proved'],
        ['NEVER: event SEEN m="3"', 'violated'],
        ['NEVER: event SEEN s=4', 'violated'],
        ['NEVER: event SEEN isNew=true', 'violated'],
        ['NEVER: event SEEN isNew=false', 'proved'],
        ['REACHES: event SEEN x=7', 'proved'],
        ['AT MOST: 0 event SEEN x="true"', 'violated'],
        ['NEVER: returned 3', 'violated'],
        ['NEVER: returned "3"', 'violated'],
        ['REACHES: returned 4', 'violated'],
      ],
      { withFailures: false },
    );
  });

  longTest('of an input', () => {
    const machine = machineOf(COUNT);
    const free = { free: new Set(['most']), withFailures: false, maxConfigurations: 300 };
    expect(verdictsOf(machine, ['AT MOST: 2 event DONE'], free, ['most <= 2'])).toEqual(['proved']);
    expect(verdictsOf(machine, ['AT MOST: 1 event DONE'], free, ['most <= 2', 'most > 1'])).toEqual(['violated']);
    expect(verdictsOf(machine, ['AT MOST: 1 event DONE'], { withFailures: false }, ['most <= 2'])).toEqual(['vacuous']);
    expect(verdictsOf(machine, ['ENDS: always'], free, ['most < 2', 'most > 2'])).toEqual(['vacuous']);
  });
});

describe('people', () => {
  const program = lines(
    'STATE: A',
    '  ASK user: "publish?" → go choices=yes,no,later',
    '  IF: go == "no" → RETURN: no',
    '  IF: go == "later" → GOTO: A',
    '  DO: publish it',
    '  RETURN: yes',
  );
  test('what is asked comes first', () => {
    expectVerdicts(program, [
      ['NEVER: run "publish *" UNLESS answered go == "yes"', 'proved'],
      ['NEVER: run "publish *" UNLESS answered go == "later"', 'violated'],
      ['NEVER: run "publish *"', 'violated'],
      ['AFTER: answered go == "yes" → run "publish it"', 'proved'],
      ['AFTER: answered go == "no" → run "publish it"', 'violated'],
      ['AT MOST: 1 answered go == "yes"', 'proved'],
      ['AT MOST: 5 answered go == "later"', 'violated'],
      ['ENDS: always', 'proved'],
    ]);
  });
});

describe('loops', () => {
  const endless = lines('STATE: A', '  DO: look', '  EMIT: LOOKED', '  GOTO: A');
  const waiting = lines(
    'STATE: A',
    '  CHECK: x = look',
    '  IF: x == 1 → GOTO: B',
    '  WAIT: 5s',
    '  GOTO: A',
    'STATE: B',
    '  RETURN',
  );
  test('a loop without end', () => {
    expectVerdicts(
      endless,
      [
        ['ENDS: always', 'violated'],
        ['ENDS: failed', 'violated'],
        ['AFTER: event LOOKED → returned', 'violated'],
        ['AFTER: run "look" → event LOOKED', 'proved'],
        ['NEVER: returned', 'proved'],
        ['REACHES: returned', 'violated'],
      ],
      { withFailures: false },
    );
  });
  test('a loop that waits', () => {
    const options = { withFailures: false };
    expectVerdicts(
      waiting,
      [
        ['ENDS: always', 'violated'],
        ['ENDS: returned, failed', 'proved'],
        ['AFTER: state A → state B', 'violated'],
        ['AFTER: state B → returned', 'proved'],
      ],
      options,
    );
  });
  test('what LIMIT ends', () => {
    expectVerdicts(`LIMIT: transitions=5\n${endless}`, [
      ['ENDS: always', 'proved'],
      ['ENDS: failed', 'proved'],
      ['ENDS: returned', 'violated'],
    ]);
  });
});

describe('lists and members', () => {
  const members = lines(
    'STATE: A',
    '  CHECK: xs = list',
    '  FOR EACH x in xs in PARALLEL',
    '    EMIT: BEGUN x={x}',
    '    DO: Task(worker) "do {x}"',
    '    EMIT: DONE',
    '  EMIT: JOINED',
    '  RETURN',
  );
  test('events of members count at their join', () => {
    expectVerdicts(members, [
      ['NEVER: event BEGUN', 'violated'],
      ['AT MOST: 1 event BEGUN', 'violated'],
      ['AT MOST: 2 event BEGUN', 'bounded'],
      ['NEVER: event JOINED UNLESS event BEGUN', 'violated'],
      ['AFTER: event BEGUN → event DONE', 'violated'],
      ['REACHES: event DONE', 'proved'],
      ['REACHES: failed timeout', 'undecided'],
      ['AT MOST: 2 run Task(worker)', 'bounded'],
    ]);
  });
  test('both orders of members', () => {
    const program = lines('STATE: A', '  DO: in PARALLEL', '    - a = echo 1', '    - b = echo 2', '  RETURN');
    expectVerdicts(program, [
      ['AFTER: run "echo 1" → run "echo 2"', 'proved'],
      ['AT MOST: 1 run "echo 1"', 'proved'],
      ['NEVER: failed', 'violated'],
    ]);
  });
});

describe('unknown values', () => {
  test('a tracked variable that the world gives', () => {
    const program = lines(
      'STATE: A',
      '  TRACK: level = 0',
      '  CHECK: x = look',
      '  IF: x > 5 → GOTO: HIGH',
      '  RETURN: low',
      'STATE: HIGH',
      '  SET: level = 7',
      '  DO: alarm',
      '  RETURN: high',
    );
    expectVerdicts(program, [
      ['NEVER: run "alarm" WHEN level < 7', 'proved'],
      ['NEVER: run "alarm" WHEN level == 7', 'violated'],
      ['NEVER: run "alarm" WHEN first([level]) == "7"', 'undecided'],
      ['REACHES: run "alarm" WHEN first([level]) == "7"', 'undecided'],
      ['NEVER: state HIGH WHEN level == 7', 'proved'],
    ]);
  });
  test('what is tracked as it was read', () => {
    const program = lines(
      'STATE: A',
      '  TRACK: seen = 0',
      '  CHECK: x = look',
      '  SET: seen = x',
      '  IF: x > 5 → GOTO: HIGH',
      '  RETURN: low',
      'STATE: HIGH',
      '  DO: alarm',
      '  RETURN: high',
    );
    expectVerdicts(program, [
      ['NEVER: run "alarm" WHEN seen <= 5', 'proved'],
      ['NEVER: run "alarm" WHEN seen == 6', 'violated'],
      ['NEVER: run "alarm" WHEN seen == 5.5', 'violated'],
      ['NEVER: returned "low" WHEN seen > 5', 'proved'],
      ['NEVER: returned "low" WHEN seen == 5', 'violated'],
    ]);
  });
  test('counters that only the property compares', () => {
    const program = lines(
      'STATE: A',
      '  TRACK: n',
      '  CHECK: x = look',
      '  INCREMENT: n',
      '  IF: x == 1 → RETURN',
      '  GOTO: A',
    );
    expectVerdicts(
      program,
      [
        ['AT MOST: 4 state A', 'violated'],
        ['NEVER: state A WHEN n > 4', 'violated'],
        ['NEVER: state A WHEN n < 0', 'proved'],
        ['NEVER: returned WHEN n == 0', 'proved'],
        ['REACHES: returned WHEN n == 6', 'proved'],
      ],
      { withFailures: false },
    );
  });
});

test('the properties of one file do not disturb each other', () => {
  const rules = [
    'NEVER: returned 3',
    'AT MOST: 3 event DONE',
    'AFTER: event DONE n=1 → event DONE n=3',
    'ENDS: returned',
  ];
  const machine = machineOf(COUNT);
  const alone = rules.map((rule) => verdictsOf(machine, [rule])[0]);
  expect(verdictsOf(machine, rules)).toEqual(alone);
});

test.each(['one-order', 'dead-values', 'slicing', 'saturation'] as const)('without the reduction %s', (reduction) => {
  const rules = [
    'AT MOST: 1 event DONE WHEN n > 1',
    'NEVER: event DONE n=4',
    'NEVER: state A WHEN n == 3',
    'REACHES: returned 3',
    'AFTER: event DONE n=1 → event DONE n=3',
  ];
  const machine = machineOf(COUNT);
  expect(verdictsOf(machine, rules, { without: new Set([reduction]) })).toEqual(verdictsOf(machine, rules));
});

test('failures that are not explored leave rules undecided', () => {
  const once = machineOf(lines('STATE: A', '  DO [once]: cat v', '  RETURN'));
  expect(verdictsOf(once, ['NEVER: failed in_doubt', 'NEVER: failed value_too_large'])).toEqual([
    'violated',
    'undecided',
  ]);
  const handled = machineOf(
    lines('STATE: A', '  DO: cat v', '  RETURN', '  ON ERROR value_too_large:', '    DO: cat w', '    RETURN'),
  );
  expect(verdictsOf(handled, ['NEVER: run "cat w"', 'REACHES: run "cat w"'])).toEqual(['undecided', 'undecided']);
});
