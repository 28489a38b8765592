INPUT: date (string)

STATE: HOLD
  DO: room = hold-room {date}
  UNDO: release-hold {room}
  DO: projector = hold-projector {date}
  UNDO: release-hold {projector}
  ASK user: "Book room {room} and projector {projector} for {date}?" → go choices=yes,no
  IF: go == "no" →
    ROLLBACK
    RETURN: released
  DO: confirm-hold {room}
  DO: confirm-hold {projector}
  RETURN: booked

STATE: ERROR
  ROLLBACK
  RETURN: {error}
