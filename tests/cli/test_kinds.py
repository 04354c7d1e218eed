# SPDX-License-Identifier: BSD-3-Clause
"""Kinds of nodes in one machine: each node runs at its own kind's rates, and a kind that says what the machine says
changes nothing."""
import csv
import json
import unittest

from program import ProgramTest

MACHINE = """
return machine {
  name = "mixed", nodes = 4,
  network = { rate = "50GB/s", latency = "500ns" }, bus = { rate = "64GB/s" },
  gpu = { clock = "2GHz", memory_rate = "2TB/s" },
  software = { phases = "fixed" },
  %s
}
"""
STUDY = """
local mixed = require "mixed"
return study {
  title = "Kinds of nodes",
  machine = mixed,
  %s
}
"""
# What goes between two nodes: 64 MiB by a queue's NIC commands, by an MPI's messages, and by verbs.
TRANSFERS = STUDY % """vary = { way = { "dgpu", "comp-net", "openmpi-d" } },
  run = function(p)
    local time
    if p.way == "openmpi-d" then
      time = quantity(osu_latency { design = p.way, placement = "inter-node", bytes = "64MiB", iterations = 2, warmup = 1 }.latency)
    else
      time = quantity(get_latency { design = p.way, bytes = "64MiB", repeats = 2 }.latency)
    end
    return { time_us = time / 1e6 }
  end"""
# A kernel of two flops a lane and cycle on every node at once, and one that loads from the memory.
KERNELS = STUDY % """vary = { what = { "clock", "memory" } },
  run = function(p)
    local w = program { design = "openmpi-d", nodes = 4 }
    local times = {}
    w:parties { program = function(me)
      local begin = me:now()
      if p.what == "clock" then me:launch { work_groups = 64, threads = 64, flops = 1e8 }
      else me:launch { work_groups = 640, threads = 256, bytes = "64MiB" } end
      me:synchronise()
      me:record("node" .. me.rank, (quantity(me:now()) - quantity(begin)) .. "ps")
    end }
    return w:run()
  end"""
ALLREDUCE = STUDY % """vary = { algorithm = { "ring" } },
  run = function(p)
    local r = allreduce { design = "gpu-verbs", nodes = 4, bytes = "256MiB", rings = 1, chunk = "1MiB", algorithm = p.algorithm }
    return { time_us = quantity(r.duration) / 1e6 }
  end"""
# One of each that reads what kinds may say: device memory, caches, links, hosts, command processors, energy.
WORKLOADS = STUDY % """vary = { what = { "comp-net", "smart-nic", "gpu-thread", "gpu-warp", "openmpi-d", "charm-channel", "allreduce", "moe",
                   "jacobi2d", "jacobi3d", "all_to_all" } },
  run = function(p)
    local r
    if p.what == "openmpi-d" or p.what == "charm-channel" then
      r = osu_latency { design = p.what, placement = "inter-node", bytes = "64KiB", iterations = 3, warmup = 1 }
    elseif p.what == "allreduce" then r = allreduce { design = "comp-net", nodes = 4, bytes = "64KiB" }
    elseif p.what == "moe" then r = moe { design = "openmpi-d", nodes = 4, tokens = 16 }
    elseif p.what == "jacobi2d" then r = jacobi2d { design = "comp-net", nodes = 4, edge = 64, iterations = 3 }
    elseif p.what == "jacobi3d" then r = jacobi3d { design = "ampi-d", nodes = 4, iterations = 3 }
    elseif p.what == "all_to_all" then r = all_to_all { design = "gpu-verbs", nodes = 4, bytes = "4KiB" }
    else r = queue_service { design = p.what, operation = "get", bytes = "8B", work_groups = 4, operations = 2 } end
    return r
  end"""
# Nodes of two sockets with room for two GPUs each; what runs on the GPUs that are there.
GPUS = """
return machine {
  name = "gpus", nodes = 3, node = { sockets = 2, gpus_per_socket = 2, nics_per_socket = 2, peer_link = "node" },
  network = { rate = "50GB/s", latency = "500ns" }, bus = { rate = "64GB/s" }, gpu = { memory_rate = "2TB/s" },
  software = { phases = "fixed" },
  %s
}
"""
ON_GPUS = """
local gpus = require "gpus"
return study {
  title = "Nodes whose GPUs differ in number",
  machine = gpus,
  vary = { what = { %s } },
  run = function(p)
    local n, most = 3, %d
    if p.what == "moe" then return moe { design = "nvshmem-ibgda", nodes = n, gpus_per_node = most, tokens = 8, top_k = 4, experts = 16, check = "true", repeats = 1, warmup = 0 }
    elseif p.what == "jacobi2d" then return jacobi2d { design = "rocshmem-ro", nodes = n, gpus_per_node = most, edge = 64, iterations = 2, check = "true" }
    elseif p.what == "jacobi3d" then return jacobi3d { design = "ampi-d", nodes = n, gpus = most, grid = 96, scaling = "strong", iterations = 3 }
    elseif p.what == "all_to_all" then return all_to_all { design = "gpu-verbs", nodes = n, gpus_per_node = most, bytes = "4KiB" }
    elseif p.what == "rings" then return allreduce { design = "nvshmem-ibgda", nodes = n, gpus_per_node = most, bytes = "8KiB", algorithm = "ring", check = "true", repeats = 1, warmup = 0 }
    elseif p.what == "rate" then return message_rate { design = "gpu-verbs" }
    elseif p.what == "pairs" then return osu_bandwidth { design = "openmpi-d", placement = "inter-node", pairs = 2, bytes = "64KiB", iterations = 3, warmup = 1 }
    else return allreduce { design = "openmpi-d", nodes = n, gpus_per_node = most, bytes = "64MiB", algorithm = p.what, repeats = 1 } end
  end,
}
"""
# The machine's own values of everything that a kind may have, in part.
SAME = """gpu = { clock = "2GHz", memory_rate = "2TB/s" }, network = { rate = "50GB/s", latency = "500ns" },
  bus = { rate = "64GB/s" }"""


class Kinds(ProgramTest):
    def results(self, study, kinds="", *arguments):
        """The rows of the study on the machine with these kinds."""
        self.write("mixed.lua", MACHINE % kinds)
        self.write("study.lua", study)
        self.succeed("run", "study.lua", "--no-plot", *arguments)
        with (self.folder / "out/study/results.csv").open(newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def times(self, study, kinds="", *arguments):
        """The only measure of each row."""
        return [float(list(row.values())[1]) for row in self.results(study, kinds, *arguments)]

    def test_slower_nic(self):
        """64 MiB between a NIC of 50 GB/s and one of 10 GB/s take what 10 GB/s take, whichever end is the slow one, and packets'
        headers one part in a hundred more."""
        for slow_node in (0, 1):
            kinds = f'kinds = {{ slow = {{ nodes = "{slow_node}", network = {{ rate = "10GB/s" }} }} }},'
            for time in self.times(TRANSFERS, kinds):
                self.assertGreater(time, 2 ** 26 / 10e3)
                self.assertLess(time, 1.02 * 2 ** 26 / 10e3)

    def test_slower_bus(self):
        """The PCIe of one node is the narrowest link of the way, at whichever end: it is as if all nodes had it."""
        all_slow = self.times(TRANSFERS, "", "-s", "bus.rate=8GB/s")
        for slow_node in (0, 1):
            mixed = self.times(TRANSFERS, f'kinds = {{ slow = {{ nodes = "{slow_node}", bus = {{ rate = "8GB/s" }} }} }},')
            for time, at_8 in zip(mixed, all_slow):
                self.assertGreater(time, 2 ** 26 / 8e3)
                self.assertAlmostEqual(time, at_8, delta=0.01 * at_8)

    def test_uninvolved_kind(self):
        """Nodes 2 and 3 take no part, so what they are does not matter."""
        kinds = 'kinds = { slow = { nodes = "2..3", bus = { rate = "8GB/s" }, network = { rate = "1GB/s" } } },'
        self.assertEqual(self.times(TRANSFERS, kinds), self.times(TRANSFERS))

    def test_kernels(self):
        """Each GPU computes at its own clock, and loads at its own memory's rate, beside the others."""
        alike = {row["what"]: row for row in self.results(KERNELS)}
        slower_us = {"clock": 2 * float(alike["clock"]["node1_us"]), "memory": 640 * 2 ** 26 / 0.5e6}
        for what, value in (("clock", 'clock = "1GHz"'), ("memory", 'memory_rate = "0.5TB/s"')):
            kinds = f'kinds = {{ older = {{ nodes = {{ "1" }}, gpu = {{ {value} }} }} }},'
            mixed = {row["what"]: row for row in self.results(KERNELS, kinds)}[what]
            self.assertAlmostEqual(float(mixed["node1_us"]), slower_us[what], delta=0.01 * slower_us[what])
            for other in (0, 2, 3):
                self.assertEqual(mixed[f"node{other}_us"], alike[what][f"node{other}_us"])

    def test_ring(self):
        """A ring goes at its slowest link: one NIC of 10 GB/s, whichever it is, makes it as slow as if all had 10 GB/s, and
        2 (n - 1) / n of the bytes pass it."""
        all_slow = self.times(ALLREDUCE, "", "-s", "network.rate=10GB/s")[0]
        times = [self.times(ALLREDUCE, f'kinds = {{ slow = {{ nodes = "{node}", network = {{ rate = "10GB/s" }} }} }},')[0]
                 for node in range(4)]
        for time in times:
            self.assertGreater(time, 1.5 * 2 ** 28 / 10e3)
            self.assertAlmostEqual(time, all_slow, delta=0.03 * time)

    def test_equal_kinds(self):
        """Kinds that say what the machine says change no byte of what is computed, energies included."""
        alike = self.results(WORKLOADS)
        kinds = f'kinds = {{ one = {{ nodes = "0 2", {SAME} }}, other = {{ nodes = {{ "3" }}, {SAME} }} }},'
        self.assertEqual(self.results(WORKLOADS, kinds), alike)
        self.assertEqual(self.results(WORKLOADS, f'kinds = {{ all = {{ nodes = "0..3", {SAME} }} }},'), alike)

    def test_all_of_one_kind(self):
        """A machine of which all nodes are of a kind is the machine that has this kind's values itself."""
        changed = 'gpu = { clock = "1.2GHz", memory_rate = "1TB/s" }, network = { rate = "25GB/s", latency = "500ns" }, bus = { rate = "16GB/s" }'
        of_kind = self.results(WORKLOADS, f'kinds = {{ all = {{ nodes = "0..3", {changed} }} }},')
        self.write("changed.lua", (MACHINE % "").replace("50GB/s", "25GB/s").replace("64GB/s", "16GB/s")
                   .replace('"2GHz"', '"1.2GHz"').replace("2TB/s", "1TB/s"))
        itself = self.write("itself.lua", WORKLOADS.replace('"mixed"', '"changed"'))
        self.succeed("run", itself, "--no-plot")
        with (self.folder / "out/itself/results.csv").open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        for mine, own in zip(of_kind, rows):
            for column in own:
                if column.endswith("energy") or "energy" in column or "power" in column:
                    continue # of NICs and the network by the machine's own cable
                self.assertEqual(mine[column], own[column], (own["what"], column))

    def on_gpus(self, what, kinds="", most=4):
        """The rows of what runs on GPUs, by its name."""
        self.write("gpus.lua", GPUS % kinds)
        self.write("study.lua", ON_GPUS % (", ".join(f'"{one}"' for one in what), most))
        self.succeed("run", "study.lua", "--no-plot")
        with (self.folder / "out/study/results.csv").open(newline="", encoding="utf-8") as file:
            return {row["what"]: row for row in csv.DictReader(file)}

    def test_fewer_gpus(self):
        """Of nodes that have fewer GPUs than places for them a workload takes the first ones, as it does where others stay idle. Data
        that workloads check arrive also where nodes differ."""
        what = ["moe", "jacobi2d", "jacobi3d", "all_to_all", "rings"]
        kinds = 'kinds = { few = { nodes = "%s", node = { gpus_per_socket = 1 } } },'
        self.assertEqual(self.on_gpus(what, kinds % "0..2", 1), self.on_gpus(what, "", 1))
        rows = [self.on_gpus(what, kinds % "0..2"), self.on_gpus(what, kinds % "1"), self.on_gpus(what)]
        self.assertEqual([int(row["jacobi3d"]["blocks"]) for row in rows], [6, 4 + 2 + 4, 12])
        times = [float(row["rings"]["duration_us"]) for row in rows]
        self.assertEqual(times, sorted(times))

    def test_fewer_gpus_in_a_ring(self):
        """A ring of n ranks takes 2 (n - 1) steps of a + b / n, a latency and bytes / n; of 12 and of 6 ranks follow a and b, and from these
        what 10 ranks take on nodes of 4, 2 and 4 GPUs."""
        kinds = 'kinds = { few = { nodes = "%s", node = { gpus_per_socket = 1 } } },'
        step = {n: float(self.on_gpus(["ring"], kinds % nodes if nodes else "")["ring"]["duration_us"]) / (2 * (n - 1))
                for n, nodes in ((12, ""), (10, "1"), (6, "0..2"))}
        b = (step[6] - step[12]) / (1 / 6 - 1 / 12)
        self.assertGreater(b, 2 ** 26 * (1 + 42 / 4096) / 50e3) # at most the NIC's 50 GB/s
        self.assertAlmostEqual(step[10], step[12] + b * (1 / 10 - 1 / 12), delta=0.02 * step[10])

    def test_named_gpus(self):
        """What runs between GPUs that are there does not see that others are missing; a missing GPU is refused."""
        kinds = 'kinds = { few = { nodes = "1", node = { gpus_per_socket = 1 } } },'
        self.assertEqual(self.on_gpus(["rate"], kinds), self.on_gpus(["rate"]))
        self.write("study.lua", ON_GPUS % ('"pairs"', 4))
        self.write("gpus.lua", GPUS % kinds)
        self.assertIn("node 1 has no GPU 1; its sockets have 1 of the machine's 2 GPUs", self.fail_with(1, "run", "study.lua", "--no-plot"))
        self.write("study.lua", ON_GPUS % ('"tree"', 4))
        self.assertIn("algorithm = tree takes nodes with equally many GPUs", self.fail_with(1, "run", "study.lua", "--no-plot"))

    def test_names_do_not_matter(self):
        """Only what kinds say matters, not what they are called or which is named first."""
        one = 'nodes = "1", network = { rate = "20GB/s" }, gpu = { clock = "1GHz" }'
        two = 'nodes = "2..3", bus = { rate = "16GB/s" }, nic = { command_latency = "200ns" }'
        self.assertEqual(self.results(WORKLOADS, f"kinds = {{ a = {{ {one} }}, b = {{ {two} }} }},"),
                         self.results(WORKLOADS, f"kinds = {{ y = {{ {two} }}, z = {{ {one} }} }},"))

    def test_from_the_command_line(self):
        """-s sets a value of a kind, adds one, and makes a kind; params and resolved.json tell it."""
        in_file = self.results(ALLREDUCE, 'kinds = { slow = { nodes = "1", network = { rate = "10GB/s" } } },')
        settings = ["-s", "kinds.slow.nodes=1", "-s", "kinds.slow.network.rate=10GB/s"]
        self.assertEqual(self.results(ALLREDUCE, "", *settings), in_file)
        resolved = json.loads((self.folder / "out/study/resolved.json").read_text())
        self.assertEqual(resolved["machine_of_first_point"]["kinds.slow.network.rate"], "10GB/s")
        known = 'kinds = { slow = { nodes = "1", network = { rate = published("30GB/s", "a sheet") } } },'
        self.assertEqual(self.results(ALLREDUCE, known, "-s", "kinds.slow.network.rate=10GB/s"), in_file)
        table = {row["parameter"]: row for row in json.loads(self.succeed("params", "mixed.lua", "--json"))}
        self.assertEqual(table["kinds.slow.network.rate"]["source"], "a sheet")
        self.assertEqual(table["kinds.slow.nodes"]["value"], "1")

    def test_follows_the_machine(self):
        """What a kind does not say is the machine's, also if -s changes that."""
        kinds = 'kinds = { other = { nodes = "1", gpu = { clock = "1GHz" } } },'
        for study, setting in ((TRANSFERS, "network.rate=10GB/s"), (TRANSFERS, "bus.rate=8GB/s")):
            self.assertEqual(self.times(study, kinds.replace("gpu = { clock = \"1GHz\" }", "network = { latency = \"500ns\" }"),
                                        "-s", setting), self.times(study, "", "-s", setting))

    def test_many_machines(self):
        """Each point has a machine of its own: workers, which make it before the point runs, do not mix them up."""
        self.write("mixed.lua", MACHINE % "")
        self.write("study.lua", STUDY.replace("  machine = mixed,\n", "") % """machine = function(p)
    local kind = { nodes = ("%d..%d"):format(2 - p.older, 1), network = { rate = p.rate .. "GB/s" } }
    return mixed { kinds = p.older > 0 and { older = kind } or nil }
  end,
  vary = { { "repetition", { 1, 2, 3, 4 } }, { "rate", { 10, 20, 25 } }, { "older", { 0, 1, 2 } } },
  run = function(p) return { time_us = quantity(get_latency { design = "dgpu", bytes = "16MiB", repeats = 1 }.latency) / 1e6 } end""")
        self.succeed("run", "study.lua", "--no-plot", "-j", "3")
        with (self.folder / "out/study/results.csv").open(newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                slowest = 50 if row["older"] == "0" else int(row["rate"])
                self.assertAlmostEqual(float(row["time_us"]), 2 ** 24 / slowest / 1e3, delta=0.04 * float(row["time_us"]))

    def test_refusals(self):
        """One sentence with file and line, or with the override."""
        for kinds, line, sentence in (
                ('kinds = { slow = { network = { rate = "1GB/s" } } },', 8, "a kind of nodes says which they are"),
                ('kinds = { slow = { nodes = "1" }, other = { nodes = "0..1" } },', 8, "node 1 is of another kind, too"),
                ('kinds = { slow = { nodes = "1..x" } },', 8, "does not name nodes; write numbers and ranges"),
                ('kinds = { slow = { nodes = "1..70000" } },', 8, "up to 65535"),
                ('kinds = { slow = { nodes = "1 3..4" } },', 8, "kinds.slow.nodes: there is no node 4; the machine has nodes 0 to 3"),
                ('kinds = { slow = { nodes = "1", gpu = { clok = "1GHz" } } },', 8, 'did you mean "clock"'),
                ('kinds = { slow = { nodes = "1", node = { gpus_per_socket = 2 } } },', 8,
                 "kinds.slow.node.gpus_per_socket is 2, but sockets of this machine have room for 1 GPUs"),
                ('kinds = { slow = { nodes = "1", node = { sockets = 2 } } },', 8, "accepted: gpus_per_socket"),
                ('kinds = { slow = { nodes = "1", cuda = { } } },', 8, 'unknown key "cuda" in kinds.slow'),
                ('kinds = { slow = { nodes = "1", network = { topology = "star" } } },', 8, "accepted: latency, rate"),
                ('kinds = { slow = { nodes = "1", gpu = 5 } },', 8, "kinds.slow.gpu needs a table"),
                ('kinds = { slow = 5 },', 8, "kinds.slow needs a table"),
                ('kinds = 5,', 8, "kinds needs a table"),
                ('kinds = { { nodes = "1" } },', 8, "kinds has the names of its kinds as keys"),
                ('kinds = { ["a.b"] = { nodes = "1" } },', 8, "letters, digits and underscores"),
                ('kinds = { slow = { nodes = "1", gpu = { clock = "1 furlong" } } },', 8, "gpu.clock"),
                ('kinds = { slow = { nodes = "1", gpu = { l1_size = "1000B" } } },', 8, "kinds.slow: gpu.l1_size of 1000 bytes")):
            self.write("mixed.lua", MACHINE % kinds)
            self.assertRegex(self.fail_with(2, "check", "mixed.lua"), rf"^mixed.lua:\d+: .*", msg=kinds)
            self.assertIn(sentence, self.fail_with(2, "check", "mixed.lua"))
        self.write("mixed.lua", MACHINE % 'kinds = { slow = { nodes = "1", network = { rate = "1GB/s" } } },')
        for setting, sentence in (("kinds.fast.gpu.clock=1GHz", 'no kind of nodes "fast"; it has slow'),
                                  ("kinds.slow.cuda.kernel_launch=1us", "no cuda.kernel_launch of its own"),
                                  ("kinds.slow.network.rate=fast", "network.rate"),
                                  ("network.topology=drawn", "a drawn network says of each cable"),
                                  ("kinds.other.nodes=1", "node 1 is of another kind, too")):
            self.assertIn(sentence, self.fail_with(2, "params", "mixed.lua", "-s", setting))

    def test_reads_one_value(self):
        """What reads one GPU for all nodes does not take a machine with two; a kind without a part in the run is told."""
        self.write("mixed.lua", MACHINE % 'kinds = { older = { nodes = "1", gpu = { clock = "1GHz" } } },')
        self.write("study.lua", STUDY % 'vary = { n = { 1 } }, run = function() return kernel_copy { bytes = "1MiB" } end')
        self.assertIn("kernel_copy reads one gpu for all nodes, but kinds.older.gpu.clock differs",
                      self.run_program("run", "study.lua", "--no-plot")[2])
        self.write("equal.lua", MACHINE % 'kinds = { older = { nodes = "1", gpu = { clock = "2GHz" } } },')
        self.write("alike.lua", (STUDY % 'vary = { n = { 1 } }, run = function() return kernel_copy { bytes = "1MiB" } end')
                   .replace('"mixed"', '"equal"'))
        self.succeed("run", "alike.lua", "--no-plot")
        for path in "gpu.clock", "bus.rate":
            self.write("value.lua", STUDY % f'vary = {{ n = {{ 1 }} }}, run = function() return {{ clock = mixed:value "{path}" }} end')
            out = self.run_program("run", "value.lua", "--no-plot", "--force")[2]
            self.assertEqual("m:value reads one gpu for all nodes, but kinds.older.gpu.clock differs" in out, path == "gpu.clock", out)
        for name, alike in ("mixed", False), ("equal", True):
            self.write("alike.lua", (STUDY % "vary = { n = { 1 } }, run = function() return { alike = mixed.alike and 1 or 0 } end")
                       .replace('"mixed"', f'"{name}"'))
            self.assertIn(f'"alike": {int(alike)}', self.succeed("run", "alike.lua", "--no-plot", "--force", "-o", "json:-"))
        self.assertIn("a model is of nodes that are alike", self.run_program("derive", "mixed.lua", "openmpi-d", "-o", "model.lua")[2])
        self.assertFalse((self.folder / "model.lua").exists())
        self.write("cables.lua",
                   'return (require "configs.h200_cluster") { nodes = 4, kinds = { slow = { nodes = "2", network = { rate = "10GB/s" } } } }')
        self.assertIn("kinds.slow.network.rate differs", self.run_program("collective", "all_reduce", "-m", "cables.lua", "--nodes", "4", "-g", "8",
                                                                          "-b", "1MiB", "-e", "1MiB")[2])
        self.write("study.lua", TRANSFERS)
        self.assertIn("kinds.other.nodes was set, but no node of that kind takes part in this run",
                      self.run_program("run", "study.lua", "--no-plot", "-s", "kinds.other.nodes=3", "-s",
                                       "kinds.other.gpu.clock=1GHz")[2])

    def test_kind_without_values(self):
        """A kind that only names its nodes changes nothing; with a value from the command line it does."""
        self.write("mixed.lua", MACHINE % "")
        self.write("study.lua", TRANSFERS)
        options = "run", "study.lua", "--no-plot", "--force", "-s", "kinds.other.nodes=0"
        self.assertIn("kinds.other.nodes was set, but no node of that kind takes part in this run, or nothing there reads it, or the kind has no "
                      "values of its own", self.run_program(*options)[2])
        self.succeed(*options, "-s", "kinds.other.bus.rate=1GB/s")


if __name__ == "__main__":
    unittest.main()
