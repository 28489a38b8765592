#!/bin/sh
# Tests all commands that exist, or those that are named.
wrong=
for file in ${*:-src/*.sh}; do
  name=$(basename "$file" .sh)
  wrong="$wrong$(sh "tests/$name.sh" 2>&1)"
done
[ -z "$wrong" ] || { printf '%s\n' "$wrong"; exit 1; }
