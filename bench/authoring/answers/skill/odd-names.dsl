INPUT: files (list)

STATE: ARCHIVE
  FOR EACH: file in files:
    DO: archive-file {file}
  RETURN: archived {len(files)}
