INPUT: person (string)

STATE: BOOK
  DO: flight = book-flight {person}
  DO: hotel = book-hotel {person}
  DO: car = book-car {person}
  RETURN: {flight}, {hotel}, {car}
  ON ERROR: →
    IF: tool == "book-hotel" → DO [retry=2/100ms]: cancel-booking {flight}
    IF: tool == "book-car" →
      DO [retry=2/100ms]: cancel-booking {hotel}
      DO [retry=2/100ms]: cancel-booking {flight}
    FAIL: {error}
