# What the build runs once, so that the parts most programs need are compiled when it is over.
INPUT: objective = "look around"
LIMIT: transitions=100

PATTERN: SHOW with text
  EMIT: SHOWN text={text}

STATE: START
  TRACK: n
  INCREMENT: n
  DO: echo "{objective}"
  CHECK: ready = echo '{"tasks": [1, 2], "status": "ok"}'
  IF: ready.status != "ok" OR n > 3 → GOTO ERROR
  USE: SHOW with text="all of {ready.tasks}"
  FOR EACH: t in ready.tasks in PARALLEL [max=2]:
    DO: x = printf %s {t}
  IF: n < 2 → GOTO START
  ELSE → EMIT: "done after {n}", GOTO DONE with text="end"

STATE: DONE
  RETURN: {text}

STATE: ERROR
  RETURN: {error}
