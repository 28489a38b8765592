# statedsl test examples/hello.test.dsl
TESTS: "./hello.dsl"

TEST: it greets whoever is named
  EACH: row in [{ name: "world", greeting: "Hello, world!" }, { name: "Ada", greeting: "Hello, Ada!" }]
  GIVEN: name=row.name
  MOCK: "echo *" → row.greeting
  EXPECT: event GREETED name=row.name times 1
  EXPECT: returned row.greeting
  EXPECT: snapshot
