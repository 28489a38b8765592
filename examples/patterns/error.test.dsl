# statedsl test examples/patterns
TESTS: "./error.dsl"

TEST: a failure is reported with its tool and exit code
  MOCK: "cat *" → exit 1 stderr "no such file"
  EXPECT: event RUN_FAILED error_type="tool_failure" from="WORK" tool="cat" exit=1
  EXPECT: failed tool_failure
  EXPECT: returned contains "no such file"

TEST: nothing is reported if nothing fails
  MOCK: "cat *" → "text"
  EXPECT: returned "done"

TEST: the advice is added
  GIVEN: advice="try again tomorrow"
  MOCK: "cat *" → fails limit "too much"
  EXPECT: failed
  EXPECT: returned == "limit: too much; try again tomorrow"
