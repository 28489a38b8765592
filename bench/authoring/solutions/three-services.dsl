PATTERN: START with service, port, attempts, then_state
  DO: start-service {service} {port}
  DO: healthy = (false)
  FOR EACH: attempt in range(attempts):
    IF: NOT healthy →
      IF: attempt > 0 → WAIT: 50ms
      DO [ok=0,1]: probe = service-health {port}
      SET: healthy = exit_code(probe) == 0
  IF: NOT healthy →
    DO: stop-service {service}
    FAIL: {service} is not healthy
  GOTO: {then_state}

STATE: CACHE
  USE: START with service="cache", port=6001, attempts=2, then_state=QUEUE

STATE: QUEUE
  USE: START with service="queue", port=6002, attempts=5, then_state=WEB

STATE: WEB
  USE: START with service="web", port=8080, attempts=3, then_state=UP

STATE: UP
  RETURN: all up
