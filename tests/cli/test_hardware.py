# SPDX-License-Identifier: BSD-3-Clause
"""Two H200, measured and simulated: docs/hardware.md's table is what the scenarios give, and queues collapse where they do."""
import math
import re
import statistics
import unittest

from program import PROJECT, ProgramTest, unless_sanitized

PAGE = (PROJECT / "docs/hardware.md").read_text()
ROW = re.compile(r"^\| `(\w+)` \| `(\w+)` \| [^|]* \| (\d+) \| ([\d.]+) \| ([\d.]+) \|$", re.M)


@unless_sanitized
class Hardware(ProgramTest):
    def errors(self, scenario, measure):
        rows = self.rows_of_scenario("hardware", scenario)
        cells = [row[f"{measure}_error_percent"] for row in rows]
        return sorted(abs(float(cell)) for cell in cells if cell)

    def test_page(self):
        table = ROW.findall(PAGE)
        self.assertGreaterEqual(len(table), 14)
        for scenario, measure, points, median, p90 in table:
            with self.subTest(scenario=scenario, measure=measure):
                errors = self.errors(scenario, measure)
                self.assertEqual(len(errors), int(points))
                self.assertAlmostEqual(statistics.median(errors), float(median), delta=0.06)
                self.assertAlmostEqual(errors[math.ceil(0.9 * len(errors)) - 1], float(p90), delta=0.06)

    def test_one_table(self):
        """What a scenario reads of the probe is the table that the probe wrote; the probe is not installed with the scenarios."""
        for name in ("h200x2/allreduce.tsv", "h200x2/jacobi3d.tsv"):
            self.assertEqual((PROJECT / "scenarios/hardware/data" / name).read_bytes(), (PROJECT / "probe/tables" / name).read_bytes())

    def test_given_rows(self):
        medians = [statistics.median(self.errors(scenario, measure)) for scenario, measure, *_ in ROW.findall(PAGE)]
        self.assertLess(statistics.median(medians), 8)

    def test_collapse(self):
        rows = {(row["variant"], int(row["servers"])): float(row["latency_us"])
                for row in self.rows_of_scenario("hardware", "collapse")}
        self.assertLess(rows["fenced", 4], 10)
        for servers in (6, 8):
            self.assertGreater(rows["fenced", servers], 40)
            self.assertLess(rows["packed", servers], 5)
            self.assertLess(rows["line", servers], 5)

    def test_why_one_thread(self):
        rows = {(row["server"], row["think_us"]): float(row["latency_us"])
                for row in self.rows_of_scenario("hardware", "why_one_thread")}
        busy, rare = "0", "200"
        self.assertGreater(rows["no overlap", busy], 5 * rows["host thread", busy])
        self.assertGreater(rows["no cache", rare], 2 * rows["host thread", rare])
        self.assertGreater(rows["GPU thread", busy], 20 * rows["host thread", busy])


if __name__ == "__main__":
    unittest.main()
