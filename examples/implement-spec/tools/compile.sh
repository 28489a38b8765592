#!/bin/sh
# The nearest thing to compiling for shell scripts: checks that the shell can parse all of them.
status=0
for file in words.sh src/*.sh tests/*.sh; do sh -n "$file" || status=1; done
exit $status
