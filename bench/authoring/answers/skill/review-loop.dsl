INPUT: topic

STATE: WRITE
  DO: draft = Task(writer) "Write a product text about {topic}. Answer only with the text."
  GOTO: REVIEW with draft

STATE: REVIEW
  TRACK: count
  INCREMENT: count
  DO: review = Task(critic) "Read this product text. Answer only JSON: {\"ok\": false, \"comments\": \"what is wrong\"}" with draft
  IF: review.ok →
    DO [once]: publish-text {draft}
    RETURN: published after {count}
  IF: count >= 3 → FAIL: the critic did not like any of {count} texts
  DO: draft = Task(writer) "Write the product text about {topic} again. Your last text and the comments of the critic are given. Answer only with the text." with draft, comments={review.comments}
  GOTO: REVIEW with draft
