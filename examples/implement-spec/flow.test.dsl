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

TEST: a reviewer is heard, and after two attempts a better agent starts over
  GIVEN: spec="words"
  MOCK: Task(planner) → [{ name: "count", description: "counts", files: ["src/count.sh"] }, { name: "longest", description: "finds", files: ["src/longest.sh"] }], "count and longest"
  MOCK: Task(junior) → "done", …
  MOCK: Task(senior) → "better"
  MOCK: Task(reviewer) → { pass: false, comments: "too long" }, { pass: false, comments: "still too long" }, { pass: true, comments: "good" }, …
  EXPECT: calls Task(junior) == 3
  EXPECT: calls Task(senior) == 1
  EXPECT: prompt Task(junior) contains "A reviewer said about the last attempt"
  EXPECT: returned

TEST: four attempts are the most
  GIVEN: spec="words"
  MOCK: Task(planner) → [{ name: "count", description: "counts", files: ["src/count.sh"] }]
  MOCK: Task(junior) → "done", …
  MOCK: Task(senior) → "done", …
  MOCK: "sh tools/compile.sh" → exit 1 "no such word", …
  EXPECT: calls Task(junior) == 2
  EXPECT: calls Task(senior) == 2
  EXPECT: failed gate_failed

TEST: the whole has to compile
  GIVEN: spec="words"
  MOCK: Task(planner) → [{ name: "count", description: "counts", files: ["src/count.sh"] }]
  MOCK: Task(junior) → "done"
  MOCK: quality/"sh tools/compile.sh" → exit 1 "no such word"
  EXPECT: failed gate_failed

TEST: the note has at most 80 characters
  EACH: row in [{ name: "80", note: "a line of twenty ch.a line of twenty ch.a line of twenty ch.a line of twenty ch." }]
  GIVEN: spec="words"
  MOCK: Task(planner) → [{ name: "count", description: "counts", files: ["src/count.sh"] }, { name: "longest", description: "finds", files: ["src/longest.sh"] }], row.note
  MOCK: Task(junior) → "done", …
  EXPECT: returned

TEST: a longer note is not accepted
  GIVEN: spec="words"
  MOCK: Task(planner) → [{ name: "count", description: "counts", files: ["src/count.sh"] }, { name: "longest", description: "finds", files: ["src/longest.sh"] }], "a line of twenty ch.a line of twenty ch.a line of twenty ch.a line of twenty ch.!"
  MOCK: Task(junior) → "done", …
  EXPECT: failed gate_failed
