# SPDX-License-Identifier: BSD-3-Clause
"""Pages whose blocks are run as pages.py says, and compared with what they say."""
import unittest

from pages import Page


class Machines(Page):
    page = "docs/machines.md"

    def test_page(self):
        self.assertGreaterEqual(self.run_page(), 5)


class Studies(Page):
    page = "docs/studies.md"

    def test_page(self):
        self.assertGreaterEqual(self.run_page(), 12)


class Pattern(unittest.TestCase):
    """The comparison itself."""

    def test_compares(self):
        from pages import pattern
        self.assertRegex("a  1\nb 2\nc 3\n", pattern("a 1\n...\nc   3\n"))
        self.assertRegex("took 12 s\n", pattern("took ... s\n"))
        self.assertNotRegex("a 1\nb 2\n", pattern("a 1\n"))
        self.assertNotRegex("a 1\n", pattern("a 2\n"))


if __name__ == "__main__":
    unittest.main()
