DO: pictures = list-pictures
FOR EACH: picture in pictures in PARALLEL [max=2 on_failure=keep]:
  DO: convert-picture {picture}
IF: failures is empty → RETURN: all converted
DO: names = []
FOR EACH: failure in failures:
  SET: names = names + [failure.item]
RETURN: {join(names, ", ")}
