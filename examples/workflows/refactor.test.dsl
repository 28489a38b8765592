# statedsl test examples/workflows
TESTS: "refactor"

MOCK: "make build" → "", …
MOCK: "make test" → "", …

TEST: the tests pass before and after
  GIVEN: spec="rename it"
  MOCK: Task(claude-sonnet) → "done"
  MOCK: review/Task(claude-opus) → { pass: true, comments: "good" }
  EXPECT: returned

TEST: nothing begins on failing tests
  GIVEN: spec="rename it"
  MOCK: "make test" → exit 1 "1 failed"
  EXPECT: calls Task(claude-sonnet) == 0
  EXPECT: failed gate_failed

TEST: nothing begins on code that does not compile
  GIVEN: spec="rename it"
  MOCK: "make build" → exit 1 "no semicolon"
  EXPECT: calls Task(claude-sonnet) == 0
  EXPECT: failed gate_failed

TEST: three attempts are followed by two of a stronger agent
  GIVEN: spec="rename it"
  MOCK: rebuild/"make build" → exit 1 "no semicolon", …
  MOCK: Task(claude-sonnet) → "done", …
  MOCK: rebuild/Task(claude-opus) → "done", "done"
  MOCK: review/Task(claude-opus) → { pass: true, comments: "good" }, …
  EXPECT: calls Task(claude-sonnet) == 3
  EXPECT: failed gate_failed

TEST: tests that fail afterwards are not accepted
  GIVEN: spec="rename it"
  MOCK: rebuild/"make test" → exit 1 "1 failed", ""
  MOCK: Task(claude-sonnet) → "done", "done again"
  MOCK: review/Task(claude-opus) → { pass: true, comments: "good" }, …
  EXPECT: calls Task(claude-sonnet) == 2
  EXPECT: returned
