# SPDX-License-Identifier: BSD-3-Clause
"""Runs every command of docs/goal.md in an empty folder with the schedule of that page, and compares what it prints."""

import pathlib
import tempfile
import unittest

from test_tutorial import BLOCK, ROOT, run


class Goal(unittest.TestCase):
    def test_blocks(self):
        blocks = BLOCK.findall((ROOT / "docs/goal.md").read_text())
        with tempfile.TemporaryDirectory() as folder:
            for language, name, body in blocks:
                if name:
                    (pathlib.Path(folder) / name).write_text(body)
            lines = [line for language, _, body in blocks if language == "sh" for line in body.splitlines()]
            self.assertGreater(len(lines), 9)
            for line in lines:
                command, _, expected = line.partition("  #")
                printed = run(command, folder)
                if expected:
                    self.assertEqual(printed.split(), expected.split(), command)


if __name__ == "__main__":
    unittest.main()
