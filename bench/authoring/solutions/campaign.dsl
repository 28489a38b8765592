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
  TRACK: blocked = []
  INCREMENT: plans
  DO: plan = Task(planner) "Plan {goal}. Answer in JSON with tasks. Scouts saw: {seen}. Blocked: {blocked:json}"
  SET: blocked = []
  DO: tasks = plan.tasks
  FOR EACH: task in tasks in PARALLEL [max=3]:
    DO [ok=0,9]: result = do-task {task}
    DO: code = exit_code(result)
  FOR EACH: at in range(len(tasks)):
    IF: code[at] == 9 → SET: blocked = blocked + [tasks[at]]
  IF: blocked is empty → RETURN: done after {plans} plans
  IF: plans > 2 → FAIL: tasks are still blocked
  GOTO: PLAN
