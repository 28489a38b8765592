INPUT: spec (string)
STEP: code
  PROMPT: "{spec}"
  AGENT: coder
  GATE: bash "run-tests" as tests
  RETRY:
    ATTEMPT 2 → PROMPT "{spec} The tests say: {error}"
    EXIT 3
DO: ship-it
RETURN: shipped
