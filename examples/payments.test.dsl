# statedsl test examples/payments.test.dsl
TESTS: "./payments.dsl"

MOCK: "rm *ledger.txt" → "", …
MOCK: "sleep *" → "" after 3s

TEST: both people are paid, each of them once
  MOCK: "grep *to Ada*" → ""
  MOCK: "echo \"to Grace\" *" → ""
  MOCK: "wc *" → 2
  EXPECT: returned "2 payments"
  EXPECT: time == 3
  EXPECT: snapshot

TEST: nothing is paid after a payment that fails
  MOCK: "grep *to Ada*" → exit 1 stderr "no space left"
  EXPECT: failed
  EXPECT: calls "echo \"to Grace\" *" == 0
