#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs every workload with every design, or with none, on two machines, some of them also where the transport moves segments, and says
which results differ from those on file.

usage: fingerprints.py PROGRAM [--update]

The file is tests/fingerprints.tsv. A line has a machine, a workload, a design, the first measure of the result but for energy, the number of
events that the run took, and a hash of all other measures. A design that cannot run the workload there has no line.
Arguments are the same for all designs: ARGUMENTS below.

A change that is meant to leave results alone leaves this file alone. One that moves results on purpose writes it again with
--update, so that the change shows which results moved.
"""
import csv
import hashlib
import json
import subprocess
import sys
import tempfile
from pathlib import Path

FILE = Path(__file__).parent / "fingerprints.tsv"
MACHINES = ("gcn3_node", "summit")

# By workload: arguments that make a short run. Every workload that takes a design is here; "/..." behind its name says what else is run of it.
ARGUMENTS = {
    "get_latency": "bytes = '8B', repeats = 10",
    "litmus": "rounds = 5",
    "message_rate": "warps = 4, messages = 8, bytes = '8B'",
    "all_to_all": "nodes = 2, bytes = '4KiB', repeats = 2",
    "queue_service": "operation = 'get', bytes = '8B', work_groups = 9, operations = 8",
    "l2_hit_rate": "networking = 2, streaming = 2, warmup = '2us', duration = '10us'",
    "neighbour_exchange": "bytes = '8B', work_groups = 3, iterations = 8, warmup = 1",
    "osu_latency": "bytes = '8B', placement = 'inter-node', buffers = 'device', iterations = 8, warmup = 1",
    "osu_latency/pairs": "bytes = '8B', placement = 'inter-node', pairs = 2, iterations = 4, warmup = 1",
    "osu_bandwidth": "bytes = '64KiB', placement = 'inter-node', window = 8, iterations = 2, warmup = 1",
    "osu_bandwidth/both_ways": "bytes = '64KiB', placement = 'inter-node', window = 4, both_ways = true, iterations = 2, warmup = 1",
    "osu_bandwidth/pairs": "bytes = '64KiB', placement = 'inter-node', window = 4, pairs = 2, iterations = 2, warmup = 1",
    "jacobi2d": "nodes = 2, edge = 64, iterations = 3, warmup = 1",
    "jacobi3d": "nodes = 2, grid = 32, iterations = 3, warmup = 1",
    "allreduce": "algorithm = 'ring', nodes = 2, bytes = '64KiB', warmup = 0",
    "moe": "nodes = 2, tokens = 4, repeats = 2, warmup = 0",
}

# Workloads without a design, which run once a machine.
WITHOUT_DESIGN = {
    "perftest": "operation = 'send_lat', bytes = '4KiB', iterations = 10",
    "perftest/bandwidth": "operation = 'read_bw', bytes = '4KiB', iterations = 100, tx_depth = 8, queues = 2, both_ways = true",
    "flag_round_trip": "rounds = 5",
    "gpu_operation": "operation = 'atomic', work_groups = 4",
    "kernel_copy": "bytes = '256KiB', work_groups = 8",
}

# On this machine, whose transport moves segments, a few workloads run with a few designs: messages that share links.
SEGMENTS = "summit/segments"
WITH_SEGMENTS = ("all_to_all", "allreduce", "jacobi3d", "moe", "osu_bandwidth/both_ways")
DESIGNS_WITH_SEGMENTS = ("gpu-verbs", "comp-net", "dgpu", "charm-channel", "openmpi-d")

STUDY = """
local machines = { %(machines)s, ["%(segments)s"] = function(changes)
  changes.transport = { kind = "segment" }
  return require "configs.summit"(changes)
end }
local with_segments, designs_with_segments = { %(with_segments)s }, { %(designs_with_segments)s }
local workloads = { %(workloads)s }
return study {
  title = "Fingerprints",
  machine = function(p) return machines[p.machine] { nodes = 2 } end,
  vary = { { "machine", { %(machine_names)s, "%(segments)s" } }, { "workload", { %(workload_names)s } }, { "design", { %(designs)s } } },
  where = function(p) return p.machine ~= "%(segments)s" or with_segments[p.workload] and designs_with_segments[p.design] or false end,
  run = function(p) return workloads[p.workload](p.design) end,
}
"""
COLUMNS = ("machine", "workload", "design", "result", "events", "hash")


def designs(program):
    rows = json.loads(subprocess.run([program, "list", "designs", "--json"], check=True, capture_output=True).stdout)
    return [row["design"] for row in rows]


def quoted(names):
    return ", ".join(f'"{name}"' for name in names)


def as_set(names):
    return ", ".join(f'["{name}"] = true' for name in names)


def study(program):
    known = designs(program)
    return STUDY % {
        "machines": ", ".join(f'{name} = require "configs.{name}"' for name in MACHINES),
        "machine_names": quoted(MACHINES),
        "segments": SEGMENTS,
        "with_segments": as_set(WITH_SEGMENTS),
        "designs_with_segments": as_set(DESIGNS_WITH_SEGMENTS),
        "workloads": ", ".join([f"['{name}'] = function(d) return {name.split('/')[0]} {{ design = d, {arguments} }} end"
                                for name, arguments in ARGUMENTS.items()] +
                               [f"['{name}'] = function(d) assert(d == '{known[0]}') return {name.split('/')[0]} {{ {arguments} }} end"
                                for name, arguments in WITHOUT_DESIGN.items()]),
        "workload_names": quoted(ARGUMENTS | WITHOUT_DESIGN),
        "designs": quoted(known),
    }


def fingerprint(row):
    """What the file keeps of a point that has run: COLUMNS."""
    point = {name: row[name] for name in COLUMNS[:3]}
    point["design"] = "-" if row["workload"] in WITHOUT_DESIGN else row["design"]
    result = {name: value for name, value in row.items() if name not in COLUMNS[:3] and value is not None}
    events = result.pop("events", "-")
    first = next(f"{name} {value}" for name, value in result.items() if "energy" not in name)
    text = json.dumps(result, sort_keys=True)
    return {**point, "result": first, "events": str(events), "hash": hashlib.sha256(text.encode()).hexdigest()[:12]}


def run(program):
    """A fingerprint for each point, in the study's order."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "fingerprints.lua"
        path.write_text(study(program))
        done = subprocess.run([program, "run", path, "--out", folder, "--no-plot", "-o", f"json:{folder}/rows.json"],
                              capture_output=True, text=True)
        try:
            rows = json.loads((Path(folder) / "rows.json").read_text())
        except OSError:
            sys.exit(f"the study did not run: {done.stderr[-2000:]}")
    return [fingerprint(row) for row in rows if row["failure"] is None]


def read():
    with open(FILE, newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def write(rows):
    with open(FILE, "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, delimiter="\t", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def key(row):
    return tuple(row[name] for name in COLUMNS[:3])


def differences(before, now):
    """One line for each point whose result differs."""
    old = {key(row): row for row in before}
    new = {key(row): row for row in now}
    for at in list(old) + [at for at in new if at not in old]:
        if old.get(at) != new.get(at):
            shown = [f"{row['result']}, {row['events']} events" if row else "does not run" for row in (old.get(at), new.get(at))]
            yield f"{' '.join(at)}: {shown[0]} -> {shown[1]}"


def main(program, *options):
    rows = run(program)
    moved = list(differences(read() if FILE.exists() else [], rows))
    for line in moved:
        print(line)
    print(f"{len(moved)} of {len(rows)} results differ from {FILE.name}.")
    if "--update" in options:
        write(rows)
    elif moved:
        print(f"If that is intended: {' '.join(('tests/fingerprints.py', program, '--update'))}")
        return 1
    return 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
