# statedsl test examples/workflows
TESTS: "parallel-tasks"

MOCK: "make build" → "", …

TEST: two tasks at once
  GIVEN: spec="two things"
  MOCK: Task(claude-opus) → [{ name: "a", description: "do a", files: ["a.ts"] }, { name: "b", description: "do b", files: ["b.ts"] }]
  MOCK: Task(claude-sonnet) → "done", "done", "together"
  MOCK: "make test" → ""
  EXPECT: prompt Task(claude-sonnet) contains "Change only: b.ts"
  EXPECT: returned
