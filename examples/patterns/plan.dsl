# std/plan in use: a planner may ask questions before it proceeds.
#   statedsl run examples/patterns/plan.dsl
IMPORT: "std/plan"

INPUT: goal = "a search" (string)

STATE: PLAN
  USE: PLAN_PATTERN with input={goal}, next_state=BUILD, limit=2

STATE: BUILD
  RETURN with plan
