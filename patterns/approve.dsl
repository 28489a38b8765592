# std/approve: a person says yes before the program goes on.
#
#   USE: APPROVE_PATTERN with question="Publish {version}?", otherwise=CANCELLED
#
# On a terminal the question is asked there. Elsewhere the run is suspended, with exit code 75, until it is answered.
#
# Parameters
#   question   what is asked
#   otherwise  the state to go to when the answer is no
#
# Leaves behind, in the state that uses it
#   approval  "yes": with "no" the state is left

PATTERN: APPROVE_PATTERN with question, otherwise
  ASK user: "{question}" → approval choices=yes,no
  EMIT: APPROVAL answer={approval}
  IF: approval == "no" → GOTO {otherwise}
