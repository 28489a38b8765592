INPUT: task

STATE: JUNIOR
  TRACK: tries
  TRACK: hint = ""
  INCREMENT: tries
  DO: work = Task(junior) "{task}{hint}"
  GOTO: VERIFY_JUNIOR
  ON ERROR: → GOTO: NEXT

STATE: VERIFY_JUNIOR
  DO [ok=0,1]: report = verify-work 2>&1
  IF: exit_code(report) == 0 → RETURN: done by junior
  SET: hint = " -- This was tried before, but it was not right. The check printed: " + string(report)
  GOTO: NEXT

STATE: NEXT
  IF: tries < 2 → GOTO: JUNIOR
  GOTO: SENIOR

STATE: SENIOR
  DO: work = Task(senior) "{task}{hint}"
  DO [ok=0,1]: report = verify-work 2>&1
  IF: exit_code(report) == 0 → RETURN: done by senior
  FAIL: the work of senior is not right: {report}
