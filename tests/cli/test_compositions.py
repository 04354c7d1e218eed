# SPDX-License-Identifier: BSD-3-Clause
"""Designs put together by chance from the axes, on every machine of configs/, under every workload that takes a design:
each run ends with numbers, or with one sentence that says what is accepted.

A draw is a machine, a design (a named one, up to four of its axes changed), a workload with small sizes, and a latency
of the machine. It runs three times: as it is, once more, and with that latency four times as long. GPUNETSIM_DRAWS and
GPUNETSIM_SEED say how many draws and which.
"""
import csv
import json
import math
import os
import random
import re
import unittest

from program import ProgramTest

DRAWS = int(os.environ.get("GPUNETSIM_DRAWS", "25"))
SEED = int(os.environ.get("GPUNETSIM_SEED", "1"))

MACHINES = ("ac922", "gcn3_node", "gpu_host", "h200_cx7", "h200x2", "lassen", "summit")

# By workload: what is drawn of its arguments.
SIZES = ("1B", "8B", "100B", "4KiB", "64KiB", "1MiB")
PEERS = ("design", "design", "command_processor", "host_thread")
PLACEMENTS = ("intra-socket", "cross-socket", "inter-node")
WORKLOADS = {
    "get_latency": {"bytes": SIZES, "repeats": (3,), "warmup": (0, 1)},
    "litmus": {"rounds": (5,), "work_groups": (1, 3)},
    "message_rate": {"warps": (1, 4), "lanes": (1, 32), "messages": (8,), "bytes": SIZES[:4], "signals": (False, True)},
    "all_to_all": {"nodes": (2,), "gpus_per_node": (1, 2), "groups": (1, 2), "bytes": SIZES, "repeats": (1,)},
    "queue_service": {"operation": ("get", "put", "nop"), "bytes": SIZES, "work_groups": (1, 9), "operations": (4,),
                      "posts": (1, 4)},
    "neighbour_exchange": {"pattern": ("exchange", "ping_pong"), "bytes": SIZES, "work_groups": (1, 3), "iterations": (3,),
                           "warmup": (1,)},
    "osu_latency": {"bytes": SIZES, "placement": PLACEMENTS, "buffers": ("device", "device", "host"), "iterations": (4,),
                    "peer_server": PEERS, "pairs": (1, 1, 2), "warmup": (1,)},
    "osu_bandwidth": {"bytes": SIZES, "placement": PLACEMENTS, "window": (1, 4, 8), "pairs": (1, 1, 2), "both_ways": (False, True),
                      "peer_server": PEERS, "iterations": (2,), "warmup": (1,)},
    "jacobi2d": {"nodes": (2,), "gpus_per_node": (1, 2), "edge": (64, 100), "iterations": (2,), "warmup": (1,),
                 "check": (True,)},
    "jacobi3d": {"nodes": (1, 2), "grid": (32,), "iterations": (2,), "warmup": (1,), "odf": (1, 2), "check": (True,)},
    "allreduce": {"nodes": (2,), "gpus_per_node": (1, 2), "bytes": SIZES[2:], "rings": (1, 3), "warmup": (0,),
                  "check": (True,)},
    "moe": {"nodes": (2,), "tokens": (4,), "work_groups": (2, 4), "repeats": (1,), "warmup": (0,), "packing": ("packed", "token"),
            "check": (True,)},
    "l2_hit_rate": {"networking": (2,), "streaming": (0, 2), "warmup": ("2us",), "duration": ("10us",)},
}

# Numbers of axes; all others are what "gpunetsim help design" accepts.
NUMBERS = {"service_threads": (1, 2, 5), "polling_rounds": (1, 3, 70), "copy_unroll": (1, 4), "nic_queue.sharers": (0, 1, 2, 4),
           "nic_queue.fences": (1, 3), "queue.count": (0, 1, 3), "take_instructions": (0, 400), "verb_instructions": (0, 900), "coalesce.count": (0, 2, 64),
           "coalesce.size": ("0B", "128B", "4KiB"), "coalesce.timeout": ("1us", "10us", "50us")}

STUDY = """
local machines = { %(machines)s }
local workloads = { %(workloads)s }
local draws = { %(draws)s }
local numbers = {}
for i = 1, #draws do numbers[i] = i end
return study {
  title = "Compositions",
  machine = function(p)
    local draw = draws[p.draw]
    return machines[draw.machine](p.run == "slower" and draw.slower or draw.plain)
  end,
  vary = { { "draw", numbers }, { "run", { "plain", "again", "slower" } } },
  run = function(p)
    local draw = draws[p.draw]
    return workloads[draw.workload](draw.arguments)
  end,
}
"""

# What no run may end with, whatever was asked for.
FAULTS = re.compile(r"assert|check failed|signal \d|killed|deadlock|livelock|overflow|negative|sanitizer|exit code|"
                    r"time limit|internal|nil value|\(null\)|end early", re.IGNORECASE)


def in_lua(value):
    if isinstance(value, dict):
        return "{ %s }" % ", ".join(f"[{in_lua(key)}] = {in_lua(part)}" for key, part in value.items())
    if isinstance(value, bool):
        return "true" if value else "false"
    return json.dumps(value)


LATENCIES = ("nic.doorbell_latency", "nic.command_latency", "nic.packet_latency", "bus.latency", "bus.switch_latency",
             "nvlink.latency", "socket_link.latency", "network.latency", "host.memory_latency", "host.bus_latency",
             "gpu.memory_latency", "smart_nic.memory_latency", "smart_nic.bus_latency")
SHAPES = ({}, {}, {"nics_per_socket": 2}, {"gpus_per_socket": 2}, {"gpus_per_socket": 2, "peer_link": "node"})

# Times of one transfer after the other, which a slower machine does not shorten: by more than looks of two polling loops, as
# in test_invariants. (Where many share queues and mutexes turns fall otherwise.)
TIMES = {"get_latency": {"latency_us"}, "osu_latency": {"latency_us"}, "neighbour_exchange": {"turn_us"}}
JITTER_US, JITTER = 3.0, 0.05


class Compositions(ProgramTest):
    def axes(self):
        """What each axis accepts."""
        found = {}
        for axis in json.loads(self.succeed("help", "design", "--json"))["parameters"]:
            accepted = axis["accepted"]
            found[axis["parameter"]] = NUMBERS.get(axis["parameter"]) or (
                ("true", "false") if accepted == "true or false" else tuple(accepted.split(", ")))
        self.assertTrue(all(" to " not in value for values in found.values() for value in values if isinstance(value, str)))
        return found

    def latencies(self):
        """By machine: the parameters of LATENCIES, in picoseconds."""
        units = {"ps": 1, "ns": 1000, "us": 1000000}
        found = {}
        for machine in MACHINES:
            found[machine] = {}
            for row in json.loads(self.succeed("params", machine, "--json")):
                if row["parameter"] in LATENCIES:
                    number, unit = re.fullmatch(r"([0-9.]+)([a-z]+)", row["value"]).groups()
                    found[machine][row["parameter"]] = round(float(number) * units[unit])
        return found

    @staticmethod
    def design(names, axes, chance):
        """A named design with none to four axes changed; at times with puts gathered."""
        changed = chance.sample(sorted(axes), chance.choice((0, 1, 1, 2, 2, 3, 4)))
        values = {axis: chance.choice(axes[axis]) for axis in changed}
        if chance.random() < 0.1:
            values.update({axis: chance.choice(NUMBERS[axis][1:]) for axis in ("coalesce.count", "coalesce.timeout")})
        text = ",".join(f"{axis}={value}" for axis, value in values.items())
        return chance.choice(names) + ("{%s}" % text if text else "")

    def draws(self):
        chance = random.Random(SEED)
        axes, latencies = self.axes(), self.latencies()
        names = [row["design"] for row in json.loads(self.succeed("list", "designs", "--json"))]
        drawn = []
        for _ in range(DRAWS):
            machine, workload = chance.choice(MACHINES), chance.choice(sorted(WORKLOADS))
            arguments = {name: chance.choice(values) for name, values in WORKLOADS[workload].items()}
            arguments["design"] = self.design(names, axes, chance)
            plain = {"nodes": 2}
            shape = chance.choice(SHAPES)
            if shape:
                plain["node"] = shape
            component, name = chance.choice(LATENCIES).split(".")
            longer = {name: f"{4 * latencies[machine][component + '.' + name]}ps"}
            drawn.append({"machine": machine, "workload": workload, "arguments": arguments, "plain": plain,
                          "slower": {**plain, component: longer}})
        return drawn

    def run_study(self, drawn):
        self.write("c.lua", STUDY % {
            "machines": ", ".join(f'{name} = require "configs.{name}"' for name in MACHINES),
            "workloads": ", ".join(f"{name} = {name}" for name in WORKLOADS),
            "draws": ",\n  ".join(in_lua(draw) for draw in drawn)})
        code, _, err = self.run_program("run", "c.lua", "--no-plot", "--columns=all", "--time-limit", "60s", "-o", "csv:c.csv")
        self.assertIn(code, (0, 1), err)
        with (self.folder / "c.csv").open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), 3 * len(drawn))
        return {(int(row.pop("draw")) - 1, row.pop("run")): row for row in rows}

    def judge_refusal(self, text):
        """One sentence, none of those that tell of a fault of the program itself."""
        self.assertNotRegex(text, FAULTS)
        self.assertRegex(text, r"^(c\.lua:\d+: \S[^\n]{15,}|[a-z_.]+ was set, but nothing in this run reads it\.$)")
        self.assertLess(len(text), 500)

    def judge_numbers(self, row):
        numbers = {name: float(value) for name, value in row.items() if value not in ("", None) and name != "failure"}
        self.assertTrue(numbers)
        for name, number in numbers.items():
            self.assertTrue(math.isfinite(number), f"{name} = {number}")
            self.assertGreaterEqual(number, 0, name)
        return numbers

    def test_draws(self):
        drawn = self.draws()
        rows = self.run_study(drawn)
        good = 0
        for number, draw in enumerate(drawn):
            plain, again, slower = (rows[number, run] for run in ("plain", "again", "slower"))
            with self.subTest(draw=draw):
                self.assertEqual(plain, again)
                if plain.get("failure"):
                    self.judge_refusal(plain["failure"])
                    continue
                good += 1
                times = self.judge_numbers(plain)
                if slower.get("failure"):
                    self.assertIn("was set, but", slower["failure"])
                    continue
                after = self.judge_numbers(slower)
                for name in times.keys() & after.keys() & TIMES.get(draw["workload"], set()):
                    self.assertGreater(after[name] * (1 + JITTER) + JITTER_US, times[name], name)
        self.assertGreater(good, len(drawn) // 8)


if __name__ == "__main__":
    unittest.main()
