# statedsl test examples/campaign
TESTS: "./campaign.dsl"

MOCK: "mkdir *" → ""
MOCK: Task(explorer) → { found: 1 }, { found: 2 }, { found: 3 }, { found: 4 }
MOCK: Task(planner) → { decision: "PROCEED", plan: { tasks: [1, 2] } }
MOCK: "python3 * keep-findings *" → ""
MOCK: "python3 * create *" → ""
MOCK: "python3 * add-tasks *" → ""
MOCK: "python3 * update-task *" → "", …
MOCK: "python3 * propagate-blocks *" → ""
MOCK: Task(builder) → { status: "complete", reason: "" }, …
MOCK: Task(observer) → ["write tests first"]

TEST: two rounds of building, and a lesson
  MOCK: "python3 * ready-tasks *" → [{ seq: 1 }, { seq: 2 }], [{ seq: 3 }], []
  MOCK: "python3 * cascade-status *" → { state: "done", ready: 0, unreachable: [] }
  MOCK: "python3 * summary *" → { complete: 3, blocked: 0, causes: [] }
  EXPECT: states INIT, EXPLORE, PLAN, REGISTER, EXECUTE, EXECUTE, EXECUTE, CASCADE, OBSERVE, COMPLETE
  EXPECT: calls Task(builder) == 3
  EXPECT: event OBSERVED lessons=1
  EXPECT: returned.complete == 3
  EXPECT: snapshot

TEST: the task list refuses the plan
  MOCK: "python3 * add-tasks *" → exit 1 stderr "tasks wait for each other"
  EXPECT: event PLAN_REJECTED
  EXPECT: failed plan_rejected

TEST: the same tasks stay ready
  MOCK: "python3 * ready-tasks *" → [{ seq: 1 }], …
  MOCK: "python3 * cascade-status *" → { state: "in_progress", ready: 1, unreachable: [] }
  EXPECT: event STUCK ready=1 times 1
  EXPECT: event READY_TASKS times 4
  EXPECT: event STATE_ENTRY state="ERROR" error_type="cascade_stuck"
  EXPECT: failed cascade_stuck

TEST: a blocked task causes a new plan, at most twice
  MOCK: Task(planner) → { decision: "PROCEED", plan: {} }, { plan: { tasks: [4] } }, { plan: { tasks: [5] } }
  MOCK: "python3 * ready-tasks *" → [], …
  MOCK: "python3 * cascade-status *" → { state: "stuck", ready: 0, unreachable: [1, 2] }, …
  MOCK: "python3 * replan-input *" → "{}", …
  MOCK: "python3 * merge-plan *" → "", …
  MOCK: "python3 * summary *" → { complete: 0, blocked: 3, causes: ["the network"] }
  EXPECT: event CASCADE_REPLAN times 2
  EXPECT: event OBSERVATION_SKIPPED cause="the network"
  EXPECT: calls Task(observer) == 0
  EXPECT: event CASCADE_PROPAGATE tasks=2
  EXPECT: snapshot
  EXPECT: returned

TEST: there are at most twenty rounds
  MOCK: "python3 * ready-tasks *" → [{ seq: 1 }], [{ seq: 2 }], [{ seq: 3 }], [{ seq: 4 }], [{ seq: 5 }], [{ seq: 6 }], [{ seq: 7 }], [{ seq: 8 }], [{ seq: 9 }], [{ seq: 10 }], [{ seq: 11 }], [{ seq: 12 }], [{ seq: 13 }], [{ seq: 14 }], [{ seq: 15 }], [{ seq: 16 }], [{ seq: 17 }], [{ seq: 18 }], [{ seq: 19 }], [{ seq: 20 }]
  MOCK: "python3 * cascade-status *" → { state: "done", ready: 0, unreachable: [] }
  MOCK: "python3 * summary *" → { complete: 20, blocked: 0, causes: [] }
  EXPECT: event MAX_ITERATIONS count=20
  EXPECT: calls Task(builder) == 20
  EXPECT: returned

TEST: tasks that change again are progress
  MOCK: "python3 * ready-tasks *" → [{ seq: 1 }], [{ seq: 1 }], [{ seq: 1 }], [{ seq: 2 }], [{ seq: 2 }], [{ seq: 2 }], []
  MOCK: "python3 * cascade-status *" → { state: "done", ready: 0, unreachable: [] }
  MOCK: "python3 * summary *" → { complete: 2, blocked: 0, causes: [] }
  EXPECT: event STUCK times 0
  EXPECT: returned

TEST: three of four explorers are enough
  MOCK: Task(explorer) → { found: 1 }, { found: 2 }, { found: 3 }, hangs
  MOCK: "python3 * ready-tasks *" → []
  MOCK: "python3 * cascade-status *" → { state: "done", ready: 0, unreachable: [] }
  MOCK: "python3 * summary *" → { complete: 0, blocked: 0, causes: [] }
  EXPECT: event EXPLORED answers=3
  EXPECT: returned
