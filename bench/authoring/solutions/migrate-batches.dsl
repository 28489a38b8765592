STATE: START
  TRACK: at
  DO: batches = list-batches
  GOTO: BATCH with batches

STATE: BATCH
  IF: at >= len(batches) → RETURN: moved {len(batches)} batches
  DO: copy-batch {batches[at]}
  GOTO: SWITCH with batches
  ON ERROR: →
    DO: report-stop {batches[at]}
    FAIL: {error}

STATE: SWITCH
  DO: switch-batch {batches[at]}
  GOTO: CONFIRM with batches
  ON ERROR: →
    DO: delete-copy {batches[at]}
    DO: report-stop {batches[at]}
    FAIL: {error}

STATE: CONFIRM
  DO: check-batch {batches[at]}
  INCREMENT: at
  GOTO: BATCH with batches
  ON ERROR: →
    DO: switch-back {batches[at]}
    DO: delete-copy {batches[at]}
    DO: report-stop {batches[at]}
    FAIL: {error}
