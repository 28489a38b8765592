# Prints every mistake, and nothing if there is none.
[ "$(printf 'one three two\n' | sh words.sh longest /dev/stdin)" = three ] || echo "longest: not the longest word"
[ "$(sh words.sh longest /dev/null)" = "" ] || echo "longest: an empty file has a longest word"
