# statedsl test examples/implement-spec
TESTS: "./one-task.dsl"

MOCK: "sh tools/compile.sh" → "", …

TEST: the first attempt passes
  MOCK: Task(junior) → "done" cost 0.02
  MOCK: "sh tools/test.sh" → ""
  MOCK: Task(reviewer) → { pass: true, comments: "simple" }
  EXPECT: returned
  EXPECT: calls Task(senior) == 0

TEST: after two attempts a better agent starts over
  MOCK: Task(junior) → "done", "done again"
  MOCK: Task(senior) → "better" cost 0.20
  MOCK: "sh tools/test.sh" → exit 1 "an empty file does not have 0 words", exit 1 "still wrong", ""
  MOCK: Task(reviewer) → { pass: true, comments: "" }, …
  EXPECT: prompt Task(junior) contains "an empty file does not have 0 words"
  EXPECT: returned

TEST: four attempts are the most
  MOCK: Task(junior) → "done", …
  MOCK: Task(senior) → "done", …
  MOCK: "sh tools/test.sh" → exit 1 "wrong", …
  MOCK: Task(reviewer) → { pass: true, comments: "" }, …
  EXPECT: failed
  EXPECT: calls Task(senior) == 2
  EXPECT: calls Task(junior) == 2
