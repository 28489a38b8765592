#!/usr/bin/env bash
# Stand-in for a registry client: `publish.sh FOLDER VERSION`. A flaky registry accepts the second attempt.
set -eu
scenario=$(cat "$1/scenario")
echo try >> "$1/tries"
if [ "$scenario" = registry-down ] || { [ "$scenario" = flaky-registry ] && [ "$(wc -l < "$1/tries")" -lt 2 ]; }; then
  echo "503 from the registry" >&2
  exit 7
fi
echo "$2" > "$1/published"
