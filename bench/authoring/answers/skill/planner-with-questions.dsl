INPUT: goal

STATE: PLAN
  TRACK: asked
  TRACK: talk = ""
  DO: reply = Task(planner) "Make a plan for this goal: {goal}. Answer only JSON: either {\"question\": \"…\"} if you must know something, or {\"plan\": [\"…\", \"…\"]}.{talk}"
  IF: reply.plan? is not null → GOTO: WORK with reply
  IF: asked >= 2 → FAIL: the planner asked a third question
  INCREMENT: asked
  ASK user: "{reply.question}" → info
  SET: talk = talk + " You asked: " + reply.question + " The answer was: " + info
  GOTO: PLAN

STATE: WORK
  IF: reply.plan is empty → FAIL: the plan is empty
  FOR EACH: item in reply.plan:
    DO: do-item {item}
  RETURN: done {len(reply.plan)}
