DO: news = latest-release
IF: news.security → DO: page-team {news.version}
DO: notes = default(news.notes, "no notes")
RETURN: {news.version}: {notes}
