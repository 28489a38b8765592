CHECK: count = count-backups
IF: count == 0 → RETURN: nothing to do
ASK user: "Delete {count} backups?" → go choices=yes,no
DO: delete-backups
RETURN: deleted {count}
