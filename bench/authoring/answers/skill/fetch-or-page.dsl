STATE: FETCH
  DO: log = mktemp -t fetch.XXXXXX
  DO [ok=any timeout=2s]: data = fetch-data 2>{log}
  IF: exit_code(data) == 0 → RETURN: {data}
  IF: exit_code(data) == 22 → RETURN: no data
  GOTO: PAGE with log
  ON ERROR timeout: → GOTO: MIRROR

STATE: MIRROR
  DO: log = mktemp -t fetch.XXXXXX
  DO [ok=any]: data = fetch-mirror 2>{log}
  IF: exit_code(data) == 0 → RETURN: {data}
  GOTO: PAGE with log

STATE: PAGE
  DO: why = tail -n 1 {log}
  DO: page-oncall {why}
  FAIL: no data could be fetched: {why}
