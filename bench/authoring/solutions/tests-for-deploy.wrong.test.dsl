TESTS: "./deploy.dsl"

TEST: a healthy deployment is announced
  ANSWER: go → "yes"
  MOCK: "deploy-app *" → ""
  MOCK: "app-health *" → "fine"
  MOCK: "announce-app *" → ""
  EXPECT: returned "deployed to prod"

TEST: no deploys nothing
  ANSWER: go → "no"
  EXPECT: returned "not deployed"
