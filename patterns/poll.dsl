# std/poll: runs a script again and again until it says that something is done, or time runs out.
#
#   USE: POLL_PATTERN with script="scripts/is-deployed.sh", args=[{version}], limit="10m"
#   IF: timed_out → GOTO ERROR with error_type="timeout", error="not deployed in time"
#
# A value is never a command, so the parameter is the path of a bash script, and its arguments a list. The script says
# "done" with exit code 0 and "not yet" with any other; what it prints goes to the log. A script that cannot be read is a
# failure at once, since no time would make it say "done".
#
# Parameters
#   script  path of a bash script, relative to the run's directory
#   args    its arguments (default: none)
#   limit   how long to try (default: 300s)
#   every   pause between two tries (default: 5s)
#
# Leaves behind, in the state that uses it
#   done       true or false, from the last try
#   timed_out  whether the time ran out before it was done

PATTERN: POLL_PATTERN with script, args=[], limit="300s", every="5s"
  DO: head -c 0 -- {script}
  WAIT: done OR timeout={limit} [every={every}]
    CHECK: done = if bash -- {script} {args*} >&2; then echo true; else echo false; fi

# The same for a script that prints one JSON object with a field `status`: the wait is over when the status is one of
# `until`. Whatever else it may become is an answer too, so list every final status and look at `status` afterwards.
#
#   USE: POLL_STATUS_PATTERN with script="scripts/build.sh", until=["passed", "failed"]
#   IF: status == "failed" → GOTO: FIX
#
# Leaves behind: report (the last object), status (its field) and timed_out.

PATTERN: POLL_STATUS_PATTERN with script, until, args=[], limit="300s", every="5s"
  WAIT: report.status in until OR timeout={limit} [every={every}]
    CHECK: report = bash -- {script} {args*}
  DO: status = report.status
