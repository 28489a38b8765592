# statedsl test examples/implement-spec
TESTS: "./flow.dsl"

MOCK: "sh tools/compile.sh" → "", …
MOCK: "sh -- tools/test.sh {task.name}" → "", …
MOCK: "sh tools/test.sh" → ""
MOCK: "sh tools/coverage.sh" → "100 %"
MOCK: Task(reviewer) → { pass: true, comments: "good" }, …

TEST: a specification becomes two tasks and a note
  GIVEN: spec="words"
  MOCK: Task(planner) → [{ name: "count", description: "counts", files: ["src/count.sh"] }, { name: "longest", description: "finds", files: ["src/longest.sh"] }], "count and longest"
  MOCK: Task(junior) → "done", …
  EXPECT: calls Task(junior) == 2
  EXPECT: prompt Task(junior) contains "Change only src/longest.sh"
  EXPECT: returned
