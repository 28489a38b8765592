# std/plan: asks a planner until it has a plan. The planner may ask a limited number of questions.
#
#   USE: PLAN_PATTERN with input={objective}, next_state=REGISTER
#
# The agent `planner` receives `input`, `context` and the questions answered so far, and answers with one JSON object:
#   {"decision": "PROCEED", "plan": …}                 the plan is ready
#   {"decision": "CLARIFY", "questions": ["…", …]}      it needs answers
#   {"decision": "CONFIRM", "selection": "…"}           it needs a yes to continue
# Any other answer is unclear, and the pattern asks the planner again.
#
# Parameters
#   input       what to plan
#   next_state  the state that receives the plan, as its entry value `plan`
#   this_state  the state that uses this pattern; another round begins there (default: PLAN)
#   context     other text for the planner (default: empty)
#   reply       answers every question, for runs without a person; if it is empty, the user answers (default: empty)
#   limit       the number of rounds without a plan that are allowed (default: 5)
#
# Leaves behind, for the whole run
#   clarify_count   the number of rounds so far
#   clarifications  a list of {question, answer}
#
# It always leaves the state: to next_state or to this_state. After the last round it ends the run and returns the questions.

PATTERN: PLAN_PATTERN with input, next_state, this_state="PLAN", context="", reply="", limit=5
  TRACK: clarify_count
  TRACK: clarifications = []
  IF: clarify_count >= limit →
    EMIT: CLARIFY_EXHAUSTED count={clarify_count}
    RETURN: no plan after {clarify_count} rounds; asked and answered so far: {clarifications}

  DO: proposal = Task(planner) "Plan the work and answer with one JSON object." with input, context, clarifications
  DO: decision = ""
  # An answer in prose is a text, which has no fields.
  IF: proposal is valid JSON → SET: decision = default(proposal.decision, "")
  IF: decision == "PROCEED" → GOTO {next_state} with plan={proposal.plan}

  INCREMENT: clarify_count
  IF: decision == "CLARIFY" →
    DO: question = "What should the planner know?"
    IF: proposal.questions? is not empty → SET: question = join(proposal.questions, " ")
  ELSE IF: decision == "CONFIRM" →
    DO: question = "{proposal.selection} – is that right?"
  ELSE →
    EMIT: "the planner's answer has no decision; asking it again"
    GOTO: {this_state}

  EMIT: CLARIFY count={clarify_count}
  IF: reply is empty →
    ASK user: "{question}" → answer
  ELSE →
    DO: answer = reply
  SET: clarifications = clarifications + [{"question": question, "answer": answer}]
  GOTO: {this_state}
