STATE: TAKE
  TRACK: done
  TRACK: points
  TRACK: bad
  IF: points >= 10 → GOTO: FINISH
  DO [ok=0,3]: ticket = take-ticket
  IF: exit_code(ticket) == 3 → GOTO: FINISH
  DO [ok=any]: result = do-ticket {ticket.id}
  IF: exit_code(result) == 0 →
    INCREMENT: done
    SET: points = points + ticket.points
    GOTO: TAKE
  DO: return-ticket {ticket.id}
  INCREMENT: bad
  IF: bad >= 3 → FAIL: {bad} tickets failed
  GOTO: TAKE

STATE: FINISH
  RETURN: "{done} tickets, {points} points"
