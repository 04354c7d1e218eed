# SPDX-License-Identifier: BSD-3-Clause
"""SimGrid is loaded when transfers first share a link, and NLopt when something is searched for: not by a program that starts, and not by
most runs."""
import shutil
import subprocess
import unittest
from pathlib import Path

from program import PROGRAM, ProgramTest

STUDY = """
local node = require "configs.gcn3_node"
return study {
  title = "Shared links",
  machine = node { nodes = 2, node = { gpus_per_socket = 2 } },
  vary = { bytes = { "8B", "64KiB" } },
  run = function(p) return %s end,
}
"""
BENCHMARK = '%s { design = "%s", bytes = p.bytes, placement = "inter-node", iterations = 2, warmup = 1%s }'
# Transfers of the first share no link, those of the others do: messages of two pairs, and puts of two work-groups' own queues.
LATENCY, BANDWIDTH = BENCHMARK % ("osu_latency", "comp-net", ""), BENCHMARK % ("osu_bandwidth", "openmpi-h", ", pairs = 2")
LITMUS = 'litmus { design = "gpu-verbs", rounds = 50 }'
MISSING = r"the program's module gpunetsim-simgrid\.so is neither in \S+ nor above \S+"


class Module(ProgramTest):

    def setUp(self):
        super().setUp()
        self.alone = self.folder / "alone" / "gpunetsim"
        self.alone.parent.mkdir()
        shutil.copy(PROGRAM, self.alone)

    def call_alone(self, *arguments):
        return subprocess.run([self.alone, *arguments], cwd=self.folder, capture_output=True, text=True, check=False)

    def run_alone(self, workload):
        self.write("shared.lua", STUDY % workload)
        return self.call_alone("run", "shared.lua", "--no-plot", "-o", "csv:-")

    def test_program_is_not_linked_with_what_its_modules_are(self):
        needed = subprocess.run(["ldd", PROGRAM], capture_output=True, text=True, check=True).stdout
        self.assertIn("libglib", needed)
        for library in ("simgrid", "nlopt"):
            self.assertNotIn("lib" + library, needed)
            module = Path(PROGRAM).parent / f"gpunetsim-{library}.so"
            done = subprocess.run(["ldd", module], capture_output=True, text=True, check=True)
            self.assertIn("lib" + library, done.stdout)

    def test_without_nlopt_a_search_says_what_is_missing(self):
        self.write("shared.lua", STUDY % LATENCY)
        done = self.call_alone("solve", "shared.lua", "--point", "bytes=8B", "--target", "least", "--vary", "network.latency=10ns..2us")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, rf"^gpunetsim: {MISSING.replace('simgrid', 'nlopt')}\.$")

    def test_without_it_points_that_share_no_link_run(self):
        done = self.run_alone(LATENCY)
        whole = self.succeed("run", "shared.lua", "--no-plot", "-o", "csv:-")
        self.assertEqual((done.returncode, done.stdout), (0, whole))

    def test_without_it_the_others_say_what_is_missing(self):
        for workload in (BANDWIDTH, LITMUS):
            done = self.run_alone(workload)
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, rf"shared\.lua:\d+: {MISSING}\.")

    def test_doctor_says_so(self):
        done = self.call_alone("doctor")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, rf"SimGrid at work +missing +{MISSING}")

    def test_a_module_that_is_none(self):
        (self.alone.parent / "gpunetsim-simgrid.so").write_text("no module")
        done = self.run_alone(BANDWIDTH)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"SimGrid cannot be loaded: \S+gpunetsim-simgrid\.so: ")


if __name__ == "__main__":
    unittest.main()
