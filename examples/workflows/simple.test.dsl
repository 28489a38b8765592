# statedsl test examples/workflows
TESTS: "simple"

MOCK: "make build" → "", …

TEST: the first attempt passes
  GIVEN: spec="week numbers"
  MOCK: Task(claude) → "done" cost 0.50
  MOCK: "make test" → ""
  EXPECT: prompt Task(claude) contains "week numbers"
  EXPECT: returned

TEST: three attempts are the most
  GIVEN: spec="week numbers"
  MOCK: Task(claude) → "done", …
  MOCK: "make test" → exit 1 "2 failed", …
  EXPECT: calls Task(claude) == 3
  EXPECT: failed gate_failed
