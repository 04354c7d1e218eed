# SPDX-License-Identifier: BSD-3-Clause
"""Runs docs/use/explain.md: its commands, and each row of explained.tsv, what the papers say and what the explanation says."""
import os
import unittest
from pathlib import Path

from pages import Page

ROWS = [line.split("\t") for line in (Path(__file__).parent / "explained.tsv").read_text().splitlines() if line[0] != "#"]


class Explain(Page):
    page = "docs/use/explain.md"

    def test_commands(self):
        self.run_page()
        made = {path.name for path in self.path.iterdir()} - {"scenarios", "configs"}
        self.assertEqual(made, {".gpunetsim-files", "difference.svg", "trace.json"})

    @unittest.skipIf(os.environ.get("GPUNETSIM_SANITIZED"), "the optimised build runs it")
    def test_table(self):
        self.assertGreaterEqual(len(ROWS), 19)
        for words, arguments, expected in ROWS:
            with self.subTest(words):
                self.assertRegex(self.command(f"gpunetsim explain {arguments}", False), expected)


if __name__ == "__main__":
    unittest.main()
