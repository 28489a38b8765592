#!/bin/sh
# Makes a copy of this project with its own git repository, in which you can try the flows, and prints its path.
set -eu
copy=$(mktemp -d "${TMPDIR:-/tmp}/words-XXXXXX")
cp -R "$(dirname "$0")/." "$copy"
cd "$copy"
rm -rf .statedsl
git init -q
git add .
git -c user.name=words -c user.email=words@localhost -c commit.gpgsign=false commit -q -m "words with one command"
echo "$copy"
