STATE: SCORE
  TRACK: best = ""
  TRACK: name = ""
  DO: candidates = list-candidates
  FOR EACH: candidate in candidates:
    DO [ok=0,1]: score = score-candidate {candidate}
    IF: exit_code(score) == 0 AND score > best →
      SET: best = score
      SET: name = candidate
  IF: best == "" → FAIL: no candidate has a score
  RETURN: {name} with {best}
