/** Lines of test files as other tools write them. Right lines are none of them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { testLineMeant } from '../../src/language/source/foreign/test-lines.js';
import { root } from '../harness/process.js';

const meantBy = (line: string, place: Parameters<typeof testLineMeant>[1] = 'test'): string | null => {
  const found = testLineMeant(line, place);
  return found === null ? null : 'meant' in found ? found.meant : found.advice;
};
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
    ['EXPECT: returned = "x"', 'EXPECT: returned "x"'],
    ['EXPECT: returned all went well', 'EXPECT: returned "all went well"'],
    ['EXPECT: stdout "x"', 'EXPECT: returned "x"'],
    ['EXPECT: output contains "x"', 'EXPECT: returned contains "x"'],
    ['EXPECT: exit 0', 'EXPECT: returned'],
    ['EXPECT: exit_code == 1', 'EXPECT: failed'],
    ['EXPECT: status == "suspended"', 'EXPECT: suspended'],
    ['EXPECT: state == "B"', 'EXPECT: states …, B'],
    ['EXPECT: returned "x", tries == 1', 'EXPECT: returned "x"\nEXPECT: tries == 1'],
    ['EXPECT: cost < $1', 'EXPECT: cost < 1'],
    ['EXPECT: time < 2m', 'EXPECT: time < 120'],
    ['EXPECT: error.type == "timeout"', 'EXPECT: error.kind == "timeout"'],
    ['EXPECT: [always] n < 4', 'EXPECT [always]: n < 4'],
    ['EXPECT: not returned "x"', 'EXPECT: returned != "x"'],
    ['EXPECT: Task(w) called 2 times', 'EXPECT: calls Task(w) == 2'],
    ['EXPECT: matches snapshot()', 'EXPECT: snapshot'],
    ['EXPECT returned "x"', 'EXPECT: returned "x"'],
    ['expect(result).toBe("x");', 'EXPECT: returned == "x"'],
    ['assert result == "x"', 'EXPECT: returned == "x"'],
    ['Then the output is right', 'EXPECT: the output is right'],
    ['GIVEN: {"a": 1, "b": "x"}', 'GIVEN: a=1, b="x"'],
    ['GIVEN: a="x" b=2', 'GIVEN: a="x", b=2'],
    ['GIVEN: a="x" and b=2', 'GIVEN: a="x", b=2'],
    ['GIVEN: -i a=x', 'GIVEN: a="x"'],
    ['WITH: a=1', 'GIVEN: a=1'],
    ['MOCK: Task("w") → "ok"', 'MOCK: Task(w) → "ok"'],
    ['MOCK: AGENT w → "ok"', 'MOCK: Task(w) → "ok"'],
    ['MOCK: BUILD: "make" → "ok"', 'MOCK: BUILD/"make" → "ok"'],
    ['MOCK: CHECK: ./a.sh → "ok"', 'MOCK: "./a.sh" → "ok"'],
    ['MOCK: /make/ → "ok"', 'MOCK: "*make*" → "ok"'],
    ['MOCK: ASK go → "yes"', 'ANSWER: go → "yes"'],
    ['MOCK: "make" → exit(1)', 'MOCK: "make" → exit 1'],
    ['MOCK: "make" → throws Error("x")', 'MOCK: "make" → fails tool_failure "x"'],
    ['MOCK: "make" → "ok" times 2', 'MOCK: "make" → "ok", "ok"'],
    ['MOCK: "make" → "ok" always', 'MOCK: "make" → "ok", …'],
    ['MOCK: "make" → "ok" ...', 'MOCK: "make" → "ok", …'],
    ['MOCK: "make" → "ok" delay 30s', 'MOCK: "make" → "ok" after 30s'],
    ['MOCK: "make" → "ok" after 30 seconds', 'MOCK: "make" → "ok" after 30s'],
    ['MOCK: Task(w) → "ok" cost=$0.1', 'MOCK: Task(w) → "ok" cost 0.1'],
    ['MOCK: "make" →', 'MOCK: "make" → ""'],
    ['MOCK: "make" → stdout "ok"', 'MOCK: "make" → "ok"'],
    ['MOCK: "make" → real', 'MOCK: "make" → for real'],
    ['ASK: go → "yes"', 'ANSWER: go → "yes"'],
    ['ANSWER: user/go → "yes"', 'ANSWER: go → "yes"'],
    ['START AT: B', 'START: B'],
    ['SKIP', 'SKIP: not yet'],
    ['AT: 2 hours', 'AT: 2h'],
    ['ADVANCE: 2h', 'AT: 2h'],
    ['EACH: {n: 1}, {n: 2}', 'EACH: row in [{n: 1}, {n: 2}]'],
    ['@pytest.mark.parametrize("n", [1, 2])', 'EACH: n in [1, 2]'],
    ['// a note', '# a note'],
    ['TAGS: slow', '# slow'],
    ['CASSETTE: ./a.yaml', 'CASSETTE: "./a.yaml"'],
    ['ENDS: B', 'EXPECT: states …, B, …'],
    ['AT MOST: 3 "make"', 'EXPECT: calls "make" <= 3'],
    ['NEVER: run "make"', 'EXPECT: calls "make" == 0'],
  ])('%s', (line, meant) => {
    expect(meantBy(line)).toBe(meant);
    for (const one of meant.split('\n')) if (!one.startsWith('#')) expect(meantBy(one)).toBe(null);
  });

  test.each(['TIMEOUT: 5s', 'SETUP: ./a.sh', 'ENV: A=1', 'RUN: statedsl run a.dsl', 'PROPERTY: x', 'MOCK: mocks.yaml'])(
    'has no other form: %s',
    (line) => expect(testLineMeant(line, 'test')).toHaveProperty('advice'),
  );
});

describe('a line at the left margin', () => {
  test.each([
    ['TEST: "./a.dsl"', 'TESTS: "./a.dsl"'],
    ['TESTS FOR: "./a.dsl"', 'TESTS: "./a.dsl"'],
    ['import "./a.dsl"', 'TESTS: "./a.dsl"'],
    ['TEST ships it', 'TEST: ships it'],
    ['test: ships it', 'TEST: ships it'],
    ['it("ships it", async () => {', 'TEST: ships it'],
    ['def test_ships_it():', 'TEST: ships it'],
    ['Scenario: ships it', 'TEST: ships it'],
    ['TEST.only: ships it', 'TEST: ships it'],
  ])('%s', (line, meant) => {
    expect(meantBy(line, 'file')).toBe(meant);
    expect(meantBy(meant, 'file')).toBe(null);
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
    expect(meantBy(line, 'property')).toBe(meant);
    expect(meantBy(meant, 'property')).toBe(null);
  });

  test.each(['NEVER: run "make without tests"', 'AFTER: run "a THEN b" → returned', 'NEVER: state A WHEN n > 3'])(
    'is right: %s',
    (line) => expect(meantBy(line, 'property')).toBe(null),
  );
});

test('no line of the test files of this project is one of them', () => {
  const files = ['examples', 'test/corpus'].flatMap((folder) => pathsBelow(folder).map((path) => join(folder, path)));
  const lines = files
    .filter((path) => path.endsWith('.test.dsl') || path.endsWith('.case'))
    .filter((path) => !/other-tools|session.(?:tests|cassettes)\.case/.test(path))
    .flatMap((path) => readFileSync(join(root, path), 'utf8').split('\n'))
    .map((line) => line.trim())
    .filter((line) =>
      /^(?:TESTS|TEST|PROPERTY|EXPECT|MOCK|ANSWER|GIVEN|START|EACH|SIGNAL|AT|SKIP|CASSETTE|NEVER|AFTER|AT MOST|REACHES|ENDS|ASSUME):/.test(
        line,
      ),
    );
  expect(lines.length).toBeGreaterThan(300);
  const changed = lines.flatMap((line) => {
    const meant = meantBy(
      line,
      /^(?:NEVER|AFTER|AT MOST|REACHES|ENDS|ASSUME):/.test(line)
        ? 'property'
        : /^(?:TESTS|TEST|PROPERTY):/.test(line)
          ? 'file'
          : 'test',
    );
    return meant === null ? [] : [`${line} ⇒ ${meant}`];
  });
  expect(changed).toEqual([]);
});
