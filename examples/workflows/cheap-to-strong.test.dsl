# statedsl test examples/workflows
TESTS: "cheap-to-strong"

MOCK: "make build" → "", …

TEST: a stronger agent gets the last error
  GIVEN: spec="week numbers"
  MOCK: Task(claude-haiku) → "done", "done again"
  MOCK: Task(claude-sonnet) → "done"
  MOCK: "make test" → exit 1 "2 failed", exit 1 "1 failed", ""
  EXPECT: calls Task(claude-haiku) == 2
  EXPECT: calls Task(claude-opus) == 0
  EXPECT: returned
