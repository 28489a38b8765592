DO: notes = meeting-notes
DO: summary = Task(writer) "Summarise these notes of a meeting." with notes > summary.txt
DO: send-file summary.txt
RETURN: sent
