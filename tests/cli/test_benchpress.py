# SPDX-License-Identifier: BSD-3-Clause
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

    def test_several_pairs(self):
        """GPU data split over pairs of processes: nothing is set by it. Three pairs on Lassen are not explained."""
        rows = [row for row in self.rows_of_scenario("summit", "benchpress_node_pong")
                if row["measured_us"] and row["test"] != "mult_pong" and (row["test"], row["processes"]) != ("node pong, Lassen", "3")]
        off = sorted(abs(float(row["deviation_percent"])) for row in rows)
        self.assertEqual(len(off), 5 * 4 + 3 * 4)
        self.assertLess(off[len(off) // 2], 12)
        self.assertLess(off[-1], 34)

    def test_fan(self):
        """With one partner a ping-pong; with three, blocking sends follow one another."""
        time_us = {(row["test"], row["processes"], row["bytes"]): float(row["time_us"])
                   for row in self.rows_of_scenario("summit", "benchpress_node_pong")}
        one_us, three_us = time_us["mult_pong", "1", "65536"], time_us["mult_pong", "3", "65536"]
        self.assertEqual(one_us, time_us["node_pong", "1", "65536"])
        self.assertGreater(three_us, 2 * one_us)
        self.assertLessEqual(three_us, 3 * one_us)


if __name__ == "__main__":
    unittest.main()
