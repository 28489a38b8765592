/** Programs whose defects and bounds are known: loops that end and do not, dead places, failures, and exact numbers. */
import { describe, expect, test } from 'vitest';
import { firstLine, reportText } from '../../src/lab/foresight/foresight-report.js';
import { longTest } from '../amount.js';
import { boundIn, defectsIn, machineOf, verified } from './programs.js';
import { propertiesOf } from './rules.js';

const lines = (...all: string[]): string => `${all.join('\n')}\n`;

describe('loops', () => {
  test.each([
    [
      'the count is not the condition that leaves',
      lines(
        'STATE: A',
        '  TRACK: n',
        '  CHECK: ready = cat v',
        '  IF: n >= 3 → EMIT: LOOKED n={n}',
        '  INCREMENT: n',
        '  IF: ready == true → RETURN',
        '  GOTO: A',
      ),
    ],
    [
      'one way round does not count',
      lines(
        'STATE: A',
        '  TRACK: n',
        '  IF: n >= 3 → RETURN: gave up',
        '  CHECK: x = cat v',
        '  IF: x == "skip" → GOTO: A',
        '  INCREMENT: n',
        '  GOTO: A',
      ),
    ],
    [
      'the count runs away from its limit',
      lines('STATE: A', '  TRACK: n', '  INCREMENT: n', '  IF: n == 0 → RETURN: gave up', '  DO: cat v', '  GOTO: A'),
    ],
    [
      'another state counts back',
      lines(
        'STATE: A',
        '  TRACK: n = 3',
        '  INCREMENT: n by -1',
        '  IF: n == 0 → RETURN: gave up',
        '  CHECK: x = cat v',
        '  IF: x == 1 → GOTO: B',
        '  GOTO: A',
        'STATE: B',
        '  INCREMENT: n',
        '  GOTO: A',
      ),
    ],
    ['nothing waits', lines('STATE: A', '  GOTO: B', 'STATE: B', '  GOTO: A')],
    ['nothing waits, and a value changes once', lines('STATE: A', '  TRACK: n', '  SET: n = 1', '  GOTO: A')],
    ['nothing leaves', lines('STATE: A', '  DO: echo', '  GOTO: B', 'STATE: B', '  GOTO: A')],
  ])('endless: %s', (_, program) => {
    expect(defectsIn(verified(program)).filter((one) => one.includes('endless'))).toEqual(['2 endless confirmed']);
  });

  test.each([
    [
      'a count',
      lines(
        'STATE: A',
        '  TRACK: n',
        '  IF: n >= 3 → RETURN: gave up',
        '  CHECK: x = cat v',
        '  INCREMENT: n',
        '  GOTO: A',
      ),
    ],
    [
      'an answer',
      lines('STATE: A', '  ASK user: "again?" choices=yes,no', '  IF: answer == "no" → RETURN', '  GOTO: A'),
    ],
    ['a retry', lines('STATE: A', '  DO [retry=5]: cat v', '  RETURN')],
    ['a list', lines('STATE: A', '  CHECK: xs = cat v', '  FOR EACH x in xs', '    DO: echo {x}', '  RETURN')],
  ])('it ends: %s', (_, program) => {
    expect(defectsIn(verified(program)).filter((one) => /endless|no-end/.test(one))).toEqual([]);
  });

  longTest('a count of an unknown number, also in one segment', () => {
    for (const work of ['  DO: look', '  EMIT: ROUND']) {
      const program = lines(
        'STATE: A',
        '  CHECK: n = cat n',
        '  TRACK: c = n',
        '  GOTO: B',
        'STATE: B',
        '  IF: c <= 0 → RETURN: ok',
        work,
        '  INCREMENT: c by -1',
        '  GOTO: B',
      );
      const found = verified(program);
      expect(found.segments).toBeLessThan(300);
      expect(defectsIn(found)).toEqual([]);
      expect(boundIn(found, 'state B')).toBeNull();
    }
  });

  test('two rounds show nothing about the third', () => {
    const program = lines(
      'STATE: A',
      '  CHECK: n = cat n',
      '  IF: n < 1 → RETURN',
      '  TRACK: c = n',
      '  GOTO: B',
      'STATE: B',
      '  IF: c > 1000 → RETURN: ok',
      '  DO: look',
      '  SET: c = c * 2',
      '  GOTO: B',
    );
    const found = verified(program);
    expect(defectsIn(found)).toEqual(['7 endless possible']);
    expect(reportText(found, { allTraces: false })).toContain(
      'possible: a run does it, and each round leaves other values',
    );
  });

  test('only time passes', () => {
    const program = lines('STATE: A', '  CHECK: x = cat v', '  IF: x == 1 → RETURN', '  WAIT: 5s', '  GOTO: A');
    expect(defectsIn(verified(program))).toEqual(['2 endless-waiting confirmed']);
  });

  test('a WAIT with a timeout waits for a limited time', () => {
    const program = lines(
      'STATE: A',
      '  WAIT: ready == 1 OR timeout=1m [every=5s]',
      '    CHECK: ready = cat v',
      '  RETURN',
    );
    const verification = verified(program);
    expect(defectsIn(verification)).toEqual([]);
    expect(boundIn(verification, 'cat v')).toBe(13);
  });

  test('only LIMIT ends it', () => {
    const program = lines('LIMIT: transitions=50', 'STATE: A', '  DO: echo', '  GOTO: A');
    const verification = verified(program);
    expect(verification.defects.map(({ severity, message }) => [severity, message.includes('LIMIT')])).toEqual([
      ['warning', true],
    ]);
    expect(boundIn(verification, 'state A')).toBe(51);
  });
});

describe('bounds', () => {
  test.each([
    [
      'cat v',
      5,
      lines('STATE: A', '  TRACK: n', '  IF: n >= 5 → RETURN', '  CHECK: x = cat v', '  INCREMENT: n', '  GOTO: A'),
    ],
    ['cat v', 6, lines('STATE: A', '  DO [retry=5]: cat v', '  RETURN')],
    [
      'Task(a)',
      4,
      lines(
        'STATE: A',
        '  TRACK: n',
        '  DO [retry=1]: Task(a) "go"',
        '  INCREMENT: n',
        '  IF: n == 2 → RETURN',
        '  GOTO: A',
      ),
    ],
    [
      'ASK again',
      3,
      lines(
        'STATE: A',
        '  TRACK: n',
        '  INCREMENT: n',
        '  ASK user: "?" → again choices=yes,no',
        '  IF: again == "no" OR n == 3 → RETURN',
        '  GOTO: A',
      ),
    ],
    [
      'echo',
      '1 × len(xs)',
      lines('STATE: A', '  CHECK: xs = cat v', '  FOR EACH x in xs', '    DO: echo {x}', '  RETURN'),
    ],
    [
      'twice',
      '1 × length of the list',
      lines(
        'STATE: A',
        '  CHECK: xs = cat v',
        '  CHECK: ys = cat w',
        '  FOR EACH x in xs',
        '    DO: ./twice {x}',
        '  FOR EACH y in ys',
        '    DO: ./once {y}',
        '  FOR EACH x in xs',
        '    DO: ./twice {x}',
        '  IF: xs == [] → RETURN',
        '  RETURN: more',
      ),
    ],
    [
      'Task(a)',
      '2 × len(xs)',
      lines(
        'STATE: A',
        '  CHECK: xs = cat v',
        '  FOR EACH x in xs in PARALLEL',
        '    DO: Task(a) "do {x}"',
        '    DO: Task(a) "do {x}"',
        '  RETURN',
      ),
    ],
    [
      'cat v',
      2,
      lines(
        'STATE: A',
        '  CHECK: x = cat v',
        '  IF: x == 1 → GOTO: B',
        '  RETURN',
        'STATE: B',
        '  DO: cat v',
        '  RETURN',
      ),
    ],
  ])('%s: %s', (what, bound, program) => {
    const { bounds } = verified(program);
    const found = bounds.filter((one) => one.what.includes(what)).map(({ formula, atMost }) => formula ?? atMost);
    const sum = found.every((one) => typeof one === 'number') ? found.reduce((total, one) => total + one, 0) : found[0];
    expect(sum).toBe(bound);
  });
});

describe('the condition that gives a bound', () => {
  const counting = (...body: string[]): string =>
    lines('STATE: A', '  TRACK: n', '  CHECK: x = cat v', '  INCREMENT: n', ...body);

  test.each([
    ['a limit comes before an equality of two values', 'IF n > 5', ['  IF: x == n → RETURN', '  IF: n > 5 → RETURN']],
    ['what leaves comes before what stays', 'IF n >= 5', ['  IF: n >= 2 → EMIT: MANY', '  IF: n >= 5 → RETURN']],
    [
      'what stays until a limit is one that decides',
      'IF n < 5',
      ['  IF: n >= 2 → EMIT: MANY', '  IF: n < 5 → GOTO: A'],
    ],
    ['an equality with a constant is a limit', 'IF n == 5', ['  IF: x == n → RETURN', '  IF: n == 5 → RETURN']],
  ])('%s', (_, because, body) => {
    const last = body.at(-1)?.includes('GOTO') ? '  RETURN' : '  GOTO: A';
    const { bounds } = verified(counting(...body, last));
    expect(bounds.find(({ what }) => what === 'state A')?.because?.text).toBe(because);
  });
});

test('a limit ends runs in each state in which it is met, also behind a failure that leads on', () => {
  const program = lines(
    'LIMIT: transitions=1',
    'STATE: A',
    '  CHECK: x = cat v',
    '  IF: x == 1 → GOTO: A',
    '  RETURN',
    'STATE: ERROR',
    '  GOTO: A',
  );
  const ends = verified(program).ends.filter(({ error }) => error === 'limit');
  expect(ends.map(({ state, trace }) => [state, trace.isConfirmed]).sort()).toEqual([
    ['A', true],
    ['ERROR', true],
  ]);
});

describe('bounds by limits', () => {
  const around = [
    '  CHECK [timeout=10s]: x = cat v',
    '  WAIT: 1m',
    '  GOTO: B',
    'STATE: B',
    '  DO [timeout=2s]: cat w',
  ];

  test.each([
    ['state A', 3, lines('LIMIT: transitions=5', 'STATE: A', ...around, '  GOTO: A')],
    ['cat v', 3, lines('LIMIT: transitions=4', 'STATE: A', ...around, '  GOTO: A')],
    ['cat w', 2, lines('LIMIT: transitions=4', 'STATE: A', ...around, '  GOTO: A')],
    ['cat v', 1, lines('LIMIT: transitions=1', 'STATE: A', ...around, '  GOTO: A')],
    ['time', 3 * 70 + 2 * 2, lines('LIMIT: transitions=4', 'STATE: A', ...around, '  GOTO: A')],
    ['time', 7200, lines('LIMIT: time=2h', 'STATE: A', '  DO: cat v', '  RETURN')],
  ])('LIMIT: %s %d', (what, bound, program) => {
    const { bounds } = verified(program);
    const found = bounds.filter((one) => one.what.includes(what));
    expect(found.map(({ atMost, isOnlyByLimit }) => [atMost, isOnlyByLimit])).toEqual([[bound, true]]);
  });
});

describe('calls inside a WAIT', () => {
  const waiting = (...block: string[]): string =>
    lines('WAIT: ok OR timeout=1m [every=10s]', ...block.map((one) => `  ${one}`), 'RETURN');
  test.each([
    ['a call', 7, waiting('CHECK: ok = cat v')],
    ['with retries', 21, waiting('CHECK [retry=2]: ok = cat v')],
    ['next to a loop', null, waiting('FOR EACH: x in [1, 2, 3]', '  DO: cat w', 'CHECK: ok = cat v')],
    ['in a WAIT inside a WAIT', null, waiting('WAIT: ok OR timeout=10s [every=1s]', '  CHECK: ok = cat v')],
    [
      'next to a WAIT inside a WAIT',
      null,
      waiting('WAIT: go OR timeout=10s [every=1s]', '  CHECK: go = cat w', 'CHECK: ok = cat v'),
    ],
    [
      'of a pattern with durations as arguments',
      7,
      lines(
        'INPUT: limit = "1m"',
        'PATTERN: P with for, every',
        '  WAIT: ok OR timeout={for} [every={every}]',
        '    CHECK: ok = cat v',
        'PATTERN: Q with for',
        '  USE: P with for="{for}", every="10s"',
        'STATE: A',
        '  USE: Q with for={limit}',
        '  RETURN',
      ),
    ],
    [
      'of a duration that changes',
      null,
      lines('FOR EACH: s in [1, 100]', '  WAIT: ok OR timeout="{s}s" [every=1s]', '    CHECK: ok = cat v', 'RETURN'),
    ],
  ])('%s', (_, bound, program) => {
    expect(boundIn(verified(program), 'cat v')).toBe(bound);
  });
});

test.each([
  [3, 'a'],
  [undefined, 'b'],
])('LIMIT: cost=3 bounds what is reserved by %s if the agent is `%s`', (bound, agent) => {
  const program = lines('LIMIT: cost=3', 'STATE: A', `  DO: Task(${agent}) "x"`, '  GOTO: A');
  const cost = verified(program, { maxCost: { a: 2 } }).bounds.find(({ kind }) => kind === 'cost');
  expect(cost).toMatchObject({ atMost: null, isOnlyByLimit: bound !== undefined });
  expect(cost?.reserved).toBe(bound);
});

describe('time', () => {
  test.each([
    ['nothing', undefined, lines('RETURN')],
    ['limits and pauses of retries', 40, lines('DO [timeout=10s retry=2/5s]: cat v', 'RETURN')],
    ['a pause by chance', 22, lines('DO [timeout=10s retry=1/1s..2s]: cat v', 'RETURN')],
    ['waits of the longer way', 60, lines('CHECK [timeout=0s]: x = cat v', 'IF: x == 1 → WAIT: 1m', 'RETURN')],
    ['a question with a deadline', 3600, lines('ASK user: "ok?" → ok deadline=1h default=no', 'RETURN')],
    ['a question', null, lines('ASK user: "ok?" → ok', 'RETURN')],
    ['a signal', 86_400, lines('WAIT: signal GO OR timeout=24h', 'RETURN')],
    ['polls', 65, lines('WAIT: done OR timeout=1m [every=10s]', '  CHECK [timeout=5s]: done = cat v', 'RETURN')],
    ['polls without a limit', null, lines('WAIT: done OR timeout=1m [every=10s]', '  CHECK: done = cat v', 'RETURN')],
    ['members', 3, lines('DO: in PARALLEL', '  - DO [timeout=1s]: cat v', '  - DO [timeout=2s]: cat w', 'RETURN')],
    [
      'members with a common timeout',
      30,
      lines('DO: in PARALLEL', '  - cat v', '  - cat w', 'WAIT: All 2 complete OR timeout=30s', 'RETURN'),
    ],
    ['a loop of waits', null, lines('STATE: A', '  WAIT: 1s', '  GOTO: A')],
    ['an agent, which may be unavailable', null, lines('DO [timeout=10s]: Task(a) "x"', 'RETURN')],
    [
      'a wait between polls',
      null,
      lines('WAIT: ok OR timeout=1m [every=10s]', '  WAIT: 10m', '  CHECK [timeout=5s]: ok = cat v', 'RETURN'),
    ],
    [
      'a loop between polls',
      null,
      lines(
        ...['WAIT: ok OR timeout=1m [every=10s]', '  FOR EACH: x in [1, 2]', '    DO [timeout=5s]: cat w'],
        ...['  CHECK [timeout=5s]: ok = cat v', 'RETURN'],
      ),
    ],
    [
      'a question between polls',
      null,
      lines(
        ...['WAIT: ok OR timeout=1m [every=10s]', '  ASK user: "go?" → go default=no deadline=24h'],
        ...['  CHECK [timeout=5s]: ok = cat v', 'RETURN'],
      ),
    ],
    [
      'a wait for a condition between polls',
      null,
      lines(
        ...['WAIT: go OR timeout=1h [every=10s]', '  WAIT: ok OR timeout=1m [every=10s]'],
        ...['    CHECK [timeout=5s]: ok = cat v', '  CHECK [timeout=5s]: go = cat w', 'RETURN'],
      ),
    ],
    [
      'loops inside each other',
      'grows with len(xs)',
      lines('INPUT: xs', 'WAIT: 10s', 'FOR EACH: a in xs', '  FOR EACH: b in xs', '    WAIT: 1s', 'RETURN'),
    ],
    ['a limit that does not count a suspended run', 86_400, lines('LIMIT: time=1h', 'WAIT: 24h', 'RETURN')],
    [
      'a limit that does not count a question',
      86_400,
      lines('LIMIT: time=1h', 'ASK user: "go?" → ok default=no deadline=24h', 'RETURN'),
    ],
    ['a list', '5s × len(xs)', lines('INPUT: xs', 'FOR EACH: x in xs', '  DO [timeout=5s]: cat -- {x}', 'RETURN')],
    ['a duration that is not known', 'unknown', lines('INPUT: d', 'WAIT: {d}', 'RETURN')],
  ])('%s', (_, seconds, program) => {
    const bound = verified(program).bounds.find(({ kind }) => kind === 'time');
    expect(bound === undefined ? undefined : (bound.formula ?? bound.atMost)).toBe(seconds);
  });
});

describe('locations and failures', () => {
  test('a state that nothing enters', () => {
    const program = lines('STATE: A', '  TRACK: n = 1', '  IF: n == 2 → GOTO: B', '  RETURN', 'STATE: B', '  RETURN');
    expect(defectsIn(verified(program))).toEqual(['3 dead-branch', '6 dead-state']);
  });

  test('a condition about the files that a step changed is alive', () => {
    const step = ['STEP: work type=code', '  PROMPT: "do it"', '  AGENT: claude'];
    const program = lines(...step, 'IF: "{work.files}" == "" → RETURN: nothing', 'RETURN: something');
    expect(defectsIn(verified(program))).toEqual([]);
  });

  test.each(['cost', 'duration', 'turns', 'tokens_in'])('a condition about the %s of a step is alive', (field) => {
    const step = ['STEP: work type=code', '  PROMPT: "do it"', '  AGENT: claude'];
    const program = lines(...step, `IF: "{work.${field}}" == "5" → RETURN: five`, 'RETURN: other');
    expect(defectsIn(verified(program))).toEqual([]);
  });

  test('the cost of a step can be a number', () => {
    const step = ['STEP: work type=code', '  PROMPT: "do it"', '  AGENT: claude'];
    const verification = verified(lines(...step, 'IF: float("{work.cost}") > 1 → RETURN: high', 'RETURN: low'));
    expect(verification.defects.filter(({ kind }) => kind === 'certain-failure')).toEqual([]);
  });

  test('a condition is alive with another value of an input', () => {
    const program = lines(
      'INPUT: dry = false',
      'STATE: A',
      '  IF: dry == true → GOTO: B',
      '  RETURN',
      'STATE: B',
      '  RETURN',
    );
    const verification = verified(program);
    expect(defectsIn(verification)).toEqual([]);
    expect(verification.never).toEqual(['B']);
  });

  test('a handler of a failure that cannot happen', () => {
    const program = lines('STATE: A', '  DO: cat v', '  RETURN', '  ON ERROR timeout: → RETURN: late');
    expect(defectsIn(verified(program))).toEqual(['4 dead-handler']);
  });

  test('a handler of a failure that is not explored', () => {
    const handled = (options: string, kind: string): string =>
      lines('STATE: A', `  DO${options}: cat v`, '  RETURN', `  ON ERROR ${kind}: → GOTO: B`, 'STATE: B', '  RETURN');
    const programs = ['value_too_large', 'cancelled', 'worktree', 'merge_conflict'].map((kind) => handled('', kind));
    for (const program of [...programs, handled(' [once]', 'in_doubt')])
      expect(defectsIn(verified(program))).toEqual([]);
    expect(defectsIn(verified(handled('', 'in_doubt')))).toHaveLength(2);
  });

  test('a failure that always happens', () => {
    const program = lines('STATE: A', '  TRACK: x = {a: 1}', '  IF: x.b == 1 → RETURN', '  RETURN');
    expect(defectsIn(verified(program))).toEqual(['3 certain-failure confirmed']);
  });

  test('a failure after the work of an agent', () => {
    const program = lines(
      'STATE: A',
      '  CHECK: plan = Task(planner) "plan"',
      '  IF: plan.size > 3 → RETURN: large',
      '  RETURN: small',
    );
    const found = verified(program);
    expect(defectsIn(found)).toEqual(['3 late-failure confirmed']);
    // The exploration fails with any value that is no text, and the run with one of them.
    const ended = found.defects[0]?.trace?.steps.at(-1)?.events.find((event) => event.type === 'run_failed');
    expect(ended?.error.message).toBeTruthy();
    expect(found.defects[0]?.message).toContain(ended?.error.message);
  });

  test('a value that was tested cannot fail there', () => {
    const program = lines(
      'STATE: A',
      '  CHECK: x = cat v',
      '  IF: x == 1 → RETURN: one',
      '  IF: x == 1 → GOTO: B',
      '  RETURN: other',
      'STATE: B',
      '  RETURN',
    );
    expect(defectsIn(verified(program))).toEqual(['4 dead-branch', '7 dead-state']);
  });

  test('numbers need not be whole', () => {
    const program = lines(
      'STATE: A',
      '  CHECK: x = cat v',
      '  IF: x > 2 AND x < 3 → GOTO: B',
      '  RETURN',
      'STATE: B',
      '  RETURN',
    );
    const verification = verified(program);
    expect(defectsIn(verification)).toEqual([]);
    expect(verification.ends.filter(({ state }) => state === 'B').map(({ trace }) => trace.isConfirmed)).toEqual([
      true,
    ]);
  });
});

describe('exit codes of failures', () => {
  const handled = (line: string, ...conditions: string[]): string =>
    lines(
      'STATE: A',
      `  ${line}`,
      '  RETURN: ok',
      'STATE: ERROR',
      ...conditions.map((one) => `  IF: ${one} → RETURN: {error}`),
      '  RETURN: {error}',
    );
  test.each([
    ['a command that fails, or that a signal ends', 'DO: cat v', 'exit_code is null', 'exit_code == 127'],
    ['a CHECK that prints nothing', 'CHECK: x = cat v', 'exit_code == 1', 'exit_code == 0'],
    ['a CHECK of a command that does not exist', 'CHECK: x = cat v', 'exit_code == 127', 'exit_code is null'],
    ['an agent', 'DO: Task(a) "go"', 'exit_code == 1', 'exit_code == 0', 'exit_code is null'],
  ])('%s', (_, line, ...conditions) => {
    expect(defectsIn(verified(handled(line, ...conditions)))).toEqual([]);
  });
  test.each([
    ['DO [retry=2 retry_on=exit:75]: cat v', 'cat v', 3],
    ['CHECK [retry=2 retry_on=exit:75]: x = cat v', 'cat v', 3],
    ['CHECK [retry=2 retry_on=exit:127]: x = cat v', 'cat v', 3],
    ['DO [retry=2 retry_on=exit:75]: Task(a) "go"', 'Task(a)', 3],
    ['DO [retry=2 retry_on=timeout]: cat v', 'cat v', 1],
  ])('%s', (line, what, bound) => {
    expect(boundIn(verified(lines(line, 'RETURN')), what)).toBe(bound);
  });
});

describe('lists whose length the program asks for', () => {
  test.each([
    ['an element', 'CHECK: xs = cat v', 'IF: xs[3] == 1 → GOTO: B'],
    ['an exact length', 'CHECK: xs = cat v', 'IF: len(xs) == 5 → GOTO: B'],
    ['an element far behind', 'CHECK: xs = cat v', 'IF: xs[100] == 1 → GOTO: B'],
    ['many', 'DO: text = cat v', 'DO: xs = lines(text)', 'IF: len(xs) > 10 → GOTO: B'],
    ['a count', 'TRACK: n', 'CHECK: xs = cat v', 'FOR EACH: x in xs', '  INCREMENT: n', 'IF: n >= 5 → GOTO: B'],
    ['an element after a loop', 'CHECK: xs = cat v', 'FOR EACH: x in xs', '  DO: one', 'IF: xs[2] == 1 → GOTO: B'],
  ])('%s', (_, ...body) => {
    const verification = verified(
      lines('STATE: A', ...[...body, 'RETURN: few'].map((line) => `  ${line}`), 'STATE: B', '  RETURN: many'),
    );
    expect(defectsIn(verification)).toEqual([]);
    expect(verification.never).toEqual([]);
  });
  test('a length alone does not limit what is explored', () => {
    const { isBounded } = verified(lines('CHECK: xs = cat v', 'IF: len(xs) > 3 → RETURN: many', 'RETURN: few'));
    expect(isBounded).toBe(false);
  });
  test.each([
    ['IF: len(xs) < 3 → RETURN: few', 'grows with len(xs)'],
    ['IF: len(xs) != 3 → RETURN: other', 3],
    ['IF: len(xs) == 0 → RETURN: none', '1 × len(xs)'],
    ['IF: len(xs) <= 70 → RETURN: few', 'grows with len(xs)'],
  ])('the bound behind `%s`', (line, bound) => {
    const verification = verified(lines('INPUT: xs (list)', line, 'FOR EACH: x in xs', '  DO: one {x}', 'RETURN: all'));
    expect([boundIn(verification, 'one'), defectsIn(verification)]).toEqual([bound, []]);
  });
  test('a length excludes constants', () => {
    const program = lines('STATE: A', '  DO: t = cat v', '  IF: len(t) > 3 AND t == "ok" → RETURN', '  RETURN: other');
    expect(defectsIn(verified(program))).toEqual(['3 dead-branch']);
  });
});

describe('steps', () => {
  longTest('findings of gates that nothing reads do not multiply what is explored', () => {
    const gates = ['a', 'b', 'c', 'd', 'e'].map((name) => `bash "./${name}" as ${name}`).join(', ');
    const program = lines(
      'STEP: build type=code',
      '  PROMPT: "do it"',
      '  AGENT: claude',
      `  GATE: ${gates}`,
      '  RETRY:',
      '    NOT gate.e → PROMPT "{gate.e.error}"',
      '    EXIT 4',
    );
    const verification = verified(program);
    expect(boundIn(verification, './e')).toBe(4);
    expect(verification.configurations).toBeLessThan(2000);
  });
  test('tasks have the names that the program mentions', () => {
    const program = lines(
      'STEP: plan type=split',
      '  PROMPT: "divide it"',
      '  AGENT: claude',
      '  EACH:',
      '    STEP: build type=code',
      '      PROMPT: "do it"',
      '      AGENT: claude',
      'STEP: note type=artifact',
      '  PROMPT: "what was done in {plan/login/build.files}?"',
      '  AGENT: claude',
    );
    const verification = verified(program);
    expect(defectsIn(verification).filter((one) => one.includes('certain'))).toEqual([]);
    expect(verification.ends.some(({ status }) => status === 'returned')).toBe(true);
  });
});

test('a line of a pattern is dead, or fails always, only if it is so in each state', () => {
  const program = lines(
    'PATTERN: P with p',
    '  IF: p == 0 → RETURN: zero',
    '  DO: half = 6 / p',
    'STATE: A',
    '  CHECK: x = cat v',
    '  IF: x == "one" → GOTO: B',
    '  USE: P with p=1',
    '  RETURN',
    'STATE: B',
    '  CHECK: x = cat v',
    '  USE: P with p={x}',
    '  RETURN',
  );
  expect(defectsIn(verified(program))).toEqual([]);
  const always = program.replace('p={x}', 'p=2');
  expect(defectsIn(verified(always))).toEqual(['2 dead-branch']);
  const fails = program.replace('p={x}', 'p="two"').replace('p == 0', '"x{p}" == "x"');
  expect(defectsIn(verified(fails))).toEqual(['2 dead-branch']);
});

test('what a text contains says what else it contains', () => {
  const program = lines(
    'STATE: A',
    '  ASK user: "what?" → out',
    '  IF: NOT (out contains "ERROR") →',
    '    IF: out contains "ERROR: disk" → GOTO: B',
    '    IF: out starts with "ERRORS" → GOTO: B',
    '    RETURN: fine',
    '  RETURN: not fine',
    'STATE: B',
    '  RETURN: never',
  );
  expect(defectsIn(verified(program))).toEqual(['4 dead-branch', '5 dead-branch', '9 dead-state']);
});

test.each(['n * 2 == 7', 'n / 2 == 7', '7 / n == 2', 'n - 2 == 7'])('a number for `%s` is found', (condition) => {
  const program = lines(
    'STATE: A',
    '  CHECK: n = cat v',
    `  IF: ${condition} → GOTO: B`,
    '  RETURN',
    'STATE: B',
    '  RETURN',
  );
  const ends = verified(program).ends.filter(({ state }) => state === 'B');
  expect(ends.map(({ trace }) => trace.isConfirmed)).toEqual([true]);
});

test.each([
  '^v[0-9]+$',
  '^(\\d+)\\.(\\d+)(?:-(alpha|beta))?$',
  '^[A-Z]{2,4}-[^a-z]x*$',
  '^\\s*(?<key>\\w+)=.+$',
  'a|b',
])('a text that matches `%s` is found', (pattern) => {
  const program = lines(
    'STATE: A',
    '  DO: x = cat v',
    `  IF: x matches '${pattern}' → GOTO: B`,
    '  RETURN',
    'STATE: B',
    '  RETURN',
  );
  const ends = verified(program).ends.filter(({ state }) => state === 'B');
  expect(ends.map(({ trace }) => trace.isConfirmed)).toEqual([true]);
});

describe('budgets', () => {
  const countdown = lines(
    'STATE: A',
    '  CHECK: n = cat v',
    '  TRACK: left = n',
    '  GOTO: LOOP',
    'STATE: LOOP',
    '  IF: left <= 0 → RETURN: done',
    '  SET: left = left - 1',
    '  GOTO: LOOP',
  );
  test('an unknown number that is counted down ends with the time', () => {
    const began = process.cpuUsage();
    const { stoppedBy, bounds } = verified(countdown, { seconds: 1e-9 });
    expect([stoppedBy, bounds]).toEqual(['seconds', []]);
    expect(process.cpuUsage(began).user).toBeLessThan(3e6);
  });
  const program = lines(
    'STATE: A',
    '  TRACK: n',
    '  CHECK: x = cat v',
    '  INCREMENT: n',
    '  IF: n * 2 == -1 → RETURN',
    '  GOTO: A',
  );

  test('what is not decided is said', () => {
    const { stoppedBy, bounds } = verified(program, { maxConfigurations: 50 });
    expect([stoppedBy, bounds]).toEqual(['configurations', []]);
  });

  test('the same twice', () => {
    expect(JSON.stringify(verified(program, { maxConfigurations: 50 }))).toBe(
      JSON.stringify(verified(program, { maxConfigurations: 50 })),
    );
  });
});

describe('lists that are longer than any that is explored', () => {
  test.each([
    ['a length', ['  IF: len(xs) > 5000 →', '    FOR EACH: x in xs', '      DO: use {x}']],
    ['an index', ['  DO: use {xs[1001]}']],
  ])('leave it undecided: %s', (_, code) => {
    const found = verified(lines('STATE: A', '  CHECK: xs = cat list', ...code, '  RETURN: ok'));
    expect(firstLine(found)).toBe('not completely: a list longer than 1,000');
    expect(found.bounds).toEqual([]);
    expect(defectsIn(found)).toEqual([]);
  });
  test('unless no list can be that long', () => {
    const program = lines(
      'STATE: A',
      '  CHECK: xs = cat list',
      '  IF: len(xs) > 3 → RETURN: long',
      '  DO: use {xs[1001]}',
      '  RETURN: ok',
    );
    const found = verified(program);
    expect(found.stoppedBy).toBeNull();
    expect(defectsIn(found)).toEqual(['4 certain-failure confirmed']);
  });
});

test('runs that are not assumed decide nothing', () => {
  const program = lines(
    'INPUT: n (number)',
    'INPUT: xs (list)',
    'STATE: A',
    '  IF: n < 5 → GOTO: LOW',
    '  RETURN: high',
    'STATE: LOW',
    '  FOR EACH: x in xs',
    '    EMIT: SEEN',
    '  RETURN: low',
  );
  const [property] = propertiesOf(machineOf(program), ['NEVER: event SEEN'], ['n > 6']);
  const found = verified(program, { assumptions: property?.assumptions ?? [] });
  expect(found.isBounded).toBe(false);
  expect(found.never).toEqual(['LOW']);
  // Without what is assumed, nothing of it is dead.
  expect(defectsIn(found)).toEqual([]);
});

test('what a step allows its agent to cost counts', () => {
  const program = (second: string): string =>
    lines(
      'STEP: build type=code',
      '  PROMPT: "build it"',
      '  AGENT: one with max_cost=2.5',
      '  GATE: bash "true" as ok',
      '  RETRY: EXIT 3',
      'STEP: tell',
      '  PROMPT: "look"',
      `  AGENT: ${second}`,
    );
  const cost = (text: string, maxCost: Record<string, number>) => boundIn(verified(text, { maxCost }), 'cost');
  const turns = '+ the last turn of each call';
  expect(cost(program('two with max_cost=1'), {})).toBe(`$8.50 ${turns}`);
  expect(cost(program('two with max_cost=1'), { one: 2 })).toBe(`$7.00 ${turns}`);
  expect(cost(program('two'), {})).toBe('unknown');
  // Where one agent is called twice, the dearer call counts for all.
  expect(cost(program('one with max_cost=3'), {})).toBe(`$12.00 ${turns}`);
  expect(cost(program('one'), {})).toBe('unknown');
});

test('a long trace is cut in the report', () => {
  const program = lines(
    'STATE: A',
    '  TRACK: n',
    '  INCREMENT: n',
    '  DO: look {n}',
    '  IF: n > 100 → GOTO: B',
    '  GOTO: A',
    'STATE: B',
    '  DO: look',
    '  GOTO: B',
  );
  const found = verified(program, { withFailures: false });
  const cut = reportText(found, { allTraces: false });
  expect(cut).toContain('--traces prints');
  expect(cut.split('\n').length).toBeLessThan(110);
  expect(reportText(found, { allTraces: true }).split('\n').length).toBeGreaterThan(100);
});

test('what was decided of a text holds when it is written again', () => {
  const inRow = verified(`INPUT: txt (string)
STATE: A
  IF: "a{txt}" != "aok" → RETURN: other
  IF: "a{txt}" == "aok" → RETURN: ok
  RETURN: never
`);
  expect(defectsIn(inRow)).toEqual(['4 dead-branch']);
  const inLoop = verified('INPUT: txt (string)\nSTATE: A\n  IF: "a{txt}" == "aok" → GOTO: A\n  GOTO: A\n');
  expect([inLoop.stoppedBy, ...defectsIn(inLoop)]).toEqual([null, '3 endless confirmed']);
});

test.each([
  ['a member', 'v.a', 'v.a == 1.1'],
  ['an element', 'v[0]', 'v[0] == 1.1'],
  ['the last element', 'last(v)', 'last(v) == 1.1'],
  ['the greatest', 'max(v, 1)', 'max(v, 1) == 1.1'],
  ['a member of an object that is known', 'v.a', 'v == {"a": 1.1}'],
  ['an element of a list that is known', 'v[0]', 'v == [1.1]'],
])('%s of a value may be printed in several ways, also when it is known', (_, part, isEqual) => {
  const both = lines(
    'STATE: A',
    '  CHECK: v = cat v',
    `  IF: ${isEqual} AND "x{${part}}" == "x1.10" → RETURN: both`,
    '  RETURN: rest',
  );
  expect(defectsIn(verified(both))).toEqual([]);
  const next = lines(
    'STATE: A',
    '  CHECK: v = cat v',
    `  IF: ${isEqual} → GOTO: B with v`,
    '  RETURN: rest',
    'STATE: B',
  );
  expect(
    defectsIn(verified(lines(next.trimEnd(), `  IF: "x{${part}}" == "x1.10" → RETURN: both`, '  RETURN: rest'))),
  ).toEqual([]);
});

test.each(['v contains ""', '{"a": v} contains ""', 'NOT ("" in v)', '{"a": v} contains "b"'])(
  'an object has a member of the empty name or not: %s',
  (condition) => {
    const { defects } = verified(
      lines('STATE: A', '  CHECK: v = cat v', `  IF: ${condition} → RETURN: yes`, '  RETURN: no'),
    );
    expect(defects.filter(({ message }) => message.endsWith('true'))).toEqual([]);
  },
);

/** With `?`: possible, but no run of it was found. */
describe('what comes of a condition about values that are unknown', () => {
  test.each([
    ['x == y', 'fails yes no'],
    ['x != y', 'fails yes no'],
    ['x < y', 'fails yes no'],
    ['x >= y', 'fails yes no'],
    ['y < x', 'fails yes no'],
    ['x == x', 'yes'],
    ['x < x', 'fails no'],
    ['x <= x', 'fails yes'],
    ['version(x) < version(y)', 'fails yes? no?'],
    ['version(x) == version(y)', 'fails yes? no?'],
    ['version(x) > version("1.2")', 'fails yes? no?'],
    ['version("1.2") >= version(x)', 'fails yes? no?'],
    ['version(x) == x', 'fails'],
    ['[x, 1] == [y, 1]', 'yes no'],
    ['{a: x} == {a: y}', 'yes no'],
    ['{a: x} == {a: y, b: 1}', 'no'],
    ['{a: x, b: 2} == {a: 1, b: y}', 'yes no'],
    ['x == [1, 2]', 'fails yes no'],
    ['x == {a: 1}', 'fails yes no'],
    ['x == [y]', 'fails yes? no'],
    ['x == {a: y}', 'fails yes? no'],
    ['x contains y', 'fails yes no'],
    ['x in [y, 2]', 'fails? yes no'],
    ['x in ["a", "b"]', 'fails yes no'],
    ['y in x', 'fails yes no'],
    ['x starts with y', 'fails yes no?'],
    ['x.a == y.a', 'fails yes no'],
    ['x.a < y.a', 'fails yes no'],
    ['x[0] == y[0]', 'fails yes no'],
    ['x[y] == 1', 'fails yes? no?'],
    ['x["a"] == 1', 'fails yes no'],
    ['{a: 1, b: 2}[x] == 1', 'fails yes no'],
    ['[1, 2][x] == 2', 'fails yes no'],
    ['int(x) == 3', 'fails yes no'],
    ['-x == 3', 'fails yes no'],
    ['len(x) > 1', 'fails yes no'],
    ['len(x) == len(y)', 'fails yes no'],
    ['x is empty', 'yes no'],
    ['x', 'fails yes no'],
    ['NOT x', 'fails yes no'],
    ['x + y == 3', 'fails yes? no'],
    ['x + "a" == "ba"', 'fails? yes no'],
    ['x + [1] == [2, 1]', 'fails yes no'],
    ['x / 2 == y', 'fails yes no'],
    ['x * y == 6', 'fails yes? no'],
    ['default(x, y) == 1', 'fails yes no'],
    ['string(x) == "1"', 'yes no'],
    ['string(x) == string(y)', 'yes no'],
    ['trim(x) == "a"', 'fails yes no'],
    ['json(x) == "[1]"', 'yes? no'],
    ['keys(x) == ["a"]', 'fails yes? no'],
    ['"{x}a" == "ba"', 'yes no'],
    ['"{x}" == y', 'fails yes no'],
    ['"a{x}b" starts with "ac"', 'yes? no'],
    ['x matches "^a+$"', 'fails yes no'],
    ['x ends with "b" AND x starts with "a" AND y == x', 'fails yes no'],
    ['x == y AND y == 3', 'fails yes? no'],
    ['x == y AND y == "a" AND x != "b"', 'fails yes? no'],
    ['x < y AND y < 3 AND x > 1', 'fails? yes? no'],
    ['x > y AND y > "b"', 'fails yes? no'],
    ['x exists', 'yes'],
    ['x.a exists', 'fails yes no'],
    ['version(x) == version(x)', 'fails yes?'],
    ['version(x) < version(x)', 'fails no?'],
    ['version(x) < version(y) AND version(y) < version(x)', 'fails no?'],
    ['x == true', 'fails yes no'],
    ['x == null', 'yes no'],
    ['x == y AND x == null', 'fails yes no'],
    ['int(x) == y AND y > 2', 'fails yes? no'],
    ['x <= y AND y <= x', 'fails yes no'],
    ['"{x}" contains y', 'fails yes no'],
    ['{a: 1} contains x', 'fails yes? no'],
    ['{a: x} contains "a"', 'yes'],
    ['x contains ""', 'fails yes no'],
    ['[x] == y', 'fails yes? no'],
    ['{a: x} == y', 'fails yes? no'],
    ['[x, y] contains 1', 'fails yes no'],
    ['[x, "a"] contains y', 'fails? yes no'],
    ['[1, 2] contains x', 'fails yes no'],
    ['["a", x] == [y, "b"]', 'yes no'],
    ['x.a.b == 1', 'fails yes no'],
    ['x.a == 1 AND x.b == 2 AND len(x) == 2', 'fails yes no'],
    ['len(x) == 0', 'fails yes no'],
    ['len("{x}") == 2', 'fails yes no'],
    ['x - y == 1 AND x + y == 3', 'fails yes? no'],
    ['1 - x == 3', 'fails yes no'],
    ['sum(x) == 3', 'fails yes? no'],
    ['first(x) == 1', 'fails yes no'],
    ['last(x) == 1', 'fails yes no'],
    ['upper(x) == "A"', 'fails yes no'],
    ['lines(x) == ["a", "b"]', 'fails yes no'],
    ['unique(x) == [1]', 'fails yes? no'],
    ['x[-1] == 2', 'fails'],
    ['x["a"]["b"] == 1', 'fails yes no'],
    ['float(x) == 1.5', 'fails yes no'],
    ['x + 1 == 3 AND x < 2', 'fails yes? no'],
    ['x ends with y', 'fails yes no?'],
    ['x matches y', 'fails yes no?'],
    ['NOT (x contains "a") AND x contains "b"', 'fails yes no'],
    ['NOT (x == 1) AND NOT (x == 2) AND x < 3 AND x > 0', 'fails yes no'],
  ])('%s: %s', (condition, expected) => {
    const program = lines(
      'STATE: A',
      '  CHECK: x = cat v',
      '  CHECK: y = cat w',
      `  IF: ${condition} → GOTO: B`,
      '  GOTO: C',
      'STATE: B',
      '  RETURN',
      'STATE: C',
      '  RETURN',
    );
    const words: Readonly<Record<string, string>> = { A: 'fails', B: 'yes', C: 'no' };
    const { ends } = verified(program, { withFailures: false });
    const found = ends.map(({ state, trace }) => `${words[state ?? '']}${trace.isConfirmed ? '' : '?'}`);
    expect(found.sort((a, b) => ORDER.indexOf(a.replace('?', '')) - ORDER.indexOf(b.replace('?', ''))).join(' ')).toBe(
      expected,
    );
  });
});

const ORDER = ['fails', 'yes', 'no'];

test('what bounds of a number leave of it decides what follows', () => {
  const OPERATORS = {
    '<': (n: number) => n < 5,
    '<=': (n: number) => n <= 5,
    '>': (n: number) => n > 5,
    '>=': (n: number) => n >= 5,
  };
  const names = Object.keys(OPERATORS) as (keyof typeof OPERATORS)[];
  for (const first of names)
    for (const second of names) {
      const left = [4, 5, 6].filter((n) => OPERATORS[first](n) && OPERATORS[second](n));
      if (left.length === 0) continue;
      const inner = names.map((third) => `    IF: n ${third} 5 → EMIT: A\n`).join('');
      const program = `INPUT: n (number)\nSTATE: A\n  IF: n ${first} 5 AND n ${second} 5 →\n${inner}  RETURN\n`;
      const dead = names.flatMap((third, at) =>
        new Set(left.map(OPERATORS[third])).size === 2 ? [] : [`${at + 4} dead-branch`],
      );
      expect(defectsIn(verified(program)), `${first} ${second}`).toEqual(dead);
    }
});
