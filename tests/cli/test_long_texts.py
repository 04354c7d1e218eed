# SPDX-License-Identifier: BSD-3-Clause
"""Texts of a script that are far too long: cut at the one place where they leave Lua, behind a whole character and with
a mark, so that neither a store nor a file nor a terminal fills up."""
import csv
import re
import unittest

from program import PROJECT, ProgramTest

LONG = '("é"):rep(1000000)'  # 2 MB, of characters that have two bytes each
MARK = re.compile(r"é… \(cut: it has \d+ bytes\)")
MOST_BYTES = 8192  # of a cell or a line, with what stands around the text

STUDY = """
local long, numbers = %s, {}
for i = 1, 20 do numbers[i] = i end
return study {
  title = "t", machine = (require "configs.gcn3_node") { nodes = 2 }, vary = { number = numbers },
  run = function(p) %%s end,
  %%s
}
""" % LONG

# What a point may do with a long text, and what of the study may be one.
FAILING = (
    "error(long)",
    "error(long, 0)",
    "return { a = get_latency { design = long, bytes = '8B' } }",
    "return get_latency { [long] = 1 }",
    "string.format('%d', long)",
    "return { [long] = 1 }",
    "local t = {} for i = 1, 2000 do t['m' .. i] = long end return t",
    "local w = program { design = 'openmpi-d' } w:parties { program = function(me) error(long) end } w:run()",
    "local w = program { design = 'openmpi-d' } w:parties { program = function(me) me:record(long, 1) end } w:run()",
    "local x = p[long]",
)
# (the run's code, more of the study): the point ends well
GOOD = (
    ("return { a = long }", ""),
    ("return { a = 1 }", "claims = { ['N-39'] = function() return { note = long, holds = true } end }"),
    ("return { a = 1 }", "plot = { x = 'number', y = 'a', title = long, x_label = long, y_label = long }"),
    ("return { a = 1 }", "plot = { x = 'number', y = 'a', by = 'number', labels = { ['1'] = long } }"),
)


class LongTexts(ProgramTest):
    def run_study(self, run, more):
        self.write("s.lua", STUDY % (run, more))
        code, out, err = self.run_program("run", "s.lua", "--store", "s.db", "--no-plot", "-o", "csv:s.csv",
                                          GPUNETSIM_ROOT=str(PROJECT))
        for name in ("s.db", "s.csv"):
            self.assertLess((self.folder / name).stat().st_size, 1 << 20, name)
        for line in (out + err).splitlines():
            self.assertLess(len(line.encode()), 2 * MOST_BYTES)
        with (self.folder / "s.csv").open(newline="", encoding="utf-8") as file:  # strict: no character is halved
            rows = list(csv.DictReader(file))
        (self.folder / "s.db").unlink()
        return code, out + err, rows

    def test_bytes_that_are_no_character(self):
        """An error keeps its place, and a measure what can be read of it: the whole text was replaced."""
        self.write("s.lua", (STUDY % ('error("no \\xff\\xfe.")', "")).replace("numbers[i] = i", "numbers[1] = 1"))
        code, _, err = self.run_program("run", "s.lua", "--no-plot", "-o", "csv:s.csv", GPUNETSIM_ROOT=str(PROJECT))
        self.assertEqual(code, 1)
        self.assertIn("at number=1: s.lua:6: no \ufffd\ufffd.", err)
        self.assertEqual((self.folder / "s.csv").read_text(encoding="utf-8"), "number,failure\n1,s.lua:6: no \ufffd\ufffd.\n")
        self.write("s.lua", (STUDY % ('return { a = "no \\0 here" }', "")).replace("numbers[i] = i", "numbers[1] = 1"))
        self.assertIn('measure "a" has to be a finite number, a quantity or a text, not a text with a byte of 0 in it.',
                      self.run_program("run", "s.lua", "--no-plot", GPUNETSIM_ROOT=str(PROJECT))[2])
        self.write("s.lua", (STUDY % ('return { a = "good \\xff" }', "")).replace("numbers[i] = i", "numbers[1] = 1"))
        self.succeed("run", "s.lua", "--no-plot", "--force", "-o", "csv:s.csv", GPUNETSIM_ROOT=str(PROJECT))
        self.assertEqual((self.folder / "s.csv").read_text(encoding="utf-8"), "number,a\n1,good \ufffd\n")

    def test_failures(self):
        for run in FAILING:
            with self.subTest(run):
                code, _, rows = self.run_study(run, "")
                self.assertEqual(code, 1)
                for row in rows:
                    self.assertLess(len(row["failure"].encode()), MOST_BYTES)
                    self.assertRegex(row["failure"], f"{MARK.pattern}|more than 100|number expected")

    def test_values(self):
        for run, more in GOOD:
            with self.subTest(run + more):
                code, told, rows = self.run_study(run, more)
                self.assertEqual((code, len(rows)), (0, 20))
                for row in rows:
                    self.assertLess(len(row["a"].encode()), MOST_BYTES)
                    if run == "return { a = long }":
                        self.assertRegex(row["a"], MARK)
                if "claims" in more:
                    self.assertRegex(told.replace("\n", " "), MARK)

    def test_titles_and_axes(self):
        """Values of an axis that are alike up to the cut could not be told apart."""
        self.write("s.lua", f"""local long = {LONG} print(long)
            return study {{ title = long, machine = machine {{ name = long }}, vary = {{ a = {{ long, "b" }} }},
            run = function(p) return {{ n = #p.a }} end }}""")
        code, out, err = self.run_program("run", "s.lua", "--no-plot", "-o", "csv:s.csv", "--store", "s.db")
        self.assertEqual(code, 0)
        self.assertRegex(err, MARK)
        self.assertRegex(out.splitlines()[0], MARK)
        self.assertLess(len(err.encode()), MOST_BYTES)
        with (self.folder / "s.csv").open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertRegex(rows[0]["a"], MARK)
        self.assertEqual([row["n"] for row in rows], ["2000000", "1"])
        self.assertLess((self.folder / "s.db").stat().st_size, 1 << 20)
        self.write("s.lua", f"""local long = {LONG}
            return study {{ title = "t", machine = machine {{}}, vary = {{ a = {{ long .. "b", long .. "c" }} }},
            run = function(p) return {{ n = 1 }} end }}""")
        self.assertRegex(self.fail_with(2, "run", "s.lua"), r'^s\.lua:2: axis "a" has a value twice: é+… \(cut')


if __name__ == "__main__":
    unittest.main()
