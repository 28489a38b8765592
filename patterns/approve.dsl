# std/approve: a person must say yes before the program continues.
#
#   USE: APPROVE_PATTERN with question="Publish {version}?", otherwise=CANCELLED
#
# On a terminal, statedsl asks the question there. Elsewhere the run is suspended, with exit code 75, until a person answers.
#
# Parameters
#   question   the question to ask
#   otherwise  the state to go to if the answer is no
#
# Leaves behind, in the state that uses it
#   approval  always "yes", because "no" leaves the state

PATTERN: APPROVE_PATTERN with question, otherwise
  ASK user: "{question}" → approval choices=yes,no
  EMIT: APPROVAL answer={approval}
  IF: approval == "no" → GOTO {otherwise}
