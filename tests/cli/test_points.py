# SPDX-License-Identifier: BSD-3-Clause
"""Points that share a process see nothing of each other, whatever a script tries."""
import csv
import re
import unittest

from program import ProgramTest

STUDY = """
local kept = %s
return study {
  title = "What a point leaves behind",
  machine = machine { name = "plain" },
  vary = { number = range(1, %d, 1) },
  run = function(p)
    %s
  end,
}
"""

# What a script may keep from point to point, and how it would notice.
ATTEMPTS = {
    "a number": ("0", "kept = kept + 1 return { seen = kept }"),
    "a table": ("{}", "kept[#kept + 1] = p.number return { seen = #kept }"),
    "a table in a table": ("{ { 1 } }", "kept[1][2] = (kept[1][2] or 0) + 1 return { seen = kept[1][2] }"),
    "a text of the same length": ("'aaa'", "local was = kept kept = 'aa' .. p.number % 10 return { seen = was }"),
    "a function": ("function() return 0 end",
                   "local was, n = kept(), p.number kept = function() return n end return { seen = was }"),
    "a new table of the same contents": ("{ 1 }", "local was = kept[1] kept = { 1 } return { seen = was }"),
    "what a closure holds": ("(function() local n = 0 return function() n = n + 1 return n end end)()",
                             "return { seen = kept() }"),
    "nothing but a failure": ("{}", "kept.x = (kept.x or 0) + 1 if p.number % 3 == 0 then error('here') end "
                                    "return { seen = kept.x }"),
}


class Points(ProgramTest):
    def rows(self, text, *arguments):
        self.write("s.lua", text)
        self.run_program("run", "s.lua", "--no-plot", "-o", "csv:s.csv", *arguments)
        with (self.folder / "s.csv").open(newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def test_no_point_sees_another(self):
        for name, (kept, run) in ATTEMPTS.items():
            with self.subTest(name):
                rows = self.rows(STUDY % (kept, 12, run), "-j", "1")
                self.assertEqual(len(rows), 12)
                self.assertEqual(len({row["seen"] for row in rows if not row.get("failure")}), 1, rows)
                self.assertEqual(rows, self.rows(STUDY % (kept, 12, run), "-j", "2"))

    def test_more_points_than_a_process_runs(self):
        rows = self.rows(STUDY % ("0", 1003, "return { twice = kept + 2 * p.number }"), "-j", "1")
        self.assertEqual([int(row["twice"]) for row in rows], [2 * n for n in range(1, 1004)])

    def test_a_point_that_needs_too_much_fails_alone(self):
        run = "if p.number == 4 then kept = ('x'):rep(1000000000) end return { seen = 1 }"
        rows = self.rows(STUDY % ("0", 6, run), "-j", "1")
        self.assertEqual([row["number"] for row in rows if row.get("failure")], ["4"])

    def test_simulated_and_trivial_points_side_by_side(self):
        text = STUDY.replace('machine { name = "plain" }', 'require "configs.gcn3_node" { nodes = 2 }') % (
            "0", 6, 'if p.number % 2 == 0 then return { latency = "1us" } end '
                    'return get_latency { design = "comp-net", bytes = 8 * p.number .. "B", repeats = 2 }')
        rows = self.rows(text, "-j", "1")
        self.assertEqual([row["latency_us"] for row in rows[1::2]], ["1"] * 3)
        self.assertEqual(rows, self.rows(text, "-j", "2"))
        alone = self.rows(text.replace("range(1, 6, 1)", "{ 3 }"), "-j", "1")
        self.assertEqual([row["latency_us"] for row in alone], [rows[2]["latency_us"]])

    def test_simulated_points_are_the_same_alone(self):
        """Points that simulate share a process, too, and have the same bytes as each in one of its own."""
        text = STUDY.replace('machine { name = "plain" }', 'require "configs.gcn3_node" { nodes = 2 }').replace(
            "number = range(1, %d, 1)", 'design = { "apu", "comp-net", "dgpu", "gpu-verbs" }') % (
            "0", 'return queue_service { design = p.design, operation = "put", bytes = "64B", work_groups = 8, operations = 2 }')
        rows = self.rows(text, "-j", "1")
        self.assertEqual(len(rows), 4)
        for row in rows:
            with self.subTest(row["design"]):
                alone = self.rows(re.sub(r"design = \{.*?\}", 'design = { "%s" }' % row["design"], text), "-j", "1")
                # A column that only another point has, such as the second of two groups of runs, is empty here.
                self.assertEqual(alone, [{name: row[name] for name in row if row[name] != "" or name in alone[0]}])


if __name__ == "__main__":
    unittest.main()
