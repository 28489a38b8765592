/** What a run can do is never reported as impossible. Each program was once judged wrongly. */
import { expect, test } from 'vitest';
import { boundIn, defectsIn, machineOf, verified } from './programs.js';
import { propertiesOf } from './rules.js';

const lines = (...all: string[]): string => `${all.join('\n')}\n`;

test('a gate that looks at files may fail, so that the work is repeated', () => {
  const program = lines(
    'STATE: A',
    '  TRACK: n',
    '  STEP: make type=artifact',
    '    DO: make it',
    '    IF: n == 0 → INCREMENT: n',
    '    GATE: touched "src/**"',
    '    RETRY:',
    '      EXIT 2',
    '  RETURN',
  );
  expect(defectsIn(verified(program))).toEqual([]);
});

test.each([
  ['STEP: s type=validate', '    DO: make it', '    RETRY:', '      EXIT 2'],
  ['STEP: s', '    DO: make it', '    GATE: bash "npm test"'],
  ['DO [timeout=5s]: make it'],
  ['DO [once]: make it'],
  ['DO: in PARALLEL', '    - make it', '    - make that'],
  ['CHECK: x = cat v', '  IF: x > 1 → RETURN'],
])('a failure of `%s` may say anything', (...effect) => {
  const program = lines(
    'STATE: A',
    ...effect.map((line, at) => (at === 0 ? `  ${line}` : line)),
    '  RETURN',
    'STATE: ERROR',
    '  IF: error contains "x" → RETURN: x',
    '  RETURN: {error}',
  );
  expect(defectsIn(verified(program))).toEqual([]);
});

test('what FAIL says is known', () => {
  const program = lines('STATE: A', '  FAIL: no', 'STATE: ERROR', '  IF: error == "no" → RETURN', '  RETURN: other');
  expect(defectsIn(verified(program))).toEqual(['4 dead-branch']);
});

test('members that fail with other words are other configurations', () => {
  const program = lines(
    'STATE: A',
    '  FOR EACH: it in [1, 2] in PARALLEL:',
    '    CHECK: v = cat {it}',
    '    IF: v == "a" OR v == "b" → FAIL: {v}',
    '  RETURN',
    'STATE: ERROR',
    '  IF: error contains "b" → RETURN: b',
    '  RETURN: {error}',
  );
  expect(defectsIn(verified(program))).toEqual([]);
});

test('names of states are no names of the record', () => {
  const program = lines(
    'STATE: A',
    '  CHECK: x = cat v',
    '  IF: x == 1 → GOTO: touched with k=1',
    '  GOTO: touched with k=2',
    'STATE: touched',
    '  DO: wait for it',
    '  IF: k == 2 → RETURN: two',
    '  RETURN: one',
  );
  expect(defectsIn(verified(program))).toEqual([]);
  expect(boundIn(verified(program), 'wait for it')).toBe(1);
});

test('descriptions and files of tasks, and comments of validations, may be anything', () => {
  const program = lines(
    'STEP: plan type=split',
    '  PROMPT: "x"',
    '  AGENT: claude',
    '  EACH:',
    '    STEP: build type=code',
    '      DO: make {task.name}',
    '      IF: task.files is empty → DO: echo none',
    '      IF: task.description == "x" → DO: echo x',
    'STEP: rev type=validate',
    '  PROMPT: "good?"',
    '  AGENT: claude',
    'IF: "{rev.comments}" == "bad" → FAIL: bad',
  );
  expect(defectsIn(verified(program, { longest: 1 }))).toEqual([]);
});

test('a line of a pattern counts once, wherever the pattern is used', () => {
  const program = lines(
    'PATTERN: ASK_IT',
    '  DO: ask it',
    'STATE: A',
    '  USE: ASK_IT',
    '  GOTO: B',
    'STATE: B',
    '  USE: ASK_IT',
    '  USE: ASK_IT',
    '  RETURN',
  );
  const { bounds } = verified(program);
  expect(bounds.filter(({ kind }) => kind === 'command').map(({ what, atMost }) => [what, atMost])).toEqual([
    ['line 2 ask it', 3],
  ]);
});

test('the polls of a pattern are counted in each state that uses it', () => {
  const program = lines(
    'PATTERN: POLL',
    '  WAIT: x == "ok" OR timeout=10s every=1s',
    '    CHECK: x = cat v',
    'STATE: A',
    '  USE: POLL',
    '  GOTO: B',
    'STATE: B',
    '  USE: POLL',
    '  RETURN',
  );
  expect(boundIn(verified(program), 'cat v')).toBe(22);
});

test.each(['"v{x}" == "v1.0"', 'string(x) == "1.0"', '"{x}!" starts with "1."'])(
  'a number may be printed in several ways: `%s`',
  (condition) => {
    const program = lines(
      'STATE: A',
      '  CHECK: x = cat v',
      '  IF: x == 1 →',
      `    IF: ${condition} → RETURN`,
      '  RETURN: c',
    );
    expect(defectsIn(verified(program))).toEqual([]);
  },
);

test('all forms of a number are that number, and a computed one has one form', () => {
  const program = lines(
    'STATE: A',
    '  CHECK: x = cat v',
    '  IF: x == 1 AND "v{x}" == "v2" → RETURN: never',
    '  IF: exit_code(x) == 3 AND "c{exit_code(x)}" != "c3" → RETURN: never',
    '  RETURN: c',
  );
  expect(defectsIn(verified(program))).toEqual(['3 dead-branch', '4 dead-branch']);
});

test('the text of a list may be any text', () => {
  const program = lines(
    'STATE: A',
    '  CHECK: x = cat v',
    '  IF: string([x]) == "[1]" → RETURN: one',
    '  RETURN: other',
  );
  expect(defectsIn(verified(program))).toEqual([]);
});

test('a choice is a value of the type of the default', () => {
  const program = lines(
    'INPUT: level = 1 (one of: 1, 2)',
    'INPUT: mode (one of: 1, a)',
    'STATE: A',
    '  IF: level == 2 → RETURN: two',
    '  IF: level == 3 → RETURN: never',
    '  IF: mode == "1" → RETURN: text',
    '  RETURN',
  );
  const { ends, defects } = verified(program);
  expect(defects.map(({ line, kind }) => `${line} ${kind}`)).toEqual(['5 dead-branch']);
  expect(ends.map(({ trace }) => trace.isConfirmed)).toEqual([true]);
});

test('what is computed from a choice is computed from one of them', () => {
  const never = [
    'trim(mode) is empty',
    'upper(mode) == "X"',
    'mode starts with "z"',
    '"v-{mode}" == "v-c"',
    'len(mode) > 2',
  ]
    .concat([
      'level + 1 > 3',
      'level * 2 == 3',
      'lower(mode) in ["x", "y"]',
      'mode + "x" == "aa"',
      'mode == "a" AND upper(mode) == "B"',
    ])
    .concat(['"{mode}" matches "^[0-9]+$"']);
  const sometimes = ['mode != "a" AND upper(mode) == "B"', 'level * 2 == 4'];
  const program = lines(
    'INPUT: mode = "a" (one of: a, b, ok)',
    'INPUT: level = 1 (one of: 1, 2)',
    'STATE: A',
    ...[...never, ...sometimes].map((condition) => `  IF: ${condition} → EMIT: SEEN`),
    '  RETURN',
  );
  const { defects, ends } = verified(program);
  expect(defects.map(({ message }) => /`(.*)`/.exec(message)?.[1])).toEqual(never);
  expect(ends.map(({ trace }) => trace.isConfirmed)).toEqual([true]);
});

test('an agent with a largest cost may end as limit, and others may not', () => {
  const program = lines(
    'STATE: A',
    '  DO [retry=1 retry_on=limit]: x = Task(dear) "do it"',
    '  RETURN',
    '  ON ERROR limit: → RETURN: cheap',
  );
  const dear = verified(program, { maxCost: { dear: 0.1 } });
  expect(defectsIn(dear)).toEqual([]);
  expect(boundIn(dear, 'Task(dear)')).toBe(2);
  expect(dear.bounds.find(({ kind }) => kind === 'cost')).toMatchObject({ atMost: null, reserved: 0.2 });
  expect(defectsIn(verified(program))).toEqual(['4 dead-handler']);
});

test('an exit code that is not accepted may be 0', () => {
  const program = lines(
    'STATE: A',
    '  DO [ok=2]: make it',
    '  RETURN',
    'STATE: ERROR',
    '  IF: exit_code == 0 → RETURN: nothing to do',
    '  IF: exit_code == 2 → RETURN: never',
    '  FAIL: no',
  );
  expect(defectsIn(verified(program))).toEqual(['6 dead-branch']);
});

test.each([
  ['whose pause is left to chance', 3001, 'timeout=3s every=1s..2s', '    CHECK: x = cat v', '  RETURN'],
  ['that is there twice', 6, 'timeout=2s every=1s', '    CHECK: x = cat v', '  USE: POLL'],
  ['that asks twice in a line', 6, 'timeout=2s every=1s', '    IF: x is null → DO: cat v, DO: cat v', '  RETURN'],
])('rounds of a WAIT %s', (_, bound, options, asks, more) => {
  const program = lines(
    'PATTERN: POLL',
    `  WAIT: x == "ok" OR ${options}`,
    ...(asks.includes('CHECK') ? [asks] : ['    CHECK: x = cat u', asks]),
    'STATE: A',
    '  USE: POLL',
    more,
    ...(more === '  RETURN' ? [] : ['  RETURN']),
  );
  expect(boundIn(verified(program), 'cat v')).toBe(bound);
});

test('what is rare reaches a handler of every kind, and breaks what is proved', () => {
  const program = lines('STATE: A', '  DO: x = cat v', '  RETURN', '  ON ERROR tool_failure: → RETURN: none');
  const rules = ['ENDS: returned', 'NEVER: failed limit'];
  const { properties, leftOut } = verified(program, { properties: propertiesOf(machineOf(program), rules) });
  expect(leftOut).toEqual(['value_too_large']);
  expect(properties.map(({ verdict, except }) => [verdict, except])).toEqual([
    ['proved', ['value_too_large']],
    ['bounded', undefined],
  ]);
  expect(defectsIn(verified(program.replace(' tool_failure', '')))).toEqual([]);
});

test.each(['CHECK: x = cat v', 'DO: x = cat v', 'CHECK: x = Task(worker) "look"'])(
  'what is nested too deep reaches a handler: %s',
  (line) => {
    const program = lines('STATE: A', `  ${line}`, '  RETURN', '  ON ERROR bad_value: → RETURN: deep');
    const { properties, defects } = verified(program, {
      properties: propertiesOf(machineOf(program), ['NEVER: failed bad_value']),
    });
    expect(defects.filter(({ kind }) => kind === 'dead-handler')).toEqual([]);
    expect(properties.map(({ verdict, except }) => [verdict, except])).toEqual([['proved', ['value_too_large']]]);
  },
);

test('a loop is an error only if a run repeats it', () => {
  const program = lines('STATE: A', '  CHECK: x = cat v', '  IF: x matches "^(?=a)b" → GOTO: A', '  RETURN');
  const { defects } = verified(program);
  expect(defects.map(({ severity, kind, isOnlyPossible }) => [severity, kind, isOnlyPossible])).toEqual([
    ['warning', 'endless', true],
  ]);
});

test('lists inside each other are explored as far as they fit', () => {
  const program = lines(
    'STATE: A',
    '  CHECK: xs = cat list',
    '  FOR EACH: x in xs:',
    '    FOR EACH: y in x.items:',
    '      IF: y.name == "a" OR y.size > 3 → EMIT: SEEN y={y.name}',
    '      IF: y.kind in ["p", "q"] → EMIT: KIND k={y.kind}',
    '  RETURN',
  );
  const found = verified(program, { maxSegments: 400 });
  expect(found.shortened).toEqual({ from: 2, by: 'configurations' });
  expect(found.options.longest).toBe(1);
  expect(boundIn(found, 'state A')).toBe(1);
});
