/** Programs whose defects and bounds are known: loops that end and do not, dead places, failures, and exact numbers. */
import { describe, expect, test } from 'vitest';
import { boundIn, defectsIn, verified } from './programs.js';

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
    expect(defectsIn(verified(program))).toEqual(['3 late-failure confirmed']);
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

describe('budgets', () => {
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
