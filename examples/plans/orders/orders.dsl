# An order from stock to letter: a state machine decides, and tools and a plan do the work.
#
#   statedsl run examples/plans/orders/orders.dsl
#   statedsl run examples/plans/orders/orders.dsl -i item=globe        (none is in stock)
#   statedsl run examples/plans/orders/orders.dsl -i card=expired      (the plan takes the other branch)
#
# The tools are functions of `tools.mjs`, described in `tools.yaml`; `fulfil.plan.json` connects four calls.

MACHINE: orders

INPUT: item = "atlas" (one of: atlas, globe)
INPUT: card = "good" (one of: good, expired)
INPUT: amount = 2

STATE: STOCK
  CALL: reserve with item=†input.item, amount=†input.amount → †state.reserved || †state.short
  IF: †state.short exists → GOTO: SUPPLIER
  EMIT: RESERVED item={†state.reserved.item} price={†state.reserved.price}
  GOTO: FULFIL

STATE: SUPPLIER
  # Repeated until the supplier names a day. Without `method=set`, a CALL whose result exists would not run again.
  TRACK: asked
  INCREMENT: asked
  CALL [method=set]: supplier with item=†input.item, try=†track.asked → †state.answer
  IF: †state.answer.day is null AND asked < 3 → GOTO: SUPPLIER
  RETURN: "{†input.item} comes on {default(†state.answer.day, "no day that is known")}, said after {asked} questions"

STATE: FULFIL
  PLAN: "fulfil.plan.json" with goods=†state.reserved, card=†input.card → letter
  IF: †state.refused exists → EMIT: REFUSED why={†state.refused.message}
  RETURN with letter

STATE: ERROR
  EMIT: STATE_ENTRY state=ERROR error_type={error_type} tool={tool}
  RETURN: "{tool} failed: {error}"
