STATE: CACHE
  TRACK: attempts
  SET: attempts = 2
  GOTO: START with name="cache", port="6001"

STATE: QUEUE
  SET: attempts = 5
  GOTO: START with name="queue", port="6002"

STATE: WEB
  SET: attempts = 3
  GOTO: START with name="web", port="8080"

STATE: START
  TRACK: tries
  SET: tries = 0
  DO: start-service {name} {port}
  GOTO: PROBE with name, port

STATE: PROBE
  INCREMENT: tries
  DO [ok=any]: health = service-health {port}
  IF: exit_code(health) == 0 → GOTO: NEXT with name
  IF: tries >= attempts → GOTO: STOP with name
  WAIT: 1s
  GOTO: PROBE with name, port

STATE: STOP
  DO: stop-service {name}
  FAIL: {name} did not become healthy

STATE: NEXT
  IF: name == "cache" → GOTO: QUEUE
  IF: name == "queue" → GOTO: WEB
  RETURN: all up
