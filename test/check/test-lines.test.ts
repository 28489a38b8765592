/** Lines of test files as other tools write them. Right lines are none of them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { positionAt, sourceFile } from '../../src/language/source/diagnostic.js';
import { testLineMeant } from '../../src/language/source/foreign/test-lines.js';
import { parseRule, parseTests } from '../../src/language/syntax/tests/parse-tests.js';
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
    ['EXPECT: failed: no disk', 'EXPECT: failed\nEXPECT: error contains "no disk"'],
    ['EXPECT: error: "no disk"', 'EXPECT: failed\nEXPECT: error contains "no disk"'],
    ['EXPECT: error "no disk"', 'EXPECT: failed\nEXPECT: error contains "no disk"'],
    ['EXPECT: path A, B', 'EXPECT: states A, B'],
    ['EXPECT: A → B → C', 'EXPECT: states A, B, C'],
    ['EXPECT: route A -> ...', 'EXPECT: states A, …'],
    ['EXPECT: error matches /no \\w+/', 'EXPECT: error matches "no \\w+"'],
    ['MOCK: "make" → "red" exit 2', 'MOCK: "make" → exit 2 "red"'],
    ['MOCK: "make" → exit 2: "red"', 'MOCK: "make" → exit 2 "red"'],
    ['MOCK: "make" → "a" then "b"', 'MOCK: "make" → "a", "b"'],
    ['ANSWER go yes', 'ANSWER: go → "yes"'],
    ['ANSWER: go yes', 'ANSWER: go → "yes"'],
    ['EXPECT: visited BUILD', 'EXPECT: state BUILD'],
    ['EXPECT: BUILD was entered', 'EXPECT: state BUILD'],
    ['EXPECT: states contains BUILD', 'EXPECT: state BUILD'],
    ['EXPECT: BUILD in states', 'EXPECT: state BUILD'],
    ['EXPECT: never visits BUILD', 'EXPECT: no state BUILD'],
    ['EXPECT: BUILD was never visited', 'EXPECT: no state BUILD'],
    ['EXPECT: states does not contain BUILD', 'EXPECT: no state BUILD'],
    ['EXPECT: BUILD not in states', 'EXPECT: no state BUILD'],
    ['EXPECT: events A, B', 'EXPECT: event A\nEXPECT: event B'],
    ['EXPECT: events == ["A", "B"]', 'EXPECT: event A\nEXPECT: event B'],
    ['EXPECT: emitted A → B', 'EXPECT: event A\nEXPECT: event B'],
    ['EXPECT: event A and event B', 'EXPECT: event A\nEXPECT: event B'],
    ['EXPECT: no events A', 'EXPECT: no event A'],
    ['ANSWER: go → "yes" after 2h', 'AT: 2h\nANSWER: go → "yes"'],
    ['SIGNAL: paid → {"by": "Ada"}', 'SIGNAL: paid {"by": "Ada"}'],
    ['SIGNAL: paid = {"by": "Ada"} at 2h', 'SIGNAL: paid {"by": "Ada"} at 2h'],
    ['SIGNAL: paid by=Ada, amount=3 at 2h', 'SIGNAL: paid {"by": "Ada", "amount": 3} at 2h'],
    ['SIGNAL: paid with by="Ada" ok=true', 'SIGNAL: paid {"by": "Ada", "ok": true}'],
    ['EXPECT: states == [A, B]', 'EXPECT: states A, B'],
    ['EXPECT: states A -> B', 'EXPECT: states A, B'],
    ['EXPECT: emitted DONE', 'EXPECT: event DONE'],
    ['EXPECT: emitted DONE v="1"', 'EXPECT: event DONE v="1"'],
    ['EXPECT: NOT failed', 'EXPECT: returned'],
    ['EXPECT: calls "Task(claude)" == 1', 'EXPECT: calls Task(claude) == 1'],
    ['MOCK: "Task(claude)" → "a"', 'MOCK: Task(claude) → "a"'],
    ['SIGNAL: paid → {"by": "Ada"}', 'SIGNAL: paid {"by": "Ada"}'],
    ['SIGNAL: paid = "x"', 'SIGNAL: paid "x"'],
    ['SIGNAL: paid after 1h', 'SIGNAL: paid at 1h'],
    ['SIGNAL: paid {"by": "Ada"} after 2h', 'SIGNAL: paid {"by": "Ada"} at 2h'],
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
    ['MOCK: "make" → timeout 5s', 'MOCK: "make" → times out'],
    ['MOCK: "make" → timeout "too slow"', 'MOCK: "make" → fails timeout "too slow"'],
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
    ['EXPECT: !returned', 'EXPECT: failed'],
    ['EXPECT: result includes "x"', 'EXPECT: returned contains "x"'],
    ['EXPECT: output has "x"', 'EXPECT: returned contains "x"'],
    ['EXPECT: succeeds', 'EXPECT: returned'],
    ['EXPECT: to match snapshot', 'EXPECT: snapshot'],
    ['EXPECT: toMatchSnapshot', 'EXPECT: snapshot'],
    ['EXPECT: toMatchSnapshot()', 'EXPECT: snapshot'],
    ['EXPECT: error.msg contains "x"', 'EXPECT: error contains "x"'],
    ['EXPECT: error_message == "x"', 'EXPECT: error == "x"'],
    ['EXPECT: error.code == 2', 'EXPECT: error.exit_code == 2'],
    ['EXPECT: the run fails', 'EXPECT: failed'],
    ['EXPECT: FAILED', 'EXPECT: failed'],
    ['EXPECT: Task(w) prompt contains "x"', 'EXPECT: prompt Task(w) contains "x"'],
    ['EXPECT: time < 500 ms', 'EXPECT: time < 0.5'],
    ['EXPECT: duration <= 2 minutes', 'EXPECT: time <= 120'],
    ['EXPECT: "make" was called twice', 'EXPECT: calls "make" == 2'],
    ['EXPECT: ran "make" never', 'EXPECT: calls "make" == 0'],
    ['EXPECT: status != 0', 'EXPECT: failed'],
    ['EXPECT: exit code 0', 'EXPECT: returned'],
    ['EXPECT: exit code 2', 'EXPECT: failed'],
    ['EXPECT: always: n < 3', 'EXPECT [always]: n < 3'],
    ['EXPECT: returned "x" and calls "make" == 1', 'EXPECT: returned "x"\nEXPECT: calls "make" == 1'],
    ['EXPECT: response contains x', 'EXPECT: returned contains x'],
    ['EXPECT: status is waiting', 'EXPECT: suspended'],
    ['EXPECT: final state is DONE', 'EXPECT: states …, DONE'],
    ['EXPECT: cost < $2', 'EXPECT: cost < 2'],
    ['EXPECT: duration < 5 minutes', 'EXPECT: time < 300'],
    ['EXPECT: elapsed < 500ms', 'EXPECT: time < 0.5'],
    ['EXPECT: time <= 2 hours', 'EXPECT: time <= 7200'],
    ['EXPECT: time < 30sec', 'EXPECT: time < 30'],
    ['EXPECT: time < 1d', 'EXPECT: time < 86400'],
    ['EXPECT: fails with "no disk"', 'EXPECT: failed\nEXPECT: error contains "no disk"'],
    ['EXPECT: no emit DONE', 'EXPECT: no event DONE'],
    ['EXPECT: waiting for go', 'EXPECT: suspended go'],
    [
      'MOCK: mocks.yaml',
      'write each mock on its own line, such as `MOCK: "make *" → "done"`: a file of mocks is for `statedsl run --mock`',
    ],
    ['MOCK: Task("writer") → "x"', 'MOCK: Task(writer) → "x"'],
    ['MOCK: a/Task: writer → "x"', 'MOCK: "a/Task: writer" → "x"'],
    ['MOCK: AGENT writer → "x"', 'MOCK: Task(writer) → "x"'],
    ['MOCK: llm/writer returns "x"', 'MOCK: Task(writer) → "x"'],
    ['MOCK: ASK go → yes', 'ANSWER: go → yes'],
    ['MOCK: user: go = yes', 'ANSWER: go → yes'],
    ['MOCK: DO "make" → "x"', 'MOCK: "make" → "x"'],
    ['MOCK: run: make all → "x"', 'MOCK: "make all" → "x"'],
    ['MOCK: CHECK: x = make all → "x"', 'MOCK: "make all" → "x"'],
    ['MOCK: build.Task(writer) → "x"', 'MOCK: build/Task(writer) → "x"'],
    ['MOCK: build: "make" → "x"', 'MOCK: build/"make" → "x"'],
    ['MOCK: "make" in build → "x"', 'MOCK: build/"make" → "x"'],
    ['MOCK: "make" of build → exit 1', 'MOCK: build/"make" → exit 1'],
    ['MOCK: /^make .*$/ → "x"', 'MOCK: "*make **" → "x"'],
    ['MOCK: "make" → exit(2) "x"', 'MOCK: "make" → exit 2 "x"'],
    ['MOCK: "make" → exit_code 2 "x"', 'MOCK: "make" → exit 2 "x"'],
    ['MOCK: "make" → exitCode 2', 'MOCK: "make" → exit 2'],
    ['MOCK: "make" → throws Error("no disk")', 'MOCK: "make" → fails tool_failure "no disk"'],
    ['MOCK: "make" → raises new TimeoutError("late")', 'MOCK: "make" → fails tool_failure "late"'],
    ['MOCK: "make" → stdout "x"', 'MOCK: "make" → "x"'],
    ['MOCK: "make" → prints: "x"', 'MOCK: "make" → "x"'],
    ['MOCK: "make" → "x" always', 'MOCK: "make" → "x", …'],
    ['MOCK: "make" → "x", ...', 'MOCK: "make" → "x", …'],
    ['MOCK: "make" → "x" times 2', 'MOCK: "make" → "x", "x"'],
    ['MOCK: "make" → "x" 3 times', 'MOCK: "make" → "x", "x", "x"'],
    ['MOCK: "make" → exit 1 2x', 'MOCK: "make" → exit 1, exit 1'],
    ['MOCK: "make" → "x" × 2', 'MOCK: "make" → "x", "x"'],
    ['MOCK: "make" → "x" * 3', 'MOCK: "make" → "x", "x", "x"'],
    ['MOCK: Task(w) → "x" cost=0.5', 'MOCK: Task(w) → "x" cost 0.5'],
    ['MOCK: Task(w) → "x", tokens: 30', 'MOCK: Task(w) → "x", tokens 30'],
    ['MOCK: Task(w) → "x" cost $0.5', 'MOCK: Task(w) → "x" cost 0.5'],
    ['MOCK: "make" → "x" delayed 5 seconds', 'MOCK: "make" → "x" after 5s'],
    ['MOCK: "make" → "x" in 2m', 'MOCK: "make" → "x" after 2m'],
    ['MOCK: "make" → succeeds', 'MOCK: "make" → ""'],
    ['MOCK: "make" → nothing', 'MOCK: "make" → ""'],
    ['MOCK: "make" gives "x"', 'MOCK: "make" → "x"'],
    ['MOCK: make all → "x"', 'MOCK: "make all" → "x"'],
    ['// comment', '# comment'],
    ['/* comment */', '# comment'],
    ['it.each([1, 2])("x", f)', 'EACH: row in [1, 2]'],
    ['test.each([[1], [2]])', 'EACH: row in [[1], [2]]'],
    ['CASES: [1, 2]', 'EACH: row in [1, 2]'],
    ['TABLE: {"a": 1}', 'EACH: row in [{"a": 1}]'],
    ['FOR EACH: n in [1, 2]:', 'EACH: n in [1, 2]'],
    ['WITH: name="a" n=3', 'GIVEN: name="a", n=3'],
    ['ARGS: n = 3', 'GIVEN: n = 3'],
    ['SET: n is 3 and m: 4', 'GIVEN: n=3, m=4'],
    ['GIVEN: n == 3', 'GIVEN: n=3'],
    ['GIVEN: {"name": "a", "n": 3}', 'GIVEN: name="a", n=3'],
    ['GIVEN: a=1 AND b=2', 'GIVEN: a=1, b=2'],
    ['Given n = 3', 'GIVEN: n = 3'],
    ['--input n=3', 'GIVEN: n="3"'],
    ['-i name=abc', 'GIVEN: name="abc"'],
    ['WHEN "make" then return "x"', 'MOCK: "make" → "x"'],
    ['WHEN: Task(w) THEN "x"', 'MOCK: Task(w) → "x"'],
    ['RUN: "make" → "x"', 'MOCK: "make" → "x"'],
    ['RUN the program', 'remove it: each TEST runs the program by itself'],
    ['CHOOSE: go → yes', 'ANSWER: go → yes'],
    ['ANSWER: user/go → yes', 'ANSWER: go → yes'],
    ['ANSWER: ASK go = yes', 'ANSWER: go → yes'],
    ['START AT: BUILD', 'START: BUILD'],
    ['BEGIN: in BUILD with n=3', 'START: BUILD with n=3'],
    ['TODO', 'SKIP: not yet'],
    ['PENDING: not done', 'SKIP: not done'],
    ['XFAIL: flaky', 'SKIP: flaky'],
    ['WAIT: 5 minutes', 'AT: 5m'],
    ['SLEEP: after 3 d', 'AT: 3d'],
    [
      'SETUP: x',
      'remove it with the lines below it: a test starts nothing, so there is nothing to prepare; write `MOCK:` lines',
    ],
    ['ENV: A=1', 'remove it: mocks answer for commands, so no command sees it'],
    ['NOTE: hello', '# hello'],
    ['CASSETTE: a.cassette', 'CASSETTE: "a.cassette"'],
    ['VCR: "a.cassette"', 'CASSETTE: "a.cassette"'],
    ['SEND: go', 'SIGNAL: go'],
    ['EMIT: "go" with n=1', 'SIGNAL: go {"n": 1}'],
    ['RETURNS: "x"', 'EXPECT: returned "x"'],
    ['OUTPUT: "x"', 'EXPECT: returned "x"'],
    ['FAILS', 'EXPECT: failed'],
    ['RAISES: timeout', 'EXPECT: failed timeout'],
    ['FAILED:', 'EXPECT: failed'],
    ['expect(result).not.toBe("x");', 'EXPECT: returned != "x"'],
    ['expect(output).toEqual("x")', 'EXPECT: returned == "x"'],
    ['expect(n).toContain("x")', 'EXPECT: n contains "x"'],
    ['expect("make").toHaveBeenCalledTimes(2)', 'EXPECT: calls "make" == 2'],
    ['expect(Task(w)).toHaveBeenCalledWith("x");', 'EXPECT: calls Task(w) >= 1'],
    ['expect("make").toHaveBeenCalled()', 'EXPECT: calls "make" >= 1'],
    ['expect("make").not.toHaveBeenCalled();', 'EXPECT: calls "make" == 0'],
    ['assertEquals(result, "x")', 'EXPECT: returned == "x"'],
    ['self.assertEqual(n, 3)', 'EXPECT: n == 3'],
    ['assert n == 3', 'EXPECT: n == 3'],
    ['Then result == "x"', 'EXPECT: returned == "x"'],
    ['expect(run)', 'write `EXPECT: returned "…"`, `EXPECT: calls "…" == 1`, or another line of `EXPECT:`'],
    ['ENDS: failed', 'EXPECT: failed'],
    ['END AS: returned', 'EXPECT: returned'],
    ['FINAL STATE: DONE', 'EXPECT: states …, DONE, …'],
    ['VISITED: in BUILD', 'EXPECT: states …, BUILD, …'],
    ['NO: "make"', 'EXPECT: calls "make" == 0'],
    ['NEVER: emits DONE', 'EXPECT: no event DONE'],
    ['NEVER: event DONE', 'EXPECT: no event DONE'],
    ['NEVER: fails', 'EXPECT: returned'],
    ['AT MOST 2: calls of "make"', 'EXPECT: calls "make" <= 2'],
    ['AT MOST: 2 run "make"', 'EXPECT: calls "make" <= 2'],
    ['AT LEAST 2: "make"', 'EXPECT: calls "make" >= 2'],
    ['CALLED: "make" 2 times', 'EXPECT: calls "make" == 2'],
    ['COUNT: "make" == 2', 'EXPECT: calls "make" == 2'],
    ['INVARIANT: n < 3', 'EXPECT [always]: n < 3'],
    [
      'REACHES: x y',
      'write `PROPERTY: NAME` at the left margin, and this line indented below it: it is about all runs of the program',
    ],
    ['GIVEN n=3', 'GIVEN: n=3'],
    ['ANSWER go → yes', 'ANSWER: go → yes'],
    ['Mock: "make" → "x"', 'MOCK: "make" → "x"'],
    ['expect: returned "x"', 'EXPECT: returned "x"'],
    ['THEN: returned "x"', 'EXPECT: returned "x"'],
    ['STUB: "make" returns "x"', 'MOCK: "make" → "x"'],
    ['ANSWER: go "yes"', 'ANSWER: go → "yes"'],
    ['PROGRAM: a.dsl', 'TESTS: "a.dsl"'],
    ['USE: "a.dsl"', 'TESTS: "a.dsl"'],
    ['TEST FILE: a.md', 'TESTS: "a.md"'],
  ])('%s', (line, meant) => {
    expect(meantBy(line)).toBe(meant);
    for (const one of meant.split('\n')) if (!one.startsWith('#')) expect(meantBy(one)).toBe(null);
  });

  test.each([
    'TIMEOUT: 5s',
    'SETUP: ./a.sh',
    'ENV: A=1',
    'RUN: statedsl run a.dsl',
    'RUN the program',
    'PROPERTY: x',
    'REACHES: x y',
    'MOCK: mocks.yaml',
    'ANSWER: go → times out',
    'ANSWER: go → no answer',
    'ANSWER: go timed out',
    'SIGNAL: paid → timeout',
    'SIGNAL: paid timed out',
    'expect(run)',
  ])('has no other form: %s', (line) => expect(testLineMeant(line, 'test')).toHaveProperty('advice'));
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
    ['import "a.dsl"', 'TESTS: "a.dsl"'],
    ["from 'a.md'", 'TESTS: "a.md"'],
    [
      'Feature: x',
      'remove it: a file has `TESTS:` with its program, and each test a line `TEST: NAME` with its lines indented below',
    ],
    [
      '})',
      'remove it: a file has `TESTS:` with its program, and each test a line `TEST: NAME` with its lines indented below',
    ],
    [
      'const a = 1',
      'remove it: a file has `TESTS:` with its program, and each test a line `TEST: NAME` with its lines indented below',
    ],
    ['TEST: "a.dsl"', 'TESTS: "a.dsl"'],
    ['Case: x', 'TEST: x'],
    ['- name: x', 'TEST: x'],
    ['TEST CASE: y', 'TEST: y'],
    ["test('z')", 'TEST: z'],
    ['specify("w", f)', 'TEST: w'],
    ['async def test_a_b():', 'TEST: a b'],
    [
      'beforeEach(() => {',
      'remove it: a file has `TESTS:` with its program, and each test a line `TEST: NAME` with its lines indented below',
    ],
    ['TESTS for: "a.dsl"', 'TESTS: "a.dsl"'],
  ])('%s', (line, meant) => {
    expect(meantBy(line, 'file')).toBe(meant);
    expect(meantBy(meant, 'file')).toBe(null);
  });
});

test.each(['describe("x", () => {', 'Feature: x', '})', 'const a = 1', 'beforeEach(() => {', 'NEVER: run "make"'])(
  'at the left margin there is no other form for %s',
  (line) => expect(testLineMeant(line, 'file')).toHaveProperty('advice'),
);

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
    ['ALWAYS: n < 3', 'NEVER: returned WHEN NOT (n < 3)'],
    ['ALWAYS: returned', 'ENDS: always'],
    ['INVARIANT: terminates', 'ENDS: always'],
    ['NEVER run "make"', 'NEVER: run "make"'],
    ['FORBID: calls "make"', 'NEVER: run "make"'],
    ['MUST NOT: state B', 'NEVER: state B'],
    ['MAX: 2 run "make"', 'AT MOST: 2 run "make"'],
    ['AT MOST: one run "make"', 'AT MOST: 1 run "make"'],
    ['AT LEAST: 1 run "make"', 'REACHES: run "make"'],
    ['AT LEAST once: "make"', 'REACHES: run "make"'],
    ['state A BEFORE state B', 'NEVER: state B UNLESS state A'],
    ['NEVER: state A OR state B', 'NEVER: state A\nNEVER: state B'],
    ['NEVER: state B if n > 3', 'NEVER: state B WHEN n > 3'],
    ['AFTER: event A OR event B → event C', 'AFTER: event A → event C\nAFTER: event B → event C'],
    ['AFTER: event A → event B AND event C', 'AFTER: event A → event B\nAFTER: event A → event C'],
    [
      'NEVER: run "make" UNLESS answered go == "yes" AND event A',
      'NEVER: run "make" UNLESS answered go == "yes"\nNEVER: run "make" UNLESS event A',
    ],
    ['AFTER: event A → returned OR failed', 'write `ENDS: always`: a run that ends has returned or failed'],
    [
      'AFTER: event A → event B OR failed',
      'a line has one moment here: emit one event on each of these ways, as in `EMIT: SETTLED`, and name it as `event SETTLED`',
    ],
    [
      'NEVER: run "make" UNLESS event A OR event B',
      'a line has one moment here: emit one event on each of these ways, as in `EMIT: SETTLED`, and name it as `event SETTLED`',
    ],
    ['NEVER: B unless go == "no"', 'NEVER: state B UNLESS answered go == "no"'],
    ['AFTER: go == "no" → returned', 'AFTER: answered go == "no" → returned'],
    ['HOLDS: x == 1', 'NEVER: returned WHEN NOT (x == 1)'],
    ['ONCE: run "make"', 'AT MOST: 1 run "make"'],
    ['ONCE: "make"', 'AT MOST: 1 run "make"'],
    ['AT MOST ONCE: emits DONE', 'AT MOST: 1 event DONE'],
    ['AT MOST: ran "make" twice', 'AT MOST: 2 run "make"'],
    ['AT MOST: "make" <= 2', 'AT MOST: 2 run "make"'],
    ['AFTER: fails THEN returns', 'AFTER: failed → returned'],
    ['AFTER: emits A eventually enters B', 'AFTER: event A → state B'],
    ['NEVER: executes "make" until answered go is "yes"', 'NEVER: run "make" UNLESS answered go == "yes"'],
    ['NEVER: in BUILD', 'NEVER: state BUILD'],
    ['NEVER: BUILD', 'NEVER: state BUILD'],
    ['NEVER: RETURN: "x"', 'NEVER: returned "x"'],
    ['REACHES: visits DONE', 'REACHES: state DONE'],
    ['CAN: goes to DONE', 'REACHES: state DONE'],
    ['SOMETIMES: Task(w)', 'REACHES: run Task(w)'],
    ['HALTS', 'ENDS: always'],
    ['ENDS', 'ENDS: always'],
    ['BEFORE: calls Task(w), DO: "make"', 'NEVER: run Task(w) UNLESS run "make"'],
    ['AFTER: state A → DONE', 'AFTER: state A → state DONE'],
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

/** What another tool may also write, but it is right here. */
test.each([
  ['TEST: t', 'MOCK: "make" → "x", exit 3'],
  ['TEST: t', 'MOCK: "make" → exit 1 "a", exit 0 "b", ""'],
  ['TEST: t', 'EXPECT: returned "A → B, then C"'],
  ['TEST: t', 'ANSWER: go -> no'],
  ['TEST: t', 'EXPECT: n > 1 AND m == "failed: x"'],
  ['PROPERTY: p', 'NEVER: state A WHEN n > most OR n < 0'],
  ['PROPERTY: p', 'NEVER: event DONE kind="a or b if c"'],
  ['PROPERTY: p', 'NEVER: run "make or break" UNLESS answered go == "yes BEFORE no"'],
  ['PROPERTY: p', 'AT MOST: 2 state A WHEN n == "if" OR n == "when"'],
])('%s: %s is right', (head, line) => {
  const { diagnostics } = parseTests(sourceFile('a.test.dsl', `TESTS: "./a.dsl"\n${head}\n  ${line}\n`), 0);
  expect(diagnostics).toEqual([]);
});

describe('a mistake in a test file', () => {
  test.each([
    [
      'EXPECT: returned "early"',
      ['1:1+24 `EXPECT:` is a line of a test; write `TEST: NAME` above it, and indent it with two spaces'],
    ],
    ['MOCK: "make" → exit 300', ['1:1+23 there is no exit code 300; it is a whole number from 0 to 255']],
    ['TEST:', ['1:5+1 the name of the test is missing here; write it as in `TEST: all goes well`']],
    ['TEST: t\n\tGIVEN: n=1', ['2:1+1 this line is indented with a tab; indent with two spaces for each level']],
    [
      'TEST: t\nEXPECT: returned "x"\nEXPECT: returned "y"',
      ['2:1+20 `EXPECT:` is a line of a test; indent it and the lines of the test below it with two spaces'],
    ],
    [
      'PROPERTY: p\nEXPECT: returned "x"',
      ['2:1+7 `EXPECT:` cannot be here; lines of a file are `TESTS:`, `MOCK:`, `PROPERTY:`, `TEST:`'],
    ],
    ['TEST: t\nTESTS: "a.dsl"', ['2:1+14 `TESTS:` comes first in a file; move it above all other lines']],
    [
      'TESTS: "a.dsl"\nTESTS: "b.dsl"',
      ['2:7+8 a test file tests one program, and it is named above; write it as in `TESTS: "./program.dsl"`'],
    ],
    ['TESTS: "a.dsl" machine=m n', ['1:25+2 `n` does not belong here; write it as in `TESTS: "./program.dsl"`']],
    [
      'TEST: t\n  GIVEN:\n    - n=1,\n    - m=2\n  EXPECT: states A,',
      [
        '2:3+27 a test file has no line `GIVEN:`; write `GIVEN: n=1`, then `GIVEN: m=2`',
        '5:19+1 the name of a state is missing here; write it as in `EXPECT: states FIRST, …, LAST`',
      ],
    ],
    [
      'TEST: t\n  Then:\n    ran "make"',
      ['2:3+20 a test file has no line `EXPECT:`; write `EXPECT: calls "make" >= 1`'],
    ],
    [
      'PROPERTY: p\n  GIVEN:\n    n=1\nTEST: t\n  FOO: bar',
      [
        '2:3+14 a test file has no line `GIVEN:`; write `GIVEN: n=1`',
        '5:3+4 `FOO:` cannot be here; lines of a test are `GIVEN:`, `START:`, `EACH:`, `MOCK:`, `ANSWER:`, `SIGNAL:`, `CASSETTE:`, `AT:`, `EXPECT:`, `SKIP:`',
      ],
    ],
    ['TEST: t\n  EACH: row of rows', ['2:13+7 `in` is missing here; write it as in `EACH: row in [1, 2]`']],
    [
      'TEST: t\n  SIGNAL: done 3 at 2h extra',
      ['2:23+6 `extra` does not belong here; write it as in `SIGNAL: ready "payload" at 2h`'],
    ],
    [
      'TEST: t\n  CASSETTE: "a.yaml" match=exactly',
      ['2:34+1 `match` is `path` or `fingerprint`; write it as in `CASSETTE: "./file.yaml"`'],
    ],
    [
      'TEST: t\n  CASSETTE: "a.yaml" drift=warned',
      ['2:33+1 `drift` is `fail` or `warn`; write it as in `CASSETTE: "./file.yaml"`'],
    ],
    ['TEST: t\n  EXPECT: no event DONE times 2', ['2:24+8 `no` and `times` do not go together; leave one out']],
    [
      'TEST: t\n  EXPECT: calls Task(w >= 1',
      ['2:24+4 `)` is missing here; write it as in `EXPECT: calls "make *" == 1`'],
    ],
    [
      'TEST: t\n  EXPECT: prompt Task(w) holds "x"',
      ['2:26+9 `contains` is missing here; write it as in `EXPECT: prompt Task(writer) contains "text"`'],
    ],
    [
      'TEST: t\n  FOO: bar',
      [
        '2:3+4 `FOO:` cannot be here; lines of a test are `GIVEN:`, `START:`, `EACH:`, `MOCK:`, `ANSWER:`, `SIGNAL:`, `CASSETTE:`, `AT:`, `EXPECT:`, `SKIP:`',
      ],
    ],
    ['TEST: t\n  EXPCT: bar', ['2:3+6 `EXPCT:` cannot be here; did you mean `EXPECT:`?']],
    [
      'TEST: t\n  some prose that goes on for many more characters than forty',
      [
        '2:3+59 `some prose that goes on for many more ch` begins with no verb; lines of a test are `GIVEN:`, `START:`, `EACH:`, `MOCK:`, `ANSWER:`, `SIGNAL:`, `CASSETTE:`, `AT:`, `EXPECT:`, `SKIP:`',
      ],
    ],
    [
      'PROPERTY: p\n  NEVER: nothing',
      [
        '2:10+7 `nothing` is not a moment; write `state NAME`, `event NAME`, `run Task(NAME)`, `run "TEXT"`, `answered NAME == "TEXT"`, `failed in STATE KIND` or `returned`',
      ],
    ],
    [
      'PROPERTY: p\n  NEVER:',
      [
        '2:8+1 a moment is missing here; write `state NAME`, `event NAME`, `run Task(NAME)`, `run "TEXT"`, `answered NAME == "TEXT"`, `failed in STATE KIND` or `returned`',
      ],
    ],
    ['PROPERTY: p\n  AT MOST: 1.5 (state A)', ['2:3+12 the number is not whole; write one such as `2`']],
    [
      'PROPERTY: p\n  AFTER: state A state B',
      ['2:3+22 a test file has no line `AFTER: state A state B`; write `AFTER: state A → state B`'],
    ],
    [
      'PROPERTY: p\n  NEVER: answered go "yes"',
      ['2:22+5 `==` is missing after `go`; write it as in `NEVER: run "make *" UNLESS event READY`'],
    ],
    ['PROPERTY: p\n  ENDS: always now', ['2:15+4 `now` does not belong here; write it as in `ENDS: always`']],
    [
      'PROPERTY: p\n  FOO: x',
      [
        '2:3+4 `FOO:` cannot be here; lines of a property are `ASSUME:`, `NEVER:`, `AFTER:`, `AT MOST:`, `ENDS:`, `REACHES:`',
      ],
    ],
  ])('%s', (text, messages) => {
    const source = sourceFile('a.test.dsl', text);
    const found = parseTests(source, 0).diagnostics.map(({ message, span: { start, end }, help }) => {
      const { line, column } = positionAt(source, start);
      return `${line}:${column}+${end - start} ${message}; ${help}`;
    });
    expect(found).toEqual(messages);
  });

  test.each(['NEVER: nothing', 'GIVEN: n=1', 'GIVEN:\n    n=1'])('breaks its property: %s', (line) => {
    const { properties } = parseTests(sourceFile('a.test.dsl', `PROPERTY: p\n  NEVER: returned\n  ${line}\n`), 0).tree;
    expect(properties.map(({ rules, isBroken }) => [rules.length, isBroken])).toEqual([[1, true]]);
  });

  test('what is below it still belongs to its test', () => {
    const text = 'TEST: t\nGIVEN: n=1\n  GIVEN:\n    m=2\nEXPECT: returned 1\n  AT: 2h\nTEST: u\n  AT: 3h\n';
    const { tests } = parseTests(sourceFile('a.test.dsl', text), 0).tree;
    expect(tests.map(({ lines }) => lines.map(({ kind }) => kind))).toEqual([['given', 'expect', 'at'], ['at']]);
  });
});

describe('a line of a test as it is read', () => {
  test.each([
    ['START: A with x=1', { kind: 'start', state: { text: 'A' }, values: [{ name: { text: 'x' } }] }],
    ['START: A', { values: [] }],
    ['EACH: row in rows', { kind: 'each', name: { text: 'row' }, list: { name: 'rows' } }],
    ['MOCK: w → 1 tokens 40 cost 0.5 after 3s', { answers: [{ tokens: 40, cost: 0.5, after: { text: '3s' } }] }],
    [
      'MOCK: w → exit 255 "no" stderr "why", times out',
      { answers: [{ form: { code: 255 } }, { form: { kind: 'times-out' } }] },
    ],
    ['ANSWER: go → 1, 2', { kind: 'answer', texts: [{ value: 1 }, { value: 2 }] }],
    ['SIGNAL: one', { payload: null, at: null }],
    ['SIGNAL: three at 2h', { payload: null, at: { text: '2h' } }],
    ['SIGNAL: four 4 at 3m', { payload: { value: 4 }, at: { text: '3m' } }],
    ['CASSETTE: "a.yaml"', { path: 'a.yaml', match: 'path', drift: 'fail' }],
    ['CASSETTE: "b.yaml" match=fingerprint drift=warn', { match: 'fingerprint', drift: 'warn' }],
    ['CASSETTE: "c.yaml" match=path drift=fail', { match: 'path', drift: 'fail' }],
    ['AT: 2h', { kind: 'at', duration: { text: '2h' } }],
    ['EXPECT [always]: returned', { isAlways: true, text: 'returned' }],
    [
      'EXPECT: once Task(w)',
      { isAlways: false, expectation: { kind: 'once', selector: { kind: 'agent', name: 'w' } } },
    ],
    ['EXPECT: once make', { expectation: { kind: 'once', selector: { pattern: 'make', isBare: true } } }],
    ['EXPECT: no event DONE', { expectation: { isAbsent: true, fields: [], times: null } }],
    [
      'EXPECT: event D n=1, m=2 times 3',
      { expectation: { isAbsent: false, fields: [{ value: { value: 1 } }, { value: { value: 2 } }], times: 3 } },
    ],
    ['SKIP: until tomorrow', { kind: 'skip', reason: 'until tomorrow' }],
  ])('%s', (line, read) => {
    const { tree, diagnostics } = parseTests(sourceFile('a.test.dsl', `TEST: t\n  ${line}\n`), 0);
    expect(diagnostics).toEqual([]);
    expect(tree.tests[0]?.lines).toMatchObject([read]);
  });
});

describe('a rule as it is read', () => {
  test.each([
    [
      'NEVER: state A UNLESS event B n=1, m=2 WHEN n > 1',
      { moment: { name: { text: 'A' } }, unless: { fields: [{}, {}], when: { text: 'n > 1' } } },
    ],
    ['NEVER: returned', { moment: { value: null, when: null }, unless: null }],
    [
      'AFTER: run Task(w) → answered go == yes',
      { moment: { selector: { name: 'w' } }, following: { name: { text: 'go' }, value: { name: 'yes' } } },
    ],
    ['AT MOST: 2 (failed in A timeout)', { count: 2, moment: { state: { text: 'A' }, error: { text: 'timeout' } } }],
    ['AT MOST: 1 (failed WHEN n == 1)', { count: 1, moment: { state: null, error: null, when: { text: 'n == 1' } } }],
    ['REACHES: returned x', { kind: 'reaches', moment: { value: { name: 'x' } } }],
    ['ENDS: always', { statuses: null }],
    ['ENDS: done, failed', { statuses: [{ text: 'done' }, { text: 'failed' }] }],
  ] as const)('%s', (line, read) => {
    const { tree, diagnostics } = parseTests(sourceFile('a.test.dsl', `PROPERTY: p\n  ${line}\n`), 0);
    expect(diagnostics).toEqual([]);
    expect(tree.properties).toMatchObject([{ rules: [{ ...read, text: line }], assumptions: [], isBroken: false }]);
    const [verb = '', rest = ''] = line.split(': ');
    const alone = parseRule(sourceFile('rule', `--x ${rest}`), 0, verb as 'NEVER', 4);
    expect(alone.diagnostics).toEqual([]);
    expect(alone.property).toMatchObject({ rules: [{ ...read, text: line }], name: line });
  });

  test('an assumption', () => {
    const read = [{ text: 'n < 3' }];
    const { tree } = parseTests(sourceFile('a.test.dsl', 'PROPERTY: p\n  ASSUME: n < 3\n'), 0);
    expect(tree.properties).toMatchObject([{ rules: [], assumptions: read }]);
    const alone = parseRule(sourceFile('rule', 'n <\n3 '), 0, 'ASSUME');
    expect(alone).toMatchObject({ diagnostics: [], property: { rules: [], assumptions: read, name: 'n < 3' } });
  });

  test('with more after it, and without anything', () => {
    const wrong = (text: string, verb: 'ENDS' | 'NEVER') =>
      parseRule(sourceFile('rule', text), 0, verb).diagnostics.map(({ message }) => message);
    expect(wrong('always now', 'ENDS')).toEqual(['`now` does not belong here']);
    expect(wrong('', 'NEVER')).toEqual(['a moment is missing here']);
  });
});
