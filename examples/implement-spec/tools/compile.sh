#!/bin/sh
# As near to compiling as a shell script gets: all of it can be read.
status=0
for file in words.sh src/*.sh tests/*.sh; do sh -n "$file" || status=1; done
exit $status
