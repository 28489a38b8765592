TESTS: "./deploy.dsl"

TEST: a healthy deployment is announced
  ANSWER: go → "yes"
  MOCK: "deploy-app *" → ""
  MOCK: "app-health *" → "fine"
  MOCK: "announce-app *" → ""
  EXPECT: returned "deployed to prod"
  EXPECT: calls "announce-app *" == 1
  EXPECT: calls "take-back *" == 0

TEST: an unhealthy one is taken back
  ANSWER: go → "yes"
  MOCK: "deploy-app *" → ""
  MOCK: "app-health *" → exit 1
  MOCK: "take-back *" → ""
  EXPECT: failed
  EXPECT: calls "take-back *" == 1
  EXPECT: calls "announce-app *" == 0

TEST: no deploys nothing
  ANSWER: go → "no"
  EXPECT: returned "not deployed"
  EXPECT: calls "deploy-app *" == 0

TEST: three attempts
  ANSWER: go → "yes"
  MOCK: "deploy-app *" → exit 1, …
  EXPECT: failed
  EXPECT: calls "deploy-app *" == 3
