INPUT: version (string)

STATE: BUILD
  DO: build-version {version}
  DO: in PARALLEL [max=3]
    - test-platform linux
    - test-platform mac
    - test-platform windows
  ASK user: "Release {version}?" → go choices=yes,no
  IF: go == "no" → RETURN: not released
  GOTO: DEPLOY

STATE: DEPLOY
  FOR EACH: region in ["eu", "us", "asia"]:
    DO: deploy-region {region} {version}
    UNDO: take-back {region}
    DO [retry=2/50ms]: region-health {region}
  DO: announce-it "released {version}" || true
  RETURN: released
  ON ERROR: →
    ROLLBACK
    DO: announce-it "failed {version}" || true
    FAIL: {error}
