# std/explore: several explorers look at one question at the same time; enough of them decide.
#
#   USE: EXPLORE_PATTERN with objective={task}
#
# One agent `explorer` is started for each entry of modes, all at once. It gets `mode`, `objective` and `context` at
# the end of its prompt and answers with JSON or text. As soon as `quorum` explorers have answered, the others are
# stopped; an explorer that fails does no harm while the quorum can still be reached. Give the agent a program in
# statedsl.config.yaml, or say `--agent explorer=NAME`.
#
# Parameters
#   objective  what this is all about
#   modes      one explorer each (default: structure, pattern, memory, delta)
#   quorum     answers that are enough (default: 3)
#   limit      how long to wait for them (default: 300s)
#   context    anything else the explorers should read (default: empty)
#
# Leaves behind, in the state that uses it
#   found      list of the answers, in the order of modes
#   missing    list of the modes without an answer
#   timed_out  whether the time ran out
#
# Fewer answers than the quorum: if explorers failed, their failure goes to ERROR; if the time ran out, the pattern
# goes to ERROR with error_type="quorum_failure". A caller that wants to go on with less asks for a smaller quorum.

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
