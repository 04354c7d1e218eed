# SPDX-License-Identifier: BSD-3-Clause
"""Texts of a study, names of files and outputs as attacks: no command runs, no figure breaks, no escape reaches
a terminal, no formula a spreadsheet, and nothing is replaced that this program did not write."""
import base64
import csv
import json
import os
import shutil
import signal
import subprocess
import time
import unittest
import xml.etree.ElementTree as ET
import zlib
from html.parser import HTMLParser
from pathlib import Path

from program import PROJECT, STUDY, ProgramTest

SPAWN = "touch pwned"
TEXTS = [
    f"`{SPAWN}`", f"'; system('{SPAWN}') #", f'"; system("{SPAWN}") #', f"') ; ! {SPAWN}", f"\n! {SPAWN}\n",
    f"$(%s)" % SPAWN, f"| {SPAWN}", f"< {SPAWN}", "'quoted", "100% %d %s %n", "@x", "a_b^{c}&~{d}", "back\\slash\\",
    "\\140x\\140", "&#1;&#x41;&amp;<b>", "</script><script>alert(1)</script>", "\x01\x1b[31m\x7f", "#hash", "",
]
# What XML or a page could take for its own, or draw badly.
MARKUP = [
    "]]>", "a]]>b]]>", "]]]]>>", "<![CDATA[x]]>", "<!-- x -->", "--><b>", "<?x?>", "& &amp; &lt; &#60; &#x0;", "a<b>c", "'\"'\"",
    "\x0b\x0c\x1b", "\ufffe\uffff", "x" * 3000, "]]>" * 300, "\u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627", "\u202e]]>",
    "e\u0301\u0323a\u0308" * 20, "\U0001f600]]>", "tab\tand\nline", "]]\n>",
]
STYLES = ["bars", "lines", "loglog", "semilogx", "stack", "heatmap", "points"]


def lua(text):
    return '"' + "".join("\\%03d" % byte for byte in text.encode()) + '"'


def study(texts, plot, title="A study", measure="1"):
    values = ", ".join(lua(text) for text in texts)
    return (f'return study {{ title = {lua(title)}, machine = machine {{ name = {lua(title)} }},\n'
            f'  vary = {{ n = {{ 1, 2 }}, design = {{ {values} }} }},\n'
            f'  run = function(p) return {{ a = p.n, b = {measure} }} end,\n  plot = {plot} }}\n')


def plot(style, text="", **fields):
    labels = f"title = {lua(text)}, x_label = {lua(text)}, y_label = {lua(text)}" if text else ""
    x, by = {"points": ("a", "design"), "pareto": ("a", "design"), "loglog": ("n", "design"), "semilogx": ("n", "design")}.get(
        style, ("design", "n"))
    return f'{{ x = "{x}", y = "a", by = "{by}", style = "{style}", {labels} }}'


class Tags(HTMLParser):
    """The kinds of elements of a page, its text and what it has packed."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.text, self.packed = set(), "", []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.add((tag, *sorted(name for name, _ in attrs if name.startswith("on"))))
        self.packed += [value for name, value in attrs if name == "data-packed"]

    def handle_data(self, data):
        self.text += data


class Injection(ProgramTest):
    def assert_not_pwned(self):
        self.assertEqual([f for f in self.folder.rglob("pwned")], [])
        self.assertFalse(Path("pwned").exists())

    def assert_clean(self, text):
        """Nothing that steers a terminal."""
        self.assertNotRegex(text, "[\x00-\x08\x0b-\x1f\x7f-\x9f]")

    def test_texts_in_all_styles(self):
        """As names of bars, of lines, of rows and columns of a heat map, as titles and labels, at once."""
        plots = "{ " + ", ".join(plot(style, text) for style, text in zip(STYLES * 3, TEXTS)) + " }"
        self.write("s.lua", study(TEXTS[:-1], plots, title=f"`{SPAWN}` \x1b]0;x\x07"))
        code, out, err = self.run_program("run", "s.lua")
        self.assertEqual((code, err), (0, ""))
        self.assert_clean(out)
        self.assert_not_pwned()
        figures = sorted((self.folder / "out/s").glob("*.svg"))
        self.assertEqual(len(figures), len(TEXTS))
        for figure in figures:
            ET.parse(figure)
        shown = " ".join("".join(ET.parse(self.folder / "out/s/figure-1.svg").getroot().itertext()).split())
        for text in (f"`{SPAWN}`", "'quoted", "100% %d %s %n", "a_b^{c}&~{d}", "back\\slash\\"):
            self.assertIn(text, shown)

    def test_markup_everywhere(self):
        """Titles, labels, names and panels: what an XML parser reads in each SVG is the text; PDF's reader takes the file."""
        def shown(text):
            return " ".join(text.replace("\u2060", "").split())

        for number, text in enumerate(MARKUP):
            plots = f'{{ {plot(STYLES[number % len(STYLES)], text)}, {{ x = "n", y = "a", panels = "design", style = "lines" }} }}'
            self.write("s.lua", study([text, "plain"], plots, title=text))
            with self.subTest(text[:20]):
                code, out, err = self.run_program("run", "s.lua", "-o", "svg:f.svg", "-o", "pdf:f.pdf", "--no-plot", "--force")
                self.assertEqual((code, err), (0, ""))
                for figure in ("f.svg", "f-2.svg"):
                    drawn = "".join(ET.parse(self.folder / figure).getroot().itertext())
                    self.assert_clean(drawn)
                    if text.isprintable() and len(text) < 50 and "\u202e" not in text:
                        self.assertIn(shown(text), shown(drawn))
                self.assertEqual((self.folder / "f.pdf").read_bytes()[:5], b"%PDF-")
                if shutil.which("pdftotext"):
                    read = subprocess.run(["pdftotext", self.folder / "f.pdf", "-"], capture_output=True, check=True)
                    self.assertEqual(read.stderr, b"")

    def test_report(self):
        """All at once: the page has the elements of the template and the texts, no others; its figures are XML."""
        for name in ("claims", "plots", "views", "configs"):
            (self.folder / name).symlink_to(PROJECT / name)
        pages = {}
        for name, texts in (("plain", ["plain"]), ("hostile", [text for text in MARKUP + TEXTS if text])):
            self.write("scenarios/x.lua", study(texts, plot("bars", texts[0]), title=" ".join(texts)[:900]))
            self.succeed("reproduce", "--force", "--out", name, GPUNETSIM_ROOT=str(self.folder))
            pages[name] = Tags((self.folder / name / "report.html").read_text())
        self.assertEqual(pages["hostile"].tags, pages["plain"].tags)
        self.assertIn("]]>", pages["hostile"].text)
        self.assertIn("<![CDATA[x]]>", pages["hostile"].text)
        packed = [zlib.decompress(base64.b64decode(part)).decode() for part in pages["hostile"].packed]
        figures = [part for part in packed if part.startswith("<svg")]
        self.assertTrue(figures)
        for figure in figures:
            ET.fromstring(figure)

    def test_panels(self):
        panels = '{ x = "n", y = "a", panels = "design", style = "lines" }'
        self.write("s.lua", study(TEXTS, panels))
        self.succeed("run", "s.lua")
        self.assert_not_pwned()
        ET.parse(self.folder / "out/s/figure.svg")

    def test_names_of_files_and_folders(self):
        for name in (f"`{SPAWN}`", f"| {SPAWN}", "'q", "a b%d", "x:y"):
            self.write(f"{name}.lua", study(["one"], plot("bars")))
            self.succeed("run", f"./{name}.lua", "--out", f"o {name}")
            self.succeed("run", f"./{name}.lua", "-o", f"svg:|{name}.svg", "--no-plot")
            self.assertTrue((self.folder / f"|{name}.svg").is_file())
        self.assert_not_pwned()

    def test_settings_of_the_user_do_not_count(self):
        self.write("s.lua", study(["one"], plot("bars")))
        self.write("home/.gnuplot", f"! {SPAWN}\nset title 'theirs'\n")
        self.write("lib/panel.gp", f"! {SPAWN}\n")
        self.succeed("run", "s.lua", "--out", "plain")
        self.succeed("run", "s.lua", "--out", "set", HOME=str(self.folder / "home"), GNUTERM="dumb",
                     GNUPLOT_LIB=str(self.folder / "lib"), TMPDIR=str(self.folder))
        self.assert_not_pwned()
        for ending in ("svg", "png", "pdf"):
            self.assertEqual((self.folder / f"plain/figure.{ending}").read_bytes(),
                             (self.folder / f"set/figure.{ending}").read_bytes())

    def test_spreadsheets_get_no_formula(self):
        self.write("s.lua", study(["=1+1", "@SUM(A1)", "-2+3", "+cmd|' /C calc'!A0"], plot("bars"),
                                  measure="-1.5"))
        out = self.succeed("run", "s.lua", "-o", "csv:-", "--no-plot")
        rows = list(csv.DictReader(out.splitlines()))
        self.assertEqual([row["design"] for row in rows[::2]],
                         ["'=1+1", "'@SUM(A1)", "'-2+3", "'+cmd|' /C calc'!A0"])
        self.assertEqual({row["b"] for row in rows}, {"-1.5"})
        exact = json.loads(self.succeed("run", "s.lua", "-o", "json:-", "--no-plot"))
        self.assertEqual([row["design"] for row in exact[::2]],
                         ["=1+1", "@SUM(A1)", "-2+3", "+cmd|' /C calc'!A0"])

    def test_terminals_get_no_escapes(self):
        escape = "\x1b]0;x\x07\x1b[31m\x9b\u202e"
        bad = study([escape], "{}", title=escape).replace("return { a = p.n", f"print({lua(escape)}) error({lua(escape)}) return {{ a = p.n")
        self.write("s.lua", bad.replace("plot = {}", ""))
        name = f"a{escape}.lua"
        self.write(name, "return 1")
        for command in (["sweep", "s.lua", "--store", "s.db", "--progress", "plain"], ["status", "s.db"],
                        ["run", "s.lua"], ["run", name], ["check", name], [escape], ["run", "-o", escape, "s.lua"],
                        ["plot", "s.lua", "--store", "s.db", "--out", f"o{escape}"]):
            _, out, err = self.run_program(*command)
            self.assert_clean(out + err)
            self.assertNotIn("\u202e", out + err)
            self.assertTrue(out + err)


class Outputs(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("s.lua", STUDY % "")

    def read(self, name):
        return (self.folder / name).read_text()

    def test_no_input_is_replaced(self):
        study_text = self.read("s.lua")
        self.succeed("sweep", "s.lua", "--store", "r.db")
        (self.folder / "link.csv").symlink_to("s.lua")
        os.link(self.folder / "s.lua", self.folder / "hard.csv")
        for output in ("csv:s.lua", "csv:./s.lua", "csv:link.csv", "csv:hard.csv", "csv:r.db", "sqlite:r.db",
                       "csv:new.db"):
            for force in ([], ["--force"]):
                store = "new.db" if "new" in output else "r.db"
                sentence = self.fail_with(2, "sweep", "s.lua", "--store", store, "-o", output, *force)
                self.assertIn("this command reads it", sentence)
        self.assertEqual(self.read("s.lua"), study_text)
        self.succeed("status", "r.db")

    def test_foreign_files_stay_unless_forced(self):
        self.write("notes.csv", "mine\n")
        self.write("out/s/results.csv", "mine\n")
        for command in (["-o", "csv:notes.csv", "--no-plot"], ["--no-plot"]):
            sentence = self.fail_with(2, "run", "s.lua", *command)
            self.assertIn("--force", sentence)
        self.assertEqual((self.read("notes.csv"), self.read("out/s/results.csv")), ("mine\n", "mine\n"))
        self.succeed("run", "s.lua", "-o", "csv:notes.csv", "--no-plot", "--force")
        self.succeed("run", "s.lua", "-o", "csv:notes.csv", "--no-plot")  # it is ours now
        self.assertTrue(self.read("notes.csv").startswith("bytes,design,latency_us"))

    def test_a_second_run_replaces_its_own(self):
        self.succeed("run", "s.lua", "--no-plot")
        self.write("s.lua", (STUDY % "").replace("slow * 3", "slow * 4"))
        self.succeed("run", "s.lua", "--no-plot")
        self.assertIn(",4,", self.read("out/s/results.csv"))

    def test_two_studies_of_one_name(self):
        self.write("a/x.lua", STUDY % "")
        self.write("b/x.lua", (STUDY % "").replace("slow * 3", "slow * 4"))
        self.succeed("run", "a/x.lua", "--no-plot")
        first = self.read("out/x/results.csv")
        self.assertIn("another study", self.fail_with(2, "run", "b/x.lua", "--no-plot"))
        self.assertEqual(self.read("out/x/results.csv"), first)
        self.succeed("run", "a/x.lua", "--no-plot")
        self.succeed("run", "b/x.lua", "--no-plot", "--out", "out/b")
        self.succeed("run", "b/x.lua", "--no-plot", "--force")

    def test_names_that_are_no_folder(self):
        for name in ("...lua", "..lua", ".lua"):
            self.write(f"d/{name}", STUDY % "")
            self.assertIn("no name for a folder", self.fail_with(2, "run", f"d/{name}", "--no-plot"))
        self.assertEqual(self.files(), ["d/...lua", "d/..lua", "d/.lua", "s.lua"])

    def test_two_outputs_in_one_file(self):
        sentence = self.fail_with(2, "run", "s.lua", "--no-plot", "-o", "csv:a", "-o", "json:./a")
        self.assertIn("two outputs", sentence)
        self.assertFalse((self.folder / "a").exists())

    def test_export_keeps_devices_links_and_files(self):
        self.write("mine.goal", "num_ranks 1\n")
        self.write("real.goal", "")
        (self.folder / "link.goal").symlink_to("real.goal")
        (self.folder / "null").symlink_to("/dev/null")
        self.write("new.goal.partial", "left by a killed one")
        self.assertIn("--force", self.fail_with(2, "export", "goal", "ring:4", "-o", "mine.goal"))
        self.assertIn("reads it", self.fail_with(2, "export", "goal", "mine.goal", "-o", "mine.goal"))
        for name in ("link.goal", "null", "new.goal", "new.goal"):
            self.succeed("export", "goal", "ring:4", "-o", name)
        self.assertTrue((self.folder / "link.goal").is_symlink())
        self.assertTrue((self.folder / "null").is_symlink())
        self.assertIn("num_ranks 4", self.read("real.goal"))
        self.assertEqual(self.read("mine.goal"), "num_ranks 1\n")

    def test_leftovers_of_a_killed_one_go(self):
        """A gnuplot that never ends, so that the program is killed while it draws."""
        self.write("bin/gnuplot", "#!/bin/sh\ntouch $STARTED\nexec sleep 60\n")
        (self.folder / "bin/gnuplot").chmod(0o755)
        temporary = self.folder / "tmp"
        temporary.mkdir()
        started = self.folder / "started"
        program = self.start("run", "s.lua", TMPDIR=str(temporary), STARTED=str(started),
                             PATH=f"{self.folder}/bin:{os.environ['PATH']}")
        while not started.exists() and program.poll() is None:
            time.sleep(0.01)
        gnuplot = int(Path(f"/proc/{program.pid}/task/{program.pid}/children").read_text().split()[0])
        program.kill()
        program.communicate()
        os.kill(gnuplot, signal.SIGKILL)
        self.write("out/s/.gnuplot", "")
        self.write("out/s/.gpunetsim-new-abcdef", "half")
        self.assertEqual(len(list(temporary.iterdir())), 1)
        self.succeed("run", "s.lua", TMPDIR=str(temporary))
        self.assertEqual(list(temporary.iterdir()), [])
        self.assertNotIn(".gpunetsim-new-abcdef", self.files("out/s"))

    def test_figure_alone_is_changed(self):
        """plot finds the points of a study whose figure was changed, and not those of one whose run was."""
        text = """
            local figure = { x = "clock", y = "latency_us", %s }
            return study { title = "t", machine = require("configs.gcn3_node"),
              vary = { clock = { "1GHz", "2GHz" } },
              run = function(p) return { latency = get_latency { design = "comp-net", bytes = "8B", repeats = %d }.latency } end,
              plot = figure }"""
        self.write("g.lua", text % ('style = "lines"', 2))
        self.succeed("sweep", "g.lua", "--store", "g.db", "--no-plot")
        self.succeed("plot", "g.lua", "--store", "g.db")
        self.write("g.lua", text % ('style = "bars"', 2))
        self.succeed("plot", "g.lua", "--store", "g.db")
        self.write("g.lua", text % ('style = "bars"', 3))
        self.assertIn("has 0 of the study's 2 points", self.fail_with(2, "plot", "g.lua", "--store", "g.db"))

    def test_best_of_no_measure(self):
        sentence = self.fail_with(2, "run", "s.lua", "--no-plot", "--best", "latncy_us")
        self.assertIn("did you mean latency_us", sentence)
        self.assertIn("share", sentence)
        self.succeed("run", "s.lua", "--no-plot", "--best", "latency_us")


if __name__ == "__main__":
    unittest.main()
