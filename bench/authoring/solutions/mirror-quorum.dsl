INPUT: mirrors (list)
FOR EACH: mirror in mirrors in PARALLEL [quorum=2 max=100]:
  DO: ping-mirror {mirror}
DO: publish-index
RETURN: enough
