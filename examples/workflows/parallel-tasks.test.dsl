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

TEST: the tasks are asked for twice, each time with one correction
  GIVEN: spec="two things"
  MOCK: Task(claude-opus) → "I cannot say", …
  EXPECT: calls Task(claude-opus) == 4
  EXPECT: failed

TEST: a task that does not compile has three attempts
  GIVEN: spec="two things"
  MOCK: Task(claude-opus) → [{ name: "a", description: "do a", files: ["a.ts"] }]
  MOCK: do/Task(claude-sonnet) → "done", …
  MOCK: do/"make build" → exit 1 "no semicolon", …
  EXPECT: calls Task(claude-sonnet) == 3
  EXPECT: failed gate_failed

TEST: what does not fit together is tried by two agents, twice each
  GIVEN: spec="two things"
  MOCK: divide/Task(claude-opus) → [{ name: "a", description: "do a", files: ["a.ts"] }]
  MOCK: do/Task(claude-sonnet) → "done"
  MOCK: do/"make build" → ""
  MOCK: together/"make build" → exit 1 "no semicolon", …
  MOCK: "make test" → "", …
  MOCK: together/Task(claude-sonnet) → "done", "done"
  MOCK: together/Task(claude-opus) → "done", "done"
  EXPECT: failed gate_failed
