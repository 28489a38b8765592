# statedsl test examples/workflows
TESTS: "tdd"

MOCK: "make build" → "", …

TEST: red, green, tidy
  GIVEN: spec="week numbers"
  MOCK: Task(claude) → "tests", "code", "tidied"
  MOCK: "make list-tests" → "3"
  MOCK: "make test" → "", …
  EXPECT: returned
