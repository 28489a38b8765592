INPUT: goal

STATE: SCOUT
  DO: in PARALLEL [max=4 quorum=3]:
    - a = Task(scout1) "Look at this goal and say what matters for reaching it: {goal}"
    - b = Task(scout2) "Look at this goal and say what matters for reaching it: {goal}"
    - c = Task(scout3) "Look at this goal and say what matters for reaching it: {goal}"
    - d = Task(scout4) "Look at this goal and say what matters for reaching it: {goal}"
  DO: plan = Task(planner) "Plan the tasks that reach the goal. The answers of the scouts are given, too. Answer only JSON: {\"tasks\": [\"a task\", \"another task\"]}" with goal, a, b, c, d
  GOTO: WORK with plan

STATE: WORK
  TRACK: plans
  TRACK: blocked = []
  INCREMENT: plans
  SET: blocked = []
  # only a blocked task fails its turn; other codes are judged below
  FOR EACH: job in plan.tasks in PARALLEL [max=3 on_failure=keep]:
    DO [ok=any]: result = do-task {job}
    IF: exit_code(result) == 9 → FAIL: "blocked"
    DO: code = exit_code(result)
  FOR EACH: one in failures:
    SET: blocked = blocked + [one.item]
  FOR EACH: number in code:
    IF: number is not null AND number != 0 → FAIL: a task failed with {number}
  IF: blocked is empty → RETURN: done after {plans} plans
  IF: plans >= 3 → FAIL: still blocked after {plans} plans
  DO: plan = Task(planner) "Some tasks of the last plan are blocked. Make a new plan for the goal. Answer only JSON: {\"tasks\": [\"a task\", \"another task\"]}" with goal, blocked
  GOTO: WORK with plan
