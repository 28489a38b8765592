INPUT: person

STATE: BOOK
  DO [once]: flight = book-flight {person}
  UNDO [retry=2/1s]: cancel-booking {flight}
  DO [once]: hotel = book-hotel {person}
  UNDO [retry=2/1s]: cancel-booking {hotel}
  DO [once]: car = book-car {person}
  UNDO [retry=2/1s]: cancel-booking {car}
  RETURN: "{flight}, {hotel}, {car}"

STATE: ERROR
  ROLLBACK
  FAIL: {error_type}: {error}
