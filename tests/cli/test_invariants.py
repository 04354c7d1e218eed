# SPDX-License-Identifier: BSD-3-Clause
"""What no machine and no design may break, over random points of the intra-kernel designs: machines drawn from the whole
of configs/gcn3_node.lua's ranges, designs by name with drawn polling rounds, sizes from 8 B to 256 KiB.

Tolerances are those of mechanisms: a get waits for looks of two polling loops, the server's and its own, and so moves in
their steps (`phase_us`, two looks across the bus, or two rounds of the server where it completes operations together). What holds of means over drawn
phases holds of each run: four of five machines are simulated with fixed phases, once, and every fifth as a user gets it.
"""
import csv
import os
import unittest

from program import ProgramTest, unless_sanitized

DESIGNS = ["dgpu", "dgpu-host-queue", "apu", "comp-net", "gpu-thread", "gpu-warp", "smart-nic", "gpu-verbs"]
CHANGES = ["base", "network", "bus", "host cores", "cp cores"]
SAMPLES = int(os.environ.get("GPUNETSIM_SAMPLES", "12"))

STUDY = """
local node = require "configs.gcn3_node"
local function range(name) return node:range(name) end
local rate = { network = { "100Gbit/s", "200Gbit/s" }, bus = { "15.754GB/s", "31.508GB/s" } }
local threads = 2
local function joules(text) return text == "not modelled" and 0 or quantity(text) end

local function drawn_machine(p)
  local faster = { network = p.change == "network" and 2 or 1, bus = p.change == "bus" and 2 or 1 }
  return node {
    nodes = 2, software = { phases = p.sample %% 5 == 1 and "drawn" or "fixed" },
    host = { instructions_per_cycle = p.host_ipc * (p.change == "host cores" and 2 or 1), bus_latency = p.host_bus,
             memory_latency = p.host_memory, uncached_load = p.uncached },
    gpu = { memory_latency = p.gpu_memory, bus_inbound = p.bus_inbound, bus_outbound = p.bus_outbound },
    cp = { instructions_per_cycle = p.cp_ipc * (p.change == "cp cores" and 2 or 1) },
    nic = { command_latency = p.command, packet_latency = p.packet },
    bus = { latency = p.link, switch_latency = p.switch, rate = rate.bus[faster.bus] },
    network = { rate = rate.network[faster.network] },
  }
end

return study {
  title = "Invariants",
  machine = drawn_machine,
  vary = {
    { "design", { %(designs)s } },
    { "change", { %(changes)s } },
    random(%(samples)d, {
      exponent = { 3, 18 }, rounds = { 1, 12 },
      host_ipc = range "host.instructions_per_cycle", host_bus = range "host.bus_latency",
      host_memory = range "host.memory_latency", uncached = range "host.uncached_load",
      gpu_memory = range "gpu.memory_latency", bus_inbound = range "gpu.bus_inbound",
      bus_outbound = range "gpu.bus_outbound", cp_ipc = range "cp.instructions_per_cycle",
      command = range "nic.command_latency", packet = range "nic.packet_latency",
      link = range "bus.latency", switch = range "bus.switch_latency",
    }),
  },
  run = function(p)
    local axes = { from = p.design }
    if p.design ~= "gpu-verbs" then axes.polling_rounds = p.rounds end
    local d = design(axes)
    local bytes = 2 ^ p.exponent | 0
    local function get(size) return get_latency { design = d, bytes = size .. "B", repeats = 10 } end
    local one, two = get(bytes), get(2 * bytes)
    local r = { bytes = bytes, one = one.latency, two = two.latency, least = one.latency_min, stages = 0 }
    for _, stage in ipairs { "posted", "seen", "served", "doorbell", "fetched", "on_wire", "delivered", "completed",
                             "noticed" } do
      r.stages = r.stages + quantity(one[stage])
    end
    r.whole = quantity(one.latency)
    local load = queue_service { design = p.design == "gpu-verbs" and d or design { from = d, service_threads = threads },
                                 operation = "get", bytes = "8B", work_groups = 24, operations = 3 }
    r.loaded, r.energy, r.all_energy, r.parts_J = load.latency, load.service_energy, load.energy, 0
    r.states_J, r.states_time = 0, 0
    for _, state in ipairs { "active", "polling", "stalled", "idle" } do
      r.states_J = r.states_J + joules(load["energy_" .. state])
      r.states_time = r.states_time + load["time_" .. state]
    end
    for _, part in ipairs { "service", "rank", "gpu_idle", "work_group", "gpu_memory", "nic", "bus", "nvlink",
                            "socket_link", "network" } do
      r.parts_J = r.parts_J + joules(load[part .. "_energy"])
    end
    r.energy_fJ, r.all_fJ, r.duration = joules(load.service_energy), quantity(load.energy), load.duration
    return r
  end,
}
"""

# Work-groups that share one queue of a NIC, whose wire is the narrowest on their way; host, GPU and command processors at `times` their clock.
CLOCKS = """
local cx7, gcn = require "configs.h200_cx7", require "configs.gcn3_node"
local function GHz(value, p) return value * p.times .. "GHz" end
local machines = {
  ["gets"] = function(p) return cx7 { nodes = 2, host = { clock = GHz(3, p) } } end,
  ["batches"] = function(p) return cx7 { nodes = 2, host = { clock = GHz(3, p) } } end,
  ["gets on 100 Gbit/s"] = function(p) return gcn { nodes = 2, host = { clock = GHz(3, p) } } end,
  ["ping-pong"] = function(p)
    return gcn { nodes = 2, gpu = { clock = GHz(1.5, p) }, cp = { clock = GHz(2, p) } }
  end,
}
return study {
  title = "Faster clocks",
  machine = function(p) return machines[p.case](p) end,
  vary = { { "case", { "gets", "gets on 100 Gbit/s", "ping-pong", "batches" } }, { "times", { 1, 2, 3 } } },
  run = function(p)
    if p.case == "ping-pong" then
      local turn = neighbour_exchange { design = design { from = "comp-net", completion = "by_context" }, pattern = "ping_pong",
                                        bytes = "16KiB", work_groups = 7, iterations = 50 }
      return { latency = turn.turn, spread = turn.turn_spread }
    end
    if p.case == "batches" then
      local gets = queue_service { design = "apu", operation = "get", work_groups = 3 }
      return { latency = gets.latency, spread = gets.latency_spread }
    end
    local gets = queue_service { design = "nccl-gin-proxy", operation = "get", bytes = "8KiB", work_groups = 22, posts = 2 }
    return { latency = gets.latency, spread = gets.latency_spread }
  end,
}
"""

IDLE_W = {"dgpu": 3.0, "dgpu-host-queue": 3.0, "apu": 3.0, "comp-net": 0.3}
COUNTS = {"dgpu", "dgpu-host-queue", "apu", "comp-net", "smart-nic"}  # whose energy is counted


FLAGS = """
local node = require "configs.ac922"
return study {
  title = "Flags",
  machine = function(p)
    return node { nodes = 1, software = { poll_instructions = 20, wait_instructions = p.late }, nvlink = { rate = p.rate } }
  end,
  vary = { late = { 1, 4, 8 }, rate = { "25GB/s", "50GB/s", "250GB/s" } },
  run = function() return flag_round_trip { partner = "host", rounds = 50 } end,
}
"""


class FirstLooks(ProgramTest):
    def test_faster_link(self):
        """A GPU thread's first look leaves right behind its flag. On a faster link more of them come before the host's answer, and those
        trips take a second look: the mean rises. Where all first looks come late enough, or all too early, a faster link is faster."""
        self.write("flags.lua", FLAGS)
        self.succeed("run", "flags.lua", "--no-plot", "-o", "csv:r.csv")
        with (self.folder / "r.csv").open() as results:
            rows = list(csv.DictReader(results))
        for late, least, most in ("1", 2.1, 2.4), ("4", 1.1, 2.3), ("8", 1.1, 1.2):
            times, medians = ([float(row[name]) for row in rows if row["late"] == late] for name in ("time_us", "time_median_us"))
            self.assertTrue(all(least < time < most for time in times), times)
            self.assertEqual(medians, sorted(medians, reverse=True))
            self.assertEqual(times, sorted(times, reverse=late != "4"))


EXCHANGES = """
local machines = { summit = require "configs.summit", h200_cluster = require "configs.h200_cluster" }
return study {
  title = "Exchanges",
  machine = function(p) return machines[p.machine] { nodes = 1 } end,
  vary = { machine = { "summit", "h200_cluster" }, fusion = { "none", "A", "unpack", "B" }, grid = { 96, 192, 384 },
           design = { "openmpi-h", "charm-channel" } },
  run = function(p) return jacobi3d { design = p.design, nodes = 1, grid = p.grid, fusion = p.fusion, iterations = 6, warmup = 2 } end,
}
"""


class Exchanges(ProgramTest):
    def test_halo_is_within_its_exchange(self):
        """An exchange goes from the update to the last unpacking, in which are the first send and the last receive; also where the host has
        begun the next iteration when the GPU unpacks."""
        self.write("exchanges.lua", EXCHANGES)
        self.succeed("run", "exchanges.lua", "--no-plot", "-o", "csv:r.csv")
        with (self.folder / "r.csv").open() as results:
            for row in csv.DictReader(results):
                self.assertGreater(float(row["exchange_us"]), 1.05 * float(row["communication_us"]), row)
                self.assertLess(float(row["exchange_us"]), 1.01 * float(row["iteration_us"]), row)


@unless_sanitized
class Invariants(ProgramTest):
    @classmethod
    def setUpClass(cls):
        cls.points = None

    def setUp(self):
        super().setUp()
        if Invariants.points is None:
            quoted = lambda names: ", ".join(f'"{name}"' for name in names)
            self.write("i.lua", STUDY % {"designs": quoted(DESIGNS), "changes": quoted(CHANGES), "samples": SAMPLES})
            code, _, _ = self.run_program("run", "i.lua", "--no-plot", "--output", "csv:r.csv")
            self.assertEqual(code, 0)  # what one design does not read another does: it says so
            with (self.folder / "r.csv").open() as results:
                Invariants.points = list(csv.DictReader(results))
            self.assertEqual(len(Invariants.points), len(DESIGNS) * len(CHANGES) * SAMPLES)

    @staticmethod
    def number(row, name):
        return float(row[name])

    def phase_us(self, row):
        """Two looks of each loop; where operations are completed together, two rounds more."""
        link, switch = self.number(row, "link_us"), self.number(row, "switch_us")
        across = 2 * (self.number(row, "bus_inbound_us") + self.number(row, "bus_outbound_us")
                      + 2 * link + switch + self.number(row, "host_bus_us"))
        return 2 * across

    def test_nothing_beats_its_links(self):
        """There and back on the wires, through both NICs, and the payload over the narrowest link."""
        for row in self.points:
            network = 25e9 if row["change"] == "network" else 12.5e9
            bus = 31.508e9 if row["change"] == "bus" else 15.754e9
            floor_us = 4 * 0.1 + self.number(row, "command_us") + 2 * self.number(row, "packet_us")
            floor_us += self.number(row, "bytes") / min(network, bus) * 1e6
            self.assertGreater(self.number(row, "least_us"), floor_us, row)

    def test_larger_takes_longer(self):
        for row in self.points:
            self.assertGreater(self.number(row, "two_us") + self.phase_us(row), self.number(row, "one_us"), row)

    def test_more_never_hurts(self):
        """Twice the network's or the bus's rate, twice as fast cores: 2 % at most, and the phases of two loops."""
        base = {(row["design"], row["sample"]): row for row in self.points if row["change"] == "base"}
        for row in self.points:
            before = base[row["design"], row["sample"]]
            limit = 1.02 * self.number(before, "one_us") + self.phase_us(row)
            self.assertLess(self.number(row, "one_us"), limit, row)

    def test_more_never_hurts_under_load(self):
        """24 work-groups, two threads: beside 2 % two phases, and a tenth where threads take turns at a mutex."""
        base = {(row["design"], row["sample"]): row for row in self.points if row["change"] == "base"}
        for row in self.points:
            before = self.number(base[row["design"], row["sample"]], "loaded_us")
            self.assertLess(self.number(row, "loaded_us"), 1.1 * before + self.phase_us(row), row)

    def test_books_close(self):
        for row in self.points:
            whole = self.number(row, "whole")
            self.assertAlmostEqual(self.number(row, "stages"), whole, delta=20, msg=row)  # ps, rounded a stage
            if row["design"] in COUNTS:
                self.assertAlmostEqual(self.number(row, "states_time"), 1.0, delta=1e-9, msg=row)
                self.assertAlmostEqual(self.number(row, "states_J"), self.number(row, "energy_fJ"), delta=5, msg=row)
            self.assertAlmostEqual(self.number(row, "parts_J"), self.number(row, "all_fJ"), delta=10, msg=row)
            self.assertEqual(row["energy_uJ"] == "", row["design"] == "gpu-verbs", row)  # nobody serves

    def test_energy_is_that_of_idle_at_least(self):
        for row in self.points:
            if row["design"] in IDLE_W:
                idle_uJ = 2 * IDLE_W[row["design"]] * self.number(row, "duration_us")
                self.assertGreaterEqual(self.number(row, "energy_uJ"), idle_uJ, row)


@unless_sanitized
class FasterClocks(ProgramTest):
    def test_never_hurt_queues(self):
        """Messages of a queue go one after the other, so those that are posted earlier end earlier: within the spread of runs no
        faster clock makes them later. Shared out among all, they end together, and whoever waits for them posts together again.
        A server that completes a batch together, and is faster, may leave more for the next batch: the spread is that of the two kinds."""
        self.write("c.lua", CLOCKS)
        code, _, _ = self.run_program("run", "c.lua", "--no-plot", "--output", "csv:c.csv")
        self.assertEqual(code, 0)
        with (self.folder / "c.csv").open() as results:
            rows = list(csv.DictReader(results))
        self.assertEqual(len(rows), 12)
        for slower, faster in zip(rows, rows[1:]):
            if slower["case"] == faster["case"]:
                spread_us = float(slower["spread_us"]) + float(faster["spread_us"])
                self.assertLessEqual(float(faster["latency_us"]), float(slower["latency_us"]) + spread_us, (slower, faster))


if __name__ == "__main__":
    unittest.main()
