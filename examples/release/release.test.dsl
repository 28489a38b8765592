# statedsl test examples/release
TESTS: "./release.dsl"

MOCK: PREPARE/"*" → "desk", …
MOCK: "bash -- {program_dir()}/tools/look.sh tree {desk}" → { name: "tree", ok: true, note: "clean" }
MOCK: "bash -- {program_dir()}/tools/look.sh tests {desk}" → { name: "tests", ok: true, note: "green" }
MOCK: "bash -- {program_dir()}/tools/look.sh changes {desk}" → { name: "changes", ok: true, note: "3 commits" }
MOCK: "head *" → "", …

TEST: a bad version is refused before anything happens
  GIVEN: version="1.4"
  EXPECT: states PREPARE, ERROR
  EXPECT: failed bad_version
  EXPECT: event STATE_ENTRY state="ERROR" error_type="bad_version"

TEST: it is published at the second attempt, and seen after a while
  MOCK: PUBLISH/"if bash *" → "false", "true"
  MOCK: VERIFY/"if bash *" → "false", "false", "true"
  EXPECT: event PUBLISHED version="1.4.0" attempts=2
  EXPECT: returned "released 1.4.0"
  EXPECT: event CHECKLIST_ITEM times 3
  EXPECT: event CHECKLIST_ITEM name="tree" ok=true note="clean"
  EXPECT: snapshot

TEST: red tests cancel the release
  MOCK: "bash -- {program_dir()}/tools/look.sh tests {desk}" → { name: "tests", ok: false, note: "2 failed" }
  EXPECT: states PREPARE, CHECKLIST, CANCELLED
  EXPECT: returned "not released: 2 failed"

TEST: a tree that is not clean cancels the release
  MOCK: "bash -- {program_dir()}/tools/look.sh tree {desk}" → { name: "tree", ok: false, note: "2 files" }
  EXPECT: event CANCELLED reason="2 files"
  EXPECT: returned "not released: 2 files"

TEST: without changes there is nothing to release
  MOCK: "bash -- {program_dir()}/tools/look.sh changes {desk}" → { name: "changes", ok: false, note: "no commits" }
  EXPECT: event CANCELLED reason="no commits"
  EXPECT: returned "not released: no commits"

TEST: a person approves
  GIVEN: approver="person"
  ANSWER: approval → "yes"
  MOCK: "if bash *" → "true", …
  EXPECT: returned "released 1.4.0"

TEST: a person says no
  GIVEN: approver="person"
  ANSWER: approval → "no"
  EXPECT: returned "not released: a person said no"
  EXPECT: calls "if bash *" == 0

TEST: it waits for a person
  GIVEN: approver="person"
  EXPECT: suspended approval

TEST: the registry is down
  MOCK: PUBLISH/"if bash *" → "false", …
  EXPECT: failed tool_failure
  EXPECT: error.message contains "3 times"

TEST: the version never becomes visible
  MOCK: PUBLISH/"if bash *" → "true"
  MOCK: VERIFY/"if bash *" → "false", …
  EXPECT: failed timeout
  EXPECT: time >= 60
