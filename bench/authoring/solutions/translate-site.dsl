INPUT: languages (list)

STATE: TRANSLATE
  TRACK: jobs = []
  DO: pages = list-pages
  FOR EACH: page in pages:
    FOR EACH: language in languages:
      SET: jobs = jobs + [{"page": page, "language": language}]
  FOR EACH: job in jobs in PARALLEL [max=4 on_failure=keep]:
    DO: translate-page {job.page} {job.language}
  DO: again = failures
  FOR EACH: one in again in PARALLEL [max=4 on_failure=keep]:
    DO: translate-page {one.item.page} {one.item.language}
  DO: report = []
  FOR EACH: failed in failures:
    SET: report = report + ["{failed.item.item.page} {failed.item.item.language}"]
  IF: report is not empty → DO: printf '%s\n' {report*} > report.txt
  IF: len(report) * 2 > len(jobs) → FAIL: most of the translations failed
  DO: good = len(jobs) - len(report)
  RETURN: translated {good} of {len(jobs)}
