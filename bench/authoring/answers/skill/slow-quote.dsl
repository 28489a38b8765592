STATE: LIVE
  DO [timeout=2s]: price = live-quote
  RETURN: live {price}
  ON ERROR timeout: → GOTO: STORED

STATE: STORED
  DO: price = stored-quote
  RETURN: stored {price}
