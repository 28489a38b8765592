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

TEST: a test that does not compile is written three times
  GIVEN: spec="it crashes"
  MOCK: "make build" → exit 1 "no semicolon", …
  MOCK: "make list-tests" → "3", …
  MOCK: Task(claude) → "a test", …
  EXPECT: calls Task(claude) == 3
  EXPECT: failed gate_failed

TEST: a correction that does not compile is made twice by each of two agents
  GIVEN: spec="it crashes"
  MOCK: Task(claude) → "a test"
  MOCK: show/"make build" → ""
  MOCK: mend/"make build" → exit 1 "no semicolon", …
  MOCK: cause/Task(claude-opus) → "line 3 of parse.ts"
  MOCK: Task(claude-sonnet) → "done", …
  MOCK: mend/Task(claude-opus) → "done", "done"
  MOCK: review/Task(claude-opus) → { pass: true, comments: "good" }, …
  MOCK: "make list-tests" → "3"
  MOCK: "make test" → "", …
  EXPECT: calls Task(claude-sonnet) == 2
  EXPECT: failed gate_failed
