INPUT: spec

STATE: CODE
  TRACK: tries
  TRACK: hint = ""
  INCREMENT: tries
  DO: work = Task(coder) "{spec}{hint}"
  DO [ok=0,1]: tests = run-tests 2>&1
  IF: exit_code(tests) == 0 → GOTO: SHIP
  IF: tries >= 3 → FAIL: the tests still fail after {tries} attempts
  SET: hint = " -- This was tried before, but the tests failed. They printed: " + string(tests)
  GOTO: CODE

STATE: SHIP
  DO [once]: ship-it
  RETURN: shipped after {tries} attempts
