# SPDX-License-Identifier: BSD-3-Clause
"""Tables of numbers on the pages against what their scenarios give now, within 5 %: the run that all tests share."""
import re
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "cli"))
from program import PROJECT, ProgramTest, unless_sanitized  # noqa: E402

TOLERANCE = 0.05


@unless_sanitized
class Tables(ProgramTest):
    def table(self, page, first):
        """The rows of the page's table whose head begins so, as lists of texts; the head first."""
        text = (PROJECT / "docs" / page).read_text()
        found = re.search(rf"(?m)^\| {re.escape(first)} \|.*\n(?:\|.*\n)+", text)
        self.assertTrue(found, f"{page} has no table of {first}")
        lines = found.group(0).splitlines()
        return [[cell.strip() for cell in line.strip("|").split("|")] for line in (lines[0], *lines[2:])]

    def check(self, page, first, columns, value):
        """`value(row's name, column's name)` is what the scenario gives for a cell of these columns."""
        head, *rows = self.table(page, first)
        self.assertGreaterEqual(len(rows), 3)
        for row in rows:
            for name in columns:
                shown = float(row[head.index(name)])
                with self.subTest(page=page, row=row[0], column=name):
                    self.assertAlmostEqual(value(row[0], name), shown, delta=TOLERANCE * shown)

    def results(self, folder, name, row, column, measure):
        rows = {(r[row], r[column]): r for r in self.rows_of_scenario(folder, name)}
        return lambda a, b: float(rows[a, b][measure])

    def test_jacobi2d(self):
        self.check("trust/applications.md", "part", ["cpu", "inter-kernel", "dgpu", "apu", "comp-net"],
                   self.results("compnet", "fig09_jacobi2d", "edge", "design", "iteration_us"))

    def test_allreduce(self):
        of = self.results("compnet", "fig10_allreduce", "nodes", "design", "duration_us")
        self.check("trust/applications.md", "nodes", ["cpu", "inter-kernel", "dgpu", "apu", "comp-net"],
                   lambda nodes, design: of(nodes, design) / 1000)

    def test_training(self):
        self.check("trust/applications.md", "workload", ["cpu", "inter-kernel", "apu", "comp-net"],
                   self.results("compnet", "fig11_training", "workload", "design", "speedup"))

    def test_ping_pong(self):
        """Simulated and measured, in one cell."""
        head, *rows = self.table("trust/validation.md", "path")
        times = {(r["path"], r["bytes"], r["origin"]): float(r["time_us"]) for r in self.rows_of_scenario("summit", "benchpress_ping_pong")}
        self.assertEqual(len(rows), 6)
        for path, *cells in rows:
            for size, cell in zip(head[1:], cells):
                number, unit = size.split()
                size = str(int(number) * (1024 if unit == "KiB" else 1))
                for origin, shown in zip(("simulated", "measured"), map(float, cell.split("/"))):
                    with self.subTest(path=path, bytes=size, origin=origin):
                        self.assertAlmostEqual(times[path, size, origin], shown, delta=TOLERANCE * shown)

    def test_two_service_threads(self):
        """The time of a get in Fig 8c, which the page has in a sentence."""
        said = re.search(r"480 work-groups \(Fig 8c\) a get takes (\d+), (\d+)\s+and\s+(\d+) us",
                         (PROJECT / "docs/trust/validation.md").read_text()).groups()
        rows = {r["design"]: r for r in self.rows_of_scenario("compnet", "service_software") if r["change"] == "base"}
        for design, shown in zip(("dgpu", "apu", "comp-net"), map(float, said)):
            self.assertAlmostEqual(float(rows[design]["latency_us"]), shown, delta=TOLERANCE * shown, msg=design)

    def test_jacobi3d(self):
        """The scenarios take long: one node is simulated here, as the figure's point has it."""
        head, *rows = self.table("trust/jacobi3d.md", "nodes")
        self.assertEqual(rows[0][0], "1")
        for design, figure in (("charm-h", "fig15_jacobi3d_charm"), ("charm-messaging", "fig15_jacobi3d_charm")):
            said = self.succeed("explain", str(PROJECT / f"scenarios/summit/parco22_{figure}.lua"), "--point",
                                f"scaling=weak,nodes=1,design={design}")
            shown = float(rows[0][head.index(design)])
            with self.subTest(design=design):
                self.assertAlmostEqual(float(re.search(r"(?m)^sum +([\d.]+)", said)[1]) / 1000, shown, delta=TOLERANCE * shown)

    def test_small_allreduces(self):
        rows = {(r["nodes"], r["way"]): r for r in self.rows_of_scenario("summit", "allreduce") if r["bytes"] == "4"}
        self.check("use/summit.md", "nodes", ["direct", "staged", "copied"],
                   lambda nodes, way: float(rows[nodes, way]["duration_us"]))


if __name__ == "__main__":
    unittest.main()
