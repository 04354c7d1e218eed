# SPDX-License-Identifier: BSD-3-Clause
"""A sweep of 10,000 points, killed twice and resumed, gives the bytes of one that nothing disturbed."""
import signal
import sqlite3
import unittest

from program import ProgramTest

# Every tenth point is simulated, in one run (fixed phases); the others cost next to nothing.
STUDY = """
local node = require "configs.gcn3_node"
return study {
  title = "Ten thousand",
  machine = node { nodes = 2, software = { phases = "fixed" } },
  vary = { bytes = range("8B", "8000B", "8B"), turn = { 1, 2 }, repeats = { 1, 2, 3, 4, 5 } },
  run = function(p)
    if p.turn == 1 and p.repeats == 3 then
      return get_latency { design = "comp-net", bytes = p.bytes, repeats = p.repeats, warmup = 1 }
    end
    return { product = p.turn * p.repeats }
  end,
}
"""


class TenThousand(ProgramTest):
    def points(self):
        connection = sqlite3.connect(self.folder / "killed.db")
        try:
            return connection.execute("SELECT count(*) FROM point").fetchone()[0]
        except sqlite3.OperationalError:
            return 0
        finally:
            connection.close()

    def kill_at(self, least):
        """Kills the sweep once that many points are in the store; how many there are then. It cannot run on meanwhile by more than
        a pipe holds of the lines that tell of its points."""
        program = self.start("sweep", "s.lua", "--store", "killed.db", "-j", "2", "--progress", "json")
        while self.points() < least:
            for _ in range(200):
                self.assertTrue(program.stderr.readline())
        program.send_signal(signal.SIGKILL)
        program.communicate()
        return self.points()

    def test_killed_twice(self):
        self.write("s.lua", STUDY)
        first = self.kill_at(2000)
        second = self.kill_at(6000)
        self.assertTrue(2000 <= first < second < 10000)
        self.succeed("sweep", "s.lua", "--store", "killed.db", "-j", "2", "-o", "csv:killed.csv")
        self.succeed("sweep", "s.lua", "--store", "straight.db", "-j", "1", "-o", "csv:straight.csv")
        killed = (self.folder / "killed.csv").read_bytes()
        self.assertEqual(killed.count(b"\n"), 10001)
        self.assertEqual(killed, (self.folder / "straight.csv").read_bytes())
        self.assertEqual(self.succeed("diff", "killed.db", "straight.db"),
                         "10000 points compared, 0 differences\n")


if __name__ == "__main__":
    unittest.main()
