# statedsl test examples/fix-tests
TESTS: "./fix-tests.dsl"

MOCK: "mkdir *" → "", …

TEST: the second round is green
  GIVEN: rounds=4
  MOCK: TEST/"bash *test.sh*" → exit 1 "2 failed", exit 0 "0 failed"
  MOCK: FIX/"cat *" → "1", "2"
  MOCK: Task(fixer) → "done" cost 0.10
  EXPECT: returned "green after 1 rounds"
  EXPECT: states COPY, TEST, FIX, TEST
  EXPECT: calls Task(fixer) == 1
  EXPECT: prompt Task(fixer) contains "2 failed"
  EXPECT: cost == 0.1
  EXPECT: snapshot

TEST: it has four rounds
  MOCK: TEST/"bash *test.sh*" → exit 1 "2 failed", …
  MOCK: FIX/"cat *" → "1", "2", "2", "3", "3", "4", "4", "5"
  MOCK: Task(fixer) → "done", …
  EXPECT: calls Task(fixer) == 4
  EXPECT: failed gave_up

TEST: the agent is asked a second time, and not a third
  MOCK: TEST/"bash *test.sh*" → exit 1 "2 failed"
  MOCK: FIX/"cat *" → "1"
  MOCK: Task(fixer) → exit 1 stderr "no network", …
  EXPECT: calls Task(fixer) == 2
  EXPECT: failed

TEST: an agent that changes nothing ends the run
  MOCK: TEST/"bash *test.sh*" → exit 1 "2 failed"
  MOCK: FIX/"cat *" → "same", …
  MOCK: Task(fixer) → "done"
  EXPECT: failed no_change
  EXPECT: event GAVE_UP error_type="no_change"
  EXPECT: snapshot

TEST: it gives up
  EACH: row in [{ name: "one test", outcome: "1 failed" }, { name: "two tests", outcome: "2 failed" }]
  GIVEN: rounds=1
  MOCK: TEST/"bash *test.sh*" → exit 1 "{row.outcome}", …
  MOCK: FIX/"cat *" → "1", "2"
  MOCK: Task(fixer) → "done"
  EXPECT: states COPY, TEST, …, ERROR
  EXPECT: failed gave_up
  EXPECT: error.message contains "still {row.outcome}"
