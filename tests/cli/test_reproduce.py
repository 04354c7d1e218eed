# SPDX-License-Identifier: BSD-3-Clause
"""reproduce: every scenario, every claim, one report."""
import base64
import collections
import csv
import html.parser
import re
import unittest
import xml.etree.ElementTree as ET
import zlib

from program import PROJECT, SCENARIOS, STUDY, ProgramTest, unless_sanitized

CLAIM_COLUMNS = "id,use,status,low,high,unit,obtained_low,obtained,scenario,place,test,note".split(",")
STATUSES = {"reproduced", "missed", "error", "modelled", "not-modelled", "not-yet", "out-of-scope", "restated", "context"}


class Page(html.parser.HTMLParser):
    """Checks that elements nest, and keeps what the page refers to."""

    def __init__(self, text):
        super().__init__()
        self.open, self.references, self.ids_of_claims, self.misnested = [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.references += [value for name, value in attrs if name in ("src", "href")]
        if tag not in ("meta", "img", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.misnested.append(tag)


def project_claims():
    lines = (PROJECT / "claims/claims.tsv").read_text().splitlines()
    names = lines[0].split("\t")
    return [dict(zip(names, line.split("\t"))) for line in lines[1:]]


class OwnProject(ProgramTest):
    """A small project whose scenarios are made up, with the claims and templates of the real one."""

    def setUp(self):
        super().setUp()
        for name in ("claims", "plots", "views", "configs", "sim", "tests"):
            (self.folder / name).symlink_to(PROJECT / name)
        self.write("scenarios/b/second.lua", STUDY % """claims = {
            ["N-39"] = function(r) return 3 end,
            ["N-40"] = function(r) return { holds = false, note = "cannot say" } end,
        },""")
        self.write("scenarios/first.lua", STUDY % "")

    def reproduce(self, *arguments):
        return self.succeed("reproduce", *arguments, GPUNETSIM_ROOT=str(self.folder))

    def content(self):
        """All but the store, which knows when things were run."""
        return {name: (self.folder / "out" / name).read_bytes() for name in self.files("out")
                if not name.startswith("store.db")}

    def claims(self):
        with open(self.folder / "out/claims.csv", newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def test_what_is_written(self):
        out = self.reproduce()
        per_scenario = ["figure-180mm.pdf", "figure.gp", "figure.pdf", "figure.png", "figure.svg", "results.csv"]
        expected = ["claims.csv", "report.html", "store.db"]
        expected += [f"{name}/{file}" for name in ("first", "second") for file in per_scenario]
        self.assertEqual(self.files("out"), sorted(expected))
        self.assertIn("out/report.html", out)

    def test_claims_table(self):
        self.reproduce()
        rows = self.claims()
        wanted = project_claims()
        self.assertEqual(list(rows[0]), CLAIM_COLUMNS)
        self.assertEqual([row["id"] for row in rows], [claim["id"] for claim in wanted])
        for row, claim in zip(rows, wanted):
            for column in ("use", "low", "high", "unit"):
                self.assertEqual(row[column], claim[column])
            self.assertIn(row["status"], STATUSES)
            if row["use"] in ("restated", "context", "out-of-scope"):
                self.assertEqual(row["status"], row["use"])
            self.assertEqual(row["status"] == "modelled", bool(row["place"]))
            self.assertTrue(row["use"] == "config" or not row["place"])
        answered = {row["id"]: row for row in rows if row["scenario"]}
        self.assertEqual(set(answered), {"N-39", "N-40"})
        self.assertEqual(answered["N-39"]["status"], "reproduced")
        self.assertEqual(answered["N-39"]["obtained"], "3")
        self.assertEqual(answered["N-39"]["scenario"], "second")
        self.assertEqual(answered["N-40"]["status"], "missed")
        self.assertIn("cannot say", answered["N-40"]["note"])

    def test_a_claim_that_is_missed(self):
        """Its cause and what shows it are in its note and on its paper's screen, which has no claim that nothing answers."""
        path = self.folder / "scenarios/b/second.lua"
        path.write_text(path.read_text().replace("return 3", "return 1"))
        self.reproduce("--no-plot")
        with open(PROJECT / "claims/causes.tsv", newline="", encoding="utf-8") as file:
            cause = next(row for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE) if row["id"] == "N-39")
        row = {row["id"]: row for row in self.claims()}["N-39"]
        self.assertEqual((row["status"], row["note"]), ("missed", f"Why: {cause['cause']} ({cause['check']})"))
        page = (self.folder / "out/report.html").read_text()
        screens = re.findall(r'(?s)<table class="screen">.*?</table>', page)
        self.assertEqual(len(screens), 1)
        self.assertEqual(re.findall(r'<tr class="(\w+)"><td><a href="#claim-([^"]+)"', screens[0]), [("missed", "N-39"), ("missed", "N-40")])
        self.assertIn(f'title="shown by: {cause["check"]}">dgpu pays 0.86 µs', screens[0])

    def test_a_claim_that_fails(self):
        """It is an error of its own: in the table, in the summary, in the report and by the exit code."""
        path = self.folder / "scenarios/b/second.lua"
        path.write_text(path.read_text().replace("return 3", "error('cannot be')"))
        code, out, err = self.run_program("reproduce", "--no-plot", GPUNETSIM_ROOT=str(self.folder))
        self.assertEqual(code, 1)
        self.assertRegex(self.only_sentence(err), r"claim N-39 could not be evaluated: .*second.lua:\d+: cannot be")
        row = {row["id"]: row for row in self.claims()}["N-39"]
        self.assertEqual((row["status"], row["obtained"]), ("error", ""))
        self.assertRegex(row["note"], r"second.lua:\d+: cannot be")
        self.assertIn(" 1 error,", out)
        self.assertIn('<li class="error">', (self.folder / "out/report.html").read_text())

    def test_modelled_and_restated(self):
        """Each with its place, and with what it restates; a machine file that says otherwise is a miss."""
        out = self.reproduce("--no-plot")
        rows = {row["id"]: row for row in self.claims()}
        self.assertIn("configs/gcn3_node.lua:gpu.l2_size = 1MiB", rows["N-28"]["place"])
        self.assertIn("tests/models/test_cache_levels.c", rows["N-28"]["test"])
        self.assertEqual(rows["I-T02"]["note"], "says the same as P-T02 (not-yet)")
        modelled = sum(row["status"] == "modelled" for row in rows.values())
        self.assertIn(f" {modelled} modelled,", out)
        self.assertIn(" 49 restated (49 not-yet),", out)
        page = (self.folder / "out/report.html").read_text()
        self.assertIn(">restated: not-yet</td>", page)
        self.assertIn("configs/gcn3_node.lua:gpu.l2_size = 1MiB", page)

        (self.folder / "configs").unlink()
        (self.folder / "configs").mkdir()
        for file in (PROJECT / "configs").iterdir():
            text = file.read_text().replace('l2_size = published("1MiB"', 'l2_size = published("2MiB"')
            self.write(f"configs/{file.name}", text)
        self.reproduce("--no-plot")
        row = next(row for row in self.claims() if row["id"] == "N-28")
        self.assertEqual((row["status"], row["note"]),
                         ("missed", "configs/gcn3_node.lua:gpu.l2_size is 2MiB, not 1MiB"))

    def test_a_wrong_row_is_refused(self):
        (self.folder / "claims").unlink()
        for name in ("claims", "restated", "causes"):
            self.write(f"claims/{name}.tsv", (PROJECT / f"claims/{name}.tsv").read_text())
        self.write("claims/modelled.tsv", "id\tplace\tvalue\ttest\nN-39\tsim/cli/main.c:main\t\t"
                                          "tests/cli/test_run.py:Run\n")
        sentence = self.fail_with(2, "reproduce", "--no-plot", GPUNETSIM_ROOT=str(self.folder))
        self.assertTrue(sentence.endswith("claims/modelled.tsv:2: N-39 is of use test, not config."),
                        sentence)

    def test_report_stands_alone(self):
        self.reproduce()
        text = (self.folder / "out/report.html").read_text()
        page = Page(text)
        self.assertEqual((page.open, page.misnested), ([], []))
        within = [reference for reference in page.references if reference.startswith("#")]
        elsewhere = [reference for reference in page.references if not reference.startswith("#")]
        for reference in within:
            self.assertIn(f'id="{reference[1:]}"', text)
        self.assertEqual(elsewhere, [])
        self.assertNotIn("{{", text)
        packed = [zlib.decompress(base64.b64decode(part)).decode() for part in re.findall(r'data-packed="([^"]*)"', text)]
        drawn = [part for part in packed if part.startswith("<svg")]
        self.assertEqual(drawn, [self.drawn(name) for name in ("first", "second")])
        for part in ("N-39", "network.latency", "gpunetsim reproduce", "A made-up study", "SimGrid"):
            self.assertIn(part, text + "".join(packed))

    def drawn(self, name):
        """figure.svg without its first line; it is XML."""
        text = (self.folder / "out" / name / "figure.svg").read_text()
        ET.fromstring(text)
        return text[text.index("<svg"):]

    def test_size(self):
        """A figure adds little to the page: below 25 KB with its results, so that a hundred stay below 3 MB."""
        self.reproduce()
        two = len((self.folder / "out/report.html").read_bytes())
        for i in range(4):
            self.write(f"scenarios/more{i}.lua", STUDY % "")
        self.reproduce()
        six = len((self.folder / "out/report.html").read_bytes())
        self.assertTrue(0 < six - two < 4 * 25000, (two, six))

    def test_same_bytes(self):
        self.reproduce()
        first = self.content()
        self.reproduce()
        self.assertEqual(first, self.content())
        (self.folder / "out/store.db").unlink()
        self.reproduce("-j", "1")
        self.assertEqual(first["first/results.csv"], self.content()["first/results.csv"])

    def test_only_one(self):
        self.reproduce("--only", "first", "--no-plot")
        self.assertEqual(self.files("out"),
                         ["claims-first.csv", "first/results.csv", "report-first.html", "store.db"])

    def test_only_one_leaves_the_report_of_all(self):
        self.reproduce("--no-plot")
        report = (self.folder / "out/report.html").read_bytes()
        self.reproduce("--only", "first", "--no-plot")
        self.assertEqual((self.folder / "out/report.html").read_bytes(), report)

    def test_quick_leaves_long_ones_out(self):
        self.reproduce("--no-plot")
        report = (self.folder / "out/report.html").read_bytes()
        many = "{ " + ", ".join(str(i) for i in range(1, 202)) + " }"
        long_study = (STUDY % "").replace('{ "8B", "64B", "512B" }', many)
        self.write("scenarios/b/long.lua", long_study)
        self.write("scenarios/b/slow.lua", (STUDY % "").replace("title =", "long = true,\n  title =", 1))
        self.write("scenarios/b/other.lua", STUDY % "")
        self.write("scenarios/b/shown.lua", re.sub('title = "', 'title = "ComPNet18, Fig 5: ', STUDY % "", count=1))
        out = self.reproduce("--quick", "--no-plot")
        self.assertIn("long is left out: it has 402 points.", out)
        self.assertIn("other is left out: it answers no claim and shows no figure of a paper.", out)
        self.assertIn("shown: ", out)
        self.assertIn("slow is left out: it takes long.", out)
        self.assertIn("Folders left out, since no scenario of theirs answers a claim of a paper: scenarios.", out)
        self.assertNotRegex(out, r"\b(long|slow|other|first): ")
        self.assertIn("second: ", out)
        self.assertNotIn("long/results.csv", self.files("out"))
        self.assertIn("Report: out/report-quick.html\n", out)
        page = (self.folder / "out/report-quick.html").read_text()
        self.assertIn('<p id="left-out">4 scenarios were left out, which take long or belong to no paper.', page)
        self.assertIn("<code>gpunetsim run scenarios/b/slow.lua</code>", page)
        self.assertIn("<code>gpunetsim run scenarios/first.lua</code>", page)
        self.assertEqual((self.folder / "out/claims-quick.csv").read_bytes(), (self.folder / "out/claims.csv").read_bytes())
        self.assertIn("first: ", self.reproduce("--quick", "--only", "first", "--no-plot"))
        self.assertNotIn("left-out", report.decode())
        self.assertEqual((self.folder / "out/report.html").read_bytes(), report)

    def test_missing_gnuplot_is_said_once(self):
        sentence = self.fail_with(1, "reproduce", PATH="/nonexistent",
                                  GPUNETSIM_ROOT=str(self.folder))
        self.assertIn("gnuplot is not installed", sentence)
        self.assertIn("report.html", self.files("out"))


@unless_sanitized
class RealProject(ProgramTest):
    def test_scenarios_have_names_of_their_own(self):
        """All write into folders of their name below one."""
        names = [path.stem for path in (PROJECT / "scenarios").glob("*/*.lua")]
        self.assertGreater(len(names), 50)
        self.assertEqual(sorted(names), sorted(set(names)))

    def test_quick(self):
        store = ["--store", str(SCENARIOS / "store.db")] if SCENARIOS else []
        # Their figures tests/cli/scenarios.py has drawn: here one is.
        self.succeed("reproduce", "--quick", *store, *(["--no-plot"] if SCENARIOS else []))
        self.succeed("reproduce", "--only", "fig08a_get_latency", *store)
        self.assertIn("fig08a_get_latency/figure.svg", self.files("out"))
        with open(self.folder / "out/claims-quick.csv", newline="", encoding="utf-8") as file:
            status = {row["id"]: row["status"] for row in csv.DictReader(file)}
        self.assertEqual((status["N-01"], status["N-39"], status["N-40"]), ("reproduced", "missed", "reproduced"))
        page = (PROJECT / "docs/trust/validation.md").read_text()
        self.check_counts(page, collections.Counter(status.values()))
        self.check_verdicts(page, status)
        self.check_causes()

    def check_causes(self):
        """Each claim that a scenario answers and that is missed has its cause, in its note and on its paper's screen."""
        report = (self.folder / "out/report-quick.html").read_text()
        with open(self.folder / "out/claims-quick.csv", newline="", encoding="utf-8") as file:
            missed = [row for row in csv.DictReader(file) if row["status"] == "missed"]
        self.assertGreater(len(missed), 30)
        for row in missed:
            with self.subTest(claim=row["id"]):
                self.assertRegex(row["note"], r"Why: .+ \(.+\)$")
                line = re.search(rf'<tr class="missed"><td><a href="#claim-{row["id"]}">.*</tr>', report)[0]
                self.assertRegex(line, r'<td title="[^"]+">[^<]+</td></tr>$')

    def test_causes_of_long_scenarios(self):
        """Claims that docs/trust/jacobi3d.md calls missed have a cause, too; and what shows a cause is there."""
        with open(PROJECT / "claims/causes.tsv", newline="", encoding="utf-8") as file:
            causes = {row["id"]: row for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)}
        page = (PROJECT / "docs/trust/jacobi3d.md").read_text()
        missed = re.findall(r"(?m)^\| ((?:[A-Z]-[A-Z]?\d+(?:, )?)+) \|.*\| missed \|$", page)
        ids = [name for names in missed for name in names.split(", ")]
        self.assertGreater(len(ids), 25)
        self.assertEqual([name for name in ids if name not in causes], [])
        for name, row in causes.items():
            for path in re.findall(r"(?:docs|scenarios)/\S+\.(?:md|lua)", row["check"]):
                self.assertTrue((PROJECT / path).is_file(), (name, path))

    def check_counts(self, page, counts):
        """The page's table of how many claims have each status."""
        for said, number in re.findall(r"(?m)^\| (reproduced|missed|error|modelled|not-modelled|not-yet|restated) \| (\d+) \|", page):
            with self.subTest(status=said):
                self.assertEqual(counts[said], int(number))

    def check_verdicts(self, page, status):
        """What the page's tables say of single claims: in the last column, or at the beginning of what came out."""
        claim = r"[A-Z]+-[A-Z]?\d+"
        judged = re.findall(rf"(?m)\| ((?:{claim}, )*{claim}) \|.*\| (reproduced|missed|holds?)\b[^|]*\|$", page)
        judged += re.findall(rf"(?m)\| ((?:{claim}, )*{claim}) (reproduced|missed)\b[^|]*\|$", page)
        said = [(name, verdict) for ids, verdict in judged for name in ids.split(", ")]
        self.assertGreater(len(said), 55)
        for name, verdict in said:
            with self.subTest(claim=name):
                self.assertEqual(status[name], "reproduced" if verdict.startswith("hold") else verdict)


if __name__ == "__main__":
    unittest.main()
