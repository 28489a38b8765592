# std/explore in use: agents look at a project from four sides, and three answers are enough.
#   statedsl run examples/patterns/explore.dsl
IMPORT: "std/explore"

INPUT: objective = "add a search" (string)

STATE: LOOK
  USE: EXPLORE_PATTERN with objective, limit="2m"
  RETURN: {len(found)} answers, missing: {missing}

STATE: ERROR
  RETURN: {error}
