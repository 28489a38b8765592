# statedsl test examples/workflows
TESTS: "tdd"

MOCK: "make build" → "", …

TEST: red, green, tidy
  GIVEN: spec="week numbers"
  MOCK: Task(claude) → "tests", "code", "tidied"
  MOCK: "make list-tests" → "3"
  MOCK: "make test" → "", …
  EXPECT: returned

TEST: tests that do not compile are written three times
  GIVEN: spec="week numbers"
  MOCK: "make build" → exit 1 "no semicolon", …
  MOCK: "make list-tests" → "3", …
  MOCK: Task(claude) → "tests", …
  EXPECT: calls Task(claude) == 3
  EXPECT: failed gate_failed

TEST: code that does not compile has four attempts
  GIVEN: spec="week numbers"
  MOCK: green/"make build" → exit 1 "no semicolon", …
  MOCK: green/"make test" → "", …
  MOCK: "make list-tests" → "3"
  MOCK: Task(claude) → "anything", …
  EXPECT: calls Task(claude) == 5
  EXPECT: failed gate_failed

TEST: code that does not pass the tests has four attempts
  GIVEN: spec="week numbers"
  MOCK: green/"make test" → exit 1 "1 failed", …
  MOCK: "make list-tests" → "3"
  MOCK: Task(claude) → "anything", …
  EXPECT: calls Task(claude) == 5
  EXPECT: failed gate_failed

TEST: a clean-up that does not compile has two attempts
  GIVEN: spec="week numbers"
  MOCK: tidy/"make build" → exit 1 "no semicolon", …
  MOCK: "make test" → "", …
  MOCK: "make list-tests" → "3"
  MOCK: Task(claude) → "anything", …
  EXPECT: calls Task(claude) == 4
  EXPECT: failed gate_failed

TEST: a clean-up that breaks the tests has two attempts
  GIVEN: spec="week numbers"
  MOCK: tidy/"make test" → exit 1 "1 failed", …
  MOCK: green/"make test" → ""
  MOCK: "make list-tests" → "3"
  MOCK: Task(claude) → "anything", …
  EXPECT: calls Task(claude) == 4
  EXPECT: failed gate_failed
