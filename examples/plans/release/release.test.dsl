# Tests of the plan: nothing is built, tested or published.

TESTS: "./release.json"

MOCK: CALL listPackages → ["core", "web"], …

TEST: a person approves, and the release is announced
  GIVEN: version="1.2.0"
  MOCK: CALL checkEach → [{ name: "core", tests: 12 }, { name: "web", tests: 7 }]
  MOCK: CALL publish → { url: "https://example.com/1.2.0" }
  MOCK: CALL announce → "announced"
  MOCK: CALL writeNotes → "all notes"
  ANSWER: approvals.publish → true
  EXPECT: returned "announced"
  EXPECT: calls CALL publish == 1
  EXPECT: prompt CALL writeNotes contains "1.2.0"

TEST: nothing is published before a person answers
  GIVEN: version="1.2.0"
  MOCK: CALL checkEach → [{ name: "core", tests: 12 }, { name: "web", tests: 7 }]
  MOCK: CALL writeNotes → "all notes"
  EXPECT: suspended approvals.publish
  EXPECT [always]: calls CALL publish == 0

TEST: a package with failing tests is reported, and no person is asked
  GIVEN: version="1.2.0"
  MOCK: CALL checkEach → fails tests_failed "2 of 12 failed"
  MOCK: CALL report → "core is broken"
  MOCK: CALL announce → "announced"
  EXPECT: returned "announced"
  EXPECT: calls CALL publish == 0
