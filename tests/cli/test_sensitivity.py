# SPDX-License-Identifier: BSD-3-Clause
"""gpunetsim sensitivity: elasticities that formulas give, whatever the number of workers; bands within ranges."""
import collections
import csv
import io
import json
import math
import os
import re
import shutil
import tempfile
import unittest
from pathlib import Path

from program import ProgramTest, connect_store

# A copy between host and GPU over NVLink takes calls of the CPU, an engine's set-up, latencies and the bytes' time on the link:
# all times, and nothing that depends on two of them. `wire` is what twice the bytes take more.
COPIES = """
local cuda = require "benchmarks.parts.cuda"
local summit = require "configs.summit"
return study { title = "Copies", machine = summit { nodes = 1, cuda = { synchronize = "5.65us" } }, vary = { bytes = { "1MiB", "4MiB" } },
  run = function(p)
    local one = cuda.copy { bytes = p.bytes }.time
    local two = cuda.copy { bytes = p.bytes == "1MiB" and "2MiB" or "8MiB" }.time
    return { time = one, wire_us = two:us() - one:us(), rate = 1 / (two:us() - one:us()) }
  end }
"""

GETS = """
local node = require "configs.gcn3_node"
return study { title = "Gets", machine = node { nodes = 2 }, vary = { design = { "comp-net", "apu" } },
  run = function(p) return get_latency { design = p.design, bytes = "8B", repeats = 10 } end }
"""


LOADS = """
return study { title = "Loads", machine = require "configs.gpu_host", vary = { operation = { "load" } },
  run = function(p) return gpu_operation { operation = p.operation, memory = "gpu" } end }
"""


PUTS = """
local node = require "configs.gcn3_node"
return study { title = "Puts", machine = node { nodes = 2 }, vary = { design = { "gpu-verbs" } },
  run = function(p) return queue_service { design = p.design, operation = "put", bytes = "8B", work_groups = 4, operations = 4 } end }
"""


# Under sanitizers a run is short, and there is one of each point where phases play no part.
SANITIZED = bool(os.environ.get("GPUNETSIM_SANITIZED"))
if SANITIZED:
    GETS = GETS.replace("repeats = 10", "repeats = 2")


def in_one_run(text):
    return text.replace("nodes = 2", 'nodes = 2, software = { phases = "fixed" }') if SANITIZED else text


IN_ONE_RUN = in_one_run(GETS)


class Sensitivity(ProgramTest):
    @classmethod
    def setUpClass(cls):
        """A store for all: what one test has run, others recall."""
        cls.shared = tempfile.mkdtemp(prefix="gpunetsim-cli-")
        cls.addClassCleanup(shutil.rmtree, cls.shared)

    def told(self, *options):
        return self.succeed("sensitivity", "s.lua", "--store", str(Path(self.shared) / "all.db"), *options)

    def answer(self, text, *options):
        self.write("s.lua", text)
        return json.loads(self.told("--json", *options))

    def elasticities(self, text, *options):
        return {row["parameter"]: float(row["elasticity"]) for row in self.answer(text, *options)["parameters"]
                if row["elasticity"] is not None}

    def test_wire(self):
        """The time of bytes on a link is inversely proportional to its rate, and nothing else has part in it."""
        times = self.elasticities(COPIES, "--point", "bytes=1MiB", "--measure", "wire_us")
        rates = self.elasticities(COPIES, "--point", "bytes=1MiB", "--measure", "rate", "--step", "5")
        for name, value in times.items():
            expected = -1 if name in ("nvlink.rate", "nvlink.efficiency") else 0
            self.assertAlmostEqual(value, expected, places=3, msg=name)
            self.assertAlmostEqual(rates[name], -expected, places=3, msg=name)

    def test_sum(self):
        """Were all times and all rates' inverses 10 % longer, so would be the copy: by Euler's theorem elasticities sum up to 1.
        (A step of 1 %: over 10 % the logarithm of a sum of terms is bent. Some are the same time twice: bytes at a rate.)"""
        found = self.elasticities(COPIES, "--point", "bytes=1MiB", "--step", "1")
        times = ("cuda.copy_call", "cuda.copy_setup", "cuda.synchronize", "nvlink.latency")
        rates = ("nvlink.rate",)
        total = sum(found[name] for name in times) - sum(found[name] for name in rates)
        self.assertAlmostEqual(total, 1, delta=0.002)
        # each of the times is a term by itself: its elasticity is its share of the sum, called once a copy
        base = float(self.copy_us())
        for name, us in (("cuda.copy_call", 3), ("cuda.copy_setup", 2.2), ("cuda.synchronize", 5.65), ("nvlink.latency", 0.25)):
            self.assertAlmostEqual(found[name], us / base, delta=0.0005, msg=name)

    def test_load(self):
        """A load that hits the L2 takes the cycles of both caches, at the clock: nothing of that counts as not read."""
        found = self.elasticities(LOADS, "--step", "1")
        self.assertAlmostEqual(found["gpu.clock"], -1, delta=0.01)
        self.assertAlmostEqual(found["gpu.l1_latency_cycles"] + found["gpu.l2_latency_cycles"], 1, delta=0.02)

    def copy_us(self):
        self.succeed("run", "s.lua", "-o", "csv:r.csv", "--no-plot", "--force")
        return next(csv.DictReader(io.StringIO((self.folder / "r.csv").read_text())))["time_us"]

    def test_kinds(self):
        """Whole numbers move by one at least, sizes of caches by half, flags and choices take their other values, and all is told."""
        rows = self.answer(GETS, "--point", "design=comp-net", "-s", "cp.cores=4", "-s", "gpu.l2_size=1MiB",
                           "-s", "software.phases=fixed")["parameters"]  # the least step moves an exact result
        by_name = {row["parameter"]: row for row in rows}
        self.assertEqual([by_name["gpu.l1_latency_cycles"][end] for end in ("low", "high")], ["11", "13"])
        self.assertEqual([by_name["cp.cores"][end] for end in ("low", "high")], ["1", "40"])  # without effect, as far as it goes
        self.assertEqual([by_name["gpu.l2_size"][end] for end in ("low", "high")], ["104KiB", "10MiB"])
        self.assertEqual(by_name["gpu.l2_locking"]["note"], "another choice")
        self.assertEqual(by_name["gpu.l2_locking"]["high"], "true")
        self.assertEqual(by_name["nic.packet_spread"]["note"], "0: not changed")
        self.assertIn("fails at 1: ", by_name["nodes"]["note"])
        self.assertIn("at least 2 nodes", by_name["nodes"]["note"])
        self.assertEqual(by_name["charm.schedule"]["outcome"], "not read")
        weights = [abs(float(row["elasticity"])) for row in rows if row["elasticity"] is not None]
        self.assertEqual(weights, sorted(weights, reverse=True))

    def test_steps(self):
        """With fixed phases a work-group that polls sees the completion of its put at the next poll: what moves the latency by less
        than that does so only when it is changed by more, and a result of a script that is rounded likewise. With drawn ones
        the NIC's and the network's times move it, too."""
        if not SANITIZED:
            rows = {row["parameter"]: row for row in self.answer(PUTS)["parameters"]}
            for name in ("nic.packet_latency", "network.latency", "nic.command_latency"):
                self.assertEqual(rows[name]["outcome"], "moves", rows[name])
        fixed = PUTS.replace("nodes = 2", 'nodes = 2, software = { phases = "fixed" }')
        rows = {row["parameter"]: row for row in self.answer(fixed)["parameters"]}
        for name in ("nic.packet_latency", "network.latency"):
            row = rows[name]
            self.assertEqual((row["outcome"], row["note"]), ("moves", "a smaller step changes nothing"), row)
            self.assertNotEqual(row["elasticity"], 0)
            for end in ("low", "high"):
                if row[end] is None:
                    continue
                self.succeed("run", "s.lua", "-s", f"{name}={row[end]}", "-o", "csv:r.csv", "--no-plot", "--force")
                found = next(csv.DictReader(io.StringIO((self.folder / "r.csv").read_text())))
                self.assertEqual(float(found["latency_us"]), float(row[f"latency_us_{end}"]))
        rounded = COPIES.replace("return { time = one,", "return { time = math.floor(one:us() / 10) * 10,")
        rows = {row["parameter"]: row for row in self.answer(rounded, "--point", "bytes=1MiB")["parameters"]}
        self.assertEqual(rows["cuda.synchronize"]["note"], "a smaller step changes nothing")

    def test_lists(self):
        """What was read and moves nothing, what could not be changed and what was not read are told apart, in all outputs."""
        rows = self.answer(GETS, "--point", "design=apu", "-o", "t.csv")["parameters"]
        outcomes = collections.defaultdict(set)
        for row in rows:
            outcomes[row["outcome"]].add(row["parameter"])
        self.assertEqual(set(outcomes), {"moves", "below the spread", "changes nothing", "not changed", "fails", "not read"})
        self.assertIn("charm.schedule", outcomes["not read"])
        self.assertIn("nic.packet_spread", outcomes["not changed"])
        self.assertFalse(outcomes["not read"] & set().union(*(outcomes[o] for o in outcomes if o != "not read")))
        files = list(csv.DictReader(io.StringIO((self.folder / "t.csv").read_text())))
        self.assertEqual([row["outcome"] for row in files], [row["outcome"] for row in rows])
        out = self.told("--point", "design=apu")
        self.assertRegex(out, r"(?m)^\d+ parameters were read and change nothing, as far as they were changed: ")
        self.assertRegex(out, r"(?m)^\d+ parameters were not read: .*charm\.\*")

    def test_spread(self):
        """A measure with a spread beside it: what moves it by less is told as such."""
        text = COPIES.replace("return { time = one,", "return { time = one, time_spread = '2us',")
        rows = {row["parameter"]: row for row in self.answer(text, "--point", "bytes=1MiB")["parameters"]}
        self.assertEqual((rows["cuda.synchronize"]["outcome"], rows["cuda.synchronize"]["note"]),
                         ("moves", "a smaller step stays within the spread"))
        self.assertEqual(rows["cuda.copy_setup"]["outcome"], "below the spread")
        self.assertEqual(rows["nvlink.rate"]["outcome"], "moves")
        text = COPIES.replace("return { time = one,", "return { time = one, time_spread = '5ms',")
        rows = {row["parameter"]: row for row in self.answer(text, "--point", "bytes=1MiB")["parameters"]}
        self.assertEqual(rows["nvlink.latency"]["outcome"], "below the spread")
        out = self.told("--point", "bytes=1MiB")
        self.assertRegex(out, r"(?m)^\d+ parameters move it by no more than its own spread: .*nvlink\.latency")

    def test_axes(self):
        """Axes of the design: numbers by their neighbours, choices by all others, puts gathered; what does not go together is told."""
        rows = self.answer(IN_ONE_RUN, "--point", "design=comp-net")["parameters"]
        axes = [row for row in rows if row["parameter"].startswith("design.")]
        rounds = next(row for row in axes if row["parameter"] == "design.polling_rounds")
        self.assertEqual((rounds["value"], rounds["low"], rounds["high"]), ("8", "7", "9"))
        for end in ("low", "high"):
            self.succeed("run", "s.lua", "-s", f"design.polling_rounds={rounds[end]}", "-o", "csv:r.csv", "--no-plot", "--force")
            runs = {row["design"]: row["latency_us"] for row in csv.DictReader(io.StringIO((self.folder / "r.csv").read_text()))}
            self.assertEqual(float(runs["comp-net"]), float(rounds[f"latency_us_{end}"]))
        tried = collections.Counter(row["parameter"] for row in axes)
        self.assertEqual((tried["design.fence"], tried["design.queue.memory"], tried["design.coalesce.count"]), (3, 1, 2))
        host = next(row for row in axes if row["parameter"] == "design.queue.memory")
        self.assertEqual((host["value"], host["high"]), ("gpu", "host"))
        self.assertGreater(float(host["high_percent"]), 50)  # over PCIe
        self.assertIn("fails at charm: ", next(row for row in axes if row["high"] == "charm")["note"])
        out = self.told("--point", "design=comp-net")
        self.assertRegex(out, r"design\.runtime=charm,.* do not go together with the design's other axes")

    def test_workers_and_store(self):
        """The same bytes with one worker, with three, and from the store, in which nothing is run again."""
        text, point = (COPIES, "bytes=1MiB") if SANITIZED else (GETS, "design=apu")
        options = ("sensitivity", "s.lua", "--point", point, "--band", "8", "--seed", "7")
        self.write("s.lua", text)
        texts = {self.succeed(*options, "-j", "1"), self.succeed(*options, "-j", "3"),
                 self.succeed(*options, "-j", "2", "--store", "r.db"), self.succeed(*options, "--store", "r.db")}
        self.assertEqual(len(texts), 1)
        status = self.succeed("status", "r.db").splitlines()[1].split()
        runs = int(re.search(r"(\d+) variants", texts.pop())[1])
        self.assertEqual(int(status[1]), runs)
        before = self.stored()
        self.succeed(*options, "--store", "r.db")
        self.assertEqual(self.stored(), before)

    def stored(self):
        with connect_store(self.folder / "r.db") as connection:
            return connection.execute("SELECT key, started_us FROM point ORDER BY key").fetchall()

    def test_band(self):
        """More samples than parts of the range: every value lies within, and the value that the machine file has, too."""
        band = self.answer(IN_ONE_RUN, "--point", "design=comp-net", "--band", "32")["band"][0]
        us = [float(band[name].removesuffix("us")) for name in ("least", "p5", "median", "p95", "most")]
        self.assertEqual(us, sorted(us))
        self.assertLess(us[0], float(band["value"].removesuffix("us")))
        self.assertGreater(us[-1], float(band["value"].removesuffix("us")))
        self.assertEqual((int(band["samples"]), int(band["failed"])), (32, 0))
        again = self.answer(IN_ONE_RUN, "--point", "design=comp-net", "--band", "32", "--seed", "2")["band"][0]
        self.assertNotEqual(again["median"], band["median"])

    def test_files(self):
        self.write("s.lua", GETS)
        outputs = [word for ending in ("csv", "json", "svg", "png", "pdf") for word in ("-o", f"t.{ending}")]
        self.told("--point", "design=apu", *outputs)
        rows = list(csv.DictReader(io.StringIO((self.folder / "t.csv").read_text())))
        self.assertEqual(len(rows), len(json.loads((self.folder / "t.json").read_text())["parameters"]))
        svg = (self.folder / "t.svg").read_text()
        self.assertIn("10 % less", svg)
        # names as they are set, from below the one that moves it most; behind them what was tried where that was no step of 10 %
        def extent(row):
            return max(abs(float(row[side] or 0)) for side in ("low_percent", "high_percent"))
        drawn = re.findall(r">([a-z0-9_]+\.[a-z0-9_.]+)(?: \(([^<]*)\))?<", svg)[::-1]
        moving = {row["parameter"]: row for row in rows if row["outcome"] == "moves" and row["elasticity"]}
        extents = [extent(moving[name]) for name, _ in drawn]
        self.assertEqual(extents, sorted(extents, reverse=True))
        self.assertEqual(extents, sorted(map(extent, moving.values()), reverse=True)[:24])
        self.assertIn("", [tried for _, tried in drawn])
        for name, tried in drawn:
            row = moving[name]
            if tried:
                self.assertEqual(tried.replace(" ", "").split(","), [row[side] for side in ("low", "high") if row[side]])
        self.assertTrue((self.folder / "t.pdf").read_bytes().startswith(b"%PDF"))
        self.assertTrue((self.folder / "t.png").read_bytes().startswith(b"\x89PNG"))

    def test_refusals(self):
        self.write("s.lua", GETS)
        self.write("zero.lua", 'return study { title = "Zero", machine = machine { name = "plain" }, '
                               'vary = { n = { 1 } }, run = function(p) return { nothing = 0, word = "a" } end }')
        for options, words in ((("--point", "size=8B"), "no axis size"), (("--step", "0"), "more than 0"),
                               (("--step", "60"), "up to 50"), (("--band", "1"), "2 to"), (("--band", "0"), "2 to"), (("--measure", "lateness"), "lateness"),
                               (("-o", "t.txt"), "ends in"), (("-s", "nic.rote=1"), "rote"), (("-j", "0"), "workers")):
            self.assertIn(words, self.fail_with(2, "sensitivity", "s.lua", *options))
        self.assertIn("above 0", self.fail_with(1, "sensitivity", "zero.lua"))
        self.assertIn("no measure", self.fail_with(2, "sensitivity", "zero.lua", "--measure", "word"))
        self.assertEqual(self.files(), ["s.lua", "zero.lua"])


class Bands(ProgramTest):
    """A study that asks for the band of what is estimated: around its curves, and of its claims."""

    TEXT = """
local node = require "configs.gcn3_node"
local function us(r) return r:value { design = "comp-net", bytes = "8B" }.latency_us end
return study { title = "Gets", machine = node { nodes = 2 }, vary = { bytes = { "8B", "64KiB" }, design = { "comp-net", "apu" } },
  run = function(p) return get_latency { design = p.design, bytes = p.bytes, repeats = 5 } end,
  band = %s,
  plot = { x = "bytes", y = "latency_us", by = "design", style = "loglog" },
  claims = {
    ["N-39"] = function(r) return { obtained = us(r), holds = us(r) > 1000 } end,
    ["N-40"] = function(r) return { obtained = us(r), holds = us(r) < 5.6 } end,
    ["N-47"] = function(r) return { obtained = us(r), holds = us(r) > 0 } end } }
"""

    # Of what this machine estimates are latencies on the way to the host, and the size of a cache of 16 ways.
    LOADS = """
local h200x2 = require "configs.h200x2"
return study { title = "Loads", machine = h200x2, vary = { memory = { "host", "gpu" } }, band = 8,
  run = function(p)
    local time = gpu_operation { operation = "load", memory = p.memory }.time
    if time > "%s" then error("too slow") end
    return { time = time }
  end,
  plot = { x = "memory", y = "time_us", style = "bars" } }
"""

    def run_study(self, samples, *options):
        self.write("s.lua", in_one_run(self.TEXT % samples))
        output = self.succeed("run", "s.lua", "--force", *options)
        return output, list(csv.DictReader(io.StringIO((self.folder / "out/s/results.csv").read_text())))

    def test_sizes_of_caches(self):
        """A size that is drawn has whole sets, so that no sample fails; bars have whiskers."""
        self.write("s.lua", self.LOADS % "10us")
        self.assertNotIn("failed", self.succeed("run", "s.lua"))
        rows = list(csv.DictReader(io.StringIO((self.folder / "out/s/results.csv").read_text())))
        self.assertLess(float(rows[0]["time_least_us"]), float(rows[0]["time_us"]))
        self.assertGreater(float(rows[0]["time_most_us"]), float(rows[0]["time_us"]))
        self.assertNotIn("least", self.succeed("run", "s.lua", "--force", "--band", "0", "-o", "csv:-"))
        self.assertIn("0 or 2 to", self.fail_with(2, "run", "s.lua", "--band", "1"))

    def test_samples_that_fail(self):
        """A band without some of its samples says so."""
        self.write("s.lua", self.LOADS % "1.2us")
        self.assertRegex(self.succeed("run", "s.lua", "--no-plot"), r"band: [1-7] of 16 samples failed, the first: .*too slow")

    def test_curves(self):
        _, rows = self.run_study(6, "-j", "1")
        for row in rows:
            least, own, most = (float(row[f"latency{end}_us"]) for end in ("_least", "", "_most"))
            self.assertLess(least, most)
            self.assertTrue(least <= own <= most, row)
        self.assertEqual(self.run_study(6, "-j", "3")[1], rows)
        self.assertEqual(self.run_study(6, "--store", "r.db")[1], rows)
        self.assertEqual(self.run_study(6, "--store", "r.db")[1], rows)
        with connect_store(self.folder / "r.db") as connection:
            self.assertEqual(connection.execute("SELECT count(*) FROM point").fetchone()[0], 4 + 4 * 6)
        drawn = (self.folder / "out/s/figure.svg").read_text()
        self.succeed("plot", "s.lua", "--store", "r.db", "--out", "again")
        self.assertEqual((self.folder / "again/figure.svg").read_text(), drawn)

    def test_same_machines(self):
        """Sample k is one machine, whatever the point: a claim compares designs on it."""
        self.run_study(4, "--store", "r.db")
        with connect_store(self.folder / "r.db") as connection:
            axes = [json.loads(text) for text, in connection.execute("SELECT axes FROM point")]
        sets = {entry["set"] for entry in axes if "set" in entry}
        self.assertEqual(len(sets), 4)

    def test_claims(self):
        output, _ = self.run_study(8)
        held = {claim: int(count) for claim, count in re.findall(r"^(N-\d+) .*held in (\d) of 8 samples", output, re.M)}
        self.assertEqual((held["N-39"], held["N-47"]), (0, 8))
        self.assertIn(held["N-40"], range(1, 8))

    def test_refusals(self):
        for band, words in (("1", "2 to"), ("true", "whole number"), ("2.5", "whole number")):
            self.write("s.lua", self.TEXT % band)
            self.assertIn(words, self.fail_with(2, "run", "s.lua"))

    def test_values_without_a_source(self):
        """`params STUDY --point` has only estimated values, each at the ends of its range, with the elasticity between them."""
        self.write("gets.lua", IN_ONE_RUN)
        rows = json.loads(self.succeed("params", "gets.lua", "--point", "design=apu", "--json"))
        origins = {row["parameter"]: row for row in json.loads(self.succeed("params", "gcn3_node", "--json"))}
        self.assertGreater(len(rows), 5)
        both = 0
        for row in rows:
            self.assertEqual(origins[row["parameter"]]["origin"], "estimated")
            self.assertEqual(origins[row["parameter"]]["range"], row["range"])
            ends = re.fullmatch(r"([\d.]+)ns\.\.([\d.]+)ns", row["range"] or "")
            if ends and row["latency_us_low"] and row["latency_us_high"]:
                slope = math.log(row["latency_us_high"] / row["latency_us_low"]) / math.log(float(ends[2]) / float(ends[1]))
                self.assertAlmostEqual(row["elasticity"], slope, delta=6e-5)
                both += 1
        self.assertGreater(both, 3)
        told = self.succeed("params", "gets.lua", "--point", "design=apu")
        self.assertRegex(told, r"\Adesign apu: latency is .*us\. The run reads \d+ estimated values; %d of them move it" % len(rows))


if __name__ == "__main__":
    unittest.main()
