#!/usr/bin/env bash
# `test.sh FOLDER` prints one line and ends with the number of failures.
. "$1/calc.sh"
failed=0
[ "$(add 2 3)" = 5 ] || failed=$((failed + 1))
[ "$(multiply 2 3)" = 6 ] || failed=$((failed + 1))
if [ "$failed" -gt 0 ]; then echo "$failed of 2 tests fail"; else echo "2 tests pass"; fi
exit "$failed"
