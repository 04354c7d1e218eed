# SPDX-License-Identifier: BSD-3-Clause
"""Runs the blocks of docs/use/calibrate.md."""
import unittest

from pages import Page


class Calibrate(Page):
    page = "docs/use/calibrate.md"

    def test_blocks(self):
        self.assertEqual(self.run_page(), 2)


if __name__ == "__main__":
    unittest.main()
