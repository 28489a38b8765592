STATE: LOCK
  DO: lock-env
  GOTO: MIGRATE

STATE: MIGRATE
  DO: migrate-data
  GOTO: UNLOCK
  ON ERROR: → GOTO: UNLOCK_BROKEN with why={error}

STATE: UNLOCK
  DO: unlock-env
  RETURN: migrated

STATE: UNLOCK_BROKEN
  DO: unlock-env
  FAIL: the migration failed: {why}
