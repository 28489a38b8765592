STATE: PATCH
  DO: hosts = list-hosts
  FOR EACH: host in hosts:
    DO: patch-host {host}
  RETURN: patched {len(hosts)} hosts
