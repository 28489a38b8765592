# statedsl test examples/patterns
TESTS: "./explore.dsl"

TEST: the fourth answer is not waited for
  MOCK: Task(explorer) → { n: 1 }, { n: 2 }, { n: 3 }, hangs
  EXPECT: returned contains "3 answers"
  EXPECT: prompt Task(explorer) contains "add a search"

TEST: two answers are not enough
  MOCK: Task(explorer) → { n: 1 }, { n: 2 }, hangs, hangs
  EXPECT: failed quorum_failure
  EXPECT: returned contains "2 of 4 explorers answered"
  EXPECT: time == 120
