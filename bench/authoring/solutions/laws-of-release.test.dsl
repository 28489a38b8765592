TESTS: "./release.dsl"

PROPERTY: nothing is published without a yes
  NEVER: run "publish-it" UNLESS answered go == "yes"
  AT MOST: 1 run "publish-it"

PROPERTY: people are told
  AFTER: state BAD → run "tell-people"
