# SPDX-License-Identifier: BSD-3-Clause
"""Runs every block of docs/use/libraries.md, in order, in an empty folder, and holds what it says against them.

In the part about kernels a block ```lua file=NAME is written to NAME; every line of ```sh is a command that succeeds, of
```sh fails one that ends with exit code 1.
"""

import csv
import pathlib
import re
import shlex
import subprocess
import tempfile
import unittest

from pages import PROGRAM, ROOT, Page

LIBRARIES, TEXT = (ROOT / "docs/use/libraries.md").read_text().split("\n## Networking from inside a kernel\n")
BLOCK = re.compile(r"^```(\w*)(?: (\S+))?\n(.*?)^```", re.M | re.S)


def words(text):
    return " ".join(text.split())


class Libraries(Page):
    page = "docs/use/libraries.md"

    def text(self):
        return LIBRARIES

    def test_page(self):
        self.assertEqual(self.run_page(), 3)


class IntraKernel(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)

    def run_line(self, line, code):
        done = subprocess.run([PROGRAM, *shlex.split(line)[1:]], cwd=self.path, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, code, line + "\n" + done.stdout + done.stderr)
        return done.stderr

    def rows(self, study):
        return list(csv.DictReader((self.path / "out" / study / "results.csv").open()))

    def test_page(self):
        errors = []
        for language, option, body in BLOCK.findall(TEXT):
            if language == "lua":
                (self.path / option.removeprefix("file=")).write_text(body)
            elif language == "sh":
                errors += [self.run_line(line, 1 if option == "fails" else 0) for line in body.splitlines()]
        self.check_times()
        self.check_deadlock(errors[2])
        self.check_cooperative(errors[3])

    def check_times(self):
        """The table's times, to what it prints."""
        for row in self.rows("ping_pong"):
            cells = f"| `{row['design']}` | {float(row['turn_us']):.1f} us | {float(row['latency_us']):.1f} us |"
            self.assertIn(cells, TEXT)
            self.assertLess(float(row["turn_us"]), 2 * float(row["latency_us"]))

    def check_deadlock(self, error):
        """The page's report is the program's, but for what it leaves out at dots."""
        failures = [row["failure"] for row in self.rows("oversubscribed")]
        self.assertEqual([bool(failure) for failure in failures], [False, False, True])
        shown = next(body for language, _, body in BLOCK.findall(TEXT) if body.startswith("deadlock at"))
        report = words(error)
        for part in re.split(r"\.\.\.|0x40", words(shown)):
            self.assertIn(part.strip(), report)

    def check_cooperative(self, error):
        failures = [row["failure"] for row in self.rows("cooperative")]
        self.assertEqual([bool(failure) for failure in failures], [True, False])
        shown = next(body for _, _, body in BLOCK.findall(TEXT) if body.startswith("a cooperative kernel"))
        self.assertIn(words(shown), words(error))


if __name__ == "__main__":
    unittest.main()
