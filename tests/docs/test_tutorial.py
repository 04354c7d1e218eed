# SPDX-License-Identifier: BSD-3-Clause
"""Runs every block of docs/learn/tutorial.md and the study in README.md, in their order, in an empty folder.

A block ```lua file=NAME is written to NAME; every line of a block ```sh is a command, in which `gpunetsim`
is the program under test. README's study is the one Lua block there, and its command the one that runs it.
"""

import csv
import os
import pathlib
import re
import shlex
import subprocess
import tempfile
import unittest

from pages import pattern

ROOT = pathlib.Path(os.environ["GPUNETSIM_ROOT"])
PROGRAM = os.environ["GPUNETSIM_PROGRAM"]
BLOCK = re.compile(r"^```(\w+)(?: file=(\S+))?\n(.*?)^```", re.M | re.S)


def run(command, folder):
    words = shlex.split(command)
    words[0] = PROGRAM
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True,
                          stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise AssertionError(f"{command}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


class Documents(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def test_tutorial(self):
        commands, compared = 0, 0
        text = (ROOT / "docs/learn/tutorial.md").read_text()
        for language, name, body in BLOCK.findall(text):
            if language == "lua":
                self.assertTrue(name, "a Lua block of the tutorial has no file name")
                (self.path / name).write_text(body)
            elif language == "sh":
                for line in body.splitlines():
                    output = run(line, self.path)
                    commands += 1
            elif language == "text":  # what the last command has printed
                self.assertRegex(output, pattern(body))
                compared += 1
        self.assertGreaterEqual(commands, 5)
        self.assertEqual(compared, 1)
        self.check_first_study()
        self.check_slow_bus()
        self.check_sweep()
        self.check_cores()

    def check_first_study(self):
        for name in ("results.csv", "figure.svg", "figure.png"):
            self.assertGreater((self.path / "out/first" / name).stat().st_size, 100, name)
        rows = (self.path / "out/first/results.csv").read_text().splitlines()
        self.assertEqual(len(rows), 1 + 3)
        self.assertTrue(rows[0].startswith("bytes,latency_us,"), rows[0])

    def check_slow_bus(self):
        """csv: has the slow bus; the second command, with a nearer one, wrote the default results."""
        slow = csv.DictReader((self.path / "slow_bus.csv").open())
        near = csv.DictReader((self.path / "out/slow_bus/results.csv").open())
        pairs = list(zip(slow, near, strict=True))
        self.assertEqual([row["design"] for row, _ in pairs], ["dgpu", "apu", "comp-net"])
        for row, other in pairs:
            self.assertGreater(float(row["latency_us"]), float(other["latency_us"]))

    def check_sweep(self):
        rows = (self.path / "sweep.csv").read_text().splitlines()
        self.assertEqual(len(rows), 1 + 3 * 4)
        self.assertTrue(rows[0].startswith("clock_GHz,polling_rounds,latency_us,"), rows[0])

    def check_cores(self):
        """Nine combinations, of which `where` drops those with more cores than work-groups."""
        rows = (self.path / "cores.csv").read_text().splitlines()
        self.assertEqual(len(rows), 1 + 9 - 2)
        self.assertTrue(rows[0].startswith("cores,work_groups,"), rows[0])
        for name in ("figures/figure-1.svg", "figures/figure-2.pdf", "cores.pdf", "cores-2.pdf"):
            self.assertGreater((self.path / name).stat().st_size, 100, name)

    def test_readme(self):
        text = (ROOT / "README.md").read_text()
        study = [body for language, _, body in BLOCK.findall(text) if language == "lua"]
        self.assertEqual(len(study), 1)
        (self.path / "cp_clock.lua").write_text(study[0])
        self.assertIn("build/release/gpunetsim run cp_clock.lua", text)
        run("gpunetsim run cp_clock.lua", self.path)
        rows = (self.path / "out/cp_clock/results.csv").read_text().splitlines()
        self.assertEqual(len(rows), 1 + 3 * len(range(3, 13)))


if __name__ == "__main__":
    unittest.main()
