INPUT: mode = "fast" (one of: fast, full)
DO: unit-tests
IF: mode == "full" → DO: slow-tests
RETURN: {mode} ok
