#!/bin/sh
# Stand-in for the tests of a package: all pass, except those of version 13.
if grep -q '"version":"13' ; then
  echo "1 of 7 tests failed" >&2
  exit 1
fi
echo '{"passed": 7}'
