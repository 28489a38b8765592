DO: printed = count-backups
DO: count = int(printed)
IF: count == 0 → RETURN: nothing to do
ASK user: "Delete {count} backups?" → go choices=yes,no
IF: go == "no" → RETURN: kept
DO: delete-backups
RETURN: deleted {count}
