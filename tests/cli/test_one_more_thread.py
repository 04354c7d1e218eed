# SPDX-License-Identifier: BSD-3-Clause
"""Whether one more host thread helps: the file of measured cases says what the simulation answers, misses among them."""
import unittest

import one_more_thread
from program import PROGRAM, SCENARIOS, unless_sanitized


class OneMoreThread(unittest.TestCase):
    def setUp(self):
        self.filed = [line.split("\t") for line in one_more_thread.FILE.read_text(encoding="utf-8").splitlines()]

    def test_measured(self):
        """Cases and their measured times are those of the probe's tables; no case is left out."""
        of_tables = [[table, *map(str, point), str(more[2]), f"{us:.2f}", f"{more_us:.2f}"]
                     for table, point, more, us, more_us in one_more_thread.cases()]
        self.assertEqual([cells[:7] for cells in self.filed[1:]], of_tables)
        self.assertTrue({"yes", "no"} >= {cells[9] for cells in self.filed[1:]})

    @unless_sanitized
    def test_simulated(self):
        """A change of a model says what it does to the cases: one_more_thread.py PROGRAM --update. Most points are those of scenarios."""
        scoreboard = one_more_thread.scoreboard(PROGRAM, SCENARIOS / "store.db" if SCENARIOS else None)
        self.assertEqual([line.split("\t") for line in scoreboard], self.filed)


if __name__ == "__main__":
    unittest.main()
