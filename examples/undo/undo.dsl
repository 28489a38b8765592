# A release that can be undone: each action has an UNDO, and a failure performs all of them, newest first.
#
#   statedsl run examples/undo/undo.dsl
#   statedsl run examples/undo/undo.dsl -i scenario=shop-down
#   statedsl run examples/undo/undo.dsl -i scenario=shop-down -i undo=by-hand    (then: statedsl rollback RUN)
#
# It works in its own git repository, in a new folder for each run.

MACHINE: undo

INPUT: tag = "v1.2" (string)
INPUT: scenario = "smooth" (one of: smooth, shop-down)
INPUT: work = ".statedsl/examples/undo" (string)
INPUT: undo = "at-once" (one of: at-once, by-hand)  # whether the program itself rolls back a failure

STATE: PREPARE
  DO: desk = mkdir -p -- {work} && mktemp -d -- {work}/XXXXXX
  UNDO: rm -rf -- {desk}
  DO [cwd={desk}]:
    git init -q .
    git -c user.name=Ada -c user.email=ada@example.org commit -q --allow-empty -m "the work"
  GOTO: RELEASE with desk

STATE: RELEASE
  DO [cwd={desk}]: git tag -- {tag}
  UNDO [cwd={desk}]: git tag -d -- {tag}
  FOR EACH: shop in ["north", "south"] in PARALLEL:
    DO [cwd={desk}]: offer = echo {tag} > {shop}.offer && echo {shop}.offer
    UNDO [cwd={desk}]: rm -- {offer}
  IF: scenario == "shop-down" → FAIL "the shops do not answer" with asked=2
  RETURN: released {tag}

STATE: ERROR
  IF: undo == "by-hand" → RETURN: {error}
  ROLLBACK
  EMIT: ROLLED_BACK done={rollback.done} failed={rollback.failed}
  IF: rollback.failed is not empty → RETURN: {error}; not everything is undone
  RETURN: {error}; {rollback.done} steps are undone
