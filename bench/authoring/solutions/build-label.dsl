INPUT: version (string)
DO: package = build-app {version}
DO: upload-package {package}
RETURN: {version} is {package}
