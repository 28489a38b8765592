STATE: COUNT
  DO: number = count-backups
  IF: int(number) == 0 → RETURN: nothing to do
  ASK user: "Delete {number} old backups?" → go choices=yes,no
  IF: go == "no" → RETURN: kept
  DO: delete-backups
  RETURN: deleted {number}
