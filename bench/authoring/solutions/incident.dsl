INPUT: report (string)

STATE: TRIAGE
  DO: found = Task(triage) "Read this report. Answer in JSON with severity and system." with report
  IF: found.severity == "low" →
    DO: file-ticket {report}
    RETURN: filed
  GOTO: DIAGNOSE with system={found.system}

STATE: DIAGNOSE
  DO: in PARALLEL [quorum=2 max=3]
    - logs = collect logs {system}
    - metrics = collect metrics {system}
    - traces = collect traces {system}
  DO: fix = Task(fixer) "Propose a fix for {system}. Answer in JSON with command. Logs: {logs} Metrics: {metrics} Traces: {traces}"
  ASK user: "Apply {fix.command} to {system}?" → go choices=yes,no
  IF: go == "no" →
    DO: page-human {system}
    RETURN: handed over
  GOTO: APPLY with system, fix={fix.command}

STATE: APPLY
  DO: apply-fix {fix}
  WAIT: now_is == "up" OR timeout=2s [every=200ms]
    CHECK: now_is = system-up {system}
  IF: NOT timed_out → RETURN: fixed with {fix}
  DO: revert-fix {fix}
  DO: page-human {system}
  FAIL: {system} stays down
