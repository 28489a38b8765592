FOR EACH: person in ["ada", "grace", "linus"]:
  DO: pay-person {person} 100
RETURN: paid 3
