INPUT: spec (string)
STATE: CODE
  TRACK: attempts
  INCREMENT: attempts
  DO: Task(coder) "{spec}"
  DO [ok=0,1]: tests = run-tests
  IF: exit_code(tests) == 0 → DO: ship-it, RETURN: shipped
  IF: attempts >= 3 → FAIL: the tests still fail
  GOTO: CODE
