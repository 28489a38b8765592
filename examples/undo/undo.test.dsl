# statedsl test examples/undo
TESTS: "./undo.dsl"

MOCK: PREPARE/"mkdir *" → "desk"
MOCK: "git init *" → ""
MOCK: "git tag -- {tag}" → ""
MOCK: "echo {tag} *" → "offer", "offer"

TEST: the release succeeds, and nothing is undone
  EXPECT: returned "released v1.2"
  EXPECT: calls "rm *" == 0

TEST: a failure undoes everything, the newest first
  GIVEN: scenario="shop-down"
  MOCK: "rm -- {offer}" → "", ""
  MOCK: "git tag -d *" → ""
  MOCK: "rm -rf *" → ""
  EXPECT: event ROLLED_BACK done=4 failed=[]
  EXPECT: failed failed
  EXPECT: returned contains "4 steps are undone"

TEST: what cannot be undone is counted
  GIVEN: scenario="shop-down"
  MOCK: "rm -- {offer}" → "", exit 1 stderr "gone"
  MOCK: "git tag -d *" → ""
  MOCK: "rm -rf *" → ""
  EXPECT: failed
  EXPECT: returned contains "not everything is undone"

TEST: a person may undo it later
  GIVEN: scenario="shop-down", undo="by-hand"
  EXPECT: failed
  EXPECT: no event ROLLED_BACK
