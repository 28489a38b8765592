import { expect, test } from 'vitest';
import { parse } from 'yaml';
import type { CoveredItem } from '../../src/lab/testing/coverage.js';
import { coverageJson, coverageTable, lcov } from '../../src/lab/testing/reporters/coverage-text.js';
import { github, json, junit, tap } from '../../src/lab/testing/reporters/machine-reports.js';
import { neededCallsText, resultLines, summaryLine } from '../../src/lab/testing/reporters/result-text.js';
import type { TestResult } from '../../src/lab/testing/test-world.js';
import { plain } from '../../src/views/drawing/paint.js';

const result = (more: Partial<TestResult>): TestResult => ({
  file: 'a.test.dsl',
  name: 'works',
  line: 3,
  status: 'passed',
  failures: [],
  log: [],
  duration_ms: 12.4,
  ...more,
});
const results = [
  result({}),
  result({
    name: 'fails # <here>',
    status: 'failed',
    failures: [
      { line: 7, message: 'EXPECT: n == 1', expected: '== 1', got: '2\n"3"' },
      { line: 0, message: 'left & over' },
    ],
    log: ['→ A'],
  }),
  result({ file: 'b.test.dsl', name: 'later', status: 'skipped', reason: 'not\nyet' }),
];

test('TAP', () => {
  expect(tap(results)).toBe(`TAP version 14
1..3
ok 1 - a.test.dsl: works
not ok 2 - a.test.dsl: fails \\# <here>
  ---
  failures:
    - message: "EXPECT: n == 1"
      at: "a.test.dsl:7"
      expected: "== 1"
      got: "2\\n\\"3\\""
    - message: "left & over"
      at: "a.test.dsl:3"
  ...
ok 3 - b.test.dsl: later # SKIP not yet
`);
});

test('JUnit', () => {
  expect(junit(results)).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="3" failures="1" time="0.037">
  <testsuite name="a.test.dsl" tests="2" failures="1" skipped="0" time="0.025">
    <testcase classname="a.test.dsl" name="works" time="0.012"/>
    <testcase classname="a.test.dsl" name="fails # &#60;here&#62;" time="0.012"><failure message="EXPECT: n == 1">EXPECT: n == 1
expected == 1
got 2
&#34;3&#34;
left &#38; over
→ A</failure></testcase>
  </testsuite>
  <testsuite name="b.test.dsl" tests="1" failures="0" skipped="1" time="0.012">
    <testcase classname="b.test.dsl" name="later" time="0.012"><skipped message="not
yet"/></testcase>
  </testsuite>
</testsuites>
`);
});

test('control characters reach no terminal, and a long text is shown up to a point', () => {
  const name = 'red \u001b[31m';
  const failure = { line: 2, message: 'got \u001b[2J', expected: 'a', got: 'x'.repeat(5_000) };
  const result = {
    file: 'a.test.dsl',
    name,
    line: 1,
    status: 'failed' as const,
    failures: [failure],
    log: [],
    duration_ms: 1,
  };
  for (const text of [tap([result]), github([result]), junit([result]), resultLines(result, plain)])
    expect(text).not.toContain('\u001b');
  expect(resultLines(result, plain)).toContain(`${'x'.repeat(4_000)}… and 1000 more characters\n`);
  // A program that reads the report gets all of it.
  expect(junit([result])).toContain('x'.repeat(5_000));
});

test('YAML of TAP has no character that YAML cannot contain', () => {
  const got = 'del \u007f nel \u0085 ls \u2028 bom \ufeff none \uffff é 😀';
  const failure = { line: 2, message: 'x', expected: 'a', got };
  const text = tap([result({ status: 'failed', failures: [failure] })]);
  expect(text).not.toMatch(/[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/);
  const [, block] = /^ {2}---\n([\s\S]*?)^ {2}\.\.\.$/m.exec(text) ?? [];
  expect(parse(block ?? '').failures[0].got).toBe(got);
});

test('JSON', () => {
  const report = JSON.parse(json(results));
  expect(report).toMatchObject({ passed: 1, failed: 1, skipped: 1 });
  expect(report.tests[1]).toMatchObject({ name: 'fails # <here>', status: 'failed', line: 3, duration_ms: 12 });
});

test('annotations', () => {
  expect(github(results)).toBe(
    '::error file=a.test.dsl,line=7,title=fails # <here>::EXPECT: n == 1%0Aexpected == 1%0Agot 2%0A"3"\n' +
      '::error file=a.test.dsl,line=3,title=fails # <here>::left & over\n',
  );
});

const items: CoveredItem[] = [
  { kind: 'line', file: 'a.dsl', line: 1, label: '', hits: 2 },
  { kind: 'condition', file: 'a.dsl', line: 1, label: 'x is true', hits: 2 },
  { kind: 'condition', file: 'a.dsl', line: 1, label: 'x is false', hits: 0 },
  { kind: 'line', file: 'a.dsl', line: 2, label: '', hits: 0 },
  { kind: 'line', file: 'a.dsl', line: 3, label: '', hits: 0 },
  { kind: 'line', file: 'b.dsl', line: 1, label: '', hits: 1 },
  { kind: 'retry', file: 'b.dsl', line: 1, label: 'fix entry 1', hits: 1 },
  { kind: 'retry', file: 'b.dsl', line: 1, label: 'fix entry 2', hits: 0 },
];

test('coverage', () => {
  expect(coverageTable(items)).toBe(`file       lines  conditions  retries  all   missing
a.dsl      1/3    1/2         –        40 %  2–3, 1: x is false
b.dsl      1/1    –           1/2      66 %  1: fix entry 2
all files  2/4    1/2         1/2      50 %
`);
  expect(lcov(items)).toBe(
    'TN:\nSF:a.dsl\nDA:1,2\nDA:2,0\nDA:3,0\nLF:3\nLH:1\nBRDA:1,0,0,2\nBRDA:1,0,1,0\nBRF:2\nBRH:1\nend_of_record\n' +
      'TN:\nSF:b.dsl\nDA:1,1\nLF:1\nLH:1\nBRDA:1,0,0,1\nBRDA:1,0,1,0\nBRF:2\nBRH:1\nend_of_record\n',
  );
  expect(JSON.parse(coverageJson(items))).toMatchObject({ percent: 50, files: [{ percent: 40 }, { percent: 66.7 }] });
});

test('calls that no cassette has are listed with the most that they and what follows may cost', () => {
  const call = { test: 'a', text: 'Task(w) "x"', state: 'A', line: 3, maxCost: 0.5 };
  const first =
    'one call is not as recorded, ≤ $0.50 + the last turn of each call:\n  a: Task(w) "x" (state A, line 3), ≤ $0.50 + the last turn of each call\n';
  const rest = '  and what the run asks for because of the new outcomes; in all ';
  expect(neededCallsText([call], 2)).toBe(`${first}${rest}≤ $2.00 + the last turn of each call\n`);
  expect(neededCallsText([call], null)).toBe(
    `${first}${rest}at any cost, because nothing limits the cost of the whole run\n`,
  );
  expect(neededCallsText([call, { ...call, test: 'b' }], 2)).toMatch(
    /the runs ask .* in all ≤ \$4\.00 \+ the last turn of each call\n$/,
  );
  const free = { ...call, maxCost: 0 };
  expect(neededCallsText([free], 0)).toBe(
    'one call is not as recorded:\n  a: Task(w) "x" (state A, line 3)\n  and what the run asks for because of the new outcomes\n',
  );
});

test('the last line has what happened, and nothing that did not', () => {
  const of = (...statuses: readonly TestResult['status'][]) => statuses.map((status) => result({ status }));
  expect([
    summaryLine([], 0, 5, plain),
    summaryLine(of('passed'), 0, 5, plain),
    summaryLine(of('skipped'), 1, 5, plain),
    summaryLine(of('passed', 'failed', 'skipped', 'passed'), 2, 5, plain),
  ]).toEqual([
    'no tests in 0.01 s\n',
    '1 passed in 0.01 s\n',
    '1 failed with a fault, 1 skipped in 0.01 s\n',
    '1 failed, 2 failed with a fault, 2 passed, 1 skipped in 0.01 s\n',
  ]);
});
