# std/init in use: each run gets a folder of its own.
#   statedsl run examples/patterns/init.dsl
IMPORT: "std/init"

INPUT: session = "" (string)

STATE: OPEN
  USE: INIT_PATTERN with mode=demo, root=".statedsl/examples/init", session={session}
  RETURN: {session_dir}
