INPUT: report

STATE: TRIAGE
  DO: found = Task(triage) "Read this report of an incident. Say how severe it is, low or high, and which system it is about. Answer only JSON: {\"severity\": \"low\", \"system\": \"name\"}" with report
  IF: found.severity == "low" →
    DO: file-ticket {report}
    RETURN: filed
  IF: found.severity != "high" → FAIL: unknown severity {found.severity}
  GOTO: DIAGNOSE with system={found.system}

STATE: DIAGNOSE
  DO: in PARALLEL [max=3 quorum=2]:
    - logs = collect logs {system}
    - metrics = collect metrics {system}
    - traces = collect traces {system}
  DO: fix = Task(fixer) "An incident hit the system {system}. Choose the fix by the diagnostics. Answer only JSON: {\"command\": \"name of the fix\"}" with report, logs, metrics, traces
  ASK user: "Apply the fix {fix.command} to {system}?" → go choices=yes,no
  IF: go == "no" →
    DO: page-human {system}
    RETURN: handed over
  GOTO: APPLY with system, name={fix.command}

STATE: APPLY
  DO: apply-fix {name}
  UNDO: revert-fix {name}
  WAIT: status == "up" OR timeout=2s every=200ms
    CHECK: status = system-up {system}
  IF: timed_out →
    ROLLBACK
    DO: page-human {system}
    FAIL: {name} did not bring {system} up
  RETURN: fixed with {name}
