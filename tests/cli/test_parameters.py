# SPDX-License-Identifier: BSD-3-Clause
"""Parameters that nothing reads, rails without NICs, and statistics."""
import csv
import json
import unittest

import parameters
from program import PROGRAM, ProgramTest, sample, unless_sanitized

OSU = """
local summit = require "configs.summit"
return study {
  title = "Latency",
  machine = %s,
  vary = { bytes = { "8B", "1MiB" } },
  run = function(p) return osu_latency { design = "openmpi-d", bytes = p.bytes, placement = "%s" } end,
}
"""
DESIGNS = """
local node = require "configs.gcn3_node"
return study {
  title = "Designs",
  machine = %s,
  vary = { design = { %s } },
  run = function(p) return get_latency { design = p.design, bytes = "8B", repeats = 2 } end,
}
"""
# What once changed nothing, silently, on a Summit OSU run.
SILENT = ["nic.fetch_depth=1", "host.l1_latency_cycles=5", "host.memory_latency=1us", "gpu.l2_banks=4",
          "gpu.kernel_launch=1us", "cp.clock=1GHz", "software.runtime_call=2us", "cuda.kernel_launch=1us"]


# Rows that `help` shows at most; what an instance of a kind sets is a value of that kind's row, and rows that
# several components have count once. A new row replaces another one.
MOST_ROWS = 455


class Parameters(ProgramTest):
    @unless_sanitized
    def test_count(self):
        """A user never has more rows to read than that."""
        by_topic = parameters.counts(PROGRAM)
        self.assertGreater(by_topic["cuda"], 20)
        self.assertLessEqual(sum(by_topic.values()), MOST_ROWS, by_topic)

    def osu(self, machine="summit { nodes = 2 }", placement="inter-node"):
        self.write("study.lua", OSU % (machine, placement))

    def run_study(self, *options):
        return self.run_program("run", "study.lua", "--no-plot", "-o", "csv:results.csv", "--force", *options)

    def assert_unread(self, path, *options):
        code, _, err = self.run_study(*options)
        late = code == 1  # after the run; else before it
        start = "study.lua: 2 of 2 points failed; at bytes=8B" if late else "study.lua: at bytes=8B"
        self.assertIn(code, (1, 2), path)
        self.assertRegex(err, rf"\Agpunetsim: {start}: {path} was set, but [^\n]+\.\n\Z")
        return late

    def test_silent_ones_of_a_summit_run(self):
        self.osu()
        for setting in sample(SILENT, 3):
            self.assert_unread(setting.split("=")[0], "-s", setting)

    def test_the_reason(self):
        self.osu("summit { nodes = 2, nic = { fetch_depth = 1 } }")
        _, _, err = self.run_study()
        self.assertIn("nic.fetch_depth was set, but no queue of this run is fetched.", err)

    def test_what_a_changed_copy_sets(self):
        self.osu("summit { nodes = 2 }:with { host = { l1_latency_cycles = 5 } }")
        self.assert_unread("host.l1_latency_cycles")

    def test_what_is_read(self):
        self.osu("summit { nodes = 2, nic = { command_latency = '1us' }, network = { latency = '1us' } }")
        self.assertEqual(self.run_study("-s", "ucx.device_eager=1KiB")[::2], (0, ""))

    def test_nothing_crosses_the_network(self):
        self.osu(placement="intra-socket")
        for path, value in (("network.latency", "1us"), ("nic.command_latency", "1us"), ("ucx.rails", "2")):
            self.assert_unread(path, "-s", f"{path}={value}")

    def test_a_machine_file_describes(self):
        self.write("own.lua", "return require('configs.summit') { nodes = 2, nic = { fetch_depth = 1 } }\n")
        self.osu("require 'own'")
        self.assertEqual(self.run_study()[::2], (0, ""))

    def test_designs_on_one_machine(self):
        self.write("study.lua", DESIGNS % ("node { cp = { cores = 2 } }", '"dgpu", "comp-net"'))
        code, _, err = self.run_study()
        self.assertEqual((code, err), (0, "gpunetsim: study.lua: set also at points where nothing reads it: "
                                          "cp.cores (1 of 2)\n"))

    def test_no_design_reads_it(self):
        self.write("study.lua", DESIGNS % ("node { cp = { cores = 2 } }", '"dgpu", "apu"'))
        code, _, err = self.run_study()
        self.assertEqual(code, 2)
        self.assertIn("cp.cores was set, but no command processor serves in this run.", err)

    def test_reason_of_a_component(self):
        """Where other parameters of a component are read, it is not said that nothing uses the component."""
        self.write("study.lua", DESIGNS % ("node {}", '"dgpu"'))
        for path, value in (("host.stores_under_way", "9"), ("gpu.simds_per_cu", "2")):
            code, _, err = self.run_study("-s", f"{path}={value}")
            self.assertEqual(code, 1, path)
            self.assertIn(f"{path} was set, but nothing in this run reads it.", err)

    def test_before_the_run(self):
        """What no design of the study can read is refused before a point is run, by check too; what some point may read is not."""
        point = "return get_latency { design = p.design, bytes = '8B', repeats = 2 }"
        for machine, designs, path, value in sample((
                ("gcn3_node", '"dgpu", "apu"', "cp.clock", "1GHz"), ("gcn3_node", '"comp-net"', "smart_nic.clock", "1GHz"),
                ("gcn3_node", '"comp-net"', "charm.schedule", "1us"), ("gcn3_node", '"dgpu"', "ucx.send", "1us"),
                ("summit", '"openmpi-d"', "charm.schedule", "1us"), ("summit", '"charm-h"', "pami.send", "1us"),
                ("gcn3_node", '"dgpu"', "nvlink.rate", "1GB/s"), ("gcn3_node", '"dgpu"', "network.radix", "4"),
                ("gcn3_node", '"dgpu"', "socket_link.rate", "1GB/s")), 3):
            self.write("study.lua", (DESIGNS % ("node { nodes = 2 }", designs)).replace("gcn3_node", machine))
            for command in (("run", "--no-plot", "-o", "csv:early.csv"), ("check",)):
                with self.subTest(path=path, command=command):
                    code, _, err = self.run_program(command[0], "study.lua", *command[1:], "-s", f"{path}={value}")
                    self.assertEqual(code, 2, err)
                    self.assertIn(f": {path} was set, but ", self.only_sentence(err))
            self.assertNotIn("early.csv", self.files())
        self.write("study.lua", (DESIGNS % ("node { nodes = 2 }", '"dgpu", "comp-net"')))
        self.assertEqual(self.run_program("check", "study.lua", "-s", "cp.clock=1GHz")[0], 0)
        # what is run once a result is known, nobody knows before
        later = "local r = get_latency { design = 'dgpu', bytes = '8B', repeats = 2 } if r.latency_us > 1 then %s end" % point
        self.write("study.lua", (DESIGNS % ("node { nodes = 2 }", '"comp-net"')).replace(point.replace("'", '"'), later))
        self.assertEqual(self.run_study("-s", "cp.clock=1GHz")[0], 0)

    def test_ranks_are_known_before_the_run(self):
        """What ranks that only send messages do not come to: kernels, caches, other sockets or nodes."""
        everywhere = ["gpu.l2_size=1MiB", "gpu.l2_banks=4", "gpu.spin_power=1W", "host.l1_latency_cycles=5", "host.l1_size=4KiB",
                      "nic.fetch_depth=3", "transport.segment=1KiB", "software.runtime_call=2us"]
        within = ["network.rate=1GB/s", "network.byte_energy=1pJ", "nic.command_latency=1us", "nic.idle_power=1W"]
        for placement, settings, read in (
                ("inter-node", ["socket_link.rate=1GB/s", "host_copy.handoff_rate=1GB/s", "host_copy.cross_socket_rate=1GB/s"],
                 ["network.rate=1GB/s", "nic.idle_power=1W", "gpu.memory_energy=1pJ", "gpu.idle_power=1W"]),
                ("intra-socket", within + ["socket_link.rate=1GB/s"], ["nvlink.rate=1GB/s"]),
                ("cross-socket", within, ["socket_link.rate=1GB/s", "socket_link.byte_energy=1pJ"])):
            self.osu(placement=placement)
            for setting in sample(everywhere + settings, 4):
                with self.subTest(placement=placement, setting=setting):
                    self.assertFalse(self.assert_unread(setting.split("=")[0], "-s", setting), "told after the run")
            for setting in read:
                with self.subTest(placement=placement, setting=setting):
                    self.assertEqual(self.run_study("-s", setting)[0], 0)
        self.osu()
        study = (self.folder / "study.lua").read_text()
        (self.folder / "study.lua").write_text(study.replace("bytes = p.bytes", "bytes = p.bytes, peer_server = 'command_processor'"))
        self.assertEqual(self.run_study("-s", "cp.clock=1GHz")[0], 0, "a server of the second ranks alone")
        self.osu("summit { nodes = 2, ucx = { rails = 2 } }")
        self.assertEqual(self.run_study("-s", "socket_link.rate=1GB/s")[0], 0)

    def test_explain_and_trace(self):
        """They tell what no point can read as run does."""
        self.osu()
        for words in (("explain", "study.lua", "--point", "bytes=8B"), ("trace", "study.lua", "--point", "bytes=8B", "-o", "t.json")):
            code, _, err = self.run_program(*words, "-s", "gpu.l2_banks=4")
            self.assertEqual(code, 2, words)
            self.assertIn("gpu.l2_banks was set, but no kernel of this run", self.only_sentence(err))
            self.assertEqual(self.run_program(*words, "-s", "ucx.send=1us")[0], 0, words)

    def test_a_rehearsal_leaves_nothing(self):
        """What a run function counts, it counts from its first run on."""
        self.write("study.lua", """
            local node, calls = require "configs.gcn3_node", 0
            return study { title = "Calls", vary = { n = { 1 } }, machine = node { nodes = 2 },
              run = function()
                calls = calls + 1
                return { calls = calls, latency = get_latency { design = "dgpu", bytes = "8B", repeats = 2 }.latency }
              end }""")
        self.assertEqual(self.run_study("-s", "nic.command_latency=1us")[0], 0)
        with open(self.folder / "results.csv", newline="", encoding="utf-8") as file:
            self.assertEqual([row["calls"] for row in csv.DictReader(file)], ["1"])

    def test_finer_claims(self):
        """Parameters of a component at work that this run does not come to: each changes nothing and is told; what acts is not."""
        summit, node = "(require 'configs.summit')", "(require 'configs.gcn3_node')"
        channel = "osu_latency { design = 'charm-channel', placement = 'inter-node', bytes = '1MiB' }"
        for machine, call, settings in (
                (node, "queue_service { design = 'comp-net', operation = 'nop', work_groups = 4, operations = 2 }",
                 ["software.library_instructions=5000"]),
                (summit, "get_latency { design = 'apu', bytes = '1MiB', repeats = 2 }", ["nvlink.rate=1GB/s", "nvlink.latency=9us"]),
                (summit, "cuda.copy { direction = 'host-to-device', bytes = '64KiB' }",
                 ["cuda.pageable_rate=1GB/s", "cuda.pageable_setup=9us", "cuda.inline_rate=1GB/s", "cuda.cross_socket_rate=1GB/s",
                  "cuda.front_end_gap=9us", "cuda.graph_branch=9us", "cuda.peer_chunk=4KiB", "cuda.gdr_read_rate=1GB/s"]),
                (summit, channel, ["charm.header=1KiB"]),
                (node, "get_latency { design = 'dgpu', bytes = '8B', repeats = 2 }", ["gpu.simds_per_cu=1"]),
                (summit, channel, ["charm.schedule=50us", "charm.pack=50us", "charm.probe=50us", "host_copy.rate=1GB/s",
                                   "host_copy.cross_socket_rate=1GB/s", "socket_link.rate=1GB/s"])):
            for setting in sample(settings, 4):
                with self.subTest(call=call, setting=setting):
                    self.write("study.lua", 'local cuda = require "benchmarks.parts.cuda"\n'
                                            'return study { title = "t", machine = %s { nodes = 2 }, vary = { bytes = { "8B" } },\n'
                                            'run = function(p) return %s end }' % (machine, call))
                    code, _, err = self.run_study("-s", setting)
                    self.assertIn(code, (1, 2), err)  # after the run, or before it
                    self.assertIn(f"{setting.split('=')[0]} was set, but ", err)

    def test_copies_on_a_gpu(self):
        """Chares of one GPU copy their faces on it, at that rate."""
        times = {}
        for rate in ("350GB/s", "1GB/s"):
            self.write("study.lua", """
                return study { title = "t", machine = (require "configs.summit") { nodes = 1, cuda = { local_rate = "%s" } },
                  vary = { odf = { 1, 2, 4 } },
                  run = function(p) return { time = jacobi3d { design = "charm-channel", grid = 96, odf = p.odf, iterations = 2 }.iteration }
                  end }""" % rate)
            self.assertEqual(self.run_study()[0], 0)
            with open(self.folder / "results.csv", newline="", encoding="utf-8") as file:
                times[rate] = [row["time_us"] for row in csv.DictReader(file)]
        self.assertEqual([one == other for one, other in zip(*times.values())], [True, False, False])

    def test_what_cannot_act_is_refused(self):
        """Axes of a design that the workload or the design's other axes leave without effect."""
        ibrc = "queue_service { design = design { from = 'nvshmem-ibrc', service_threads = %d }, operation = 'put', work_groups = 8, " \
               "operations = 2, bytes = '8B' }"
        heap = "jacobi3d { design = design { from = 'openmpi-d', heap = 'host' }, grid = 64, iterations = 2 }"
        for call, code, words in ((ibrc % 1, 0, ""), (ibrc % 2, 0, ""), (ibrc % 3, 1, "3 service threads for 2 queues"),
                                  (ibrc % 4, 1, "4 service threads for 2 queues"), (heap, 2, "it takes heap = gpu")):
            self.write("study.lua", 'return study { title = "t", machine = (require "configs.summit") { nodes = 2 },\n'
                                    'vary = { n = { 1 } }, run = function() return %s end }' % call)
            with self.subTest(call=call):
                got, _, err = self.run_study()
                self.assertEqual(got, min(code, 1), err)
                self.assertIn(words, err)

    def test_several_calls_on_one_machine(self):
        self.write("study.lua", """
            local node = require "configs.gcn3_node"
            return study { title = "Both", vary = { n = { 1 } }, machine = node { cp = { cores = 2 } },
              run = function()
                local one = get_latency { design = "dgpu", bytes = "8B", repeats = 2 }
                local two = get_latency { design = "comp-net", bytes = "8B", repeats = 2 }
                return { ratio = one.latency_us / two.latency_us }
              end }""")
        self.assertEqual(self.run_study()[::2], (0, ""))

    def test_from_a_store(self):
        """What was read is remembered with the results."""
        self.osu()
        store = ["--store", "results.db"]
        for title in ("Latency", "Other"):  # the second time from calls, the third from points
            self.write("study.lua", (OSU % ("summit { nodes = 2 }", "inter-node")).replace("Latency", title))
            self.assert_unread("host.l1_latency_cycles", "-s", "host.l1_latency_cycles=5", *store)
            self.assert_unread("host.l1_latency_cycles", "-s", "host.l1_latency_cycles=5", *store)
            self.assertEqual(self.run_study("-s", "nic.command_latency=1us", *store)[::2], (0, ""))

    def test_rails_without_nics(self):
        self.osu()
        code, _, err = self.run_study("-s", "ucx.rails=3")
        self.assertEqual(code, 1)
        self.assertIn("ucx.rails is 3, but a node has 2 NICs", err)
        self.assertEqual(self.run_study("-s", "ucx.rails=2")[0], 0)

    def test_goal_on_a_machine(self):
        goal = ["goal", "--machine", "summit", "--generate", "ring:4,bytes=4096", "--set", "nodes=4"]
        for path, value in (("nic.doorbell_latency", "1us"), ("cp.cores", "3"), ("gpu.kernel_launch", "1us")):
            self.assertRegex(self.fail_with(2, *goal, "--set", f"{path}={value}"), rf"\A{path} was set, but [^\n]+\.\Z")
        self.assertIn("makespan_ns", self.succeed(*goal, "--set", "host_copy.rate=9GB/s"))
        apart = goal + ["--placement", "gpu,ranks_per_node=1"]
        self.assertIn("makespan_ns", self.succeed(*apart, "--set", "network.latency=2us"))
        self.assertRegex(self.fail_with(2, *goal, "--set", "network.latency=2us"), "nothing of this run crosses the network")

    def test_osu(self):
        osu = ["osu", "latency", "--placement", "inter-node"]
        for setting in sample(SILENT, 3):
            path = setting.split("=")[0]
            early = not path.startswith("cuda.")  # told of the design and of ranks, before anything runs
            self.assertRegex(self.fail_with(2 if early else 1, *osu, "--set", setting),
                             rf"{'' if early else 'points failed; '}at bytes=1B: {path} was set, but [^\n]+\.\Z")
        self.succeed(*osu, "--set", "ucx.rails=1")  # of large messages only: read at some sizes

    def test_a_script_that_computes_with_results_is_told_before(self):
        """The rehearsal goes on with unknown values, so that a setting that nothing reads is refused after the smallest point at most."""
        osu = ["osu", "bw", "--sizes", "1MiB:16MiB", "-s", "software.library_instructions=5"]
        for design in ("openmpi-d", "charm-channel"):
            code, out, err = self.run_program(*osu, "-d", design)
            self.assertEqual((code, out), (2, ""))
            self.assertRegex(err, r"at bytes=1MiB: software\.library_instructions was set, but no put or get is issued in this run\.\n\Z")
        self.succeed("osu", "latency", "--sizes", "8B:8B", "-d", "comp-net", "-s", "software.library_instructions=5")
        study = """
            return study { title = "t", vary = { n = { 1, 2 } }, machine = (require "configs.gcn3_node") { nodes = 2 },
              run = function(p)
                local one = get_latency { design = "dgpu", bytes = "8B", repeats = 2 }
                local us, sum = %s, -one.latency_us + 2 * quantity(one.latency) / 3
                return { us = us, sum = sum, %s }
              end }"""
        for way, more in (("one.latency:us()", ""), ("one.latency_us ^ 2 // 1 % 7", "text = one.latency .. ' and more'")):
            self.write("study.lua", study % (way, more))
            with self.subTest(way):
                self.assertIn("cp.clock was set, but", self.fail_with(2, "run", "study.lua", "--no-plot", "-s", "cp.clock=1GHz"))
                self.assertIn("cp.clock was set, but", self.fail_with(2, "check", "study.lua", "-s", "cp.clock=1GHz"))
                self.succeed("run", "study.lua", "--no-plot", "--force")
        # where a result decides, what follows is not known: nothing is refused before
        for way in ("one.latency_us > 1 and get_latency { design = 'comp-net', bytes = '8B', repeats = 2 }.latency_us or 0",
                    "one.latency_us == 0 and 0 or get_latency { design = 'comp-net', bytes = '8B', repeats = 2 }.latency_us",
                    "one.latency_us ~= 0 and get_latency { design = 'comp-net', bytes = '8B', repeats = 2 }.latency_us or 0",
                    "tonumber(one.latency_us) and get_latency { design = 'comp-net', bytes = '8B', repeats = 2 }.latency_us or 0",
                    "type(one.latency_us) == 'number' and get_latency { design = 'comp-net', bytes = '8B', repeats = 2 }.latency_us",
                    "math.max(one.latency_us, get_latency { design = 'comp-net', bytes = '8B', repeats = 2 }.latency_us)"):
            self.write("study.lua", study % (way, ""))
            with self.subTest(way):
                self.succeed("run", "study.lua", "--no-plot", "--force", "-s", "cp.clock=1GHz")
                self.succeed("check", "study.lua", "-s", "cp.clock=1GHz")

    def test_osu_of_a_machine_file(self):
        """A machine file describes: what of it nothing reads is no fault."""
        self.write("own.lua", "return require('configs.summit') { nodes = 2, nic = { fetch_depth = 1 } }\n")
        self.succeed("osu", "latency", "--machine", "own.lua")
        self.assertRegex(self.fail_with(2, "osu", "latency", "--machine", "own.lua", "-s", "nic.fetch_depth=2"),
                         "no queue of this run is fetched")


class Statistics(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("study.lua", DESIGNS % ("node { nodes = 2 }", '"dgpu", "comp-net"'))

    def run_study(self, file, *options):
        self.succeed("run", "study.lua", "--no-plot", "-o", "csv:results.csv", "--stats", file, *options)
        return (self.folder / file).read_text()

    def test_every_statistic(self):
        rows = list(csv.DictReader(self.run_study("stats.csv").splitlines()))
        self.assertEqual(list(rows[0]), ["design", "call", "path", "name", "unit", "description", "field", "value"])
        self.assertEqual({row["design"] for row in rows}, {"dgpu", "comp-net"})
        for row in rows:
            self.assertTrue(row["path"] and row["name"] and row["unit"] and row["description"], row)
            float(row["value"])
        latency = [row for row in rows if row["design"] == "dgpu" and row["path"] == "node0.operations"
                   and row["field"] == "count"]
        self.assertTrue(any(float(row["value"]) > 0 for row in latency))
        fields = {row["field"] for row in rows}
        self.assertLessEqual({"", "count", "mean", "min", "p50", "p99", "max"}, fields)

    def test_json_is_the_same(self):
        by_csv = list(csv.DictReader(self.run_study("stats.csv").splitlines()))
        by_json = json.loads(self.run_study("stats.json"))
        self.assertEqual([row["name"] for row in by_csv], [row["name"] for row in by_json])
        self.assertEqual([float(row["value"]) for row in by_csv], [row["value"] for row in by_json])

    def test_a_store_does_not_stand_in_for_them(self):
        self.succeed("run", "study.lua", "--no-plot", "-o", "csv:results.csv", "--store", "results.db")
        first = self.run_study("first.csv", "--store", "results.db")
        self.assertEqual(first, self.run_study("second.csv", "--store", "results.db"))
        self.assertGreater(len(first.splitlines()), 10)

    def test_results_are_the_same(self):
        self.run_study("stats.csv")
        with_stats = (self.folder / "results.csv").read_text()
        self.succeed("run", "study.lua", "--no-plot", "-o", "csv:results.csv")
        self.assertEqual(with_stats, (self.folder / "results.csv").read_text())

    def test_the_ending(self):
        self.assertEqual(self.fail_with(2, "run", "study.lua", "--stats", "stats.txt"),
                         "--stats stats.txt: the name ends in .csv or .json.")


if __name__ == "__main__":
    unittest.main()
