# SPDX-License-Identifier: BSD-3-Clause
"""The report as a browser shows it: figures are there once they are seen, they tell their values and are enlarged by real
clicks, the filter works, nothing is wider than the page, the console stays silent, and it prints. Needs chromium; nothing is
fetched from anywhere."""
import re
import unittest

from browser import CHROMIUM, Browser
from program import PROJECT, STUDY, ProgramTest

FIGURE = 'document.querySelector(".figure")'
SHOWN = '[...document.querySelectorAll("#claims tbody tr")].filter(row => row.offsetParent).length'
CHANGE = 'document.querySelector("#filter").dispatchEvent(new Event("input"))'
SEARCH = 'document.querySelector("#filter [type=search]")'
# Elements that reach over the page's edge, but for those inside of one that scrolls by itself.
WIDER = """[...document.querySelectorAll("body *")].filter(element => {
  if (element.getBoundingClientRect().right <= document.documentElement.clientWidth + 1) return false;
  for (let around = element.parentElement; around !== document.body; around = around.parentElement)
    if (getComputedStyle(around).overflowX !== "visible") return false;
  return true;
}).map(element => element.outerHTML.slice(0, 80))"""
BOXES = """{ for (const box of document.querySelectorAll("#filter [type=checkbox]")) box.checked = %s; %s; }"""


@unittest.skipUnless(CHROMIUM, "chromium is not installed (Debian package chromium)")
class Report(ProgramTest):
    browser = None

    def setUp(self):
        super().setUp()
        for name in ("claims", "plots", "views", "configs", "sim", "tests"):
            (self.folder / name).symlink_to(PROJECT / name)
        self.write("scenarios/made_up.lua", STUDY % """claims = {
            ["N-39"] = function(r) return { obtained = { 3, 4.5 } } end,
            ["N-40"] = function(r) return { obtained = 5, holds = false } end,
        },""")
        self.succeed("reproduce", GPUNETSIM_ROOT=str(self.folder))

    def open(self, width, is_dark=False):
        if not self.browser:
            self.browser = Browser(self.folder / "profile")
            self.addCleanup(self.browser.close)
        self.browser.open(f"file://{self.folder}/out/report.html", width, is_dark)
        return self.browser

    def test_on_the_screen(self):
        """At two widths, light and dark."""
        for width, is_dark in ((1280, False), (500, False), (500, True)):
            with self.subTest(width=width, is_dark=is_dark):
                browser = self.open(width, is_dark)
                self.assertEqual(browser.run(WIDER), [])
                self.assertFalse(browser.run("document.documentElement.scrollWidth > innerWidth"))
                self.assertTrue(browser.run(f"!{FIGURE}.shadowRoot || {FIGURE}.getBoundingClientRect().top < 1300"))
                browser.run(f"{FIGURE}.scrollIntoView()")
                browser.wait_for(f"{FIGURE}.shadowRoot?.querySelectorAll('path').length > 10")
                self.assertEqual("invert" in browser.run(f"getComputedStyle({FIGURE}).filter"), is_dark)
                self.assertEqual(browser.run(WIDER), [])
                self.unfold(browser)
                self.assertEqual(browser.errors, [])

    def unfold(self, browser):
        """Tables that are packed are there, and no wider, once they are unfolded."""
        browser.run('document.querySelectorAll("details").forEach(part => { part.open = true; })')
        browser.wait_for('[...document.querySelectorAll("details[data-packed]")].every(part => part.querySelector("td"))')
        rows = browser.run('document.querySelector("details.results").querySelectorAll("tbody tr").length')
        self.assertEqual(f"All results ({rows} rows)", browser.run('document.querySelector("details.results summary").textContent'))
        self.assertTrue(browser.run('document.querySelector(".parameters").textContent.includes("network.latency")'))
        self.assertEqual(browser.run(WIDER), [])

    def test_pointer_and_clicks(self):
        browser = self.open(1280)
        browser.run(f"{FIGURE}.scrollIntoView()")
        browser.wait_for(f"{FIGURE}.shadowRoot?.querySelector('#values circle')")
        x, y = browser.run(f"""(() => {{
            const box = {FIGURE}.shadowRoot.querySelector("#values circle").getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2]; }})()""")
        browser.mouse("mouseMoved", x + 3, y + 3)
        self.assertRegex(browser.run('document.querySelector("#tip").textContent'), r"^.*8 B: [\d.]+ µs$")
        browser.click(x, y)
        browser.wait_for('document.querySelector("dialog[open] .figure")?.shadowRoot')
        box = 'document.querySelector("dialog .figure").shadowRoot.querySelector("svg").viewBox.baseVal.width'
        width = browser.run(box)
        browser.mouse("mouseWheel", 600, 400, deltaX=0, deltaY=-120)
        browser.wait_for(f"{box} < {width}")
        browser.run('document.querySelector("dialog button").click()')
        self.assertFalse(browser.run('document.querySelector("dialog").open'))
        self.assertEqual(browser.errors, [])

    def test_claims(self):
        browser = self.open(1280)
        page = (self.folder / "out/report.html").read_text()
        whole = page.count("<tr class=", page.index('id="claims"'), page.index("<h2 id=\"parameters\""))
        self.assertEqual(browser.run(SHOWN), whole)
        browser.run(f'{SEARCH}.value = "N-39"; {CHANGE}')
        self.assertTrue(1 <= browser.run(SHOWN) < 10)
        obtained = 'document.querySelector("#claim-N-39").parentElement.querySelector("[data-name=obtained]").textContent'
        self.assertEqual(browser.run(obtained), "3 to 4.5")
        browser.run(f'{SEARCH}.value = ""; {CHANGE}')
        browser.run(BOXES % ('box.value === "missed"', CHANGE))
        self.assertEqual(browser.run(SHOWN), 1)
        browser.run(BOXES % ("true", CHANGE))
        browser.run('[...document.querySelectorAll("#claims th")].find(head => head.textContent === "status").click()')
        order = browser.run('[...document.querySelectorAll("#claims tbody tr")].map(row => row.cells[2].textContent.split(":")[0])')
        self.assertEqual(order, sorted(order))
        lost = """[...document.querySelectorAll("a[href^='#']")].map(link => link.getAttribute("href"))
                  .filter(place => !document.getElementById(place.slice(1)))"""
        self.assertEqual(browser.run(lost), [])
        self.assertTrue(browser.run('document.querySelectorAll("#claims [data-name=where] a").length > 0'))
        self.assertEqual(browser.errors, [])

    def test_on_paper(self):
        """All figures are printed, seen or not."""
        browser = self.open(1280)
        browser.wait_for(f"{FIGURE}.text")
        pdf = browser.pdf()
        self.assertTrue(2 <= len(re.findall(rb"/Type\s*/Page\b", pdf)) <= 45)
        self.assertTrue(browser.run(f"{FIGURE}.shadowRoot !== null"))
        self.assertEqual(browser.errors, [])


if __name__ == "__main__":
    unittest.main()
