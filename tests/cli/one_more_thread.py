#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Does one more host thread help? Says in which measured cases the simulation gives the measured answer, and what differs from the file.

usage: one_more_thread.py PROGRAM [--update | --all]

The file is tests/cli/one_more_thread.tsv. Its cases are queues in host memory, one for each work-group, whose threads do nothing but see an
operation and mark it; one case with a number of threads, and with the next one that was measured. A case counts if on all hosts more threads
change the latency in one direction, and by more than 5 % in the median. Latencies are medians of the hosts. `right` is yes if the simulation
changes in the same direction; no is a miss. The tables have posts with payload and status on lines of their own (fenced_apart), which
cannot be simulated; such a case is a miss, too.

No value of the machine file comes from a case.
"""
import argparse
import csv
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
FILE = Path(__file__).with_suffix(".tsv")
HEAD = ("table", "variant", "wgs", "threads", "more", "measured_us", "more_measured_us", "simulated_us", "more_simulated_us", "right")
TABLES = {"host_threads": ("h200x2_seventh", "h200x2_ninth", "h200x2_tenth", "h200x2_eleventh"),
          "host_queues": ("h200x2", "h200x2_third", "h200x2_fourth", "h200x2_eleventh")}
CHANGE = 0.05

STUDY = """
local h200x2 = require "configs.h200x2"
local queues = require "scenarios.hardware.parts.queues"
local needed = { %s }
return study {
  title = "Does one more host thread help?",
  machine = h200x2 { nodes = 2 },
  vary = { { "variant", { "fenced", "packed" } }, { "wgs", { 2, 8, 64, 128, 256, 480 } }, { "servers", { 1, 2, 3, 4, 5, 6, 7, 8 } } },
  where = function(p) return needed[p.variant .. " " .. p.wgs .. " " .. p.servers] == true end,
  run = function(p)
    return queues.serve(queues.host_threads, { variant = p.variant, wgs = p.wgs, servers = p.servers, service_ns = 0, window = 1 })
  end,
}
"""


def latencies(path):
    """The median latency in us of each point without service time, by variant, work-groups and threads."""
    lines = path.read_text(encoding="utf-8").splitlines()
    names = [line for line in lines if line.startswith("#")][-1][1:].split("\t")
    points = {}
    for row in (dict(zip(names, line.split("\t"))) for line in lines if not line.startswith("#")):
        if row["service_ns"] == "0" and row["window"] == "1":
            point = row["variant"], int(row["wgs"]), int(row["servers"])
            points.setdefault(point, []).append(float(row["lat_mean_us"]))
    return {point: statistics.median(values) for point, values in points.items()}


def cases():
    """Table, point, point with more threads, and the measured latency of each."""
    for table, folders in TABLES.items():
        hosts = [latencies(PROJECT / f"probe/tables/{folder}/{table}.tsv") for folder in folders]
        points = sorted(set.intersection(*map(set, hosts)))
        for point, more in zip(points, points[1:]):
            changes = [host[more] / host[point] - 1 for host in hosts]
            is_one_way = min(changes) > 0 or max(changes) < 0
            if point[:2] == more[:2] and is_one_way and abs(statistics.median(changes)) > CHANGE:
                yield table, point, more, *(statistics.median(host[p] for host in hosts) for p in (point, more))


def simulate(program, points, store):
    """The simulated latency in us of each point that can be simulated; of the store (None: none) what it has."""
    needed = ", ".join(f'["{" ".join(map(str, point))}"] = true' for point in sorted(points))
    with tempfile.TemporaryDirectory() as folder:
        study = Path(folder) / "study.lua"
        study.write_text(STUDY % needed, encoding="utf-8")
        subprocess.run([program, "run", study, "--no-plot", "--progress=none", "--out", folder, *(["--store", store] if store else [])],
                       check=True, stdout=subprocess.DEVNULL, cwd=PROJECT)
        with open(Path(folder) / "results.csv", encoding="utf-8") as results:
            return {(row["variant"], int(row["wgs"]), int(row["servers"])): float(row["latency_us"]) for row in csv.DictReader(results)}


def scoreboard(program, store=None):
    """The file's lines."""
    found = list(cases())
    simulated = simulate(program, {point for case in found for point in case[1:3] if point[0] != "fenced_apart"}, store)
    lines = ["\t".join(HEAD)]
    for table, point, more, measured, more_measured in found:
        us, more_us = simulated.get(point), simulated.get(more)
        is_right = us is not None and (more_us - us) * (more_measured - measured) > 0
        cells = [f"{us:.2f}", f"{more_us:.2f}"] if us is not None else ["-", "-"]
        lines.append("\t".join([table, *map(str, point), str(more[2]), f"{measured:.2f}", f"{more_measured:.2f}", *cells,
                                "yes" if is_right else "no"]))
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--all", action="store_true")
    args = parser.parse_args()
    lines = scoreboard(args.program)
    if args.update:
        FILE.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return 0
    filed = FILE.read_text(encoding="utf-8").splitlines()
    changed = [line for line in lines if args.all or line not in filed]
    print("\n".join(changed), file=sys.stdout)
    right = sum(line.endswith("\tyes") for line in lines)
    print(f"{right} of {len(lines) - 1} cases are right")
    return lines != filed


if __name__ == "__main__":
    sys.exit(main())
