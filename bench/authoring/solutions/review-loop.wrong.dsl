INPUT: topic (string)

STATE: WRITE
  TRACK: texts
  INCREMENT: texts
  DO: draft = Task(writer) "Write a product text about {topic}."
  DO: verdict = Task(critic) "Read this product text. Answer in JSON with ok and comments." with draft
  IF: verdict.ok → DO: publish-text {draft}, RETURN: published after {texts}
  IF: texts >= 3 → FAIL: the critic did not like {texts} texts
  GOTO: WRITE
