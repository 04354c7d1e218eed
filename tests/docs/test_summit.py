# SPDX-License-Identifier: BSD-3-Clause
"""Runs every block of docs/use/summit.md, in an empty folder: first the files, then the commands in their order."""

import csv
import pathlib
import tempfile
import unittest

from test_tutorial import BLOCK, ROOT, run


class Summit(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)

    def rows(self, study):
        return list(csv.DictReader((self.path / "out" / study / "results.csv").open()))

    def test_blocks(self):
        blocks = BLOCK.findall((ROOT / "docs/use/summit.md").read_text())
        for language, name, body in blocks:
            if language == "lua":
                (self.path / name).write_text(body)
        outputs = [(line, run(line, self.path)) for language, _, body in blocks if language == "sh"
                   for line in body.splitlines()]
        for line, output in outputs:
            if line.startswith("gpunetsim osu"):
                self.assertEqual(len([row for row in output.splitlines() if row[0] != "#"]), 23)
        self.check_where()
        self.check_direct()

    def check_where(self):
        """The last run was without GDRCopy; the GPU data of the Messaging API are always early."""
        rows = {row["design"]: row for row in self.rows("where")}
        self.assertGreater(float(rows["openmpi-d"]["latency_us"]), 10)
        self.assertEqual(float(rows["charm-messaging"]["unexpected"]), 1)

    def check_direct(self):
        rates = {(row["up_to_bytes"], row["bytes"]): float(row["bandwidth_GBps"])
                 for row in self.rows("direct")}
        for bytes_ in {key[1] for key in rates}:
            self.assertGreater(rates[str(2 ** 40), bytes_], rates["0", bytes_])


if __name__ == "__main__":
    unittest.main()
