INPUT: version

STATE: BUILD
  DO: package = build-app {version}
  DO: upload-package {package}
  RETURN: {version} is {package}
