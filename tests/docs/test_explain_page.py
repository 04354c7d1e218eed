# SPDX-License-Identifier: BSD-3-Clause
"""Runs docs/use/explain.md: its commands, and each row of its table of what the papers say and what the explanation says."""
import os
import re
import unittest

from pages import ROOT, Page

ROW = re.compile(r"^\| ([^|`]+) \| `(scenarios/[^`]+)` \| `([^`]+)` \|$", re.M)


class Explain(Page):
    page = "docs/use/explain.md"

    def test_commands(self):
        self.run_page()
        made = {path.name for path in self.path.iterdir()} - {"scenarios", "configs"}
        self.assertEqual(made, {".gpunetsim-files", "difference.svg", "trace.json"})

    @unittest.skipIf(os.environ.get("GPUNETSIM_SANITIZED"), "the optimised build runs it")
    def test_table(self):
        rows = ROW.findall((ROOT / self.page).read_text())
        self.assertGreaterEqual(len(rows), 10)
        for words, arguments, expected in rows:
            with self.subTest(words):
                self.assertRegex(self.command(f"gpunetsim explain {arguments}", False), expected.replace("\\|", "|"))


if __name__ == "__main__":
    unittest.main()
