INPUT: goal (string)

STATE: PLAN
  TRACK: questions
  TRACK: talk = ""
  DO: answer = Task(planner) "Make a plan for: {goal}. Answer in JSON with a question or a plan. {talk}"
  DO: question = default(answer.question, "")
  IF: question != "" →
    INCREMENT: questions
    IF: questions > 2 → FAIL: the planner asks too much
    ASK user: "{question}" → reply
    SET: talk += "You asked: {question} The answer: {reply} "
    GOTO: PLAN
  DO: items = answer.plan
  IF: items is empty → FAIL: the plan is empty
  FOR EACH: item in items:
    DO: do-item {item}
  RETURN: done {len(items)}
