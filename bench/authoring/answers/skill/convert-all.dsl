STATE: CONVERT
  TRACK: broken = []
  TRACK: names = []
  TRACK: answer = "all converted"
  DO: pictures = list-pictures
  FOR EACH: picture in pictures in PARALLEL [max=2 on_failure=keep]:
    DO: convert-picture {picture}
  FOR EACH: one in failures:
    SET: broken = broken + [one.item]
  # in the order of the list
  FOR EACH: picture in pictures:
    IF: picture in broken → SET: names = names + [picture]
  IF: names is empty → RETURN: all converted
  SET: answer = join(names, ", ")
  RETURN: {answer}
