# std/poll in use: waits until a script says that something is done, by its exit code or by a status.
#   statedsl run examples/patterns/poll.dsl -i script=YOUR-SCRIPT
IMPORT: "std/poll"

INPUT: script = "scripts/is-deployed.sh" (string)

STATE: DEPLOYED
  USE: POLL_PATTERN with script={script}, limit="10m", every="1m"
  IF: timed_out → FAIL "timeout" with script
  GOTO: BUILT

STATE: BUILT
  USE: POLL_STATUS_PATTERN with script={script}, until=["passed", "failed"], every="30s"
  RETURN: {status}
