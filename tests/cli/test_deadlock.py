# SPDX-License-Identifier: BSD-3-Clause
"""A kernel that cannot go on: one sentence, then lines that say who waits for whom and what to do; exit 1.

A launch that does not fit is refused in one sentence when the kernel is cooperative.
"""

import unittest

from program import ProgramTest

STUDY = """
local node = require "configs.gcn3_node"
return study {
  title = "Stuck",
  machine = node { gpu = { compute_units = 2, waves_per_cu = 2 } },
  vary = { design = { "dgpu", "dgpu-host-queue", "apu", "comp-net" } },
  run = function(p)
    return neighbour_exchange { design = p.design, work_groups = 8, partner = "reverse", iterations = 2%s }
  end,
}
"""


class Deadlock(ProgramTest):
    def run_study(self, more):
        self.write("stuck.lua", STUDY % more)
        code, out, err = self.run_program("run", "stuck.lua")
        self.assertEqual(code, 1, err)
        self.assertTrue(err.startswith("gpunetsim: stuck.lua: 4 of 4 points failed"), err)
        return out, err

    def test_explained(self):
        out, err = self.run_study("")
        lines = err.splitlines()
        self.assertRegex(lines[0], r"deadlock at [0-9.]+us: work-groups wait for work-groups that have "
                                   r"no room; all 8 that run wait\.$")
        self.assertTrue(lines[1].startswith("node0.gpu: 4 work-groups resident, 8 launched"), err)
        self.assertIn("cooperative = true", lines[-1])
        self.assertIn("Failed at design=dgpu: stuck.lua:8: deadlock at", out)  # under the table

    def test_cooperative_is_refused(self):
        _, err = self.run_study(", cooperative = true")
        self.assertEqual(len(err.splitlines()), 1, err)
        self.assertIn("a cooperative kernel of 8 work-groups of 64 work-items does not fit at once: 4 fit",
                      err)


if __name__ == "__main__":
    unittest.main()
