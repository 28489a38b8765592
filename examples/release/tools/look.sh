#!/usr/bin/env bash
# Stand-in for the checks before a release: `look.sh tree|tests|changes FOLDER` prints {name, ok, note}.
set -eu
scenario=$(cat "$2/scenario")
ok=true note=fine
case "$1/$scenario" in
  tree/dirty-tree) ok=false note='two files are not committed' ;;
  tests/red-tests) ok=false note='3 of 120 tests fail' ;;
esac
printf '{"name": "%s", "ok": %s, "note": "%s"}\n' "$1" "$ok" "$note"
