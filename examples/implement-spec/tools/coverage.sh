#!/bin/sh
# Prints the percentage of tests whose command exists.
all=0 found=0
for file in tests/*.sh; do
  all=$((all + 1))
  [ ! -e "src/$(basename "$file")" ] || found=$((found + 1))
done
echo "$((100 * found / all)).0% of the commands are there"
