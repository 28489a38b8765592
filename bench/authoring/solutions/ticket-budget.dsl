STATE: WORK
  TRACK: done
  TRACK: points
  TRACK: failed
  IF: points >= 10 → GOTO: END
  DO [ok=0,3]: ticket = take-ticket
  IF: exit_code(ticket) == 3 → GOTO: END
  DO [ok=0,1]: result = do-ticket {ticket.id}
  IF: exit_code(result) == 0 →
    INCREMENT: done
    INCREMENT: points by ticket.points
    GOTO: WORK
  DO: return-ticket {ticket.id}
  INCREMENT: failed
  IF: failed >= 3 → FAIL: three tickets failed
  GOTO: WORK

STATE: END
  RETURN: {done} tickets, {points} points
