# std/poll: runs a script repeatedly until it reports that something is done, or until the time is over.
#
#   USE: POLL_PATTERN with script="scripts/is-deployed.sh", args=[{version}], limit="10m"
#   IF: timed_out → GOTO ERROR with error_type="timeout", error="not deployed in time"
#
# A value is never a command. Therefore the parameter is the path of a bash script, with a list of arguments. Exit code 0
# means "done", and any other means "not yet". The output goes to the log. If the script cannot be read, the pattern
# fails at once, because waiting would not help.
#
# Parameters
#   script  path of a bash script, relative to the run's directory
#   args    its arguments (default: none)
#   limit   how long to repeat it (default: 300s)
#   every   the pause between two attempts (default: 5s)
#
# Leaves behind, in the state that uses it
#   done       true or false, from the last attempt
#   timed_out  whether the time was over before it was done

PATTERN: POLL_PATTERN with script, args=[], limit="300s", every="5s"
  DO: head -c 0 -- {script}
  WAIT: done OR timeout={limit} [every={every}]
    CHECK: done = if bash -- {script} {args*} >&2; then echo true; else echo false; fi

# The same for a script that prints one JSON object with a field `status`. The wait ends when the status is one of
# `until`. List every final status, including those for a failure, and test `status` afterwards.
#
#   USE: POLL_STATUS_PATTERN with script="scripts/build.sh", until=["passed", "failed"]
#   IF: status == "failed" → GOTO: FIX
#
# It binds report (the last object), status (its field) and timed_out.

PATTERN: POLL_STATUS_PATTERN with script, until, args=[], limit="300s", every="5s"
  WAIT: report.status in until OR timeout={limit} [every={every}]
    CHECK: report = bash -- {script} {args*}
  DO: status = report.status
