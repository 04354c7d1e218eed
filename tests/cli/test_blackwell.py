# SPDX-License-Identifier: BSD-3-Clause
"""NCCL's collectives on B200 and GB200: its tables for compute capability 10.0, bands of a machine that is estimated, a rack, and curves of all machines."""
import csv
import io
import math
import unittest

from program import ProgramTest

# What NCCL chooses, without a simulation of its times.
CHOICE = """
local collective = require "benchmarks.parts.collective"
local node = require "configs.%(machine)s"
return study {
  title = "Choices", machine = node,
  vary = { version = { "2.27", "2.28", "2.29", "2.30" }, gpus = %(gpus)s, operation = { "all_reduce", "all_gather" }, bytes = %(bytes)s },
  run = function(p)
    local of = collective.plan({ operation = p.operation, gpus = p.gpus, bytes = p.bytes, element = %(element)d, version = p.version,
                                 symmetric = %(symmetric)s }, node)
    return { algorithm = of.algorithm, protocol = of.protocol, channels = of.channels, element = of.element }
  end,
}
"""
# Times by size of each operation, without bands.
CURVES = """
local collective = require "benchmarks.parts.collective"
local node = require "configs.%s"
return study {
  title = "Curves", machine = node,
  vary = { operation = { "all_reduce", "all_gather", "reduce_scatter", "alltoall"%s }, gpus = { 2, 4, 8 } },
  run = function(p)
    local machine, times = collective.machine(node), {}
    for power = 9, 29, 4 do
      local of = collective.plan({ operation = p.operation, gpus = p.gpus, bytes = 1 << power, element = p.gpus == 4 and 1 or 2, launched = true }, node)
      times["t" .. power] = collective.time(of, machine).total * 1e6
    end
    return times
  end,
}
"""
# src/graph/tuning.cc, of one node: most GB/s of all rings of LL; of one ring of LL128; of one tree of LL128 and Simple; GB/s of a tree of two and
# of more GPUs, by the lists of speeds in src/graph/search.cc. 16 rings and trees (8 of 90 GB/s, doubled).
BLACKWELL = {"2.27": (282, 73.4, 73.4, 77.4, 90, 40), "2.28": (282, 73.4, 55.6, 70.0, 90, 40), "2.29": (282, 34.5, 55.6, 70.0, 90, 45),
             "2.30": (282, 40.0, 55.6, 70.0, 90, 45)}
CORRECTION = {
    "LL": (1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1, 1),
    "LL128": (1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1, 1, 1),
    "Simple": (.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5, .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9, .9)}
BASE = {"ring": {"LL": 6.6, "LL128": 14.0, "Simple": 8.4}, "tree": {"LL": 6.8, "LL128": 14.0, "Simple": 8.4}}
STEP = {"ring": {"LL": 0.6, "LL128": 1.9, "Simple": 3.4}, "tree": {"LL": 0.6, "LL128": 1.25, "Simple": 4.0}}


def cheapest(version, gpus, operation, size):
    """NCCL's estimate in us with the algorithm and protocol that has the least."""
    most_LL, ring_LL128, tree_LL128, tree_simple, of_two, of_more = BLACKWELL[version]
    steps = (2 if operation == "all_reduce" else 1) * (gpus - 1)
    ring = {"LL": min(most_LL, 720 / 2), "LL128": min(0.92 * 720, 16 * ring_LL128), "Simple": 720}
    found = [(BASE["ring"][one] + steps * STEP["ring"][one] + size / (1e3 * rate * gpus / steps), "ring", one) for one, rate in ring.items()]
    if operation == "all_reduce":
        tree = min(0.92 * 16 * (of_two if gpus == 2 else of_more), 16 * tree_simple)
        rates = {"LL": min(tree / 3.8, most_LL), "LL128": min(tree * 7 / 9, 16 * tree_LL128), "Simple": tree}
        place = min(max(int(math.log2(max(size >> 6, 1))), 0), 23)
        found += [(BASE["tree"][one] + 2 * (gpus - 1) * STEP["tree"][one] + size / (1e3 * rate / 2 * CORRECTION[one][place]), "tree", one)
                  for one, rate in rates.items()]
    return min(found)


def symmetric(gpus, operation, size):
    """Protocol and blocks of the kernel for symmetric memory (src/sym_kernels.cc, from compute capability 10.0 on)."""
    unit, is_sum = 2**30 / 1e6, operation == "all_reduce"
    part = size if is_sum else size // gpus

    def estimate(moved, base, blocks):
        rate = 600 * unit - 55 * unit * math.log1p((math.exp(600 / 55) - 1) * math.exp(-blocks))
        return base + (math.log1p(math.exp(moved / rate - 1)) if moved / rate < 101 else moved / rate - 1)

    def best(moved, base, protocol):
        most = 1.025 * estimate(moved, base, 64)
        blocks = next(blocks for blocks in range(1, 65) if blocks == 64 or estimate(moved, base, blocks) <= most)
        return estimate(moved, base, blocks) * (1 + 0.025 * blocks), blocks, protocol
    words = best(gpus * part * 9, 11 if is_sum else 8.5, "LL")
    packs = best(2 * part * (gpus - 1) / gpus if is_sum else (gpus - 1) * part, 19.5 if is_sum else 13, "Simple")
    _, blocks, protocol = min(words, packs)
    cells = part // 1024
    return protocol, math.ceil(cells / math.ceil(cells / blocks))


class Blackwell(ProgramTest):
    def rows(self, name, text):
        self.write(name, text)
        return list(csv.DictReader(io.StringIO(self.succeed("run", name, "--no-plot", "-o", "csv:-"))))

    def row(self, operation, size, *words):
        text = self.succeed("collective", operation, "-m", "b200", "--how", "graph", "-b", size, "-e", size, "-o", "csv:-", *words)
        return {name: float(value) for name, value in next(csv.DictReader(io.StringIO(text))).items() if name.endswith("_us")}

    def test_table(self):
        """What the source's numbers choose, by version; all 32 channels for large sizes; gathers are of bytes."""
        sizes = [2**power for power in range(13, 30, 2)]
        chosen = set()
        for row in self.rows("choice.lua", CHOICE % {"machine": "b200", "gpus": "{ 2, 4, 8 }", "element": 2, "symmetric": "false",
                                                     "bytes": "{" + ",".join(map(str, sizes)) + "}"}):
            gpus, size = int(row["gpus"]), int(row["bytes"])
            _, algorithm, protocol = cheapest(row["version"], gpus, row["operation"], size)
            self.assertEqual((row["algorithm"], row["protocol"]), (algorithm, protocol), row)
            self.assertEqual(int(row["element"]), 1 if row["operation"] == "all_gather" else 2)
            if size >= 64 << 20:
                self.assertEqual(int(row["channels"]), 32)
            chosen.add((row["version"], gpus, row["operation"], size, algorithm, protocol))
        self.assertGreaterEqual(len({one[4:] for one in chosen}), 3)  # the sizes tell algorithms and protocols apart
        self.assertGreater(len({tuple(sorted(one[1:] for one in chosen if one[0] == version)) for version in BLACKWELL}), 2)  # and versions

    def test_symmetric_table(self):
        """The kernels for symmetric memory by their formula; sums of int8 have none (sym_kernels.cc, ncclSymkImplemented), gathers of it have."""
        text = {"machine": "gb200", "gpus": "{ 4, 8 }", "bytes": "{ 8192, 131072, 2097152, 33554432 }", "symmetric": "true"}
        for row in self.rows("symmetric.lua", CHOICE % {**text, "element": 2}):
            self.assertEqual((row["protocol"], int(row["channels"])), symmetric(int(row["gpus"]), row["operation"], int(row["bytes"])), row)
        for row in self.rows("bytes.lua", CHOICE % {**text, "element": 1}):
            self.assertEqual(row["algorithm"] == "symmetric", row["operation"] == "all_gather", row)

    def test_band(self):
        """A machine's estimated value adds what it makes at both ends of its range to the band, as the root of a sum of squares; one that is set has no range.
        A flag passes both links between GPUs, and a gather of four GPUs waits for three."""
        for name, now, low, high in (("nvlink.latency", "43.5ns", "30ns", "75ns"), ("cuda.graph_node_start", "693ns", "500ns", "960ns"),
                                     ("gpu.l2_latency_cycles", "390", "330", "480")):
            words = ("all_gather", "1KiB", "-g", "4")
            within, without = self.row(*words), self.row(*words, "-s", f"{name}={now}")
            self.assertEqual(within["time_us"], without["time_us"])
            for end, column, sign in ((high, "high_us", 1), (low, "low_us", -1)):
                moved = sign * (self.row(*words, "-s", f"{name}={end}")["time_us"] - within["time_us"])
                added = math.sqrt((within[column] - within["time_us"])**2 - (without[column] - within["time_us"])**2)
                self.assertGreater(moved, 0.05)
                self.assertTrue(2 / 3 * moved < added < 3 / 2 * moved, (name, end, added, moved))

    def test_rack(self):
        """72 GPUs are one node of gb200, joined alike: large all-to-alls of 4 to 32 GPUs have the links' bus bandwidth, and each GPU sends all but its own part."""
        rates = []
        for gpus in ("4", "16", "32"):
            text = self.succeed("collective", "alltoall", "-m", "gb200", "-g", gpus, "-b", "2GiB", "-e", "2GiB", "-o", "csv:-")
            rates.append(float(next(csv.DictReader(io.StringIO(text)))["bus_rate_GBps"]))
        for rate in rates:
            self.assertTrue(0.9 * 721.8 < rate < 721.8, rates)  # 18 links of 40.1 GB/s
        self.assertIn("gpus is 73; it is a whole number from 2 to 72", self.fail_with(2, "collective", "all_reduce", "-m", "gb200", "-g", "73"))
        self.assertIn("gpus is 9; it is a whole number from 2 to 8", self.fail_with(2, "collective", "all_reduce", "-m", "b200", "-g", "9"))
        self.assertIn(" 16777152 ", self.succeed("collective", "all_reduce", "-m", "gb200", "-g", "72", "-b", "16MiB", "-e", "16MiB"))

    def test_curves(self):
        """Of every machine, halves and (of four GPUs) bytes: more of them take no less time, 16 times as many at most 17 times as long; 512 MiB
        over eight GPUs reach 0.8 to 1 of what NCCL takes a GPU's links for (370.8 and 721.8 GB/s), but an all-to-all 0.7."""
        factors = {"all_reduce": 2 * 7 / 8, "all_gather": 7 / 8, "reduce_scatter": 7 / 8, "broadcast": 1, "alltoall": 7 / 8}
        for machine in ("h200x2", "h100x2", "h200_cluster", "b200"):  # to draw a rack takes as long as all of these; its GPUs are b200's
            link = 721.8 if machine == "b200" else 370.8
            more = ', "broadcast"' if machine == "b200" else ""  # its 20 operations in a row take as long as all else
            for row in self.rows(f"{machine}_curves.lua", CURVES % (machine, more)):
                times = [float(row[f"t{power}"]) for power in range(9, 30, 4)]
                for before, after in zip(times, times[1:]):
                    self.assertTrue(0.97 * before < after < 17 * before, (machine, row["operation"], row["gpus"], times))
                if row["gpus"] == "8":
                    share = (512 << 20) / times[-1] / 1e3 * factors[row["operation"]] / link
                    self.assertTrue((0.7 if row["operation"] == "alltoall" else 0.8) < share < 1.01, (machine, row["operation"], share))


if __name__ == "__main__":
    unittest.main()
