#!/usr/bin/env python3
"""Stand-in for an agent that corrects code: it knows the two bugs of calc.sh and corrects the first one it finds."""

import os
import re
import sys

BUGS = [("$1 - $2)) # add", "$1 + $2)) # add"), ("$1 + $2)) # multiply", "$1 * $2)) # multiply")]

values = dict(re.findall(r"^([a-z_]+): (.*)$", sys.stdin.read(), re.MULTILINE))
path = os.path.join(values["project"], "calc.sh")
with open(path) as file:
    text = file.read()

if values["scenario"] == "mends":
    for wrong, right in BUGS:
        if wrong in text:
            text = text.replace(wrong, right)
            break
elif values["scenario"] == "hopeless":
    text += "# tried\n"

with open(path, "w") as file:
    file.write(text)
print("calc.sh is better now")
