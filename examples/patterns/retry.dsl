# std/retry in use: a script gets several attempts, with pauses.
#   statedsl run examples/patterns/retry.dsl -i script=YOUR-SCRIPT
IMPORT: "std/retry"

INPUT: script = "scripts/publish.sh" (string)

STATE: PUBLISH
  USE: RETRY_PATTERN with script={script}, attempts=4, pause="10s"
  IF: NOT succeeded → FAIL "publishing failed {attempts_used} times"
  RETURN: published at attempt {attempts_used}
