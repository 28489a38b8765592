/** Lines of test files as other tools write them. Right lines are none of them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { testLineMeant } from '../../src/language/source/foreign/test-lines.js';
import { root } from '../harness/process.js';

const pathsBelow = (folder: string) => readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });

describe('a line of a test', () => {
  test.each([
    ['EXPECT: ran "make *"', 'EXPECT: calls "make *" >= 1'],
    ['EXPECT: "make *"', 'EXPECT: calls "make *" >= 1'],
    ['EXPECT: called Task(writer)', 'EXPECT: calls Task(writer) >= 1'],
    ['EXPECT: calls "make *"', 'EXPECT: calls "make *" >= 1'],
    ['EXPECT: ran "make" 3 times', 'EXPECT: calls "make" == 3'],
    ['EXPECT: ran "make" once', 'EXPECT: calls "make" == 1'],
    ['EXPECT: 3 calls "make"', 'EXPECT: calls "make" == 3'],
    ['EXPECT: exactly 2 calls of "make"', 'EXPECT: calls "make" == 2'],
    ['EXPECT: calls("make") >= 3', 'EXPECT: calls "make" >= 3'],
    ['EXPECT: count "make" == 3', 'EXPECT: calls "make" == 3'],
    ['EXPECT: calls "make" = 3', 'EXPECT: calls "make" == 3'],
    ['EXPECT: calls "make" 3', 'EXPECT: calls "make" == 3'],
    ['EXPECT: not ran "make"', 'EXPECT: calls "make" == 0'],
    ['EXPECT: never "make"', 'EXPECT: calls "make" == 0'],
    ['EXPECT: "make" not called', 'EXPECT: calls "make" == 0'],
    ['EXPECT: returns "ok"', 'EXPECT: returned "ok"'],
    ['EXPECT: RETURN: "ok"', 'EXPECT: returned "ok"'],
    ['EXPECT: failed with "no disk"', 'EXPECT: failed\nEXPECT: error contains "no disk"'],
    ['EXPECT: failed with timeout', 'EXPECT: failed timeout'],
    ['EXPECT: not failed', 'EXPECT: returned'],
    ['EXPECT: visited BUILD', 'EXPECT: states …, BUILD, …'],
    ['EXPECT: states == [A, B]', 'EXPECT: states A, B'],
    ['EXPECT: states A -> B', 'EXPECT: states A, B'],
    ['EXPECT: emitted DONE', 'EXPECT: event DONE'],
    ['EXPECT: not event DONE', 'EXPECT: no event DONE'],
    ['EXPECT: asked go', 'EXPECT: suspended go'],
    ['EXPECT: prompt Task(w) includes "x"', 'EXPECT: prompt Task(w) contains "x"'],
    ['MOCK: make * → "ok"', 'MOCK: "make *" → "ok"'],
    ['MOCK: "make" = "ok"', 'MOCK: "make" → "ok"'],
    ['MOCK: "make" returns "ok"', 'MOCK: "make" → "ok"'],
    ['MOCK: "make" → exit=1', 'MOCK: "make" → exit 1'],
    ['MOCK: "make" → exit code 2 "x"', 'MOCK: "make" → exit 2 "x"'],
    ['MOCK: "make" → fails', 'MOCK: "make" → exit 1'],
    ['MOCK: "make" → timeout', 'MOCK: "make" → times out'],
    ['MOCK: "make" → exit 1 x 3', 'MOCK: "make" → exit 1, exit 1, exit 1'],
    ['ANSWER: go = yes', 'ANSWER: go → "yes"'],
    ['ANSWER: go: "yes"', 'ANSWER: go → "yes"'],
    ['INPUT: version="1.0"', 'GIVEN: version="1.0"'],
    ['GIVEN: version: "1.0"', 'GIVEN: version="1.0"'],
    ['ASSERT: returned "x"', 'EXPECT: returned "x"'],
    ['WHEN: "make" → exit 1', 'MOCK: "make" → exit 1'],
    ['TESTS: ./a.dsl', 'TESTS: "./a.dsl"'],
  ])('%s', (line, meant) => {
    expect(testLineMeant(line, false)).toBe(meant);
    for (const one of meant.split('\n')) expect(testLineMeant(one, false)).toBe(null);
  });
});

describe('a line of a property', () => {
  test.each([
    ['AT MOST 1: run "make"', 'AT MOST: 1 run "make"'],
    ['AT MOST: once ran "make"', 'AT MOST: 1 run "make"'],
    ['AT MOST: run "make" 2 times', 'AT MOST: 2 run "make"'],
    ['AFTER: emit A EVENTUALLY run "make"', 'AFTER: event A → run "make"'],
    ['AFTER: emitted A → called "make"', 'AFTER: event A → run "make"'],
    ['NEVER: "make" BEFORE answered go = "yes"', 'NEVER: run "make" UNLESS answered go == "yes"'],
    ['BEFORE: run "make" → answered go == "yes"', 'NEVER: run "make" UNLESS answered go == "yes"'],
    ['EVENTUALLY: state A', 'REACHES: state A'],
    ['TERMINATES: yes', 'ENDS: always'],
  ])('%s', (line, meant) => {
    expect(testLineMeant(line, true)).toBe(meant);
    expect(testLineMeant(meant, true)).toBe(null);
  });

  test.each(['NEVER: run "make without tests"', 'AFTER: run "a THEN b" → returned', 'NEVER: state A WHEN n > 3'])(
    'is right: %s',
    (line) => expect(testLineMeant(line, true)).toBe(null),
  );
});

test('no line of the test files of this project is one of them', () => {
  const files = ['examples', 'test/corpus'].flatMap((folder) => pathsBelow(folder).map((path) => join(folder, path)));
  const lines = files
    .filter((path) => path.endsWith('.test.dsl') || path.endsWith('.case'))
    .filter((path) => !path.includes('other-tools'))
    .flatMap((path) => readFileSync(join(root, path), 'utf8').split('\n'))
    .map((line) => line.trim())
    .filter((line) => /^(?:EXPECT|MOCK|ANSWER|GIVEN|NEVER|AFTER|AT MOST|REACHES|ENDS):/.test(line));
  expect(lines.length).toBeGreaterThan(300);
  const changed = lines.flatMap((line) => {
    const meant = testLineMeant(line, /^(?:NEVER|AFTER|AT MOST|REACHES|ENDS):/.test(line));
    return meant === null ? [] : [`${line} ⇒ ${meant}`];
  });
  expect(changed).toEqual([]);
});
