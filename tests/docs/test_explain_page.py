# SPDX-License-Identifier: BSD-3-Clause
"""Runs docs/explain.md: its commands, and each row of its table of what the papers say and what the explanation says."""
import os
import pathlib
import re
import shlex
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(os.environ["GPUNETSIM_ROOT"])
ROW = re.compile(r"^\| ([^|`]+) \| `(scenarios/[^`]+)` \| `([^`]+)` \|$", re.M)


class Explain(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = folder.name
        self.page = (ROOT / "docs/explain.md").read_text()

    def run_line(self, line):
        words = [str(ROOT / word) if word.startswith("scenarios/") else word for word in shlex.split(line)]
        ended = subprocess.run([os.environ["GPUNETSIM_PROGRAM"], *words], cwd=self.path, text=True,
                               capture_output=True, check=False)
        self.assertEqual(ended.returncode, 0, f"{line}\n{ended.stderr}")
        return ended.stdout

    def test_commands(self):
        for block in re.findall(r"```sh\n(.*?)```", self.page, re.S):
            for line in block.splitlines():
                self.run_line(line.removeprefix("gpunetsim "))
        self.assertEqual(sorted(os.listdir(self.path)), [".gpunetsim-files", "difference.svg", "trace.json"])

    @unittest.skipIf(os.environ.get("GPUNETSIM_SANITIZED"), "the optimised build runs it")
    def test_table(self):
        rows = ROW.findall(self.page)
        self.assertGreaterEqual(len(rows), 10)
        for words, arguments, expected in rows:
            with self.subTest(words):
                self.assertRegex(self.run_line(f"explain {arguments}"), expected.replace("\\|", "|"))


if __name__ == "__main__":
    unittest.main()
