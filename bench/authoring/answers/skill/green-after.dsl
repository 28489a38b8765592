STATE: RUN
  TRACK: runs
  INCREMENT: runs
  DO [ok=0,1]: suite = run-suite
  IF: exit_code(suite) == 0 → RETURN: green after {runs}
  IF: runs >= 5 → FAIL: still red after {runs} runs
  DO: clear-cache
  GOTO: RUN
