TESTS: "./deploy.dsl"

TEST: a healthy deployment is announced
  MOCK: "deploy-app *" → ""
  MOCK: "app-health *" → exit 0 "ok"
  MOCK: "announce-app *" → ""
  ANSWER: go → "yes"
  EXPECT: returned "deployed to prod"
  EXPECT: calls "deploy-app *" == 1
  EXPECT: calls "announce-app *" == 1
  EXPECT: calls "take-back *" == 0

TEST: an unhealthy deployment is taken back
  MOCK: "deploy-app *" → ""
  MOCK: "app-health *" → exit 1 "down"
  MOCK: "take-back *" → ""
  ANSWER: go → "yes"
  EXPECT: failed
  EXPECT: calls "take-back *" == 1
  EXPECT: calls "announce-app *" == 0

TEST: no deploys nothing
  ANSWER: go → "no"
  EXPECT: returned "not deployed"
  EXPECT: calls "deploy-app *" == 0
  EXPECT: calls "announce-app *" == 0

TEST: a deployment that always fails is tried three times
  MOCK: "deploy-app *" → exit 1 "broken", …
  ANSWER: go → "yes"
  EXPECT: failed
  EXPECT: calls "deploy-app *" == 3
  EXPECT: calls "announce-app *" == 0

TEST: the third try may succeed
  MOCK: "deploy-app *" → exit 1 "broken", exit 1 "broken", ""
  MOCK: "app-health *" → exit 0 "ok"
  MOCK: "announce-app *" → ""
  ANSWER: go → "yes"
  EXPECT: returned "deployed to prod"
  EXPECT: calls "deploy-app *" == 3
  EXPECT: calls "announce-app *" == 1
