STATE: MOVE
  TRACK: current = ""
  DO: batches = list-batches
  FOR EACH: batch in batches:
    SET: current = batch
    DO: copy-batch {batch}
    UNDO: delete-copy {batch}
    DO: switch-batch {batch}
    UNDO: switch-back {batch}
    DO: check-batch {batch}
    KEEP
  RETURN: moved {len(batches)} batches

STATE: ERROR
  ROLLBACK
  IF: current != "" →
    DO: report-stop {current}
  FAIL: {error_type}: {error}
