# SPDX-License-Identifier: BSD-3-Clause
"""The site by Sphinx: it is made without a warning, its reference has all that the program has, its links lead somewhere, its search
knows a parameter, and no page is wider than a small window."""
import html.parser
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(os.environ["GPUNETSIM_ROOT"])
PROGRAM = os.environ["GPUNETSIM_PROGRAM"]
sys.path.insert(0, str(ROOT / "tests/cli"))
from browser import CHROMIUM, Browser  # pylint: disable=wrong-import-position

SCENARIO = "launch"  # it takes half a second


class Page(html.parser.HTMLParser):
    """What a page refers to, and the places in it."""

    def __init__(self, path):
        super().__init__()
        self.references, self.places = [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name in ("href", "src") and value and not re.match(r"[a-z]+:", value):
                self.references.append(value)
            if name in ("id", "name"):
                self.places.add(value)


@unittest.skipIf(os.environ.get("GPUNETSIM_SANITIZED"), "the optimised build makes it")
@unittest.skipUnless(shutil.which("sphinx-build"), "sphinx-build is not installed (Debian packages python3-sphinx, python3-myst-parser)")
class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.results = cls.folder / "results"
        subprocess.run([PROGRAM, "run", SCENARIO, "--out", cls.results / SCENARIO], cwd=cls.folder, capture_output=True, check=False)
        (cls.results / "report-quick.html").write_text("<!doctype html><title>report</title>")
        made = subprocess.run([sys.executable, "-B", ROOT / "cmake/site/site.py", ROOT, PROGRAM, cls.results, cls.folder, "1.2.3"],
                              text=True, capture_output=True, check=False)
        if made.returncode:
            raise AssertionError(made.stderr)
        cls.html = cls.folder / "html"

    def text(self, page):
        return re.sub(r"<[^>]*>", "", (self.html / f"{page}.html").read_text(encoding="utf-8"))

    def ask(self, *words):
        return json.loads(subprocess.run([PROGRAM, *words, "--json"], text=True, capture_output=True, check=True).stdout)

    def lost(self, names, page):
        text = self.text(page)
        return [name for name in names if name not in text]

    def test_reference(self):
        """Every parameter, workload, measure, design, Lua call and C function is on its page."""
        for kind in ("components", "workloads", "measures", "designs"):
            names = [next(iter(row.values())) for row in self.ask("list", kind)]
            self.assertGreater(len(names), 10)
            self.assertEqual(self.lost(names, f"reference/{kind}"), [])
            if kind in ("components", "workloads"):
                params = [row["parameter"] for name in names for row in self.ask("help", name)["parameters"]]
                self.assertGreater(len(params), 50)
                self.assertEqual(self.lost(params, f"reference/{kind}"), [])
        calls = {name for path in (*(ROOT / "sim/script/program").glob("*.c"), ROOT / "sim/script/workload/party.c")
                 for table in re.findall(r"(?:luaL_Reg|party_operation) \w+\[\] = \{(.*?)(?:NULL\}|\n\};)", path.read_text(), re.S)
                 for name in re.findall(r'\{"([a-z]\w+)"', table)}
        self.assertGreater(len(calls), 40)
        goal = {"calc", "send", "receive", "generate", "text", "run"}  # those of a schedule: docs/use/goal.md
        self.assertEqual(self.lost(sorted(calls - goal), "reference/lua"), [])
        functions = set(re.findall(r"\b(gpunetsim_\w+)\(", (ROOT / "library/gpunetsim.h").read_text()))
        self.assertEqual(self.lost(sorted(functions), "reference/c"), [])

    def test_links(self):
        pages = {path: Page(path) for path in self.html.rglob("*.html") if path.name not in ("search.html", "genindex.html")}
        self.assertGreater(len(pages), 100)
        lost = []
        for path, page in pages.items():
            for reference in page.references:
                target, _, place = unquote(reference.split("?")[0]).partition("#")
                at = (path.parent / target).resolve() if target else path
                if not at.exists() or place and at in pages and place not in pages[at].places:
                    lost.append(f"{path.relative_to(self.html)}: {reference}")
        self.assertEqual(lost, [])

    def test_gallery(self):
        """A scenario's page has its figure, its code and its command; one that was not run says so."""
        page = (self.html / f"gallery/{SCENARIO}.html").read_text(encoding="utf-8")
        self.assertRegex(page, r'<img[^>]* src="\.\./_images/launch-figure\.svg"')
        self.assertIn(f"gpunetsim run scenarios/hardware/{SCENARIO}.lua", self.text(f"gallery/{SCENARIO}"))
        self.assertIn("return study", self.text(f"gallery/{SCENARIO}").replace("&#39;", "'"))
        self.assertIn("was not run for this site", self.text("gallery/between"))
        for path in (ROOT / "scenarios").glob("*/*.lua"):
            self.assertTrue((self.html / f"gallery/{path.stem}.html").exists(), path)
        self.assertTrue((self.html / "report.html").exists())

    def test_search(self):
        index = (self.html / "searchindex.js").read_text(encoding="utf-8")
        for word in ("doorbell_lat", "gpunetsim_study_run", "put_sign"):  # stems
            self.assertTrue(word in index, word)

    @unittest.skipUnless(CHROMIUM, "chromium is not installed (Debian package chromium)")
    def test_small_window(self):
        browser = Browser(self.folder / "profile")
        self.addCleanup(browser.close)
        for page in ("index", f"gallery/{SCENARIO}", "reference/components", "reference/c", "docs/use/programs"):
            for width in (500, 1280):
                browser.open(f"file://{self.html}/{page}.html", width)
                wider = browser.run("document.documentElement.scrollWidth - document.documentElement.clientWidth")
                self.assertEqual(wider, 0, f"{page} at {width}")
        browser.open(f"file://{self.html}/search.html?q=doorbell_latency", 1280)
        browser.wait_for("[...document.querySelectorAll('#search-results a')].some(link => link.href.includes('reference/components'))")


if __name__ == "__main__":
    unittest.main()
