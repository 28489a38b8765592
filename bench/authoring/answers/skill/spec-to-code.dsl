INPUT: spec

STATE: BUILD
  TRACK: passed = false
  TRACK: hint = ""
  DO: tasks = Task(planner) "Divide this spec into tasks: {spec}. Answer only a JSON list: [{\"name\": \"…\", \"description\": \"…\"}]"
  FOR EACH: task in tasks:
    SET: passed = false
    SET: hint = ""
    FOR EACH: attempt in [1, 2, 3]:
      IF: NOT passed →
        IF: attempt < 3 →
          DO: work = Task(coder) "{task.description}{hint}"
        ELSE →
          DO: work = Task(expert) "{task.description}{hint}"
        DO [ok=0,1]: tests = test-task {task.name} 2>&1
        IF: exit_code(tests) != 0 →
          SET: hint = " -- This was tried before, but the tests failed. They printed: " + string(tests)
        ELSE →
          DO: review = Task(reviewer) "Review the work on the task {task.name}: {task.description}. Answer only JSON: {\"pass\": true, \"comments\": \"…\"}"
          IF: review.pass == true →
            SET: passed = true
          ELSE →
            SET: hint = " -- This was tried before, but the reviewer did not agree: " + string(default(review.comments, ""))
    IF: NOT passed → FAIL: the task {task.name} failed three times
  DO: test-all
  RETURN: built {len(tasks)} tasks
