FOR EACH: person in ["ada", "grace", "linus"]:
  DO [once]: pay-person {person} 100
RETURN: paid 3
