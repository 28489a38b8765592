STATE: LOOK
  DO: release = latest-release
  IF: release.security == true →
    DO: page-team {release.version}
  DO: notes = default(release.notes, "")
  IF: notes is empty → RETURN: "{release.version}: no notes"
  RETURN: "{release.version}: {notes}"
