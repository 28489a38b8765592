# statedsl test examples/patterns
TESTS: "./plan.dsl"

TEST: a plan at once
  MOCK: Task(planner) → { decision: "PROCEED", plan: ["a", "b"] }
  EXPECT: states PLAN, BUILD
  EXPECT: returned ["a", "b"]

TEST: the planner asks first
  MOCK: Task(planner) → { decision: "CLARIFY", questions: ["How fast?"] }, { decision: "PROCEED", plan: [] }
  ANSWER: answer → "very"
  EXPECT: event CLARIFY count=1
  EXPECT: prompt Task(planner) contains "very"
  EXPECT: returned []

TEST: it asks too often
  MOCK: Task(planner) → { decision: "CONFIRM", selection: "sqlite" }, { decision: "CLARIFY" }
  ANSWER: answer → "yes", "no"
  EXPECT: event CLARIFY_EXHAUSTED count=2
  EXPECT: returned
