STATE: COUNT
  DO: in PARALLEL [max=3]:
    - eu = ask-region eu
    - us = ask-region us
    - asia = ask-region asia
  DO: total = int(eu) + int(us) + int(asia)
  RETURN: {total}
