INPUT: spec (string)

STATE: PLAN
  TRACK: at
  TRACK: attempt
  DO: tasks = Task(planner) "Divide this into tasks, as a list in JSON with name and description: {spec}"
  GOTO: TASK with tasks

STATE: TASK
  IF: at >= len(tasks) → GOTO: WHOLE
  SET: attempt = 0
  GOTO: ATTEMPT with task={tasks[at]}, tasks, why=""

STATE: ATTEMPT
  INCREMENT: attempt
  IF: attempt > 3 → FAIL: {task.name} failed three times
  DO: wanted = "{task.description} {why}"
  IF: attempt < 3 → DO: Task(coder) "{wanted}"
  ELSE → DO: Task(expert) "{wanted}"
  DO [ok=0,1]: tests = test-task {task.name}
  IF: exit_code(tests) == 1 → GOTO: ATTEMPT with task, tasks, why="The tests say: {tests}"
  DO: review = Task(reviewer) "Review this task. Answer in JSON with pass and comments. {task.description}"
  IF: NOT review.pass → GOTO: ATTEMPT with task, tasks, why="The reviewer says: {review.comments}"
  INCREMENT: at
  GOTO: TASK with tasks

STATE: WHOLE
  DO: test-all
  RETURN: built {at} tasks
