# SPDX-License-Identifier: BSD-3-Clause
"""Tables as people read them: units in heads, sizes with their unit, six digits, long tables in blocks; CSV has all digits."""
import csv
import re
import unittest

from program import ProgramTest

STUDY = """
return study { title = "Blocks", machine = machine { name = "plain" },
  vary = { { "design", { "one", "two" } }, { "clock", { "1GHz", "2GHz" } }, { "bytes", pow2("8B", %s) } },
  run = function(p) return { latency = "1us" * p.clock:GHz(), share = 1 / 3, polls = 123456789 } end }
"""


class Terminal(ProgramTest):

    def table(self, last, *options):
        self.write("s.lua", STUDY % f'"{last}"')
        return self.succeed("run", "s.lua", "--no-plot", *options)

    def test_blocks(self):
        """Axes that change slowest head blocks, all rows are there once, in their order, and columns stand below each other."""
        text = self.table("8KiB")
        headings = re.findall(r"(?m)^design = .*$", text)
        self.assertEqual(headings, [f"design = {design}, clock (GHz) = {clock}" for design in ("one", "two") for clock in (1, 2)])
        self.assertEqual(re.findall(r"(?m)^(\d+ K?i?B) ", text), ["8 B", "16 B", "32 B", "64 B", "128 B", "256 B", "512 B", "1 KiB",
                                                                "2 KiB", "4 KiB", "8 KiB"] * 4)
        heads = re.findall(r"(?m)^bytes .*$", text)
        self.assertEqual((len(heads), len(set(heads))), (4, 1))
        self.assertRegex(heads[0], r"^bytes  latency \(us\) +polls +share$")
        self.assertEqual(len(re.findall(r"\b0\.333333$", text, re.M)), 44)

    def test_short(self):
        """A table that is seen at once has no blocks; one whose blocks would be short has none either."""
        self.assertNotIn(" = ", self.table("64B"))
        self.write("s.lua", STUDY.replace("pow2", "(function() return { 8, 16, 32 } end)").replace('{ "1GHz", "2GHz" }',
                   '{ "1GHz", "2GHz", "3GHz", "4GHz", "5GHz" }') % "0")
        text = self.succeed("run", "s.lua", "--no-plot")
        self.assertEqual(re.findall(r"(?m)^design = .*$", text), ["design = one", "design = two"])

    def test_columns_and_wide(self):
        text = self.table("8KiB", "--columns", "share")
        self.assertRegex(text, r"(?m)^bytes +share$")
        self.assertNotIn("latency", text)
        self.assertRegex(self.table("8KiB", "--wide"), r"(?m)^bytes +latency \(us\) +polls +share$")

    def test_csv_has_all(self):
        self.table("8KiB", "-o", "csv:rows.csv")
        with open(self.folder / "rows.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual({row["share"] for row in rows}, {"0.3333333333333333"})
        self.assertEqual(list(rows[0]), ["design", "clock_GHz", "bytes", "latency_us", "polls", "share"])
        self.assertEqual(rows[-1]["bytes"], "8192")


if __name__ == "__main__":
    unittest.main()
