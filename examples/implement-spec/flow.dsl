# From a specification to tested code. A planner divides the specification into tasks. A cheap agent works on each task
# until its gates pass; after two attempts a better agent starts over. At the end, gates check the whole project.
#
#   cd "$(sh examples/implement-spec/copy.sh)"
#   statedsl run flow.dsl --worktree -i spec=@spec.md && statedsl apply
#
# `workflow.yaml` is the same flow in the other spelling.

MACHINE: words

INPUT: spec
LIMIT: cost=5

STEP: plan type=split
  PROMPT:
    Divide this into tasks, with the files that each may change.

    {spec}
  AGENT: planner with max_turns=20
  GATE: schema
  EACH:
    STEP: build type=code
      PROMPT:
        {task.description}
        Change only {task.files}.
      AGENT: junior with max_turns=40, max_cost=0.50
      GATE:
        compile
        bash "sh -- tools/test.sh {task.name}" as test
        untouched "tests/**"
        validate review with task={task.description}, diff={build.diff}
      RETRY:
        NOT gate.review → PROMPT
          {task.description}
          Change only {task.files}. A reviewer said about the last attempt:
          {gate.review.comments}
        ATTEMPT 3 → AGENT senior, SESSION new, WORKTREE reset
        EXIT 4

STEP: quality
  GATE: compile, test, coverage 100

STEP: note type=artifact
  SESSION: from=plan
  PROMPT: "Tell in one line what was done in {plan/count/build.files} and {plan/longest/build.files}."
  AGENT: planner
  GATE: expr len(note.output) <= 80 as short
