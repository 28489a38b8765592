# One task, from question to lesson: explore, plan, build until the check passes, and observe.
#
#   statedsl run examples/task/task.dsl
#   statedsl run examples/task/task.dsl -i scenario=never-passes
#
# The agents are stand-ins (agents/agent.py). The builder writes a small script and the check runs it.

MACHINE: task

IMPORT: "std/init"
IMPORT: "std/explore"
IMPORT: "std/plan"
IMPORT: "std/error"

INPUT: task = "a script that greets the person it is given" (string)
INPUT: scenario = "smooth" (one of: smooth, second-try, never-passes, builder-hangs)
INPUT: work = ".statedsl/examples/task" (string)
INPUT: patience = "60s" (string)  # how long one build may take

LIMIT: transitions=100 time=10m

STATE: INIT
  EMIT: STATE_ENTRY state=INIT
  USE: INIT_PATTERN with root={work}
  TRACK: desk = session_dir
  GOTO: EXPLORE

STATE: EXPLORE
  EMIT: STATE_ENTRY state=EXPLORE
  USE: EXPLORE_PATTERN with objective={task}, modes=["structure", "memory"], quorum=2
  EMIT: PHASE_TRANSITION from=explore to=plan
  GOTO: PLAN with notes={found}

STATE: PLAN
  EMIT: STATE_ENTRY state=PLAN
  USE: PLAN_PATTERN with input={task}, next_state=BUILD, context={notes}, limit=2

STATE: BUILD
  EMIT: STATE_ENTRY state=BUILD
  TRACK: attempts
  TRACK: complaint = ""
  IF: attempts >= 3 → GOTO ERROR with error_type="gave_up", error="{attempts} builds, and still: {complaint}"
  INCREMENT: attempts

  # The builder's answer is the script itself, so it goes into a file.
  DO [timeout={patience}]: Task(builder) "Write the script. Answer with its text only." with plan, complaint, scenario, attempts > {desk}/greet.sh
  CHECK: verdict = if out="$(bash -- {desk}/greet.sh Ada 2>&1)" && [ "$out" = "Hello, Ada" ]; then echo pass; else echo "greet.sh printed: $out"; fi
  EMIT: CHECKED attempt={attempts} verdict={verdict}
  IF: verdict == "pass" → EMIT: PHASE_TRANSITION from=build to=observe, GOTO OBSERVE
  SET: complaint = verdict
  GOTO: BUILD

  ON ERROR timeout: → EMIT: BUILD_TIMED_OUT after={patience}, GOTO ERROR with error_type="timeout", error="the builder did not answer"

STATE: OBSERVE
  EMIT: STATE_ENTRY state=OBSERVE
  DO: lesson = Task(observer) "One sentence: what can be learned?" with attempts, complaint
  EMIT: PHASE_TRANSITION from=observe to=complete
  GOTO: COMPLETE with lesson

STATE: COMPLETE
  EMIT: STATE_ENTRY state=COMPLETE
  RETURN: done after {attempts} builds; {lesson}

STATE: ERROR
  EMIT: STATE_ENTRY state=ERROR error_type={error_type}
  USE: ERROR_PATTERN
