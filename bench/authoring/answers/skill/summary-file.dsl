STATE: SUMMARY
  DO: notes = meeting-notes
  DO: summary = Task(writer) "Write a summary of these notes of a meeting. Answer only with the summary." with notes
  DO: printf '%s\n' {summary} > summary.txt
  DO: send-file summary.txt
  RETURN: sent
