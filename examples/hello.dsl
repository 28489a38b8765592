# The smallest useful flow: an input, a command, an event and a result.
#   statedsl run examples/hello.dsl
#   statedsl run examples/hello.dsl -i name=Ada

INPUT: name = "world"

STATE: GREET
  DO: greeting = echo "Hello, {name}!"
  EMIT: GREETED name={name}
  RETURN: {greeting}
