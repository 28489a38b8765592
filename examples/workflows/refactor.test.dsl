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
