INPUT: files (list)
FOR EACH: name in files:
  DO: archive-file {name}
RETURN: archived {len(files)}
