INPUT: mode = "fast" (one of: fast, full)

STATE: TEST
  DO: unit-tests
  IF: mode == "full" →
    DO: slow-tests
  RETURN: {mode} ok
