# statedsl test examples/patterns
TESTS: "./poll.dsl"

MOCK: "head *" → ""

TEST: the third look finds it
  MOCK: DEPLOYED/"if bash *" → "false", "false", "true"
  MOCK: BUILT/"bash *" → { status: "running" }, { status: "passed" }
  EXPECT: returned "passed"
  EXPECT: time == 150

TEST: the time is over
  MOCK: DEPLOYED/"if bash *" → "false", …
  EXPECT: failed
  EXPECT: time == 600
