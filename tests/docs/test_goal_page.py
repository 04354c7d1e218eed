# SPDX-License-Identifier: BSD-3-Clause
"""Runs every command of docs/use/goal.md, in its order, in an empty folder, and compares what it prints."""

import pathlib
import tempfile
import unittest

from test_tutorial import BLOCK, ROOT, run


class Goal(unittest.TestCase):
    def test_blocks(self):
        blocks = BLOCK.findall((ROOT / "docs/use/goal.md").read_text())
        with tempfile.TemporaryDirectory() as folder:
            commands = 0
            for language, name, body in blocks:
                if name:
                    (pathlib.Path(folder) / name).write_text(body)
                for line in body.splitlines() if language == "sh" else []:
                    command, _, expected = line.partition("  #")
                    printed = run(command, folder)
                    commands += 1
                    if expected:
                        self.assertEqual(printed.split(), expected.split(), command)
            self.assertGreater(commands, 9)


if __name__ == "__main__":
    unittest.main()
