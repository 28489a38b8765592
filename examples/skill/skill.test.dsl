# statedsl test examples/skill
TESTS: "./skill.md"

MOCK: "cat *" → "crash\nwish"

TEST: two urgent reports cause an alarm
  MOCK: "bash *classify.sh*" → { class: "crash", urgent: true }, { class: "loss", urgent: true }
  EXPECT: returned "2 of 2 reports are urgent"
  EXPECT: snapshot

TEST: one urgent report does not
  MOCK: "bash *classify.sh*" → { class: "crash", urgent: true }, { class: "wish", urgent: false }
  EXPECT: returned "1 of 2 reports are urgent"
  EXPECT: snapshot

TEST: three urgent reports cause it too
  MOCK: "cat *" → "crash\nwish\nloss"
  MOCK: "bash *classify.sh*" → { class: "crash", urgent: true }, …
  EXPECT: returned "3 of 3 reports are urgent"
  EXPECT: snapshot
