# statedsl test examples/workflows
TESTS: "implement-spec"

MOCK: "make build" → "", …
MOCK: "make test" → "", …
MOCK: plan/Task(claude-opus) → [{ name: "a", description: "do a", files: ["a.ts"] }]
MOCK: Task(claude-sonnet) → "done"

TEST: a plan of one task
  GIVEN: spec="one thing"
  MOCK: review/Task(claude-opus) → { pass: true, comments: "good" }
  MOCK: whole/Task(claude-opus) → { pass: true, comments: "nothing is missing" }
  EXPECT: returned

TEST: something is missing at the end
  GIVEN: spec="one thing"
  MOCK: review/Task(claude-opus) → { pass: true, comments: "good" }
  MOCK: whole/Task(claude-opus) → { pass: false, comments: "b is missing" }
  EXPECT: failed

TEST: a plan is made twice, each time with one correction
  GIVEN: spec="one thing"
  MOCK: plan/Task(claude-opus) → "I cannot say", …
  EXPECT: calls Task(claude-opus) == 4
  EXPECT: failed

TEST: the second attempt is told what the reviewer said
  GIVEN: spec="one thing"
  MOCK: make/Task(claude-sonnet) → "done", "done again"
  MOCK: review/Task(claude-opus) → { pass: false, comments: "too long" }, { pass: true, comments: "good" }
  MOCK: whole/Task(claude-opus) → { pass: true, comments: "nothing is missing" }
  EXPECT: prompt Task(claude-sonnet) contains "too long"
  EXPECT: snapshot

TEST: three attempts are followed by two of a stronger agent
  GIVEN: spec="one thing"
  MOCK: make/Task(claude-sonnet) → "done", …
  MOCK: make/Task(claude-opus) → "done", "done"
  MOCK: make/"make build" → exit 1 "no semicolon", …
  MOCK: review/Task(claude-opus) → { pass: true, comments: "good" }, …
  EXPECT: calls Task(claude-sonnet) == 3
  EXPECT: failed gate_failed
