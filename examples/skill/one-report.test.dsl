# statedsl test examples/skill
TESTS: "./skill.md" machine=one-report

TEST: a single report is classified
  GIVEN: report="the window is blue"
  MOCK: "bash *classify.sh*" → { class: "other", urgent: false }
  EXPECT: returned { class: "other", urgent: false }
  EXPECT: event CLASSIFIED class="other"
