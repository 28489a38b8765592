INPUT: languages (list)

STATE: TRANSLATE
  TRACK: pairs = []
  TRACK: again = []
  TRACK: broken = []
  TRACK: report = []
  TRACK: good = 0
  DO: pages = list-pages
  FOR EACH: page in pages:
    FOR EACH: language in languages:
      SET: pairs = pairs + [[page, language]]
  FOR EACH: pair in pairs in PARALLEL [max=4 on_failure=keep]:
    DO: translate-page {pair*}
  FOR EACH: one in failures:
    SET: again = again + [one.item]
  FOR EACH: pair in again in PARALLEL [max=4 on_failure=keep]:
    DO: translate-page {pair*}
  FOR EACH: one in failures:
    SET: broken = broken + [join(one.item, " ")]
  # in the order of the pages and languages
  FOR EACH: pair in pairs:
    IF: join(pair, " ") in broken → SET: report = report + [join(pair, " ")]
    ELSE → INCREMENT: good
  IF: report is not empty →
    DO: printf '%s\n' {report*} > report.txt
  IF: len(report) > good → FAIL: translated only {good} of {len(pairs)}
  RETURN: translated {good} of {len(pairs)}
