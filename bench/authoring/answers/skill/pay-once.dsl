STATE: PAY
  DO [once]: pay-person ada 100
  DO [once]: pay-person grace 100
  DO [once]: pay-person linus 100
  RETURN: paid 3
