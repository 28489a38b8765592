#!/usr/bin/env python3
"""Stand-in for the four agents of the campaign: `agent.py ROLE`, prompt on standard input, answer on standard output.

The prompt ends with `name: value` lines. They contain the scenario, which decides the mistake to make. All answers
are fixed, so every run of a scenario is the same.
"""

import json
import re
import sys
import time


def read_prompt():
    """The values below the prompt, by name; those of `context` (`a=b c=d`) are added."""
    values = {}
    for line in sys.stdin.read().splitlines():
        match = re.match(r"([a-z_]+): (.*)$", line)
        if match:
            values[match.group(1)] = match.group(2)
    for word in values.get("context", "").split():
        name, _, value = word.partition("=")
        values.setdefault(name, value)
    return values


def crash(message):
    print(message, file=sys.stderr)
    sys.exit(3)


def explorer(values):
    mode, scenario = values["mode"], values["scenario"]
    if scenario == "explorers-hang" and mode in ("memory", "delta"):
        time.sleep(3600)
    if scenario == "explorer-crashes" and mode == "pattern":
        crash("explorer: the index is locked")
    if scenario == "quorum-failure" and mode in ("pattern", "memory"):
        crash("explorer: the index is locked")
    if mode == "delta":
        # The thorough one. The other three are a quorum long before it is done.
        time.sleep(3)
    return {
        "mode": mode,
        "notes": {
            "structure": ["notes/store.py holds all reading and writing"],
            "pattern": ["every command is a function with a docstring"],
            "memory": ["an earlier attempt failed because titles were left out"],
            "delta": ["nothing touches the export"],
        }[mode],
    }


def task(seq, title, *depends):
    return {"seq": seq, "title": title, "depends": list(depends)}


def plan_around(situation):
    """A new task for each blocked one that others depend on (001 becomes 901, then 801), and the others moved to it."""
    blocked, lost = set(situation["blocked"]), situation["unreachable"]
    wanted = sorted({parent for each in lost for parent in each["depends"] if parent in blocked})
    instead = {seq: ("8" if seq[0] == "9" else "9") + seq[1:] for seq in wanted}
    return [task(instead[seq], "another way for " + seq) for seq in wanted] + [
        task(each["seq"], each["title"], *[instead.get(parent, parent) for parent in each["depends"]]) for each in lost
    ]


def planner(values):
    scenario = values["scenario"]
    if "situation" in values:
        return {"decision": "PROCEED", "plan": {"tasks": plan_around(json.loads(values["situation"]))}}
    asked = json.loads(values.get("clarifications") or "[]")
    if scenario == "planner-crashes":
        crash("planner: the context is too large")
    if scenario == "unclear":
        return "I would start with the store, and then see."
    if scenario == "clarify-exhausted" or (scenario == "clarify" and not asked):
        return {"decision": "CLARIFY", "questions": ["Which fields should be searched?"]}
    if scenario == "clarify" and len(asked) == 1:
        return {"decision": "CONFIRM", "selection": "search " + asked[0]["answer"]}
    if scenario == "cyclic-plan":
        return {"decision": "PROCEED", "plan": {"tasks": [task("001", "index", "002"), task("002", "query", "001")]}}
    return {
        "decision": "PROCEED",
        "plan": {
            "tasks": [
                task("001", "a table for the index"),
                task("002", "fill the index", "001"),
                task("003", "a query language", "001"),
                task("004", "the search command", "002", "003"),
                task("005", "the manual page", "004"),
            ]
        },
    }


def builder(values):
    scenario, job = values["scenario"], json.loads(values["task"])
    done = {"status": "complete", "reason": ""}
    if scenario == "builder-crashes" and job["seq"] == "003":
        crash("builder: out of turns")
    blocked_at = {"blocked": "004", "cascade": "003", "one-cause": "001"}.get(scenario)
    if job["seq"] == blocked_at:
        return {"status": "blocked", "reason": "no lock is free in " + job["title"]}
    if scenario == "one-cause" and job["seq"][0] in "98":
        return {"status": "blocked", "reason": "no lock is free in a table for the index"}
    if scenario == "stuck":
        return {"status": "pending", "reason": "not today"}
    return done


def observer(values):
    return ["titles belong into the index", "one task per command works well"]


def main():
    answer = {"explorer": explorer, "planner": planner, "builder": builder, "observer": observer}[sys.argv[1]](
        read_prompt()
    )
    print(answer if isinstance(answer, str) else json.dumps(answer))


main()
