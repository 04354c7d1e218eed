# SPDX-License-Identifier: BSD-3-Clause
"""Machines whose CPU and GPU share a coherent memory: GH200 (HBM, which the CPU caches) and MI300A (one memory a socket)."""
import csv
import io
import unittest

from program import ProgramTest

GET = """local m = require "configs.gh200"
return study { title = "get", machine = m, vary = { design = { "apu", "gpu-verbs" } },
  run = function(p) return get_latency { design = p.design, bytes = "8B", repeats = 10 } end }
"""

PUT = """local m = require "configs.mi300a"
local movers = { work_group = design { from = "apu", peer = "work_group" }, nic = design { from = "apu" } }
return study { title = "put", machine = m { nodes = 1 }, vary = { mover = { "work_group", "nic" } },
  run = function(p)
    local w = program { design = movers[p.mover], nodes = 1, gpus_per_node = 4, kernels = 1 }
    local data = w:buffer "4KiB"
    w:gpu(0):kernel { threads = 256, program = function(wg)
      local start = wg:now()
      for i = 1, 4 do wg:put { to = 2, buffer = data } end
      wg:record("four", wg:now() - start)
    end }
    return { four = w:run().four }
  end }
"""


class Coherent(ProgramTest):
    def values(self, study, measure, *settings):
        self.write("s.lua", study)
        options = [word for setting in ("software.phases=fixed", *settings) for word in ("-s", setting)]
        code, out, err = self.run_program("run", "s.lua", "-o", "csv:-", "--no-plot", *options)
        self.assertEqual(code, 0, err)
        return {next(iter(row.values())): float(row[measure]) for row in csv.DictReader(io.StringIO(out))}

    def test_hbm_across_c2c(self):
        """A service thread polls in its own caches: a get crosses C2C there and back for the lines that it misses, three to five,
        however many looks it makes; work-groups with NIC queues of their own have no core in it."""
        near = self.values(GET, "latency_us")
        far = self.values(GET, "latency_us", "host.directory_latency=1.15us")
        self.assertTrue(3 <= (far["apu"] - near["apu"]) / 2 <= 5, (near, far))
        self.assertEqual(far["gpu-verbs"], near["gpu-verbs"])
        self.assertLess(near["apu"], near["gpu-verbs"])

    def test_other_sockets(self):
        """Work-groups reach the memory of another socket themselves: no NIC has a part in it."""
        put = self.values(PUT, "four_us")
        slow = self.values(PUT, "four_us", "nic.command_latency=5us")
        self.assertEqual(slow["work_group"], put["work_group"])
        self.assertGreater(slow["nic"], put["nic"])
        self.assertLess(put["work_group"], put["nic"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
