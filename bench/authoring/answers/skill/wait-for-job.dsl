STATE: JOB
  DO: start-job
  WAIT: phase == "done" OR phase == "broken" OR timeout=3s every=200ms
    CHECK: phase = job-state
  IF: timed_out → FAIL: the job is not done after three seconds
  IF: phase == "broken" → FAIL: the job is broken
  RETURN: done
