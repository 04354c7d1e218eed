# SPDX-License-Identifier: BSD-3-Clause
"""Drives the program as a user does: in a folder of its own, with what stands on her disk."""
import contextlib
import csv
import os
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

PROGRAM = os.environ["GPUNETSIM_PROGRAM"]
PROJECT = Path(os.environ["GPUNETSIM_ROOT"])
# A shell's background job ignores SIGINT, one under nohup SIGHUP, and so would their children; what is handled here has its default there.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

# Where tests/cli/scenarios.py has run all scenarios that are not long; None where CTest did not.
SCENARIOS = Path(os.environ["GPUNETSIM_SCENARIOS"]) if "GPUNETSIM_SCENARIOS" in os.environ else None

# For tests that run the project's own scenarios, which take minutes under sanitizers.
unless_sanitized = unittest.skipIf(os.environ.get("GPUNETSIM_SANITIZED"),
                                   "the optimised build runs it")


def sample(cases, one_in):
    """Of cases that differ in their values alone: all, but under sanitizers one in so many, as the optimised build runs all."""
    return list(cases)[::one_in if os.environ.get("GPUNETSIM_SANITIZED") else 1]


# Needs no simulated hardware: measures are made up from the point. What a study says beside its
# points goes in at %s.
STUDY = """
local machine_here = machine { name = "plain" }
return study {
  title = "A made-up study",
  machine = machine_here,
  vary = { bytes = { "8B", "64B", "512B" }, design = { "one", "two" } },
  run = function(p)
    local slow = p.design == "two" and 2 or 1
    return { latency = (slow * 3) .. "us", share = slow / 4 }
  end,
  plot = { x = "bytes", y = "latency_us", by = "design", style = "loglog" },
  %s
}
"""

# Points that each take a while and always come to an end.
SLOW_STUDY = """
local numbers = {}
for i = 1, 60 do numbers[i] = i end
return study {
  title = "A slow study",
  machine = machine { name = "plain" },
  vary = { number = numbers },
  run = function(p)
    local sum = 0
    for i = 1, 5000000 do sum = sum + i end
    return { sum = sum }
  end,
}
"""


@contextlib.contextmanager
def connect_store(path):
    """A connection to the store, closed at the end."""
    connection = sqlite3.connect(path)
    try:
        yield connection
    finally:
        connection.close()


# Far more than anything takes, also on a machine that does much else.
HANG_S = 3000


class ProgramTest(unittest.TestCase):
    """A temporary folder, `self.folder`, and ways to run the program in it."""

    maxDiff = None

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="gpunetsim-cli-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return name

    def start(self, *arguments, start_new_session=False, **environment):
        """The running program; LD_PRELOAD and the like are kept, the locale is not."""
        program = subprocess.Popen([PROGRAM, *arguments], cwd=self.folder, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   start_new_session=start_new_session, env={**os.environ, **environment})
        self.addCleanup(self.stop, program)
        return program

    @staticmethod
    def stop(program):
        """Nothing runs on after a test that failed."""
        program.kill()
        program.communicate()

    def run_program(self, *arguments, **environment):
        """(exit code, standard output, standard error)"""
        program = self.start(*arguments, **environment)
        out, err = program.communicate()
        return program.returncode, out, err

    def succeed(self, *arguments, **environment):
        """Standard output of a run that must go well and say nothing on standard error."""
        code, out, err = self.run_program(*arguments, **environment)
        self.assertEqual((code, err), (0, ""))
        return out

    def rows_of_scenario(self, folder, name):
        """The rows of results.csv of a scenario of the project, from the run that all tests share if there was one."""
        results = SCENARIOS / name / "results.csv" if SCENARIOS else self.folder / "out" / name / "results.csv"
        if not results.exists():
            self.succeed("run", str(PROJECT / "scenarios" / folder / f"{name}.lua"), "--no-plot", "--out", f"out/{name}")
            results = self.folder / "out" / name / "results.csv"
        with results.open(newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def fail_with(self, code, *arguments, **environment):
        """The one sentence of a run that must fail with this exit code."""
        got, _, err = self.run_program(*arguments, **environment)
        self.assertEqual(got, code, err)
        return self.only_sentence(err)

    def small_disk(self, size):
        """A folder on a file system of its own, of that size; skips the test where none can be mounted."""
        disk = self.folder / "disk"
        disk.mkdir()
        mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(disk)]
        try:
            mounted = subprocess.run(mount, capture_output=True, check=False).returncode == 0
        except FileNotFoundError:
            mounted = False
        if not mounted:
            self.skipTest("a small file system cannot be mounted here")
        self.addCleanup(subprocess.run, ["umount", str(disk)], check=True)
        return disk

    def only_sentence(self, err):
        self.assertRegex(err, r"\Agpunetsim: [^\n]+\n\Z")
        return err[len("gpunetsim: "):-1]

    def files(self, folder="."):
        """All files below a folder, as sorted relative paths, but for the lists of what was written."""
        base = self.folder / folder
        return sorted(str(f.relative_to(base)) for f in base.rglob("*")
                      if f.is_file() and f.name != ".gpunetsim-files")

    def running(self):
        """Numbers of the processes that are at work in the folder."""
        found = []
        for entry in Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and (entry / "cwd").resolve() == self.folder.resolve():
                    found.append(int(entry.name))
            except OSError:
                pass  # it has ended
        return found

    def wait_until(self, condition):
        """Looks again and again."""
        deadline = time.monotonic() + HANG_S
        while not condition():
            self.assertLess(time.monotonic(), deadline, "it does not come to that")
            time.sleep(0.01)

    def interrupt(self, program, number=signal.SIGINT):
        """Sends the signal once a first point is done; gives (exit code, lines of standard error)."""
        first = program.stderr.readline()
        program.send_signal(number)
        out, err = program.communicate()
        self.assertEqual(out, "")
        return program.returncode, (first + err).splitlines()
