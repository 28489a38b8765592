# std/error: the body of an ERROR state that reports the failure and ends the run as failed.
#
#   STATE: ERROR
#     USE: ERROR_PATTERN
#
# It reads the names that every failure sets: error_type, tool, error, exit_code, from_state and line. A program that
# goes here itself (`GOTO: ERROR with error_type="stuck", error="…"`) may leave some of them out.
#
# Parameters
#   advice  what a person should do next; it is added to the result (default: empty)
#
# It always leaves the state: RETURN in the state ERROR ends the run as failed, with exit code 1.

PATTERN: ERROR_PATTERN with advice=""
  EMIT: RUN_FAILED error_type={error_type} [from={from_state}] [tool={tool}] [exit={exit_code}]
  IF: advice is empty → RETURN: {error_type}: {error}
  RETURN: {error_type}: {error}; {advice}
