#!/usr/bin/env python3
"""Stand-in for the agents of the task: `agent.py ROLE`. The values below the prompt decide the answer."""

import json
import re
import sys
import time

GOOD = 'echo "Hello, $1"'
BAD = 'echo "Hello $1"'


def read_prompt():
    lines = [re.match(r"([a-z_]+): (.*)$", line) for line in sys.stdin.read().splitlines()]
    return {match.group(1): match.group(2) for match in lines if match}


def builder(values):
    scenario = values["scenario"]
    if scenario == "builder-hangs":
        time.sleep(3600)
    if scenario == "never-passes" or (scenario == "second-try" and values["attempts"] == "1"):
        return BAD
    return GOOD


def observer(values):
    return "commas matter" if int(values["attempts"]) > 1 else "small tasks pass at once"


def main():
    values, role = read_prompt(), sys.argv[1]
    if role == "explorer":
        print(json.dumps({"mode": values["mode"], "notes": ["scripts are short here"]}))
    elif role == "planner":
        print(json.dumps({"decision": "PROCEED", "plan": {"file": "greet.sh", "test": "greet.sh Ada"}}))
    elif role == "builder":
        print(builder(values))
    else:
        print(observer(values))


main()
