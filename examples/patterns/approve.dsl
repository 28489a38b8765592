# std/approve in use: a person must say yes before something is published.
#   statedsl run examples/patterns/approve.dsl
IMPORT: "std/approve"

INPUT: version = "1.4.0" (string)

STATE: ASK
  USE: APPROVE_PATTERN with question="Publish {version}?", otherwise=CANCELLED
  RETURN: published {version}

STATE: CANCELLED
  RETURN: not published
