#!/usr/bin/env bash
# Stand-in for a query to a registry: `is-visible.sh FOLDER VERSION`. A version becomes visible at the third query.
set -eu
echo look >> "$1/looks"
[ "$(cat "$1/scenario")" != never-visible ] || exit 1
[ "$(wc -l < "$1/looks")" -ge 3 ] && [ "$(cat "$1/published")" = "$2" ]
