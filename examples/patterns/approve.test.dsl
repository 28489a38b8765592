# statedsl test examples/patterns
TESTS: "./approve.dsl"

TEST: yes continues
  ANSWER: approval → "yes"
  EXPECT: event APPROVAL answer="yes"
  EXPECT: returned "published 1.4.0"

TEST: no leaves the state
  ANSWER: approval → "no"
  EXPECT: states ASK, CANCELLED
  EXPECT: returned "not published"

TEST: without an answer the run waits
  EXPECT: suspended approval
