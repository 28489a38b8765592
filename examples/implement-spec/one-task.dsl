# One task with its gates: a cheap agent has two attempts, then a better one starts over.
#
#   cd "$(sh examples/implement-spec/copy.sh)" && statedsl run one-task.dsl --worktree

STEP: count type=code
  PROMPT: "Write `count`, the command that prints how many words a file has."
  AGENT: junior with max_turns=40
  GATE: compile, test, untouched "tests/**", validate review with task="count", diff={count.diff}
  RETRY:
    ATTEMPT 3 → AGENT senior, SESSION new, WORKTREE reset
    EXIT 4
