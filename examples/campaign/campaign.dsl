# A campaign: four agents explore a project, a planner makes a plan, and agents do its tasks in parallel. If a blocked task
# blocks others, the planner revises the plan. At the end an observer draws lessons.
#
#   statedsl run examples/campaign/campaign.dsl
#   statedsl run examples/campaign/campaign.dsl -i scenario=cascade
#
# The agents and the task list are stand-ins (agents/agent.py and tools/campaign.py), so you can try all of it
# without an account. `scenario` makes one of them misbehave. To use real agents, give `explorer`, `planner`, `builder`
# and `observer` another program in statedsl.config.yaml; this file does not change.

MACHINE: campaign

IMPORT: "std/init"
IMPORT: "std/explore"
IMPORT: "std/plan"
IMPORT: "std/error"

INPUT: objective = "add full-text search to the notes application"
INPUT: scenario = "smooth" (one of: smooth, explorer-crashes, quorum-failure, explorers-hang, planner-crashes, clarify, clarify-exhausted, unclear, cyclic-plan, builder-crashes, blocked, cascade, one-cause, stuck)
INPUT: work = ".statedsl/examples/campaign" (string)  # each run gets a new folder below it
INPUT: patience = "60s" (string)  # how long the explorers may take
INPUT: max_iterations = 20  # the maximum number of rounds of building
INPUT: reply = "" (string)  # answers the planner's questions; if it is empty, the user answers

LIMIT: transitions=200 time=15m

STATE: INIT
  EMIT: STATE_ENTRY state=INIT scenario={scenario}
  USE: INIT_PATTERN with mode=campaign, root={work}
  TRACK: desk = session_dir
  EMIT: PHASE_TRANSITION from=init to=explore
  GOTO: EXPLORE

STATE: EXPLORE
  EMIT: STATE_ENTRY state=EXPLORE agents=4
  USE: EXPLORE_PATTERN with objective, quorum=3, limit={patience}, context="scenario={scenario}"
  EMIT: EXPLORED answers={len(found)} missing={missing}
  DO: python3 {program_dir()}/tools/campaign.py keep-findings --desk={desk} <<< {found}
  EMIT: PHASE_TRANSITION from=explore to=plan
  GOTO: PLAN

STATE: PLAN
  EMIT: STATE_ENTRY state=PLAN
  USE: PLAN_PATTERN with input={objective}, next_state=REGISTER, context="scenario={scenario} desk={desk}", reply={reply}

STATE: REGISTER
  EMIT: STATE_ENTRY state=REGISTER
  DO: python3 {program_dir()}/tools/campaign.py create --desk={desk} --objective={objective}
  DO: python3 {program_dir()}/tools/campaign.py add-tasks --desk={desk} <<< {plan}
  EMIT: PHASE_TRANSITION from=register to=execute
  GOTO: EXECUTE

  # The task list refuses a plan with tasks that wait for each other.
  ON ERROR tool_failure: →
    EMIT: PLAN_REJECTED reason={error}
    GOTO: ERROR with error_type="plan_rejected", error={error}

STATE: EXECUTE
  EMIT: STATE_ENTRY state=EXECUTE
  TRACK: iteration_count
  TRACK: prior_ready = []
  TRACK: unchanged_count
  IF: iteration_count >= max_iterations → EMIT: MAX_ITERATIONS count={iteration_count}, GOTO CASCADE
  INCREMENT: iteration_count

  DO: ready_tasks = python3 {program_dir()}/tools/campaign.py ready-tasks --desk={desk}
  EMIT: READY_TASKS count={len(ready_tasks)} iteration={iteration_count}
  IF: ready_tasks is empty → EMIT: PHASE_TRANSITION from=execute to=cascade, GOTO CASCADE

  # If the same tasks are ready again and again, there is no progress.
  IF: ready_tasks == prior_ready → INCREMENT: unchanged_count
  ELSE → SET: unchanged_count = 0
  IF: unchanged_count >= 3 → EMIT: STUCK ready={len(ready_tasks)}, GOTO CASCADE
  SET: prior_ready = ready_tasks

  DO: FOR EACH task in ready_tasks in PARALLEL [max=3]:
    DO: built = Task(builder) "Do this task and answer with its status as JSON." with task, scenario, desk
    EMIT: TASK_DONE seq={task.seq} status={built.status}
    DO: python3 {program_dir()}/tools/campaign.py update-task --desk={desk} --seq={task.seq} --status={built.status} --reason={built.reason}
  GOTO: EXECUTE

STATE: CASCADE
  EMIT: STATE_ENTRY state=CASCADE
  TRACK: replan_count
  DO: cascade = python3 {program_dir()}/tools/campaign.py cascade-status --desk={desk}
  IF: cascade.state == "in_progress" →
    GOTO: ERROR with error_type="cascade_stuck", error="{cascade.ready} tasks are ready and none is completed"

  # A blocked task that blocks two others justifies a new plan, at most twice.
  IF: cascade.state == "stuck" AND len(cascade.unreachable) >= 2 AND replan_count < 2 →
    INCREMENT: replan_count
    EMIT: CASCADE_REPLAN affected={len(cascade.unreachable)}
    DO: situation = python3 {program_dir()}/tools/campaign.py replan-input --desk={desk}
    DO: revised = Task(planner) "Plan around the blocked tasks and answer with one JSON object." with situation, context="scenario={scenario} desk={desk}"
    IF: revised.plan? is not empty →
      DO: python3 {program_dir()}/tools/campaign.py merge-plan --desk={desk} <<< {revised.plan}
      EMIT: PHASE_TRANSITION from=cascade to=execute
      GOTO: EXECUTE

  IF: cascade.state == "stuck" →
    EMIT: CASCADE_PROPAGATE tasks={len(cascade.unreachable)}
    DO: python3 {program_dir()}/tools/campaign.py propagate-blocks --desk={desk}
  EMIT: PHASE_TRANSITION from=cascade to=observe
  GOTO: OBSERVE

STATE: OBSERVE
  EMIT: STATE_ENTRY state=OBSERVE
  DO: summary = python3 {program_dir()}/tools/campaign.py summary --desk={desk}
  # If one failure explains every blocked task and nothing was completed, there is no further lesson.
  IF: summary.complete == 0 AND len(summary.causes) == 1 →
    EMIT: OBSERVATION_SKIPPED cause={summary.causes[0]}
  ELSE →
    DO: lessons = Task(observer) "What can be learned from this campaign? Answer with JSON." with summary, scenario
    EMIT: OBSERVED lessons={len(lessons)}
  EMIT: PHASE_TRANSITION from=observe to=complete
  GOTO: COMPLETE with summary

STATE: COMPLETE
  EMIT: STATE_ENTRY state=COMPLETE
  EMIT: "Campaign complete: {summary.complete} done, {summary.blocked} blocked."
  RETURN with summary

STATE: ERROR
  EMIT: STATE_ENTRY state=ERROR error_type={error_type}
  USE: ERROR_PATTERN with advice="the work so far is below {work}"
