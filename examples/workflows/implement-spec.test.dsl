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
