INPUT: host (string)
DO [ok=0,1,2]: said = probe-host {host}
IF: exit_code(said) == 0 → RETURN: up
IF: exit_code(said) == 1 → RETURN: down
RETURN: unknown
