INPUT: version (string)
CHECK: package = build-app {version}
DO: upload-package {package}
RETURN: {version} is {package}
