# std/explore: several explorers work on one question at the same time, and a quorum of answers is enough.
#
#   USE: EXPLORE_PATTERN with objective={task}
#
# The pattern starts one agent `explorer` for each entry of modes, all at once. The agent receives `mode`, `objective` and
# `context` at the end of its prompt and answers with JSON or text. When `quorum` explorers have answered, statedsl stops
# the others. An explorer that fails does no harm while the quorum can still be reached. Give the agent a program in
# statedsl.config.yaml, or use `--agent explorer=NAME`.
#
# Parameters
#   objective  the purpose of the exploration
#   modes      the modes; each has one explorer (default: structure, pattern, memory, delta)
#   quorum     the number of answers that is enough (default: 3)
#   limit      how long to wait for them (default: 300s)
#   context    other text for the explorers (default: empty)
#
# Leaves behind, in the state that uses it
#   found      the list of answers, in the order of modes
#   missing    the list of modes without an answer
#   timed_out  whether the time ran out
#
# If there are fewer answers than the quorum, the run goes to ERROR: with the failure of the explorers, or with
# error_type="quorum_failure" if the time ran out. To continue with fewer answers, choose a smaller quorum.

PATTERN: EXPLORE_PATTERN with objective, modes=["structure", "pattern", "memory", "delta"], quorum=3, limit="300s", context=""
  DO: FOR EACH mode in modes in PARALLEL [quorum={quorum}]:
    DO: finding = Task(explorer) "Explore the project in one mode and answer with JSON." with mode, objective, context
  WAIT: All complete OR timeout={limit}
  DO: found = []
  DO: missing = []
  FOR EACH: i in range(len(modes)):
    IF: finding[i] is null → SET: missing = missing + [modes[i]]
    ELSE → SET: found = found + [finding[i]]
  IF: len(found) < quorum →
    GOTO: ERROR with error_type="quorum_failure", error="{len(found)} of {len(modes)} explorers answered within {limit}, {quorum} are needed"
