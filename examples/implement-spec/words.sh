#!/bin/sh
# words COMMAND FILE: each command is a file in src/.
. "$(dirname "$0")/src/$1.sh"
