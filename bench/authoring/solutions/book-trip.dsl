INPUT: person (string)

STATE: BOOK
  DO: flight = book-flight {person}
  UNDO [retry=2/100ms]: cancel-booking {flight}
  DO: hotel = book-hotel {person}
  UNDO [retry=2/100ms]: cancel-booking {hotel}
  DO: car = book-car {person}
  RETURN: {flight}, {hotel}, {car}

STATE: ERROR
  ROLLBACK
  RETURN: {error}
