/**
 * Verdicts that must not say more than was explored: limits of the program, lists that only a property looks into, calls
 * that are only known during the run, and loops that do not repeat.
 */
import { describe, expect, test } from 'vitest';
import type { VerifyOptions } from '../../src/lab/foresight/explore-options.js';
import { canBecome, selects } from '../../src/lab/testing/selectors.js';
import type { MockLine } from '../../src/language/syntax/tests/test-tree.js';
import { boundIn, machineOf, verified } from './programs.js';
import { propertiesOf, verdictsOf } from './rules.js';

const lines = (...all: string[]): string => `${all.join('\n')}\n`;

type Row = readonly [rule: string, verdict: string];

function expectVerdicts(program: string, rows: readonly Row[], options: Partial<VerifyOptions> = {}): void {
  const rules = rows.map(([rule]) => rule);
  const verdicts = verdictsOf(machineOf(program), rules, { withFailures: false, ...options });
  expect(rules.map((rule, at) => [rule, verdicts[at]])).toEqual(rows);
}

describe('LIMIT', () => {
  test('ends a loop as failed', () => {
    const loop = lines('STATE: A', '  DO: x = look', '  IF: "{x}" == "1" → RETURN', '  GOTO: A');
    expectVerdicts(`LIMIT: transitions=5\n${loop}`, [
      ['ENDS: returned', 'violated'],
      ['ENDS: returned, failed', 'proved'],
      ['ENDS: always', 'proved'],
      ['REACHES: returned', 'proved'],
    ]);
    expectVerdicts(`LIMIT: time=1h\n${loop}`, [
      ['ENDS: returned', 'violated'],
      ['ENDS: always', 'proved'],
    ]);
  });
  test('ends a loop without a way out', () => {
    const around = lines('STATE: A', '  GOTO: B', 'STATE: B', '  GOTO: A');
    const asks = lines('STATE: A', '  ASK user: "again?" → again', '  GOTO: A');
    const waits = lines('STATE: A', '  WAIT: 1m', '  GOTO: A');
    const always = (program: string, verdict: string): void => expectVerdicts(program, [['ENDS: always', verdict]]);
    for (const program of [around, asks, waits]) always(`LIMIT: transitions=50\n${program}`, 'proved');
    for (const program of [around, waits]) always(`LIMIT: time=1h\n${program}`, 'proved');
    // The time in which a person is asked does not end a run.
    always(`LIMIT: time=1h\n${asks}`, 'violated');
    for (const program of [asks, waits]) always(program, 'violated');
  });
  test('that a counted loop may not come to leaves it possible', () => {
    const program = lines(
      'LIMIT: transitions=100000',
      'STATE: FIRST',
      '  TRACK: n = 0',
      '  CHECK: x = look',
      '  SET: n = x',
      '  GOTO: A',
      '  ON ERROR: RETURN',
      'STATE: A',
      '  DO: look',
      '  SET: n = n * 2 + 1',
      '  IF: n > 100 → RETURN',
      '  GOTO: A',
      '  ON ERROR: RETURN',
    );
    expectVerdicts(program, [['ENDS: returned', 'possible']], { maxConfigurations: 300 });
  });
  const counted = lines(
    'STATE: A',
    '  TRACK: n',
    '  INCREMENT: n',
    '  IF: n < 20 → GOTO: A',
    '  GOTO: DONE',
    'STATE: DONE',
    '  RETURN',
  );
  test('ends a counted loop before its end', () => {
    expectVerdicts(`LIMIT: transitions=19\n${counted}`, [
      ['REACHES: state DONE', 'possible'],
      ['AFTER: state A → returned', 'undecided'],
      ['ENDS: returned', 'undecided'],
      ['ENDS: always', 'proved'],
      ['AT MOST: 20 state A', 'proved'],
    ]);
  });
  test('that no run comes to changes nothing', () => {
    expectVerdicts(`LIMIT: transitions=20\n${counted}`, [
      ['REACHES: state DONE', 'proved'],
      ['AFTER: state A → returned', 'proved'],
      ['ENDS: returned', 'proved'],
    ]);
  });
  test('of time and costs', () => {
    const waits = lines('STATE: A', '  WAIT: 2h', '  DO: Task(worker) "work"', '  GOTO: B', 'STATE: B', '  RETURN');
    expectVerdicts(`LIMIT: time=1h\n${waits}`, [
      ['REACHES: state B', 'possible'],
      ['ENDS: returned', 'bounded'],
    ]);
    expectVerdicts(`LIMIT: cost=1.00\n${waits}`, [
      ['REACHES: state B', 'proved'],
      ['AFTER: state A → state B', 'bounded'],
      ['NEVER: state B UNLESS run Task(worker)', 'proved'],
    ]);
  });
});

describe('the end by LIMIT is the failure `limit`', () => {
  const loop = lines('STATE: A', '  DO: look', '  TRACK: n', '  INCREMENT: n', '  IF: n > 5 → RETURN', '  GOTO: A');
  test('which runs may come to', () => {
    expectVerdicts(`LIMIT: transitions=3\n${loop}`, [
      ['NEVER: failed limit', 'violated'],
      ['NEVER: failed in A', 'violated'],
      ['NEVER: failed tool_failure', 'proved'],
      ['AT MOST: 1 failed', 'undecided'],
      ['AFTER: failed limit → returned', 'undecided'],
      ['REACHES: failed limit', 'proved'],
    ]);
  });
  test('which none comes to', () => {
    expectVerdicts(`LIMIT: transitions=5\n${loop}`, [
      ['NEVER: failed limit', 'proved'],
      ['AT MOST: 1 failed', 'proved'],
      ['AFTER: failed limit → returned', 'vacuous'],
      ['REACHES: failed limit', 'violated'],
    ]);
  });
  test('which costs, tokens and time bring', () => {
    const program = lines('STATE: A', '  DO: Task(worker) "work"', '  RETURN');
    for (const limit of ['cost=1.00', 'tokens=5', 'time=1h'])
      expectVerdicts(`LIMIT: ${limit}\n${program}`, [
        ['NEVER: failed limit', 'bounded'],
        ['REACHES: failed limit', 'undecided'],
        ['NEVER: failed timeout', 'proved'],
      ]);
    for (const limit of ['cost=1.00', 'tokens=5', 'time=1h', 'output=1M', 'journal=1M'])
      expectVerdicts(
        `LIMIT: ${limit}\n${program}`,
        [
          ['NEVER: failed limit', 'violated'],
          ['NEVER: failed in A limit UNLESS run Task(worker)', 'bounded'],
          ['REACHES: failed limit', 'proved'],
          ['AT MOST: 1 failed', 'bounded'],
        ],
        { withFailures: true },
      );
    // A command may print more than a run may keep.
    expectVerdicts(`LIMIT: cost=1.00\n${loop}`, [['NEVER: failed limit', 'bounded']], { withFailures: true });
    expectVerdicts(loop, [['NEVER: failed limit', 'proved']]);
  });
  const endsOf = (program: string, maxCost: Readonly<Record<string, number>> = {}): string[] =>
    verified(program, { maxCost }).ends.map(
      ({ status, state, error, trace }) => `${status} ${error ?? state}${trace.isConfirmed ? '' : ', possible'}`,
    );
  test('which is the only end of calls that can never fit', () => {
    const calls = 'DO: Task(worker) "work"';
    const maxCost = { worker: 0.2 };
    for (const body of [
      calls,
      `FOR EACH: i in [1, 2]:\n    ${calls}`,
      `DO: in PARALLEL\n    - Task(worker) "a"\n    - make`,
    ])
      expect(endsOf(`LIMIT: cost=0.1\nSTATE: A\n  ${body}\n  RETURN\n`, maxCost)).not.toContain('returned A');
    const program = `LIMIT: cost=0.1\nSTATE: A\n  ${calls}\n  RETURN\nSTATE: ERROR\n  RETURN: no\n`;
    expect(endsOf(program, maxCost)).toEqual(['failed limit']);
    expect([...new Set(endsOf(program, { worker: 0.1 }))].sort()).toEqual([
      'failed limit',
      'failed tool_failure',
      'returned A',
    ]);
  });
  test('behind which nothing happens', () => {
    const program = lines('STATE: A', '  GOTO: B', 'STATE: B', '  DO: look', '  GOTO: C', 'STATE: C', '  RETURN');
    expect(endsOf(`LIMIT: transitions=1\n${program}`)).toEqual(['failed tool_failure', 'failed limit']);
    expect(endsOf(`LIMIT: transitions=2\n${program}`)).toEqual(['returned C', 'failed tool_failure']);
    const waits = lines('LIMIT: time=1s', 'STATE: A', '  WAIT: 2s', '  RETURN');
    // The time in which a run is suspended does not count.
    expect(endsOf(waits)).toEqual(['returned A, possible', 'failed limit']);
    expect(endsOf(waits.replace('2s', '500ms'))).toEqual(['returned A', 'failed limit']);
    const retries = lines('LIMIT: time=5s', 'STATE: A', '  DO [retry=1/10s]: make', '  RETURN');
    expect(endsOf(retries)).toEqual(['returned A', 'failed tool_failure, possible', 'failed limit']);
  });
  test('which only what is rare may lead to', () => {
    const program = lines(
      'LIMIT: transitions=4',
      'STATE: A',
      '  TRACK: n',
      '  INCREMENT: n',
      '  DO: x = cat v',
      '  RETURN',
      '  ON ERROR value_too_large: → GOTO: A',
    );
    const rules = ['NEVER: failed limit', 'AFTER: failed limit → returned', 'REACHES: failed limit'];
    const { properties } = verified(program, { properties: propertiesOf(machineOf(program), rules) });
    expect(properties.map(({ verdict, except }) => [verdict, except])).toEqual([
      ['bounded', ['value_too_large']],
      ['bounded', ['value_too_large']],
      ['undecided', undefined],
    ]);
  });
  test('which every run has', () => {
    const endless = lines('STATE: A', '  ASK user: "more?" → more', '  IF: more == "no" → RETURN', '  GOTO: A');
    expectVerdicts(endless, [
      ['NEVER: failed limit', 'undecided'],
      ['NEVER: failed', 'proved'],
    ]);
  });
});

test('a command that may be silent for too long times out, which a run shows', () => {
  const program = lines('STATE: A', '  DO [idle=1s]: make', '  RETURN');
  const rules = (verdict: string): [string, string][] => [
    ['NEVER: failed timeout', verdict],
    ['NEVER: failed tool_failure', 'violated'],
  ];
  expectVerdicts(program, rules('violated'), { withFailures: true });
  expectVerdicts(`LIMIT: time=1h\n${program}`, rules('possible'), { withFailures: true });
});

test('a WAIT has no more rounds than fit into its timeout', () => {
  const wait = lines('  WAIT: x == "ok" OR timeout=3s every=1s', '    DO [ok=any]: x = cat v');
  expectVerdicts(`STATE: A\n${wait}  RETURN\n`, [
    ['AT MOST: 3 run "cat v"', 'violated'],
    ['AT MOST: 4 run "cat v"', 'possible'],
  ]);
  expectVerdicts(`PATTERN: P\n${wait}STATE: A\n  USE: P\n  USE: P\n  RETURN\n`, [
    ['AT MOST: 4 run "cat v"', 'violated'],
    ['AT MOST: 8 run "cat v"', 'possible'],
  ]);
});

describe('lists', () => {
  const program = lines('INPUT: items (list)', 'STATE: A', '  RETURN: ok');
  const all = ['"a"', '"b"', '"c"'].map((item) => `items contains ${item}`).join(' AND ');
  test('that only a property looks into', () => {
    expectVerdicts(program, [
      [`NEVER: state A WHEN ${all}`, 'bounded'],
      [`REACHES: state A WHEN ${all}`, 'undecided'],
      ['REACHES: state A WHEN items contains "a"', 'proved'],
    ]);
    expectVerdicts(program, [[`NEVER: state A WHEN ${all}`, 'violated']], { longest: 3 });
  });
  test('that only an assumption looks into', () => {
    const machine = machineOf(program);
    expect(verdictsOf(machine, ['NEVER: returned "ok"'], {}, [all])).toEqual(['undecided']);
    expect(verdictsOf(machine, ['NEVER: returned "ok"'], { longest: 3 }, [all])).toEqual(['violated']);
  });
  test('in loops inside each other', () => {
    const nested = lines(
      'INPUT: xs (list)',
      'STATE: A',
      '  FOR EACH x in xs',
      '    FOR EACH y in xs',
      '      DO: pair {x} {y}',
      '  RETURN',
    );
    expect(boundIn(verified(nested, { withFailures: false }), 'pair')).toMatch(/^grows with /);
  });
});

describe('calls', () => {
  test('of an agent that an input names', () => {
    const program = lines('INPUT: who', 'STEP: build type=code', '  PROMPT: "do it"', '  AGENT: {who}');
    expectVerdicts(program, [
      ['NEVER: run Task(x)', 'violated'],
      ['REACHES: run Task(x)', 'proved'],
      ['NEVER: run "STEP: build"', 'violated'],
    ]);
    expectVerdicts(program, [['NEVER: run Task(x)', 'proved']], { inputs: { who: 'y' } });
  });
  test.each([
    ['deploy {target}', 'deploy prod*', true],
    ['deploy {target}', 'deploy production', true],
    ['{tool} --now', '* --later', false],
    ['deploy {target}', 'publish *', false],
    ['deploy production', 'deploy *', false],
    ["awk '{print $1}'", '*--force*', false],
  ])('whether `%s` can become `%s`', (text, pattern, can) => {
    expect(canBecome(text, pattern)).toBe(can);
  });
  test('of a step below a task', () => {
    const selector: MockLine['selector'] = {
      kind: 'text',
      pattern: 'STEP: build',
      span: { file: 0, start: 0, end: 0 },
    };
    const target = { kind: 'agent', name: 'x', state: 'A', line: 1 } as const;
    expect(selects(selector, { ...target, step: 'login/build', text: 'STEP: login/build' })).toBe(true);
    expect(selects(selector, { ...target, step: 'login/test', text: 'STEP: login/test' })).toBe(false);
    expect(selects(selector, { ...target, step: 'login/build', text: 'make' })).toBe(false);
  });
});

describe('loops', () => {
  test('that only a person repeats', () => {
    expectVerdicts(lines('STATE: A', '  ASK user: "again?" → again', '  GOTO: A'), [
      ['ENDS: returned', 'vacuous'],
      ['ENDS: always', 'violated'],
    ]);
  });
  test('in which the second moment never comes', () => {
    const waits = lines('STATE: A', '  GOTO: B', 'STATE: B', '  WAIT: 1h', '  GOTO: B');
    expectVerdicts(waits, [
      ['AFTER: state A → state B', 'proved'],
      ['AFTER: state B → returned', 'vacuous'],
    ]);
    expectVerdicts(`LIMIT: transitions=5\n${waits}`, [['AFTER: state B → returned', 'undecided']]);
  });
  test('of which each round is different are only possible', () => {
    const counts = (next: string): string =>
      lines(
        'STATE: FIRST',
        '  TRACK: n = 0',
        '  CHECK: x = look',
        '  IF: x is null OR x < 0 → RETURN',
        '  SET: n = x',
        '  GOTO: A',
        'STATE: A',
        '  DO: look',
        '  EMIT: ROUND',
        `  SET: n = ${next}`,
        '  IF: n > 100 → RETURN',
        '  GOTO: A',
      );
    expectVerdicts(
      counts('n * 2 + 1'),
      [
        ['ENDS: always', 'possible'],
        ['AFTER: event ROUND → returned', 'possible'],
      ],
      { maxConfigurations: 300 },
    );
    expectVerdicts(
      counts('n + 0'),
      [
        ['ENDS: always', 'violated'],
        ['AFTER: event ROUND → returned', 'violated'],
      ],
      { maxConfigurations: 300 },
    );
  });
  test('that count an unknown number end', () => {
    const counts = (leave: string, next: string): string =>
      lines(
        'STATE: FIRST',
        '  TRACK: n = 0',
        '  CHECK: x = look',
        '  SET: n = x',
        '  GOTO: A',
        '  ON ERROR: RETURN',
        'STATE: A',
        `  IF: ${leave} → RETURN`,
        '  DO: look',
        `  IF: n == 7 → SET: n = ${next}`,
        `  ELSE: SET: n = ${next} + 0`,
        '  GOTO: A',
        '  ON ERROR: RETURN',
      );
    const always = (program: string) => verdictsOf(machineOf(program), ['ENDS: always'], { maxConfigurations: 300 });
    expect(always(counts('n <= 0', 'n - 1'))).toEqual(['proved']);
    expect(always(counts('n > 100', '2 + n'))).toEqual(['proved']);
    // Around the limit, away from it, and there and back.
    expect(always(counts('n <= 0', '10 - n'))).toEqual(['possible']);
    expect(always(counts('n > 100', 'n - 1'))).toEqual(['possible']);
    expect(always(counts('n <= 0', 'n - 1').replace('SET: n = n - 1\n', 'SET: n = n + 1\n'))).toEqual(['violated']);
  });
});

describe('moments', () => {
  test('each needs a condition with a value', () => {
    const program = lines('STATE: A', '  TRACK: level = 7', '  DO: look', '  EMIT: LOOKED', '  RETURN');
    expectVerdicts(program, [
      ['NEVER: event LOOKED WHEN first([level]) == "7" UNLESS run "look" WHEN level == 8', 'undecided'],
      ['NEVER: event LOOKED WHEN level == 8 UNLESS run "look" WHEN level == 7', 'proved'],
    ]);
  });
  test('follow another one', () => {
    const machine = machineOf(lines('STATE: A', '  EMIT: LOOKED', '  RETURN'));
    expect(() => propertiesOf(machine, ['AFTER: event LOOKED → event LOOKED'])).toThrow('both moments are the same');
    expect(verdictsOf(machine, ['AFTER: event LOOKED → returned'])).toEqual(['proved']);
  });
});
