INPUT: date

STATE: HOLD
  DO: room = hold-room {date}
  UNDO: release-hold {room}
  DO: projector = hold-projector {date}
  UNDO: release-hold {projector}
  GOTO: DECIDE with room, projector

STATE: DECIDE
  ASK user: "Book the room (hold {room}) and the projector (hold {projector}) for {date}?" → book choices=yes,no
  IF: book == "no" → GOTO: RELEASE
  DO: confirm-hold {room}
  DO: confirm-hold {projector}
  RETURN: booked

STATE: RELEASE
  ROLLBACK
  RETURN: released

STATE: ERROR
  ROLLBACK
  FAIL: {error_type}: {error}
