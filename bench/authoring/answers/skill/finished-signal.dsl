INPUT: name

STATE: SUBMIT
  DO [once]: job = submit-job {name}
  WAIT: signal finished OR timeout=20h
  IF: timed_out →
    DO: retract-job {job}
    FAIL: job {job} did not finish within twenty hours
  IF: finished.status? == "ok" →
    DO: publish-result {finished.url}
    RETURN: published
  DO: retract-job {job}
  FAIL: job {job} did not end well
