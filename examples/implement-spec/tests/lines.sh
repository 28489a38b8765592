# Prints what is wrong; nothing when all is well.
[ "$(printf 'a\nb\n' | sh words.sh lines /dev/stdin)" = 2 ] || echo "lines: two lines are not 2"
