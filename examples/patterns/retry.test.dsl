# statedsl test examples/patterns
TESTS: "./retry.dsl"

MOCK: "head *" → "", …

TEST: the second attempt succeeds
  MOCK: "if bash *" → "false", "true"
  EXPECT: event ATTEMPT_FAILED attempt=1 of=4 times 1
  EXPECT: returned "published at attempt 2"
  EXPECT: time == 10

TEST: all attempts fail
  MOCK: "if bash *" → "false", …
  EXPECT: calls "if bash *" == 4
  EXPECT: error.message contains "4 times"

TEST: a script that is not there is not tried
  MOCK: "head *" → exit 1 stderr "no such file"
  EXPECT: failed tool_failure
  EXPECT: calls "if bash *" == 0
