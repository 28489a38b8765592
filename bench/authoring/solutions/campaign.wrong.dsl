INPUT: goal (string)

STATE: SCOUT
  DO: in PARALLEL [quorum=3 max=4]
    - one = Task(scout1) "Look at: {goal}"
    - two = Task(scout2) "Look at: {goal}"
    - three = Task(scout3) "Look at: {goal}"
    - four = Task(scout4) "Look at: {goal}"
  GOTO: PLAN with seen="{one} {two} {three} {four}"

STATE: PLAN
  TRACK: plans
  INCREMENT: plans
  DO: plan = Task(planner) "Plan {goal}. Answer in JSON with tasks. Scouts saw: {seen}"
  DO: tasks = plan.tasks
  FOR EACH: task in tasks in PARALLEL [max=3 on_failure=keep]:
    DO: do-task {task}
  IF: failures is empty → RETURN: done after {plans} plans
  IF: plans > 2 → FAIL: tasks are still blocked
  GOTO: PLAN
