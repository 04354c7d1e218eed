# SPDX-License-Identifier: BSD-3-Clause
"""The same sweep under mpirun, on one host: the bytes of a straight run, whoever ran which point."""
import os
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "cli"))
from program import HANG_S, ProgramTest, connect_store  # noqa: E402
from test_killed import HUNG, children, is_alive  # noqa: E402
from test_sweep import GETS  # noqa: E402

MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--mca", "btl", "self,vader"]


class Mpi(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("gets.lua", GETS)

    def mpi(self, ranks, *arguments):
        done = subprocess.run([*MPIRUN, "-n", str(ranks), os.environ["GPUNETSIM_MPI"], *arguments],
                              cwd=self.folder, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, check=False,
                              env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"})  # Open MPI's own
        return done.returncode, done.stdout, done.stderr

    def test_three_ranks_give_the_same(self):
        self.succeed("run", "gets.lua", "--no-plot", "-o", "csv:straight.csv", "-j", "1")
        straight = (self.folder / "straight.csv").read_bytes()
        for ranks in (3, 1):
            code, out, err = self.mpi(ranks, "gets.lua", "--store", f"m{ranks}.db", "-o",
                                      f"csv:m{ranks}.csv")
            self.assertEqual(code, 0, err)
            self.assertEqual((self.folder / f"m{ranks}.csv").read_bytes(), straight)
        self.succeed("sweep", "gets.lua", "--store", "s.db")
        self.assertEqual(self.succeed("diff", "m3.db", "s.db"), "40 points compared, 0 differences\n")

    def test_help(self):
        code, out, err = self.mpi(2, "--help")
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(out.count("gpunetsim-mpi [OPTION"), 1)

    def test_resumes(self):
        self.assertEqual(self.mpi(3, "gets.lua", "--store", "m.db", "--shard", "1/2")[0], 0)
        self.assertRegex(self.succeed("status", "m.db"), r"(?m)^gets +20 +40 ")
        self.assertEqual(self.mpi(3, "gets.lua", "--store", "m.db")[0], 0)
        self.assertRegex(self.succeed("status", "m.db"), r"(?m)^gets +40 +40 ")

    def test_failures(self):
        self.write("bad.lua", "return study {")
        self.assertNotEqual(self.mpi(3, "bad.lua", "--store", "m.db")[0], 0)
        self.write("fails.lua", GETS.replace("return get_latency",
                                             'if p.repeats == 3 then error("no") end return get_latency'))
        code, _, err = self.mpi(3, "fails.lua", "--store", "m.db")
        self.assertEqual(code, 1)
        self.assertIn("8 of 40 points failed", err)

    def ranks_of(self, mpirun):
        """The process of each rank."""
        found = {}
        for pid in children(mpirun.pid):
            try:
                environment = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
            except OSError:
                continue
            for entry in environment:
                if entry.startswith(b"OMPI_COMM_WORLD_RANK="):
                    found[int(entry.partition(b"=")[2])] = pid
        return found

    def test_a_signal_to_any_rank_ends_all(self):
        """Also while the points hang, whose ranks ask for nothing."""
        self.write("hung.lua", HUNG)
        for target, number in ((0, signal.SIGTERM), (1, signal.SIGTERM), (2, signal.SIGINT),
                               (1, signal.SIGHUP)):
            with self.subTest(rank=target, signal=number.name):
                program = subprocess.Popen(
                    [*MPIRUN, "-n", "3", os.environ["GPUNETSIM_MPI"], "hung.lua", "--store", "h.db"],
                    cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                    stderr=subprocess.PIPE, text=True,
                    env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"})
                points, deadline = [], time.monotonic() + HANG_S
                while len(points) < 2:
                    self.assertLess(time.monotonic(), deadline)
                    time.sleep(0.01)
                    ranks = self.ranks_of(program)
                    points = [point for rank in ranks.values() for worker in children(rank)
                              for point in children(worker)]
                os.kill(ranks[target], number)
                _, err = program.communicate(timeout=HANG_S)
                self.assertEqual(program.returncode, 130, err)
                self.assertIn("interrupted", err)
                self.assertFalse(any(is_alive(pid) for pid in [*ranks.values(), *points]))
                with connect_store(self.folder / "h.db") as store:
                    self.assertEqual(store.execute("SELECT count(*) FROM point").fetchone(), (0,))


if __name__ == "__main__":
    unittest.main()
