"""The scenarios of BenchPress's measurements: simulated within 20 % of measured, at every size."""
import unittest

from program import ProgramTest

MOST_PERCENT = 20


class BenchPress(ProgramTest):
    def deviations(self, scenario):
        rows = self.rows_of_scenario("summit", scenario)
        return [float(row["deviation_percent"]) for row in rows
                if row["origin"] == "simulated" and row["deviation_percent"]]

    def assert_near(self, deviations, count):
        self.assertEqual(len(deviations), count)
        self.assertLess(max(abs(deviation) for deviation in deviations), MOST_PERCENT)
        self.assertGreater(max(abs(deviation) for deviation in deviations), 0)

    def test_ping_pong(self):
        self.assert_near(self.deviations("benchpress_ping_pong"), 6 * 8)

    def test_copies(self):
        self.assert_near(self.deviations("benchpress_copies"), 2 * 6)


if __name__ == "__main__":
    unittest.main()
