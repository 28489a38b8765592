# Tests of the plan: no user is looked up, and no mail is sent.

TESTS: "./users.json"

MOCK: CALL sendMail → "sent", …

TEST: a user who is known gets a greeting with a summary
  GIVEN: userId="u1"
  MOCK: CALL verifyUser → { name: "Ada", history: "three orders" }
  MOCK: CALL greetUser → "Hello Ada"
  MOCK: CALL generateSummary → "three orders"
  EXPECT: returned { mail: "sent", summary: "three orders" }
  EXPECT: calls CALL apologise == 0
  EXPECT: prompt CALL sendMail contains "Hello Ada"
  EXPECT: prompt CALL sendMail contains "three orders"

TEST: a user who is not known gets an apology
  GIVEN: userId="u2"
  MOCK: CALL verifyUser → exit 3 "{\"message\": \"there is no user u2\", \"code\": 3}"
  MOCK: CALL apologise → "Sorry"
  EXPECT: calls CALL greetUser == 0
  EXPECT: calls CALL sendMail == 1
