DO: start-job
WAIT: state == "done" OR state == "broken" OR timeout=3s [every=200ms]
  CHECK: state = job-state
IF: timed_out → FAIL: it was not done in time
IF: state == "broken" → FAIL: the job is broken
RETURN: done
