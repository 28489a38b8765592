STATE: SUITE
  TRACK: rounds
  INCREMENT: rounds
  DO [ok=0,1]: ran = run-suite
  IF: exit_code(ran) == 0 → RETURN: green after {rounds}
  IF: rounds >= 5 → FAIL: still red after {rounds} rounds
  DO: clear-cache
  GOTO: SUITE
