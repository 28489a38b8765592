# The loop that most people write first: run the tests. While they fail, show the output to an agent that edits the
# code. Stop after a few rounds, or when a round changes nothing.
#
#   statedsl run examples/fix-tests/fix-tests.dsl
#   statedsl run examples/fix-tests/fix-tests.dsl -i scenario=hopeless
#
# The project is a copy of the folder `project`, with two bugs; the agent is a stand-in that corrects one at a time.

MACHINE: fix-tests

INPUT: scenario = "mends" (one of: mends, hopeless, lazy)
INPUT: work = ".statedsl/examples/fix-tests" (string)
INPUT: rounds = 4

STATE: COPY
  TRACK: project = "{work}/{uuid()}"
  DO: mkdir -p -- {project} && cp -- {program_dir()}/project/* {project}
  GOTO: TEST

STATE: TEST
  TRACK: round
  # The exit code of a CHECK is data: 0 means that the tests pass. Its one line of output is the summary.
  CHECK [timeout=1m]: outcome = bash -- {project}/test.sh {project}
  EMIT: TESTED round={round} outcome={outcome}
  IF: exit_code(outcome) == 0 → RETURN: green after {round} rounds
  IF: round >= rounds → GOTO ERROR with error_type="gave_up", error="still {outcome} after {round} rounds"
  INCREMENT: round
  GOTO: FIX with outcome

STATE: FIX
  DO: before = cat -- {project}/calc.sh | cksum
  DO [timeout=5m retry=1]: Task(fixer) "The tests of this project fail. Edit calc.sh." with outcome, project, scenario
  DO: after = cat -- {project}/calc.sh | cksum
  IF: before == after → GOTO ERROR with error_type="no_change", error="the agent changed nothing"
  GOTO: TEST

STATE: ERROR
  EMIT: GAVE_UP error_type={error_type}
  RETURN: {error}
