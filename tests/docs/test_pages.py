# SPDX-License-Identifier: BSD-3-Clause
"""Pages whose blocks are run as pages.py says, and compared with what they say; and no page has a block that no test runs."""
import os
import re
import unittest
from pathlib import Path

from pages import PAGES, ROOT, Page, pattern

FENCED = re.compile(r"^```([^\n]*)\n(.*?)^```", re.M | re.S)
INDENTED = re.compile(r"(?<=\n\n)    \S[^\n]*")  # a block without a language, which nobody runs
FORMS = re.compile(r"(?:lua|tsv|goal) file=\S+|sh(?: fails| not-run)?|text")
OTHER_FORMS = {  # by their own tests
    "extending.md": r"(?:c|lua|diff) file=\S+",
    "libraries.md": r"c",
    "library.md": r"c|python",
    "sensitivity.md": r"console",
    "architecture.md": r"picture",
    "README.md": r"lua",
}


class EveryBlock(unittest.TestCase):
    """A page's blocks have a form that a test knows; a page with a command has a test; outputs follow a command."""

    def test_forms(self):
        for page in PAGES:
            text = page.read_text()
            other = OTHER_FORMS.get(page.name if page.name != "README.md" or page.parent == ROOT else "", r"(?!)")
            for form, body in FENCED.findall(text):
                with self.subTest(page=page.name, block=f"{form}\n{body[:60]}"):
                    self.assertTrue(FORMS.fullmatch(form) or re.fullmatch(other, form))
            with self.subTest(page=page.name):
                self.assertEqual(INDENTED.findall(FENCED.sub("", text)), [])

    def test_who_runs_them(self):
        folders = (Path(__file__).parent, Path(__file__).parent.parent / "install")
        tests = "".join(path.read_text() for folder in folders for path in sorted(folder.glob("test_*.py")))
        for page in PAGES:
            forms = {form for form, _ in FENCED.findall(page.read_text())} - {"sh not-run", "picture"}
            if forms:
                self.assertIn(f'"{page.relative_to(ROOT)}"', tests, f"no test runs the blocks of {page.name}")


class Machines(Page):
    page = "docs/use/machines.md"

    def test_page(self):
        self.assertGreaterEqual(self.run_page(), 5)


class Hardware(Page):
    page = "docs/trust/hardware.md"

    @unittest.skipIf(os.environ.get("GPUNETSIM_SANITIZED"), "the optimised build runs it")
    def test_page(self):
        self.assertEqual(self.run_page(), 1)


class WhatIf(Page):
    page = "docs/learn/whatif.md"

    @unittest.skipIf(os.environ.get("GPUNETSIM_SANITIZED"), "the optimised build runs it")
    def test_page(self):
        self.assertEqual(self.run_page(), 2)


class Pattern(unittest.TestCase):
    """The comparison itself."""

    def test_compares(self):
        self.assertRegex("a  1\nb 2\nc 3\n", pattern("a 1\n...\nc   3\n"))
        self.assertRegex("took 12 s\n", pattern("took ... s\n"))
        self.assertNotRegex("a 1\nb 2\n", pattern("a 1\n"))
        self.assertNotRegex("a 1\n", pattern("a 2\n"))


if __name__ == "__main__":
    unittest.main()
