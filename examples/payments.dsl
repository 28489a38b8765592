# Pays two people, each of them once. Kill it at any moment, even with `kill -9`: `statedsl resume` completes the run.
INPUT: pause = 3

STATE: PAY
  DO: rm -f ledger.txt
  # A command that was interrupted runs again with the same id, so the ledger can refuse what it has already.
  DO: grep -qs "$STATEDSL_EFFECT_ID" ledger.txt || echo "to Ada, $STATEDSL_EFFECT_ID" >> ledger.txt
  DO: sleep -- {pause}
  # Where nothing can refuse: with `once`, an interrupted command waits until a person decides.
  DO [once]: echo "to Grace" >> ledger.txt
  CHECK: payments = wc -l < ledger.txt
  DO: rm -f ledger.txt
  RETURN: {payments} payments
