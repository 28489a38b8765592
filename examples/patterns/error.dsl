# std/error in use: the state ERROR reports a failure the same way in every program.
#   statedsl run examples/patterns/error.dsl
IMPORT: "std/error"

INPUT: advice = "" (string)

STATE: WORK
  DO: cat -- missing.txt
  RETURN: done

STATE: ERROR
  USE: ERROR_PATTERN with advice
