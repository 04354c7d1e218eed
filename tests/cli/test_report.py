# SPDX-License-Identifier: BSD-3-Clause
"""The report as a browser shows it: figures are there, the filter works, the console stays silent, and it
prints. Needs chromium; nothing is fetched from anywhere."""
import html
import json
import re
import shutil
import subprocess
import unittest

from program import PROJECT, STUDY, ProgramTest

CHROMIUM = shutil.which("chromium")
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--enable-logging=stderr", "--virtual-time-budget=5000"]

# Uses the page as a reader does, and writes down what she sees.
READER = """
<script>
"use strict";
const seen = {errors: []};
addEventListener("error", event => seen.errors.push(event.message));
addEventListener("load", () => {
  const shown = () => [...document.querySelectorAll("#claims tbody tr")].filter(row => row.offsetParent).length;
  const change = element => element.dispatchEvent(new Event("input", {bubbles: true}));
  seen.figures = [...document.images].map(image => image.complete && image.naturalWidth > 100);
  seen.all = shown();
  const search = document.querySelector("#filter [type=search]");
  search.value = "N-39";
  change(search);
  seen.one = shown();
  seen.obtained = document.querySelector("#claim-N-39").parentElement.querySelector("[data-name=obtained]").textContent;
  search.value = "";
  change(search);
  for (const box of document.querySelectorAll("#filter [type=checkbox]"))
    box.checked = box.value === "missed";
  change(search);
  seen.missed = shown();
  for (const box of document.querySelectorAll("#filter [type=checkbox]"))
    box.checked = true;
  change(search);
  [...document.querySelectorAll("#claims th")].find(head => head.textContent === "status").click();
  seen.sorted = [...document.querySelectorAll("#claims tbody tr")].map(row => row.cells[2].textContent.split(":")[0]);
  const leading = [...document.querySelectorAll("#claims [data-name=where] a")];
  seen.lost = leading.filter(link => !document.querySelector(link.getAttribute("href"))).length;
  seen.leading = leading.length > 0;
  seen.wider = document.documentElement.scrollWidth > innerWidth;
  const result = document.createElement("pre");
  result.id = "seen";
  result.textContent = JSON.stringify(seen);
  document.body.append(result);
});
</script>
"""


@unittest.skipUnless(CHROMIUM, "chromium is not installed (Debian package chromium)")
class Report(ProgramTest):
    def setUp(self):
        super().setUp()
        for name in ("claims", "plots", "views", "configs", "sim", "tests"):
            (self.folder / name).symlink_to(PROJECT / name)
        self.write("scenarios/made_up.lua", STUDY % """claims = {
            ["N-39"] = function(r) return { obtained = { 3, 4.5 } } end,
            ["N-40"] = function(r) return { obtained = 5, holds = false } end,
        },""")
        self.succeed("reproduce", GPUNETSIM_ROOT=str(self.folder))

    def browse(self, *arguments):
        """(standard output, lines of the page's console)"""
        profile = f"--user-data-dir={self.folder}/profile"
        done = subprocess.run([CHROMIUM, *FLAGS, profile, *arguments], cwd=self.folder,
                              capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
        return done.stdout, [line for line in done.stderr.splitlines() if "CONSOLE" in line]

    def test_on_the_screen(self):
        """At two widths and in the dark: nothing is wider than the window, and no script fails."""
        for arguments in (["--window-size=1280,900"], ["--window-size=500,900"],
                          ["--window-size=1280,900", "--blink-settings=preferredColorScheme=0"]):
            with self.subTest(arguments=arguments):
                self.look(*arguments)

    def look(self, *arguments):
        page = (self.folder / "out/report.html").read_text()
        self.write("read.html", page.replace("<head>", "<head>" + READER, 1))
        dom, console = self.browse("--dump-dom", *arguments, f"file://{self.folder}/read.html")
        found = re.search(r'<pre id="seen">(.*?)</pre>', dom)
        self.assertTrue(found, dom[-500:])
        seen = json.loads(html.unescape(found.group(1)))
        self.assertEqual((seen["errors"], console), ([], []))
        self.assertEqual(seen["figures"], [True])
        self.assertEqual(seen["all"], page.count("<tr class=", page.index('id="claims"'),
                                                 page.index("<h2 id=\"parameters\"")))
        self.assertTrue(1 <= seen["one"] < 10)
        self.assertEqual(seen["obtained"], "3 to 4.5")
        self.assertEqual(seen["missed"], 1)
        self.assertFalse(seen["wider"])
        self.assertTrue(seen["leading"])
        self.assertEqual(seen["lost"], 0)
        self.assertEqual(seen["sorted"], sorted(seen["sorted"]))

    def test_on_paper(self):
        _, console = self.browse("--no-pdf-header-footer", "--print-to-pdf=report.pdf",
                                 f"file://{self.folder}/out/report.html")
        pdf = (self.folder / "report.pdf").read_bytes()
        self.assertEqual((pdf[:5], console), (b"%PDF-", []))
        self.assertTrue(2 <= len(re.findall(rb"/Type\s*/Page\b", pdf)) <= 40)


if __name__ == "__main__":
    unittest.main()
