/** What a run can do is never reported as impossible. Each program was once judged wrongly. */
import { expect, test } from 'vitest';
import { boundIn, defectsIn, verified } from './programs.js';

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
      'mode in ["x", "y"]',
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
