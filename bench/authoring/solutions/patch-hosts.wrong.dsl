DO: hosts = list-hosts
FOR EACH: host in hosts in PARALLEL:
  DO: patch-host {host}
RETURN: patched {len(hosts)} hosts
