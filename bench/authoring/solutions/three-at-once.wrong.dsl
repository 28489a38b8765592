DO: in PARALLEL [max=3]
  - eu = ask-region eu
  - us = ask-region us
  - asia = ask-region asia
RETURN: eu + us + asia
