# SPDX-License-Identifier: BSD-3-Clause
"""What hides behind something else: a step takes no less than the longer of both halves and no more than both in a row; what cannot
overlap takes both in a row; some size hides more than the smallest and the largest do."""
import unittest

from program import ProgramTest, unless_sanitized


@unless_sanitized
class Overlap(ProgramTest):
    def check(self, name, whole, halves, size, groups):
        rows = self.rows_of_scenario("whatif", name)
        for row in rows:
            took, parts = float(row[whole]), [float(row[half]) for half in halves]
            self.assertGreaterEqual(took, max(parts), row)
            self.assertLessEqual(took, sum(parts), row)
        for group in {row[groups] for row in rows}:
            ordered = sorted((row for row in rows if row[groups] == group), key=lambda row: int(row[size]))
            times = [float(row[whole]) for row in ordered]
            self.assertLess(min(times), min(times[0], times[-1]))
        return rows

    def test_training(self):
        """One bucket is full when no layer is left; beyond that, the step ends with the allreduce of the last one."""
        rows = self.check("training_buckets", "step_us", ("compute_us", "communication_us"), "bucket_bytes", "nodes")
        largest = max(int(row["bucket_bytes"]) for row in rows)
        for row in rows:
            if int(row["bucket_bytes"]) == largest:
                self.assertGreater(float(row["exposed"]), 0.99)

    def test_moe(self):
        """One part hides nothing but the launch of the kernel."""
        rows = self.check("moe_overlap", "layer_us", ("dispatch_us", "experts_us"), "parts", "tokens")
        for row in rows:
            if row["parts"] == "1":
                in_a_row = float(row["dispatch_us"]) + float(row["experts_us"])
                self.assertGreater(float(row["layer_us"]), 0.98 * in_a_row)


if __name__ == "__main__":
    unittest.main()
