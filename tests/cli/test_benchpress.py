"""The scenarios of BenchPress's measurements: simulated within 20 % of measured, at every size."""
import csv
import unittest

from program import PROJECT, ProgramTest

MOST_PERCENT = 20


class BenchPress(ProgramTest):
    def deviations(self, scenario):
        self.succeed("run", str(PROJECT / "scenarios" / "summit" / scenario), "--no-plot")
        results = self.folder / "out" / scenario.replace(".lua", "") / "results.csv"
        rows = list(csv.DictReader(results.open()))
        return [float(row["deviation_percent"]) for row in rows
                if row["origin"] == "simulated" and row["deviation_percent"]]

    def assert_near(self, deviations, count):
        self.assertEqual(len(deviations), count)
        self.assertLess(max(abs(deviation) for deviation in deviations), MOST_PERCENT)
        self.assertGreater(max(abs(deviation) for deviation in deviations), 0)

    def test_ping_pong(self):
        self.assert_near(self.deviations("benchpress_ping_pong.lua"), 6 * 8)

    def test_copies(self):
        self.assert_near(self.deviations("benchpress_copies.lua"), 2 * 6)


if __name__ == "__main__":
    unittest.main()
