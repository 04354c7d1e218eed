# SPDX-License-Identifier: BSD-3-Clause
"""How the papers measured Jacobi3D, in the scenarios of their figures: designs, iterations, versions of UCX."""
import unittest

from program import PROJECT, ProgramTest

SETTINGS = """
local jacobi = require "parts.jacobi3d"
return study {
  title = "What runs are asked for",
  machine = machine { name = "any" },
  vary = { nodes = { 1, 2, 256 }, odf = { 1, 16 } },
  run = function(p)
    local asked = jacobi.settings { nodes = p.nodes, odf = p.odf, grid = 192 }
    return { warmup = asked.warmup, iterations = asked.iterations, grid = asked.grid }
  end,
}
"""


class Methods(ProgramTest):
    def with_parts(self, name, text):
        (self.folder / "parts").symlink_to(PROJECT / "scenarios/summit/parts")
        self.write(name, text)

    def values_of(self, scenario, axis):
        """As the program names them where another one is asked for."""
        path = str(PROJECT / f"scenarios/summit/{scenario}.lua")
        sentence = self.fail_with(2, "params", path, "--point", f"{axis}=none")
        return sentence.rsplit("it takes ", 1)[1].rstrip(".").split(", ")

    def test_messaging_api(self):
        """Charm++'s figures have the GPU Messaging API, not the Channel API (P-C06)."""
        for scenario in ("parco22_fig15_jacobi3d_charm", "ipdpsw21_fig14_jacobi3d_charm"):
            self.assertEqual(self.values_of(scenario, "design"), ["charm-h", "charm-messaging"])

    def test_lists(self):
        """Node counts and blocks a GPU of the papers: Async22's Figs 7a and 7b (A-08), ParCo22's Figs 15 to 17."""
        powers = [str(1 << n) for n in range(10)]
        for scenario in ("async22_fig7a_jacobi3d_weak_large", "async22_fig7b_jacobi3d_weak_small_whole"):
            self.assertEqual(self.values_of(scenario, "nodes"), powers)
            self.assertEqual(self.values_of(scenario, "odf"), powers[:5])
        for scenario in ("parco22_fig15_jacobi3d_charm", "parco22_fig16_jacobi3d_ampi", "parco22_fig17_jacobi3d_charm4py"):
            self.assertEqual(self.values_of(scenario, "nodes"), powers[:9])

    def test_warm_up(self):
        """Ten iterations and then a hundred (A-07), a dozen of many blocks."""
        self.with_parts("s.lua", SETTINGS)
        self.succeed("run", "s.lua", "--no-plot", "-o", "csv:r.csv")
        rows = (self.folder / "r.csv").read_text().splitlines()
        self.assertEqual(rows, ["nodes,odf,grid,iterations,warmup", "1,1,192,100,10", "1,16,192,100,10", "2,1,192,100,10", "2,16,192,100,10",
                                "256,1,192,12,10", "256,16,192,12,10"])

    def test_versions_of_ucx(self):
        """UCX 1.11.1 uses GPUDirect RDMA between nodes, whatever the size; that of ParCo22 never does (A-06)."""
        for is_direct, expected in (("true", "1TiB"), ("false", "0B")):
            with self.subTest(is_direct=is_direct):
                self.write("m.lua", f'return require("parts.jacobi3d").machine(2, "4KiB", {is_direct})')
                if not (self.folder / "parts").exists():
                    (self.folder / "parts").symlink_to(PROJECT / "scenarios/summit/parts")
                lines = [line.split() for line in self.succeed("params", "m.lua").splitlines()]
                self.assertIn(["ucx.gpu_direct", expected], [line[:2] for line in lines])


if __name__ == "__main__":
    unittest.main()
