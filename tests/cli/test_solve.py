# SPDX-License-Identifier: BSD-3-Clause
"""gpunetsim solve: finds what was planted, says when nothing does it, and keeps all that it tries."""
import csv
import io
import json
import math
import re
import unittest

from program import ProgramTest, connect_store

# Affine in the time of a call and in the inverse of the link's rate: what is found can be worked out.
COPIES = """
local cuda = require "benchmarks.parts.cuda"
local summit = require "configs.summit"
return study { title = "Copies", machine = summit { nodes = 1 }, vary = { bytes = { "1MiB", "2MiB" } },
  run = function(p)
    local r = cuda.copy { bytes = p.bytes }
    return { time = r.time, rate = quantity(p.bytes) / r.time:us() }
  end }
"""

GETS = """
local node = require "configs.gcn3_node"
return study { title = "Gets", machine = node { nodes = 2 },
  vary = { design = { "comp-net", "apu", "dgpu" }, bytes = { "8B", "64B" } },
  run = function(p) return get_latency { design = p.design, bytes = p.bytes, repeats = 5 } end }
"""

# The same without the draws of phases: each result is exact, and stands at a step of its own.
FIXED = GETS.replace("nodes = 2", 'nodes = 2, software = { phases = "fixed" }')


class Solve(ProgramTest):
    def solve(self, text, *options, code=0):
        self.write("s.lua", text)
        got, out, err = self.run_program("solve", "s.lua", "--json", *options)
        self.assertEqual(got, code, err)
        return json.loads(out)

    def measured(self, *options, column="time_us", **point):
        """What a run of s.lua gives at the point, in the column's unit."""
        self.succeed("run", "s.lua", "-o", "csv:r.csv", "--no-plot", "--force", *options)
        rows = csv.DictReader(io.StringIO((self.folder / "r.csv").read_text()))
        return next(float(row[column]) for row in rows if all(row[name] == text for name, text in point.items()))

    def found(self, answer):
        return {row["parameter"]: row["found"] for row in answer["parameters"]}

    @staticmethod
    def number(text):
        match = re.fullmatch(r"([\d.]+)([a-zA-Z/]*)", text)
        scale = {"ns": 1e-3, "us": 1, "MB/s": 1e-3, "GB/s": 1, "MiB/s": 2**20 / 1e9, "GiB/s": 2**30 / 1e9, "": 1}
        return float(match[1]) * scale[match[2]]

    def test_spread(self):
        """Where results are means with a spread, the step that passes the target stays so wide that its ends differ from the target by
        more than their spreads; what lies between is as good as at it, and the answer says so."""
        self.write("s.lua", GETS)
        at, vary = ("--point", "design=dgpu,bytes=8B", "--target", "9.5us"), ("--vary", "network.latency=10ns..2us")
        out = self.succeed("solve", "s.lua", *at, *vary)
        off, spread = map(float, re.search(r"\(([-+.\d]+) %, with a spread of ±([.\d]+) %\)", out).groups())
        self.assertGreater(spread, 0.1)  # the tolerance of results without one
        self.assertLessEqual(abs(off), spread)
        ends = re.search(r"With network\.latency=(\S+) it is below the target, with network\.latency=(\S+) above it\.\n"
                         r"Values between these are within their spread of the target, so the step was not made smaller\.\n", out)
        low, high = (self.measured("-s", f"network.latency={end}", column="latency_us", design="dgpu", bytes="8")
                     for end in ends.groups())
        self.assertLess(low, 9.5 * (1 - spread / 400))
        self.assertGreater(high, 9.5 * (1 + spread / 400))
        self.write("s.lua", FIXED)
        self.assertNotIn("spread", self.succeed("solve", "s.lua", *at, *vary))

    def test_planted(self):
        """A rate is planted, and found again by the time that it gives; and so is a call's time."""
        self.write("s.lua", COPIES)
        for path, planted, limits in (("nvlink.rate", "37.3GB/s", "10GB/s..200GB/s"),
                                      ("cuda.synchronize", "8.76us", "1us..20us")):
            target = self.measured("-s", f"{path}={planted}", bytes="1048576")
            answer = self.solve(COPIES, "--point", "bytes=1MiB", "--target", f"{target}us", "--vary", f"{path}={limits}")
            self.assertTrue(answer["solved"])
            self.assertAlmostEqual(self.number(self.found(answer)[path]) / self.number(planted), 1, delta=0.001)
            self.assertLess(len(answer["tries"]), 60)

    def test_least_change(self):
        """Of two times that add up, on scales of the same width, the greater one gets there with less change."""
        self.write("s.lua", COPIES)
        base = self.measured(bytes="1048576")
        target = base + 4
        answer = self.solve(COPIES, "--point", "bytes=1MiB", "--target", f"{target}us",
                            "--vary", "cuda.copy_call=1us..16us,cuda.synchronize=1us..16us")
        self.assertTrue(answer["solved"])
        found = self.found(answer)
        call, wait = (self.number(found[name]) for name in ("cuda.copy_call", "cuda.synchronize"))
        self.assertAlmostEqual(call + wait, 3 + 5.65 + 4, delta=0.05)
        # Lagrange: the slopes of the squared logarithms are equal, (ln call/3) / call = (ln wait/5.65) / wait
        low, high = 3, 7
        for _ in range(50):
            middle = (low + high) / 2
            other = 12.65 - middle
            is_more = math.log(middle / 3) / middle > math.log(other / 5.65) / other
            low, high = (low, middle) if is_more else (middle, high)
        self.assertAlmostEqual(call, low, delta=0.1)

    def test_least(self):
        """Two times that have a sum, and nothing that tells them apart: the set of values that do as well has both of them over their
        whole ranges, and what is predicted of it is their sum, 12.65 us in all, from which the measure was made."""
        self.write("s.lua", COPIES.replace("time = r.time,", "off = math.abs(math.log(r.time:us() / 30)), again_us = r.time:us(),"))
        out = self.succeed("solve", "s.lua", "--point", "bytes=1MiB", "--measure", "off", "--target", "least", "--predict", "again_us",
                           "--vary", "cuda.copy_call=1us..16us,cuda.synchronize=1us..16us", "-o", "t.csv")
        self.assertRegex(out, r"off is \S+ now, at least 0\.00\d*; \d+ of \d+ sets of values that were tried do as well\.")
        rows = [line.split() for line in out.splitlines()]
        for name in ("cuda.copy_call", "cuda.synchronize"):
            row = next(row for row in rows if row and row[0] == name)
            low, high = self.number(row[3]), self.number(row[4])
            self.assertGreater(high / low, 1.5, out)
        _, best, low, high = next(row for row in rows if row and row[0] == "again_us")
        self.assertAlmostEqual(float(best), 30, delta=0.3)
        self.assertGreater(float(low), 30 / 1.06)
        self.assertLess(float(high), 30 * 1.06)

    def test_constraint(self):
        """With the rate held down by a constraint on another measure the target moves out of reach."""
        self.write("s.lua", COPIES)
        target = self.measured("-s", "nvlink.rate=80GB/s", bytes="1048576")
        options = ("--point", "bytes=1MiB", "--target", f"{target}us", "--vary", "nvlink.rate=10GB/s..200GB/s")
        rate = self.measured(column="rate", bytes="1048576")
        good = self.solve(COPIES, *options, "--constraint", "rate>=1")
        self.assertAlmostEqual(self.number(self.found(good)["nvlink.rate"]), 80, delta=0.2)
        bad = self.solve(COPIES, *options, "--constraint", f"rate<={rate}", code=1)
        self.assertFalse(bad["solved"])
        best = bad["parameters"][0]["nearest"]
        self.assertLessEqual(self.number(best), 50)
        _, out, err = self.run_program("solve", "s.lua", *options, "--constraint", f"rate<={rate}")
        self.assertIn("not where the constraints hold", out)
        self.assertIn("keeps the constraints", err)

    def test_unreachable(self):
        """A copy takes longer than its calls, whatever the link: the nearest is the fastest link."""
        for knobs in ("nvlink.rate=10GB/s..200GB/s", "nvlink.rate=10GB/s..200GB/s,nvlink.latency=1ns..1us"):
            answer = self.solve(COPIES, "--point", "bytes=1MiB", "--target", "5us", "--vary", knobs, code=1)
            self.assertFalse(answer["solved"])
            self.assertEqual(answer["parameters"][0]["nearest"], "200GB/s")
            self.assertTrue(all(float(row["time_us"]) > 5 for row in answer["tries"]))
        code, out, err = self.run_program("solve", "s.lua", "--point", "bytes=1MiB", "--target", "5us", "--vary", knobs)
        self.assertEqual(code, 1)
        self.assertIn("Nothing within these ranges reaches it; this comes nearest.", out)
        self.assertEqual(self.only_sentence(err), "nothing within the ranges reaches the target.")
        same = "time was the same at each of them: these parameters do not change it here."
        self.assertNotIn(same, out)
        self.assertIn(same, self.run_program("solve", "s.lua", "--point", "bytes=1MiB", "--target", "5us", "--vary", "nodes=1..4")[1])

    def test_other_point(self):
        """The other design sees the same machine; where it does not read the parameter its measure is one number, of one run."""
        self.write("s.lua", GETS)
        for knob, is_alone in (("cp.clock=100MHz..10GHz", True), ("gpu.clock=500MHz..4GHz", False)):
            _, out, _ = self.run_program("solve", "s.lua", "--json", "--point", "design=comp-net,bytes=8",
                                         "--target", "design=apu", "--vary", knob, "--store", f"{is_alone}.db")
            tries = json.loads(out)["tries"]
            targets = {row["target"] for row in tries}
            self.assertEqual(len(targets) == 1, is_alone, targets)
            with connect_store(self.folder / f"{is_alone}.db") as connection:
                runs = connection.execute("SELECT count(*) FROM point WHERE axes LIKE '%apu%'").fetchone()[0]
            self.assertEqual(runs, 1 if is_alone else len(tries))

    def test_whole_numbers(self):
        """Cycles are whole: the measure jumps over a target between two of them, and both are told."""
        self.write("s.lua", FIXED)
        low, high = (self.measured("-s", f"gpu.l2_latency_cycles={n}", column="latency_us", design="comp-net", bytes="8")
                     for n in (120, 121))
        out = self.succeed("solve", "s.lua", "--point", "design=comp-net,bytes=8", "--target", f"{(low + high) / 2:.6f}us",
                           "--vary", "gpu.l2_latency_cycles=20..400")
        sides = re.search(r"With gpu\.l2_latency_cycles=(\d+) it is above the target, with gpu\.l2_latency_cycles=(\d+) below it", out)
        self.assertEqual(int(sides[1]) - int(sides[2]), 1, out)
        self.assertRegex(out, rf"gpu\.l2_latency_cycles +150 +({sides[1]}|{sides[2]}) ")

    def test_axis_of_design(self):
        """Planted polling rounds are found; the present ones are shown; an axis of which nobody is told is refused."""
        self.write("s.lua", GETS)
        point = ("solve", "s.lua", "--point", "design=dgpu,bytes=8")
        for rounds in (3, 20, 47):
            wanted = self.measured("-s", f"design.polling_rounds={rounds}", column="latency_us", design="dgpu", bytes="8")
            out = self.succeed(*point, "--target", f"{wanted:.6f}us", "--vary", "design.polling_rounds=1..64")
            found = int(re.search(r"design\.polling_rounds +8 +(\d+) +1 +64", out)[1])
            self.assertEqual(self.measured("-s", f"design.polling_rounds={found}", column="latency_us", design="dgpu", bytes="8"),
                             wanted, out)
        self.assertIn("no numbers", self.fail_with(2, *point, "--target", "2us", "--vary", "design.queue.memory"))
        self.assertIn("LOW..HIGH", self.fail_with(2, *point, "--target", "2us", "--vary", "design.polling_rounds"))
        self.assertIn("no axis", self.fail_with(2, *point, "--target", "2us", "--vary", "design.rounds=1..4"))

    def test_workers_and_store(self):
        """The same bytes with any number of workers and from the store, in which every try is, once."""
        self.write("s.lua", COPIES)
        options = ("solve", "s.lua", "--point", "bytes=1MiB", "--target", "40us", "--vary", "cuda.copy_call,nvlink.latency,cuda.synchronize=1us..16us")
        texts = {self.succeed(*options, "-j", "1"), self.succeed(*options, "-j", "3", "-o", "tries.csv"),
                 self.succeed(*options, "--store", "r.db")}
        stored = self.stored()
        texts.add(self.succeed(*options, "--store", "r.db"))
        self.assertEqual(len(texts), 1)
        self.assertEqual(self.stored(), stored)
        tries = list(csv.DictReader(io.StringIO((self.folder / "tries.csv").read_text())))
        self.assertEqual(len(stored), len(tries))
        self.assertEqual(f"{len(tries)} sets of values were tried.", texts.pop().splitlines()[-1])

    def stored(self):
        with connect_store(self.folder / "r.db") as connection:
            return connection.execute("SELECT key, started_us FROM point ORDER BY key").fetchall()

    def test_already_there(self):
        self.write("s.lua", COPIES)
        base = self.measured(bytes="1048576")
        out = self.succeed("solve", "s.lua", "--point", "bytes=1MiB", "--target", f"{base}us", "--vary", "cuda.copy_call")
        self.assertIn("It is there already.", out)

    def test_within_the_range(self):
        """The present value is outside of the range: neither the answer nor the nearest is, of whole numbers, quantities and ratios."""
        self.write("s.lua", GETS)
        point = ("--point", "design=comp-net,bytes=8")
        base = self.measured(column="latency_us", design="comp-net", bytes="8")
        for knob, low, high in (("host.cores=1..2", 1, 2), ("gpu.l2_latency_cycles=20..100", 20, 100), ("cp.clock=3GHz..5GHz", 3, 5),
                                ("gpu.l2_latency_cycles=20..100,cp.clock=3GHz..5GHz", 20, 100), ("gpu.copy_rate=1GB/s..2GB/s", 1, 2),
                                ("design.polling_rounds=1..3", 1, 3)):
            for target in (base, base * 50, base * 0.99, base / 50):
                _, out, _ = self.run_program("solve", "s.lua", "--json", *point, "--target", f"{target}us", "--vary", knob)
                if not out:  # nothing at this point reads it
                    continue
                row = json.loads(out)["parameters"][0]
                value = float(re.match(r"[\d.]+", row.get("found", row.get("nearest")))[0])
                self.assertTrue(low <= value <= high, (knob, target, row))
                for tried in json.loads(out)["tries"][1:]:
                    value = float(re.match(r"[\d.]+", tried[row["parameter"]])[0])
                    self.assertTrue(low <= value <= high, (knob, target, tried))

    def test_refusals(self):
        self.write("s.lua", GETS)
        point = ("--point", "design=comp-net,bytes=8")
        good = (*point, "--target", "2us", "--vary", "cp.clock")
        for options, words in (
                (("--target", "2us", "--vary", "cp.clock"), "6 points"), ((*point, "--target", "2us"), "--vary"),
                ((*point, "--vary", "cp.clock"), "--target"), ((*point, "--target", "2", "--vary", "cp.clock"), "has no unit"),
                ((*point, "--target", "-2us", "--vary", "cp.clock"), "above 0"),
                ((*point, "--target", "design=cpu", "--vary", "cp.clock"), "takes no value cpu"),
                ((*point, "--target", "design=comp-net", "--vary", "cp.clock"), "the point itself"),
                ((*point, "--target", "2us", "--vary", "cp.clok"), 'did you mean "cp.clock"'),
                ((*point, "--target", "2us", "--vary", "cp.clock=2GHz"), "LOW..HIGH"),
                ((*point, "--target", "2us", "--vary", "cp.clock=2GHz..1GHz"), "below"),
                ((*point, "--target", "2us", "--vary", "cp.clock=1..2"), "has no unit"),
                ((*point, "--target", "2us", "--vary", "cp.clock=1Hz..1GHz"), "out of range"),
                ((*point, "--target", "2us", "--vary", "cp.clock,cp.clock"), "twice"),
                ((*point, "--target", "2us", "--vary", "gpu.l2_locking"), "no numbers"),
                ((*point, "--target", "2us", "--vary", "smart_nic.clock"), "nothing at this point reads it"),
                ((*good, "--constraint", "energy"), "MEASURE<=VALUE"), ((*good, "--constraint", "rank_energy<=2uJ"), "rank_energy"),
                ((*good, "-o", "t.svg"), "ends in"), ((*good, "--measure", "lateness"), "lateness")):
            self.assertIn(words, self.fail_with(2, "solve", "s.lua", *options), options)
        self.assertEqual(self.files(), ["s.lua"])


if __name__ == "__main__":
    unittest.main()
