# std/retry: runs a script until it succeeds, a bounded number of times, and tells how it went.
#
#   USE: RETRY_PATTERN with script="scripts/publish.sh", args=[{version}], attempts=4, pause="10s"
#   IF: NOT succeeded → GOTO ERROR with error_type="tool_failure", error="publishing failed {attempts_used} times"
#
# `DO [retry=3]: command` is shorter where the number is known when the program is written and a failure should go to
# ERROR. This pattern is for numbers that are values and for callers that decide themselves.
# The parameter is the path of a bash script, because a value is never a command. A script that cannot be read is a
# failure at once, since no further try would help.
#
# Parameters
#   script    path of a bash script, relative to the run's directory
#   args      its arguments (default: none)
#   attempts  how often to try at most (default: 3)
#   pause     pause before a further try (default: 1s)
#
# Leaves behind, in the state that uses it
#   succeeded      whether a try ended with exit code 0
#   attempts_used  how many tries there were

PATTERN: RETRY_PATTERN with script, args=[], attempts=3, pause="1s"
  DO: head -c 0 -- {script}
  DO: succeeded = false
  DO: attempts_used = 0
  FOR EACH: attempt in range(1, attempts + 1):
    IF: NOT succeeded →
      IF: attempt > 1 → WAIT: {pause}
      SET: attempts_used = attempt
      CHECK: succeeded = if bash -- {script} {args*} >&2; then echo true; else echo false; fi
      IF: NOT succeeded → EMIT: ATTEMPT_FAILED script={script} attempt={attempt} of={attempts}
