STATE: SCORE
  TRACK: found = false
  TRACK: best = 0
  TRACK: winner = ""
  DO: names = list-candidates
  FOR EACH: candidate in names:
    DO [ok=any]: score = score-candidate {candidate}
    IF: exit_code(score) == 0 →
      IF: NOT found OR int(score) > best →
        SET: found = true
        SET: best = int(score)
        SET: winner = candidate
  IF: NOT found → FAIL: no candidate has a score
  RETURN: "{winner} with {best}"
