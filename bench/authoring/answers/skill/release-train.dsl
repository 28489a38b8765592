INPUT: version

STATE: BUILD
  DO: build-version {version}
  FOR EACH: platform in ["linux", "mac", "windows"] in PARALLEL [max=3]:
    DO: test-platform {platform}
  ASK user: "Release {version}?" → go choices=yes,no
  IF: go == "no" → RETURN: not released
  GOTO: DEPLOY

STATE: DEPLOY
  FOR EACH: region in ["eu", "us", "asia"]:
    DO: deploy-region {region} {version}
    UNDO: take-back {region}
    DO [retry=2/1s]: region-health {region}
  GOTO: RELEASED with note="released {version}"
  ON ERROR: → GOTO: BACK with note="failed {version}", why={error}

STATE: RELEASED
  DO [ok=any]: announce-it {note}
  RETURN: released

STATE: BACK
  ROLLBACK
  DO [ok=any]: announce-it {note}
  FAIL: {version} is not released: {why}
