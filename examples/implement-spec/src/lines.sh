# lines FILE: how many lines it has.
wc -l <"$2" | tr -d ' '
