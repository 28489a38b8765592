#!/usr/bin/env python3
"""Stand-in for the task list of a campaign: one JSON file in the folder `--desk`, and one command for each query or
change of the flow. Several builders report at the same time, so every command holds a lock.
"""

import argparse
import fcntl
import json
import os
import sys


def fail(message):
    print(message, file=sys.stderr)
    sys.exit(4)


class Desk:
    """The task list while the lock is held. At its end, the block writes the list back in one step."""

    def __init__(self, folder):
        self.path = os.path.join(folder, "campaign.json")

    def __enter__(self):
        self.lock = open(self.path + ".lock", "w")
        fcntl.flock(self.lock, fcntl.LOCK_EX)
        self.data = {"objective": "", "tasks": []}
        if os.path.exists(self.path):
            with open(self.path) as file:
                self.data = json.load(file)
        return self.data

    def __exit__(self, *failure):
        if failure[0] is None:
            with open(self.path + ".new", "w") as file:
                json.dump(self.data, file, indent=1)
            os.replace(self.path + ".new", self.path)
        self.lock.close()


def with_status(data, status):
    return [task for task in data["tasks"] if task["status"] == status]


def ready(data):
    """Pending tasks whose parents are all complete."""
    complete = {task["seq"] for task in with_status(data, "complete")}
    return [task for task in with_status(data, "pending") if complete.issuperset(task["depends"])]


def unreachable(data):
    """Pending tasks that a blocked one keeps from ever being ready, directly or through others."""
    lost = {task["seq"] for task in with_status(data, "blocked")}
    found = []
    changed = True
    while changed:
        changed = False
        for task in with_status(data, "pending"):
            if task["seq"] not in lost and lost.intersection(task["depends"]):
                lost.add(task["seq"])
                found.append(task)
                changed = True
    return found


def find_cycle(tasks):
    """The numbers of tasks that wait for each other: what is left when tasks without open parents are taken away."""
    waiting = {task["seq"]: set(task["depends"]) for task in tasks}
    while True:
        free = [seq for seq, parents in waiting.items() if not parents & waiting.keys()]
        if not free:
            return sorted(waiting)
        for seq in free:
            del waiting[seq]


def add_tasks(data, tasks):
    cycle = find_cycle(tasks)
    if cycle:
        fail("the tasks " + " and ".join(cycle) + " wait for each other")
    data["tasks"] += [{**task, "status": "pending", "reason": ""} for task in tasks]


def merge(data, tasks):
    """Blocked tasks without a successor stay blocked; tasks of the new plan replace those of the same number."""
    numbers = {task["seq"] for task in tasks}
    data["tasks"] = [task for task in data["tasks"] if task["seq"] not in numbers]
    add_tasks(data, tasks)


def cascade(data):
    counts = {status: len(with_status(data, status)) for status in ("complete", "blocked", "pending")}
    lost = unreachable(data)
    if ready(data):
        state = "in_progress"
    elif lost:
        state = "stuck"
    else:
        state = "complete"
    return {"state": state, "ready": len(ready(data)), **counts, "unreachable": [task["seq"] for task in lost]}


def propagate(data):
    lost = unreachable(data)
    cause = next((task["reason"] for task in with_status(data, "blocked")), "")
    for task in lost:
        task.update(status="blocked", reason=cause)
    return [task["seq"] for task in lost]


def summary(data):
    blocked = with_status(data, "blocked")
    return {
        "complete": len(with_status(data, "complete")),
        "blocked": len(blocked),
        "causes": sorted({task["reason"] for task in blocked}),
    }


def run(arguments, data):
    command = arguments.command
    if command == "keep-findings":
        data["findings"] = json.load(sys.stdin)
    elif command == "create":
        data["objective"] = arguments.objective
    elif command == "add-tasks":
        add_tasks(data, json.load(sys.stdin)["tasks"])
    elif command == "merge-plan":
        merge(data, json.load(sys.stdin)["tasks"])
    elif command == "update-task":
        for task in data["tasks"]:
            if task["seq"] == arguments.seq:
                task.update(status=arguments.status, reason=arguments.reason)
    elif command == "ready-tasks":
        return ready(data)
    elif command == "cascade-status":
        return cascade(data)
    elif command == "replan-input":
        return {"blocked": [task["seq"] for task in with_status(data, "blocked")], "unreachable": unreachable(data)}
    elif command == "propagate-blocks":
        return propagate(data)
    elif command == "summary":
        return summary(data)
    else:
        fail(f"no command {command}")
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("command")
    parser.add_argument("--desk", required=True)
    for name in ("objective", "seq", "status", "reason"):
        parser.add_argument("--" + name, default="")
    arguments = parser.parse_args()
    with Desk(arguments.desk) as data:
        answer = run(arguments, data)
    if answer is not None:
        print(json.dumps(answer))


main()
