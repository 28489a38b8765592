INPUT: mirrors (list)

STATE: REACH
  FOR EACH: mirror in mirrors in PARALLEL [max=1000 quorum=2]:
    DO: ping-mirror {mirror}
  DO [once]: publish-index
  RETURN: enough
