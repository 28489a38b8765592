STATE: FETCH
  DO [timeout=2s ok=0,22]: data = fetch-data
  IF: exit_code(data) == 22 → RETURN: no data
  RETURN: {data}
  ON ERROR timeout: → GOTO: MIRROR

STATE: MIRROR
  DO: data = fetch-mirror
  RETURN: {data}

STATE: ERROR
  DO: page-oncall {error}
  RETURN: {error}
