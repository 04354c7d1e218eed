# SPDX-License-Identifier: BSD-3-Clause
"""Runs what docs/measured.md shows and holds its numbers to the page; then files that must be refused."""

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
  plot = { x = "bytes", y = { "t_us", "rate_GBps" }, by = "kind", style = "loglog" },
}
"""


class Measured(Page):
    page = "docs/measured.md"

    def call(self, *words):
        return subprocess.run([PROGRAM, *words], cwd=self.path, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL)

    def rows(self, csv_file):
        with open(self.path / csv_file, newline="") as file:
            return list(csv.DictReader(file))

    def test_page(self):
        self.assertEqual(self.run_page(), 2)
        rows = {(row["design"], row["bytes"]): row for row in self.rows("out/gets/results.csv")}
        eight = rows["dgpu", "8"]
        self.assertEqual(eight["latency_measured_us"], "8.8")  # the median of 8.7 and 8.9
        error = (float(eight["latency_us"]) / 8.8 - 1) * 100
        self.assertAlmostEqual(float(eight["latency_error_percent"]), error, delta=0.0051)
        self.assertEqual(rows["dgpu", "1024"]["latency_measured_us"], "9")
        self.assertEqual(rows["apu", "1024"]["latency_measured_us"], "")
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

    def test_units_and_names(self):
        self.check('"m.tsv"', ["4", "", "", "12"], m__tsv="bytes\tkind\tt_ns\n8\ta\t4000\n1024\tb\t12000\n")
        self.check('"m.tsv"', ["4", "", "", "12"], m__tsv="kind\tbytes\tt\na\t8B\t4us\nb\t1KiB\t0.012ms\n")
        self.check('"m.csv"', ["4", "", "", "12"], m__csv='kind,bytes_KiB,"t_ms"\n"b",1,0.012\na,8B,4us\n')
        self.check('{ file = "m.csv", bytes = "size", kind = "who", t = "median" }', ["4", "", "", ""],
                   m__csv="size,who,median\n8B,a,4us\n")
        self.check('{ file = "m.csv", only = { run = "2" }, bytes = "bytes", t = "t_us" }', ["2", "2", "", ""],
                   m__csv="run,bytes,t_us\n1,8,1\n2,8,2\n")
        done, rows = self.check('{ "m.tsv", "n.csv" }', ["4", "", "", "12"], m__tsv="bytes\tkind\tt_us\n8\ta\t4\n",
                                n__csv="bytes,kind,t_us,hits\n1024,b,12,5\n")
        self.assertIn("m.tsv: t at 1 point, error median 25.0 %, p90 25.0 %\n", done)
        self.assertIn("n.csv: hits at 1 point, error median 100.0 %, p90 100.0 %\n", done)
        self.assertEqual(rows[0]["t_error_percent"], "-25")
        self.assertEqual(rows[3]["hits_error_percent"], "100")

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
            ('"m.tsv"', "bytes\tkind\tt\n8\ta\t4\n", "m.tsv:2: t is 4 without a unit; the number or, with \"p\" for "
             "\"/\", the column's name may end with one of ps, ns, us, ms, s."),
            ('"m.tsv"', head + "x\ta\t4\n", 'm.tsv:2: bytes is "x"; write a number, in the column\'s unit or with one of B, '),
            ('"m.tsv"', head + "\ta\t4\n", "m.tsv:2: bytes has no value."),
            ('"m.tsv"', "size\tt_us\n8\t4\n", "m.tsv:1: no column is an axis of the study, bytes, kind."),
            ('"m.tsv"', "bytes\tlatency_us\n8\t4\n", "m.tsv:1: no column is a measure of the results, hits, rate_GBps, "
             "t_us; the columns are bytes, latency_us."),
            ('"m.tsv"', head, "m.tsv:1: there is no row."),
            ('"m.tsv"', "", "m.tsv:1: there are no columns."),
            ('{ file = "m.tsv", t = "x" }', head, 's.lua:'),
            ('{ file = "m.tsv", bytes = "bytes", q = "t_us" }', head + "8\ta\t1\n",
             's.lua: measured: "q" is neither an axis nor a measure.'),
            ('"m.txt"', "", "a file is called NAME.tsv or NAME.csv, not m.txt."),
            ('"../m.tsv"', "", "has to be in the folder of the study or below it, not ../m.tsv."),
            ('"/etc/m.tsv"', "", "has to be in the folder of the study or below it, not /etc/m.tsv."),
            ('"none.tsv"', "", "none.tsv: cannot be read: no such file."),
            ("5", "", "s.lua:5: measured: needs the name of a file."),
        )
        for measured, text, sentence in cases:
            with self.subTest(sentence=sentence):
                done = self.run_with(measured, m__tsv=text)
                if measured.startswith("{ file = \"m.tsv\", t = "):
                    sentence = 'm.tsv:1: there is no column "x"; there are bytes, kind, t_us.'
                self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
                self.assertIn(sentence, done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1)
                self.assertFalse((self.path / "r.csv").exists())

    def test_link_out(self):
        (self.path / "in").mkdir()
        (self.path / "m.tsv").write_text("bytes\tt_us\n8\t4\n")
        (self.path / "in/m.tsv").symlink_to("../m.tsv")
        (self.path / "in/s.lua").write_text(STUDY % '"m.tsv"')
        done = self.call("check", "in/s.lua")
        self.assertEqual(done.returncode, 2)
        self.assertIn("has to be in the folder of the study or below it, not m.tsv.", done.stderr)


if __name__ == "__main__":
    unittest.main()
