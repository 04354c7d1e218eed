# SPDX-License-Identifier: BSD-3-Clause
"""Runs docs/use/studies.md, holds the numbers of its measured tables to the page; then files that must be refused."""

import csv
import subprocess
import unittest

from pages import PROGRAM, Page

# Measures are made up: t is 3 us for a, 5 us for b, twice that from 1 KiB on.
STUDY = """
return study {
  title = "made up", machine = machine { name = "plain" },
  vary = { bytes = { "8B", "1KiB" }, kind = { "a", "b" } },
  measured = %s,
  run = function(p)
    local t = (p.kind == "a" and "3us" or "5us") * (p.bytes < "1KiB" and 1 or 2)
    return { t = t, rate = p.bytes / t, hits = quantity(t) // 1000000 }
  end,
  plot = { x = "bytes", y = "t_us", by = "kind", style = "loglog" },
}
"""


class Measured(Page):
    page = "docs/use/studies.md"

    def call(self, *words):
        return subprocess.run([PROGRAM, *words], cwd=self.path, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL)

    def rows(self, csv_file):
        with open(self.path / csv_file, newline="") as file:
            return list(csv.DictReader(file))

    def test_page(self):
        self.assertGreaterEqual(self.run_page(), 15)
        rows = {(row["design"], row["bytes"]): row for row in self.rows("out/gets/results.csv")}
        eight = rows["dgpu", "8"]
        self.assertEqual(eight["latency_measured_us"], "8.8")  # the median of 8.7 and 8.9
        error = (float(eight["latency_us"]) / 8.8 - 1) * 100
        self.assertAlmostEqual(float(eight["latency_error_percent"]), error, delta=0.0051)
        self.assertEqual(rows["dgpu", "1024"]["latency_measured_us"], "9")
        self.assertEqual(rows["apu", "1024"]["latency_measured_us"], "")
        help_text = self.call("help", "measured").stdout
        self.assertIn('bytes = { column = "Size", unit = "B" }', help_text)
        figure = (self.path / "out/gets/figure.svg").read_text()
        self.assertIn("measured", figure)

    def run_with(self, measured, **files):
        (self.path / "s.lua").write_text(STUDY % measured)
        for name, text in files.items():
            (self.path / name.replace("__", ".")).write_text(text)
        return self.call("run", "s.lua", "-o", "csv:r.csv", "--force")

    def check(self, measured, expected, **files):
        """`expected`: t_measured_us of a and b at 8 B, then at 1 KiB."""
        done = self.run_with(measured, **files)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = self.rows("r.csv")
        self.assertEqual([row["t_measured_us"] for row in rows], expected)
        return done.stdout, rows

    def refuse(self, measured, sentence, **files):
        done = self.run_with(measured, **files)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn(sentence, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)
        self.assertFalse((self.path / "r.csv").exists())

    def test_units_and_names(self):
        self.check('"m.tsv"', ["4", "", "", "12"], m__tsv="bytes\tkind\tt_ns\n8\ta\t4000\n1024\tb\t12000\n")
        self.check('"m.tsv"', ["4", "", "", "12"], m__tsv="kind\tbytes\tt\na\t8B\t4us\nb\t1KiB\t0.012ms\n")
        self.check('"m.csv"', ["4", "", "", "12"], m__csv='kind,bytes_KiB,"t_ms"\n"b",1,0.012\na,8B,4us\n')
        self.check('{ file = "m.csv", bytes = "size", kind = "who", t = "median" }', ["4", "", "", ""],
                   m__csv="size,who,median\n8B,a,4us\n")
        self.check('{ file = "m.csv", t = "p50_us" }', ["4", "", "", ""], m__csv="bytes,kind,p50_us,t_us\n8,a,4,5\n")
        self.check('{ file = "m.csv", only = { run = "2" }, every = { "kind" } }', ["2", "2", "", ""],
                   m__csv="run,bytes,t_us\n1,8,1\n2,8,2\n")
        done, rows = self.check('{ "m.tsv", "n.csv" }', ["4", "", "", "12"], m__tsv="bytes\tkind\tt_us\n8\ta\t4\n",
                                n__csv="bytes,kind,t_us,hits\n1024,b,12,5\n")
        self.assertIn("m.tsv: t at 1 point, error median 25.0 %, p90 25.0 %\n", done)
        self.assertIn("n.csv: hits at 1 point, error median 100.0 %, p90 100.0 %\n", done)
        self.assertEqual(rows[0]["t_error_percent"], "-25")
        self.assertEqual(rows[3]["hits_error_percent"], "100")

    def test_units_that_the_study_states(self):
        """Headers as OSU's, with a unit in brackets, and those that say none."""
        osu = "bytes = { column = 'Size', unit = 'B' }, kind = 'Kind'"
        self.check('{ file = "m.csv", %s, t = "Latency (us)" }' % osu, ["4", "", "", "12"],
                   m__csv="Size,Kind,Latency (us)\n8,a,4.00\n1024,b,12.00\n")
        self.check('{ file = "m.csv", %s, t = { column = "Latency", unit = "ns" } }' % osu, ["4", "", "", ""],
                   m__csv="Size,Kind,Latency\n8,a,4000\n")
        _, rows = self.check('{ file = "m.csv", bytes = "Size [bytes]", kind = "Kind", t = "Avg Latency(us)", rate = "Bandwidth (MB/s)" }',
                             ["4", "", "", ""], m__csv="Size [bytes];Kind;Avg Latency(us);Bandwidth (MB/s)\n8;a;4;2.5\n")
        self.assertEqual(rows[0]["rate_measured_GBps"], "0.0025")
        _, rows = self.check('{ file = "m.csv", rate = { column = "bw", unit = "GB/s" }, t = { column = "lat", unit = "us" } }',
                             ["", "4", "", ""], m__csv="bytes,kind,bw,lat\n8,b,2,4\n")
        self.assertEqual(rows[1]["rate_measured_GBps"], "2")

    def test_forms(self):
        """A mark of UTF-8, semicolons, quotes, cells that end a row empty, and what a spreadsheet leaves below the table."""
        for text in ("\ufeffbytes\tkind\tt_us\n8\ta\t4\n", "\ufeffbytes;kind;t_us\r\n8;a;4\r\n;;\r\n", '"bytes";"kind";"t_us"\n"8";"a";"4"\n',
                     'bytes, "kind", t_us, note\n8, "a", 4, "one, ""two"""\n', "bytes\tkind\tt_us\tnote\n8\ta\t4\t\n",
                     "# by hand, once\nbytes,t_us,kind\n8,4,a\n", "# one\n#bytes,kind,t_us\n8,a,4\n\n \n"):
            with self.subTest(text=text):
                self.check('"m.csv"', ["4", "", "", ""], m__csv=text)
                self.check('"m.tsv"', ["4", "", "", ""], m__tsv=text)

    def test_decimal_commas(self):
        """As a spreadsheet writes them whose fields are separated by semicolons; between commas a number ends at one."""
        self.check('"m.csv"', ["4.5", "", "", ""], m__csv="\ufeffbytes;kind;t_us\r\n8;a;4,5\r\n")
        self.check('"m.csv"', ["4.5", "", "", ""], m__csv="bytes;kind;t_us\n8;a;4500,0ns\n")

    def test_spreads(self):
        """What a measurement scatters by is no value of the spread that a simulated mean has over phases; it is told as not used."""
        (self.path / "m.csv").write_text("kind,bytes,t_us,t_spread_us\na,8,4,1\n")
        study = (STUDY % '"m.csv"').replace("return { t = t", "return { t_spread = '2us', t = t")
        self.assertIn("t_spread = ", study)
        (self.path / "s.lua").write_text(study)
        done = self.call("run", "s.lua", "-o", "csv:r.csv", "--force")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("m.csv: not used: t_spread_us\n", done.stdout)
        self.assertNotIn("t_spread_error_percent", self.rows("r.csv")[0])
        self.assertEqual(self.rows("r.csv")[0]["t_measured_us"], "4")

    def test_unknown_columns(self):
        """A column that would tell rows apart, under a name that the study does not know."""
        lack = "m.csv:1: no column is the axis kind"
        for measured, text, sentence in (
                ('"m.csv"', "knid,bytes,t_us\na,8,3\nb,8,5\n", lack + ' (is it "knid"?); in its measured, the study says kind = "COLUMN" for one '
                 'of another name, or every = { "kind" } if each row is of every value of kind; the columns are knid, bytes, t_us.'),
                ('"m.csv"', "Kind,bytes,t_us\na,8,3\n", lack + ' (is it "Kind"?)'),
                ('"m.csv"', "variant,bytes,t_us\na,8,3\n", lack + ";"),
                ('{ file = "m.csv", every = { "kind" } }', "knid,bytes,t_us\na,8,3\nother,8,5\n",
                 'm.csv:1: column knid is not used, but has values of the axis kind; name it in the study\'s measured (kind = "knid", or only = '
                 '{ ["knid"] = ... }), or leave it out.'),
                ('"m.csv"', "kind,kind2,bytes,t_us\na,b,8,3\n", "m.csv:1: column kind2 is not used, but has values of the axis kind;"),
                ('{ file = "m.csv", every = { "kind" } }', "kind,bytes,t_us\na,8,3\n",
                 'm.csv:1: the study\'s measured says every = { "kind" }, but here is the column kind.'),
                ('{ file = "m.csv", every = { "knid" } }', "bytes,t_us\n8,3\n", 's.lua:2: measured: every: "knid" is no axis of the study.'),
                ('{ file = "m.csv", every = "kind" }', "bytes,t_us\n8,3\n", 's.lua:5: measured: every needs a list of axes such as { "design" }.')):
            with self.subTest(sentence=sentence):
                self.refuse(measured, sentence, m__csv=text)
        self.check('{ file = "m.csv", only = { kind2 = "b" } }', ["3", "", "", ""], m__csv="kind,kind2,bytes,t_us\na,b,8,3\na,a,8,4\n")

    def test_spreadsheet(self):
        for head in ("bytes;kind;t (us)", "sep=;\nbytes;kind;t [µs]", "bytes [B];kind;t(μs)"):
            with self.subTest(head=head):
                self.check('"m.csv"', ["3", "", "", ""], m__csv=head + "\n8;a;3,0\n")
        done = self.run_with('"m.csv"', m__csv="bytes;kind;t_us\n8;z;3\n")
        self.assertIn("t at 0 points; 1 of 1 rows are of no simulated point; line 2 has kind z, which no point has\n", done.stdout)

    def test_quantiles(self):
        lines = "".join(f"{size}\t{kind}\t{t}\n" for size, kind, t in
                        ((8, "a", 2), (8, "b", 4), (1024, "a", 5), (1024, "b", 8)))
        done, _ = self.check('"m.tsv"', ["2", "4", "5", "8"], m__tsv="bytes\tkind\tt_us\n" + lines)
        # errors 50, 25, 20 and 25 %
        self.assertIn("t at 4 points, error median 25.0 %, p90 50.0 %\n", done)

    def test_refused(self):
        head = "bytes\tkind\tt_us\n"
        cases = (
            ('"m.tsv"', head + "8\ta\n", "m.tsv:2: 2 fields where the columns' names are 3."),
            ('"m.tsv"', "# x\n" + head + "\n8\ta\tfast\n", 'm.tsv:4: t_us is "fast"; write a number, in the column\'s unit or with one of ps, '
             'ns, us, ms, s.'),
            ('"m.tsv"', "bytes\tkind\tt\n8\ta\t4\n", "m.tsv:2: t is 4 without a unit; the column's name may end with one of ps, ns, us, ms, s "
             '(with "p" for "/"), or the study\'s measured give it: { column = "t", unit = "ps" }.'),
            ('"m.tsv"', head + "x\ta\t4\n", 'm.tsv:2: bytes is "x"; write a number, in the column\'s unit or with one of B, '),
            ('"m.tsv"', head + "\ta\t4\n", "m.tsv:2: bytes has no value."),
            ('"m.tsv"', "bytes\tkind\tlatency_us\n8\ta\t4\n", "m.tsv:1: no column is a measure of the results, hits, rate_GBps, "
             't_us; in its measured, the study says hits = "COLUMN" for one of another name; the columns are bytes, kind, latency_us.'),
            ('"m.tsv"', "bytes\tkind\tt_p90_us\n8\ta\t4\n", "m.tsv:1: no column is a measure of the results"),
            ('"m.tsv"', head + "8\ta\t-4\n", "m.tsv:2: t_us is -4, which cannot be; what was not measured is -."),
            ('"m.tsv"', head + "8\ta\t-4us\n", "m.tsv:2: t_us is -4us, which cannot be;"),
            ('"m.tsv"', head + "8\ta\t0\n", "m.tsv:2: t_us is 0, which cannot be;"),
            ('"m.tsv"', head + "-8\ta\t4\n", "m.tsv:2: bytes is -8, which cannot be;"),
            ('"m.tsv"', head + "8\ta\t0x10\n", 'm.tsv:2: t_us is "0x10"; write a number,'),
            ('"m.tsv"', head + "0x8\ta\t4\n", 'm.tsv:2: bytes is "0x8"; write a number,'),
            ('"m.tsv"', head + "8\ta\t1e400\n", 'm.tsv:2: t_us is "1e400"; write a number,'),
            ('"m.tsv"', head + "8\ta\t3,5\n", 'm.tsv:2: t_us is "3,5"; write a number,'),
            ('"m.tsv"', head + "8.4\ta\t4\n", "m.tsv:2: bytes is 8.4, which is no whole number of B below 2^63."),
            # also in a row that is of no point
            ('"m.tsv"', head + "8\ta\t4\n9\ta\tfast\n", 'm.tsv:3: t_us is "fast"; write a number,'),
            ('"m.tsv"', "bytes\tkind\tt_us\tt_ns\n8\ta\t4\t5\n", "m.tsv:1: two columns are t: t_us and t_ns; the study's measured says which, "
             't = "COLUMN".'),
            ('"m.tsv"', "bytes\tbytes_KiB\tkind\tt_us\n8\t8\ta\t4\n", "m.tsv:1: two columns are bytes: bytes and bytes_KiB;"),
            ('"m.tsv"', "bytes\tkind\tt_us\tt_us\n8\ta\t4\t5\n", 'm.tsv:1: two columns have the name "t_us".'),
            ('"m.tsv"', "bytes\tkind\tt_us\t\n8\ta\t4\t\n", "m.tsv:1: column 4 has no name."),
            ('"m.tsv"', "8\ta\t4\n", "m.tsv:1: the columns' names have to stand here or in a comment right before: 8 is a number."),
            ('"m.tsv"', head + "8\ta\t4\t\n", "m.tsv:2: 4 fields where the columns' names are 3."),
            ('"m.tsv"', head + "8\ta\t4\n" + head, "m.tsv:3: the columns' names stand here a second time; a file has one table, of one machine."),
            ('"m.tsv"', head + "8\ta\t4\n#" + head, "m.tsv:3: the columns' names stand here a second time;"),
            ('"m.tsv"', head + '8\t"a\t4\n', "m.tsv:2: a field in quotes does not end before the next separator."),
            ('"m.tsv"', head + "8\ta\0\t4\n", "m.tsv:2: has a byte that is 0 and is no text; a table of measurements is text in UTF-8."),
            ('{ file = "m.tsv", t = { column = "t_us", unit = "ns" } }', head + "8\ta\t4\n", "m.tsv:1: column t_us is in us by its name, and in ns by "
             "the study's measured."),
            ('{ file = "m.tsv", t = { column = "t_us", unit = "GB/s" } }', head + "8\ta\t4\n", 'm.tsv:1: the unit "GB/s" that the study\'s measured '
             "gives to column t_us is none of ps, ns, us, ms, s."),
            ('{ file = "m.tsv", hits = { column = "t_us", unit = "us" } }', head + "8\ta\t4\n", "m.tsv:1: column t_us is for what has no unit in "
             'the results, but the study\'s measured says unit = "us".'),
            ('{ file = "m.tsv", t = { column = 5 } }', head, 's.lua:5: measured: a text, or { column = "NAME", unit = "us" }, is needed for t.'),
            ('{ file = "m.tsv", t = { unit = "us" } }', head, 's.lua:5: measured: { column = "NAME", unit = "us" } needs a column for t.'),
            ('{ file = "m.tsv", t = { column = "t_us", factor = "2" } }', head, 'has no other fields: t.'),
            ('"m.tsv"', head, "m.tsv:1: there is no row."),
            ('"m.tsv"', "", "m.tsv:1: there are no columns."),
            ('{ file = "m.tsv", t = "x" }', head, 'm.tsv:1: there is no column "x"; there are bytes, kind, t_us.'),
            ('{ file = "m.tsv", bytes = "bytes", q = "t_us" }', head + "8\ta\t1\n",
             's.lua: measured: "q" is neither an axis nor a measure.'),
            ('"m.log"', "", "a file is called NAME.tsv, NAME.csv or NAME.txt, not m.log."),
            ('"m.xlsx"', "", 'a file is called NAME.tsv, NAME.csv or NAME.txt, not m.xlsx; a spreadsheet saves one as "CSV UTF-8".'),
            ('"../m.tsv"', "", "has to be in the folder of the study or below it, not ../m.tsv."),
            ('"/etc/m.tsv"', "", "has to be in the folder of the study or below it, not /etc/m.tsv."),
            ('"none.tsv"', "", "none.tsv: cannot be read: no such file."),
            ("5", "", "s.lua:5: measured: needs the name of a file."),
        )
        for measured, text, sentence in cases:
            with self.subTest(sentence=sentence):
                self.refuse(measured, sentence, m__tsv=text)

    def test_check_reads_all_cells(self):
        (self.path / "s.lua").write_text(STUDY % '"m.tsv"')
        (self.path / "m.tsv").write_text("bytes\tkind\tt_us\n8\ta\t4\n9\ta\t-4\n")
        done = self.call("check", "s.lua")
        self.assertEqual(done.returncode, 2)
        self.assertIn("m.tsv:3: t_us is -4, which cannot be;", done.stderr)

    def test_beside_what_is_not_modelled(self):
        """A design without energy has the measure all the same; measurements of others are drawn."""
        (self.path / "s.lua").write_text("""
return study {
  title = "gets", machine = require "configs.gcn3_node", vary = { design = { "apu", "dgpu" }, bytes = { "8B", "4KiB" } },
  run = function(p) return get_latency { design = p.design, bytes = p.bytes } end,
  measured = "m.csv", plot = { x = "bytes", y = "latency_us", by = "design" },
}
""")
        (self.path / "m.csv").write_text("design,bytes,latency_us\ndgpu,8,8.5\n")
        done = self.call("run", "s.lua")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("m.csv: latency at 1 point, ", done.stdout)

    def test_link_out(self):
        (self.path / "in").mkdir()
        (self.path / "m.tsv").write_text("bytes\tkind\tt_us\n8\ta\t4\n")
        (self.path / "in/m.tsv").symlink_to("../m.tsv")
        (self.path / "in/s.lua").write_text(STUDY % '"m.tsv"')
        done = self.call("check", "in/s.lua")
        self.assertEqual(done.returncode, 2)
        self.assertIn("has to be in the folder of the study or below it, not m.tsv.", done.stderr)


if __name__ == "__main__":
    unittest.main()
