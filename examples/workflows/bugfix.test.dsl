# statedsl test examples/workflows
TESTS: "bugfix"

MOCK: "make build" → "", …

TEST: a test, the cause, the correction
  GIVEN: spec="it crashes"
  MOCK: Task(claude) → "a test"
  MOCK: cause/Task(claude-opus) → "line 3 of parse.ts"
  MOCK: Task(claude-sonnet) → "done"
  MOCK: review/Task(claude-opus) → { pass: true, comments: "good" }
  MOCK: "make list-tests" → "3"
  MOCK: "make test" → "", …
  EXPECT: prompt Task(claude-sonnet) contains "line 3 of parse.ts"
  EXPECT: returned
