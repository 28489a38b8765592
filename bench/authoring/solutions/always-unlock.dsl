STATE: LOCK
  DO: lock-env
  GOTO: MIGRATE

STATE: MIGRATE
  DO: migrate-data
  DO: unlock-env
  RETURN: migrated
  ON ERROR: →
    IF: tool == "migrate-data" → DO: unlock-env
    FAIL: the migration failed: {error}
