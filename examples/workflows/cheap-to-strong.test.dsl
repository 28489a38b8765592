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

TEST: each of three agents has two attempts
  GIVEN: spec="week numbers"
  MOCK: Task(claude-haiku) → "done", …
  MOCK: Task(claude-sonnet) → "done", …
  MOCK: Task(claude-opus) → "done", …
  MOCK: "make test" → exit 1 "2 failed", …
  EXPECT: calls Task(claude-haiku) == 2
  EXPECT: calls Task(claude-sonnet) == 2
  EXPECT: calls Task(claude-opus) == 2
  EXPECT: failed gate_failed

TEST: what does not compile is tried again
  GIVEN: spec="week numbers"
  MOCK: "make build" → exit 1 "no semicolon", ""
  MOCK: Task(claude-haiku) → "done", "done again"
  MOCK: "make test" → "", …
  EXPECT: prompt Task(claude-haiku) contains "no semicolon"
  EXPECT: returned
