# Prints every mistake, and nothing if there is none.
[ "$(printf 'a\nb\n' | sh words.sh lines /dev/stdin)" = 2 ] || echo "lines: two lines are not 2"
