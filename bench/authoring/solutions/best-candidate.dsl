STATE: SCORE
  TRACK: best = null
  TRACK: name = ""
  DO: candidates = list-candidates
  FOR EACH: candidate in candidates:
    DO [ok=0,1]: score = score-candidate {candidate}
    IF: exit_code(score) == 0 →
      DO: points = int(score)
      IF: best == null OR points > default(best, 0) →
        SET: best = points
        SET: name = candidate
  IF: best == null → FAIL: no candidate has a score
  RETURN: {name} with {best}
