INPUT: host

STATE: PROBE
  DO [ok=0,1,2]: probe = probe-host {host}
  IF: exit_code(probe) == 0 → RETURN: up
  IF: exit_code(probe) == 1 → RETURN: down
  RETURN: unknown
