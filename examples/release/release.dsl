# A release as a checklist: look, ask, publish, and wait until the new version is visible.
#
#   statedsl run examples/release/release.dsl
#   statedsl run examples/release/release.dsl -i approver=person        (asks you)
#   statedsl run examples/release/release.dsl -i scenario=flaky-registry
#
# The tools are stand-ins in bash. They keep their data below `work`, in a new folder for each run.

MACHINE: release

IMPORT: "std/init"
IMPORT: "std/approve"
IMPORT: "std/retry"
IMPORT: "std/poll"
IMPORT: "std/error"

INPUT: version = "1.4.0" (string)
INPUT: approver = "nobody" (one of: nobody, person)  # who approves
INPUT: scenario = "smooth" (one of: smooth, dirty-tree, red-tests, flaky-registry, registry-down, never-visible)
INPUT: work = ".statedsl/examples/release" (string)
INPUT: limit = "60s" (string)  # how long the registry may take to show the version

STATE: PREPARE
  IF: NOT version matches '^[0-9]+\.[0-9]+\.[0-9]+$' →
    GOTO: ERROR with error_type="bad_version", error="{version} is not a version such as 1.4.0"
  USE: INIT_PATTERN with mode=release, root={work}
  TRACK: desk = session_dir
  DO: printf '%s\n' {scenario} > {desk}/scenario
  GOTO: CHECKLIST

STATE: CHECKLIST
  # The three checks do not depend on each other. Each prints one JSON object, whatever it finds.
  DO: in PARALLEL
    - tree = bash -- {program_dir()}/tools/look.sh tree {desk}
    - tests = bash -- {program_dir()}/tools/look.sh tests {desk}
    - changes = bash -- {program_dir()}/tools/look.sh changes {desk}
  FOR EACH: item in [tree, tests, changes]:
    EMIT: CHECKLIST_ITEM name={item.name} ok={item.ok} note={item.note}
  IF: NOT tree.ok → GOTO CANCELLED with reason={tree.note}
  IF: NOT tests.ok → GOTO CANCELLED with reason={tests.note}
  IF: NOT changes.ok → GOTO CANCELLED with reason={changes.note}
  IF: approver == "nobody" → GOTO PUBLISH
  GOTO: APPROVE

STATE: APPROVE
  USE: APPROVE_PATTERN with question="Publish version {version}?", otherwise=REFUSED
  GOTO: PUBLISH

STATE: REFUSED
  GOTO: CANCELLED with reason="a person said no"

STATE: PUBLISH
  USE: RETRY_PATTERN with script="{program_dir()}/tools/publish.sh", args=[{desk}, {version}], attempts=3, pause="100ms"
  IF: NOT succeeded → GOTO ERROR with error_type="tool_failure", error="publishing failed {attempts_used} times"
  EMIT: PUBLISHED version={version} attempts={attempts_used}
  GOTO: VERIFY

STATE: VERIFY
  USE: POLL_PATTERN with script="{program_dir()}/tools/is-visible.sh", args=[{desk}, {version}], limit={limit}, every="100ms"
  IF: timed_out → GOTO ERROR with error_type="timeout", error="{version} is published, but cannot be seen after {limit}"
  EMIT: "version {version} can be installed"
  RETURN: released {version}

STATE: CANCELLED
  EMIT: CANCELLED reason={reason}
  RETURN: not released: {reason}

STATE: ERROR
  EMIT: STATE_ENTRY state=ERROR error_type={error_type}
  USE: ERROR_PATTERN with advice="the registry may contain a part of it"
