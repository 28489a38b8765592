INPUT: mirrors (list)
FOR EACH: mirror in mirrors in PARALLEL [on_failure=keep max=100]:
  DO: ping-mirror {mirror}
DO: publish-index
RETURN: enough
