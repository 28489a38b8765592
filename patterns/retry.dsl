# std/retry: runs a script until it succeeds, a limited number of times, and reports the result.
#
#   USE: RETRY_PATTERN with script="scripts/publish.sh", args=[{version}], attempts=4, pause="10s"
#   IF: NOT succeeded → GOTO ERROR with error_type="tool_failure", error="publishing failed {attempts_used} times"
#
# `DO [retry=3]: command` is shorter if the number is fixed and a failure should go to ERROR. This pattern is for numbers
# that are values, and for callers that handle a failure themselves.
# The parameter is the path of a bash script, because a value is never a command. If the script cannot be read, the
# pattern fails at once, because another attempt would not help.
#
# Parameters
#   script    path of a bash script, relative to the run's directory
#   args      its arguments (default: none)
#   attempts  the maximum number of attempts (default: 3)
#   pause     the pause before another attempt (default: 1s)
#
# Leaves behind, in the state that uses it
#   succeeded      whether an attempt ended with exit code 0
#   attempts_used  the number of attempts

PATTERN: RETRY_PATTERN with script, args=[], attempts=3, pause="1s"
  DO: head -c 0 -- {script}
  DO: succeeded = (false)
  DO: attempts_used = 0
  FOR EACH: attempt in range(1, attempts + 1):
    IF: NOT succeeded →
      IF: attempt > 1 → WAIT: {pause}
      SET: attempts_used = attempt
      CHECK: succeeded = if bash -- {script} {args*} >&2; then echo true; else echo false; fi
      IF: NOT succeeded → EMIT: ATTEMPT_FAILED script={script} attempt={attempt} of={attempts}
