# statedsl test examples/patterns
TESTS: "./init.dsl"

MOCK: "mkdir *" → ""

TEST: a new folder has a name of its own
  EXPECT: event SESSION_OPENED mode="demo"
  EXPECT: returned ".statedsl/examples/init/00000001"

TEST: a session can be named
  GIVEN: session="monday"
  EXPECT: returned ".statedsl/examples/init/monday"
