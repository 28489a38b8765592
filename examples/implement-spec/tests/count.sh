# Prints every mistake, and nothing if there is none.
[ "$(printf 'one two\nthree\n' | sh words.sh count /dev/stdin)" = 3 ] || echo "count: three words are not 3"
[ "$(sh words.sh count /dev/null)" = 0 ] || echo "count: an empty file does not have 0 words"
