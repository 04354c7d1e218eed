#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Counts the parameters that `gpunetsim help` shows: of a machine's components, of designs, and of each workload;
what an instance of a kind (mrail, spectrum) sets is a value of its kind's row, and rows that several components have (a cache's, a
core's) are shown once, by themselves.

usage: parameters.py PROGRAM
"""
import json
import re
import subprocess
import sys


def answer(program, *arguments):
    return json.loads(subprocess.run([program, *arguments, "--json"], check=True, capture_output=True, text=True).stdout)


def shown(program, topic, others):
    """Rows of the table that a user reads; none of an instance, which only sets its kind's. Adds to `others` the tables it leads to."""
    text = subprocess.run([program, "help", topic], check=True, capture_output=True, text=True).stdout
    others.update(re.findall(r"  gpunetsim help (\w+)  ", text))
    if "parameters are those of" in text:
        return []
    known = {row["parameter"] for row in answer(program, "help", topic).get("parameters", [])}
    return [line.split()[0] for line in text.splitlines() if line.split()[:1] and line.split()[0] in known]


def counts(program):
    """By component: the number of its rows."""
    topics = [row["component"] for row in answer(program, "list", "components")] + ["design"]
    topics += [row["workload"] for row in answer(program, "list", "workloads")]
    others = set()
    rows = {topic: len(shown(program, topic, others)) for topic in topics}
    return rows | {topic: len(shown(program, topic, others)) for topic in sorted(others)}


if __name__ == "__main__":
    by_topic = counts(sys.argv[1])
    for name, count in sorted(by_topic.items(), key=lambda item: -item[1]):
        print(f"{count:5d}  {name}")
    print(f"{sum(by_topic.values()):5d}  together")
