INPUT: mode = "fast"
DO: unit-tests
IF: mode == "full" → DO: slow-tests
RETURN: {mode} ok
