# The project under test: two functions, two bugs.
add() {
  : $((result = $1 - $2)) # add
  echo "$result"
}
multiply() {
  : $((result = $1 + $2)) # multiply
  echo "$result"
}
