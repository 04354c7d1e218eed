# SPDX-License-Identifier: BSD-3-Clause
"""Sweeps that are killed in all ways and resumed give the bytes of one that nothing disturbed.

GPUNETSIM_KILLED says another size: "POINTS WAYS". What is hit, with what and when comes from a seeded
generator, so that a failure can be looked for again; what the machine makes of it differs each time."""
import os
import random
import signal
import subprocess
import time
import unittest

from program import HANG_S, PROGRAM, SLOW_STUDY, ProgramTest, connect_store

# Under sanitizers, which make a point ten times as dear, a sample of ways.
SIZE = "150 8" if os.environ.get("GPUNETSIM_SANITIZED") else "600 14"
POINTS, WAYS = (int(n) for n in os.environ.get("GPUNETSIM_KILLED", SIZE).split())
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL]

# Fixed phases: one run of each point, as what is killed here are processes.
STUDY = """
local node = require "configs.gcn3_node"
return study {
  title = "Many",
  machine = node { nodes = 2, software = { phases = "fixed" } },
  vary = { bytes = range("8B", "%dB", "8B"), repeats = { 1, 2, 3 } },
  run = function(p)
    return get_latency { design = "comp-net", bytes = p.bytes, repeats = p.repeats, warmup = 1 }
  end,
}
"""

HUNG = SLOW_STUDY.replace("1, 60", "1, 10").replace("for i = 1, 5000000 do sum = sum + i end",
                                                    "while true do end")


def children(pid):
    """The processes whose parent this is."""
    found = []
    for entry in os.listdir("/proc"):
        try:
            with open(f"/proc/{entry}/stat", encoding="utf-8", errors="replace") as file:
                fields = file.read().rpartition(")")[2].split()
        except (OSError, ValueError):
            continue
        if int(fields[1]) == pid and fields[0] != "Z":
            found.append(int(entry))
    return found


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class Killed(ProgramTest):
    def sweep(self, study, *arguments):
        """The running sweep, leader of a group of its own."""
        program = subprocess.Popen([PROGRAM, "sweep", study, "--store", "r.db", *arguments],
                                   cwd=self.folder, stdin=subprocess.DEVNULL, text=True,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   start_new_session=True)
        self.addCleanup(program.stderr.close)
        self.addCleanup(program.kill)
        return program

    def descendants(self, program):
        workers = children(program.pid)
        return workers + [point for worker in workers for point in children(worker)]

    def kill(self, pid, number=signal.SIGKILL):
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass  # it has ended meanwhile, as points do

    def send(self, program, target, number):
        """Sends the signal to the parent, to the group, or to a worker or a point of it."""
        if target == "group":
            os.killpg(program.pid, number)
        elif target == "parent":
            program.send_signal(number)
        else:
            family = self.descendants(program)
            for pid in self.random.sample(family, min(1, len(family))):
                self.kill(pid, number)

    def await_points(self, program, count):
        """Reads of as many points, or less at the end."""
        for _ in range(count):
            if not program.stderr.readline():
                return

    def await_end(self, program, family):
        """The program has ended, and so has all that came from it."""
        program.communicate(timeout=HANG_S)
        deadline = time.monotonic() + HANG_S
        while any(is_alive(pid) for pid in family):
            self.assertLess(time.monotonic(), deadline, "a process has outlived its sweep")
            time.sleep(0.01)

    def count(self, condition):
        if not (self.folder / "r.db").exists():
            return 0
        with connect_store(self.folder / "r.db") as store:
            tables = store.execute("SELECT count(*) FROM sqlite_master WHERE name = 'point'")
            if tables.fetchone()[0] == 0:
                return 0
            return store.execute(f"SELECT count(*) FROM point WHERE {condition}").fetchone()[0]

    def kill_one_sweep(self, way):
        target = self.random.choice(["parent", "parent", "group", "group", "worker"])
        number = self.random.choice(SIGNALS)
        with self.subTest(way=way, target=target, signal=number.name):
            program = self.sweep("s.lua", "-j", self.random.choice("123"), "--progress", "json")
            if self.random.random() < 0.25:
                time.sleep(self.random.uniform(0, 0.05))  # somewhere before the first point
            else:
                self.await_points(program, self.random.randrange(2 * POINTS // (WAYS + 2)) + 1)
            family = self.descendants(program)
            self.send(program, target, number)
            if target == "worker":  # the sweep goes on
                self.await_points(program, 3)
                family = self.descendants(program)
                self.send(program, "group", self.random.choice(SIGNALS))
            self.await_end(program, family)
            self.assertIn(program.returncode, [0, 130] + [-n for n in SIGNALS])
            self.assertEqual(self.count("failure IS NOT NULL"), 0)

    def test_same_bytes(self):
        self.random = random.Random(20241122)
        self.write("s.lua", STUDY % (POINTS // 3 * 8))
        self.succeed("run", "s.lua", "--no-plot", "-o", "csv:straight.csv")
        straight = (self.folder / "straight.csv").read_bytes()
        self.assertEqual(straight.count(b"\n"), POINTS + 1)
        done = 0
        for way in range(WAYS):
            self.kill_one_sweep(way)
            now = self.count("failure IS NULL")
            self.assertGreaterEqual(now, done)
            done = now
        self.assertGreater(done, 0)
        self.succeed("sweep", "s.lua", "--store", "r.db", "-j", "2", "-o", "csv:r.csv")
        self.assertEqual((self.folder / "r.csv").read_bytes(), straight)
        with connect_store(self.folder / "r.db") as store:
            self.assertEqual(store.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
        self.assertEqual(self.files(), ["r.csv", "r.db", "s.lua", "straight.csv"])


class Hung(Killed):
    """A sweep whose points all hang ends at any signal, with all its processes."""

    test_same_bytes = None

    def start_hung(self):
        self.write("hung.lua", HUNG)
        program = self.sweep("hung.lua", "-j", "2")
        deadline = time.monotonic() + HANG_S
        while len(self.descendants(program)) < 4:  # two workers, a point each
            self.assertLess(time.monotonic(), deadline)
            self.assertIsNone(program.poll())
            time.sleep(0.01)
        return program, self.descendants(program)

    def test_ends(self):
        for target in ("parent", "group"):
            for number in SIGNALS + [signal.SIGQUIT]:
                with self.subTest(target=target, signal=number.name):
                    program, family = self.start_hung()
                    self.send(program, target, number)
                    self.await_end(program, family)
                    expected = -number if number in (signal.SIGKILL, signal.SIGQUIT) else 130
                    self.assertEqual(program.returncode, expected)
                    self.assertEqual(self.count("1"), 0)

    def test_twice(self):
        """Ctrl-C once more is no other than Ctrl-C."""
        program, family = self.start_hung()
        self.send(program, "group", signal.SIGINT)
        try:
            self.send(program, "group", signal.SIGINT)
        except ProcessLookupError:
            pass
        self.await_end(program, family)
        self.assertIn(program.returncode, (130, -signal.SIGINT))
        self.assertEqual(self.count("1"), 0)

    def test_a_point_that_is_killed_is_tried_again_and_never_stored(self):
        program, _ = self.start_hung()
        deadline = time.monotonic() + HANG_S
        while program.poll() is None:
            self.assertLess(time.monotonic(), deadline)
            for worker in children(program.pid):
                for point in children(worker):
                    self.kill(point)
        _, err = program.communicate(timeout=HANG_S)
        self.assertEqual(program.returncode, 1)
        self.assertIn("10 of 10 points failed", err)
        self.assertIn("its process was ended by signal 9 (Killed)", err)
        self.assertEqual(self.count("1"), 0)

    def test_ignored_signals_stay_ignored(self):
        """As with nohup: SIGHUP that was ignored at the start does nothing."""
        self.write("hung.lua", HUNG)
        before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
        try:
            program, family = self.start_hung()
        finally:
            signal.signal(signal.SIGHUP, before)
        self.send(program, "group", signal.SIGHUP)
        self.assertTrue(all(is_alive(pid) for pid in family))
        self.send(program, "parent", signal.SIGTERM)
        self.await_end(program, family)
        self.assertEqual(program.returncode, 130)


if __name__ == "__main__":
    unittest.main()
