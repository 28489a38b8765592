TESTS: "./release.dsl"

PROPERTY: people decide
  NEVER: run "publish-it*" UNLESS answered go == "yes"

PROPERTY: published at most once
  AT MOST: 1 run "publish-it*"

PROPERTY: people are told of a failed check
  AFTER: event CHECK_FAILED → run "tell-people*"
