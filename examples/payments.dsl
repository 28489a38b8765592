# Pays two people, each of them once. Kill it at any moment, even with `kill -9`: `statedsl resume` completes the run.
INPUT: pause = 3

STATE: PAY
  DO: rm -f ledger.txt
  DO: echo "to Ada" >> ledger.txt
  DO: sleep -- {pause}
  DO: echo "to Grace" >> ledger.txt
  CHECK: payments = wc -l < ledger.txt
  DO: rm ledger.txt
  RETURN: {payments} payments
