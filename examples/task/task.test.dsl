# statedsl test examples/task
TESTS: "./task.dsl"

MOCK: INIT/"mkdir *" → ""
MOCK: Task(explorer) → { mode: "structure" }, { mode: "memory" }
MOCK: Task(planner) → { decision: "PROCEED", plan: ["write", "try"] }
MOCK: Task(observer) → "small scripts are quickly checked"

TEST: the first build passes
  MOCK: Task(builder) → "echo Hello"
  MOCK: "if out=*" → "pass"
  EXPECT: states INIT, EXPLORE, PLAN, BUILD, OBSERVE, COMPLETE
  EXPECT: returned "done after 1 builds; small scripts are quickly checked"
  EXPECT: snapshot

TEST: the second build gets the complaint about the first
  MOCK: Task(builder) → "echo Hi", "echo Hello"
  MOCK: "if out=*" → "greet.sh printed: Hi", "pass"
  EXPECT: prompt Task(builder) contains "greet.sh printed: Hi"
  EXPECT: calls Task(builder) == 2
  EXPECT: returned

TEST: it gives up after three builds
  MOCK: Task(builder) → "no", …
  MOCK: "if out=*" → "greet.sh printed: no", …
  EXPECT: calls Task(builder) == 3
  EXPECT: failed gave_up
  EXPECT: event STATE_ENTRY state="ERROR" error_type="gave_up"

TEST: a builder that does not answer
  MOCK: Task(builder) → hangs
  EXPECT: event BUILD_TIMED_OUT
  EXPECT: failed timeout
  EXPECT: time == 60

TEST: the planner asks a person
  MOCK: Task(planner) → { decision: "CLARIFY", questions: ["Which shell?"] }, { decision: "PROCEED", plan: [] }
  MOCK: Task(builder) → "echo Hello"
  MOCK: "if out=*" → "pass"
  ANSWER: answer → "bash"
  EXPECT: prompt Task(planner) contains "Which shell?"
  EXPECT: returned

TEST: the planner may ask twice, and not three times
  MOCK: Task(planner) → { decision: "CLARIFY", questions: ["Which shell?"] }, …
  ANSWER: answer → "bash"
  ANSWER: answer → "sh"
  EXPECT: event CLARIFY_EXHAUSTED count=2
  EXPECT: returned

TEST: one explorer is not enough
  MOCK: Task(explorer) → { mode: "structure" }, hangs
  EXPECT: failed quorum_failure
  EXPECT: time == 300
