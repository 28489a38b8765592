INPUT: name (string)
DO: job = submit-job {name}
WAIT: signal finished OR timeout=20h
IF: timed_out → DO: retract-job {job}, FAIL: nobody said that it is finished
IF: finished.status == "ok" → DO: publish-result {finished.url}, RETURN: published
DO: retract-job {job}
FAIL: the job is {finished.status}
