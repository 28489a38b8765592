INPUT: task (string)
STEP: work
  PROMPT: "{task}"
  AGENT: junior
  GATE: bash "verify-work" as verify
  RETRY:
    ATTEMPT 2 → PROMPT "{task} This was wrong: {error}"
    ATTEMPT 3 → AGENT senior, SESSION new
    EXIT 3
RETURN: done by {work.agent}
