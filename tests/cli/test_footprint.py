# SPDX-License-Identifier: BSD-3-Clause
"""How much memory a point takes is predicted before it runs, and one that would not fit is refused."""
import os
import re
import resource
import subprocess
import unittest

from program import PROGRAM, ProgramTest, unless_sanitized

FACTOR = 1.5  # by which a prediction may be off

STUDY = """
local here = require "configs.{machine}"
return study {{
  title = "How much memory",
  machine = function(p) return here {{ nodes = p.nodes }} end,
  vary = {{ nodes = {{ {nodes} }} }},
  run = function(p) {before} return {call} end,
}}
"""

GOAL = 'local g = schedule { ranks = 6 * p.nodes, device = "gpu" } g:generate("hierarchical:6x" .. p.nodes .. ",bytes=256KiB,iterations=2")'
PROGRAM_OF_ALL = """
local w = program { design = "openmpi-d", nodes = p.nodes, gpus_per_node = 6, channels = true }
local data = w:buffer "4KiB"
w:parties { program = function(me)
  for step = 1, me.ranks - 1 do
    local sent = me:send { to = (me.rank + step) % me.ranks, buffer = data, bytes = "4KiB" }
    local got = me:receive { from = (me.rank - step) % me.ranks, buffer = data, bytes = "4KiB" }
    me:wait(sent, got)
  end
  me:record("time", me:now())
end }
"""

# Machine, numbers of nodes, and what is run on them. The constants of views/footprint.lua were set by moe and by allreduce.
POINTS = (
    ("summit", (2, 8, 32), "", 'jacobi3d { design = "openmpi-d", nodes = p.nodes, iterations = 2, warmup = 0 }'),
    ("summit", (2, 16), "", 'jacobi3d { design = "charm-channel", nodes = p.nodes, odf = 2, iterations = 2, warmup = 0 }'),
    ("summit", (2, 8), "", 'moe { design = "openmpi-d", nodes = p.nodes, gpus_per_node = 6 }'),
    ("h200_cluster", (1, 4), "", 'moe { design = "gpu-verbs", nodes = p.nodes, gpus_per_node = 8, repeats = 1 }'),
    ("summit", (2, 32), "", 'allreduce { design = "openmpi-d", nodes = p.nodes, gpus_per_node = 6, bytes = "1MiB" }'),
    ("h200_cluster", (2,), "", 'allreduce { design = "gpu-verbs", nodes = p.nodes, gpus_per_node = 4, bytes = "64KiB" }'),
    ("summit", (4, 32), GOAL, "g:run()"),
    ("summit", (2, 8), PROGRAM_OF_ALL, "w:run()"),
)


class Footprint(ProgramTest):
    def study(self, machine, nodes, before, call):
        return self.write("s.lua", STUDY.format(machine=machine, nodes=nodes, before=before, call=call))

    def predicted_mib(self):
        out = self.succeed("run", "-n", "s.lua")
        return int(re.search(r"will take about (\d+)\s+MiB", out)[1])

    def peak_mib(self):
        """The largest process of a run."""
        process = subprocess.Popen([PROGRAM, "run", "s.lua", "--no-plot", "--out", "out", "--force", "-j", "1"], cwd=self.folder,
                                   stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = status
        self.assertEqual(status, 0)
        return used.ru_maxrss / 1024

    @unless_sanitized
    def test_predicted(self):
        for machine, nodes, before, call in POINTS:
            for count in nodes:
                with self.subTest(call=call, nodes=count):
                    self.study(machine, count, before, call)
                    peak, predicted = self.peak_mib(), self.predicted_mib()
                    self.assertTrue(peak / FACTOR <= predicted <= peak * FACTOR, f"{predicted} MiB predicted, {peak:.1f} MiB held")

    @unless_sanitized
    def test_refused(self):
        """With a limit of the address space; nothing has been run or written then."""
        self.study("h200_cluster", "1, 512", "", 'moe { design = "gpu-verbs", nodes = p.nodes, gpus_per_node = 8, repeats = 1 }')

        def limited():
            resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))

        run = [PROGRAM, "run", "s.lua", "--no-plot", "--out", "out"]
        got = subprocess.run(run, cwd=self.folder, preexec_fn=limited, capture_output=True, text=True, check=False)
        self.assertEqual(got.returncode, 1)
        self.assertRegex(got.stderr, r"^gpunetsim: s.lua: point nodes 512 would take about \d{5,} MiB, and 2048 MiB of memory are left; "
                                     r"--any-memory runs it nevertheless, --any-memory --memory-limit=2048MiB all that fit.\n$")
        self.assertFalse((self.folder / "out").exists())
        got = subprocess.run([*run, "--any-memory", "--memory-limit=2048MiB"], cwd=self.folder, preexec_fn=limited, capture_output=True, text=True,
                             check=False)
        self.assertIn("1 of 2 points failed; at nodes=512", got.stderr)
        self.assertRegex((self.folder / "out/results.csv").read_text(), r"\n1,[\d.]+,")
        self.study("h200_cluster", "2, 3", "", 'get_latency { design = "gpu-verbs", bytes = "8B" }')
        subprocess.run(run, cwd=self.folder, preexec_fn=limited, capture_output=True, check=True)

    @unless_sanitized
    def test_any_memory(self):
        """Whoever knows better runs it."""
        self.study("h200_cluster", "1", "", 'moe { design = "gpu-verbs", nodes = p.nodes, gpus_per_node = 8, repeats = 1 }')

        def limited():
            resource.setrlimit(resource.RLIMIT_DATA, (40 << 20, resource.RLIM_INFINITY))

        run = [PROGRAM, "run", "s.lua", "--no-plot", "--out", "out"]
        got = subprocess.run(run, cwd=self.folder, preexec_fn=limited, capture_output=True, text=True, check=False)
        self.assertIn("40 MiB of memory are left", got.stderr)
        limit = "if it does not fit, it fails by itself"
        got = subprocess.run([*run, "--any-memory"], cwd=self.folder, preexec_fn=limited, capture_output=True, text=True, check=False)
        self.assertNotIn("of memory are left", got.stderr, limit)


if __name__ == "__main__":
    unittest.main()
