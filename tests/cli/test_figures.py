# SPDX-License-Identifier: BSD-3-Clause
"""Every figure of the project's scenarios: no two texts touch, none leaves the page, all values lie within the axes and
are drawn. In the PDFs, of both widths, likewise where pdftotext is installed."""
import re
import shutil
import subprocess
import unittest
from pathlib import Path

from drawn import FONT, Drawing, Font, given, numbers
from program import SCENARIOS, unless_sanitized


def boxes_of_pdf(path):
    """The words of a page, with their boxes, and its size."""
    page = subprocess.run(["pdftotext", "-bbox", path, "-"], capture_output=True, text=True, check=True).stdout
    size = [float(n) for n in re.search(r'<page width="([\d.]+)" height="([\d.]+)"', page).groups()]
    word = r'<word xMin="([-\d.]+)" yMin="([-\d.]+)" xMax="([-\d.]+)" yMax="([-\d.]+)">(.*?)</word>'
    return [([float(n) for n in found[:4]], found[4]) for found in re.findall(word, page)], size


@unless_sanitized
@unittest.skipUnless(shutil.which("gnuplot") and Path(FONT).exists(), "gnuplot or the figures' font is missing")
@unittest.skipUnless(SCENARIOS, "CTest runs the scenarios before it (tests/cli/scenarios.py)")
class Figures(unittest.TestCase):
    font = None

    @classmethod
    def setUpClass(cls):
        cls.font = Font()

    def check_svg(self, folder):
        drawing = Drawing((folder / "figure.svg").read_text(), self.font)
        points, (x_low, x_high, y_low, y_high) = given(folder)
        name = drawing.texts[0][0]
        self.assertEqual(list(drawing.overlaps()), [], name)
        self.assertEqual(list(drawing.outside()), [], name)
        self.assertEqual(list(drawing.crowded()), [], name)
        self.assertEqual(list(drawing.raw()), [], name)
        self.assertLessEqual(len(drawing.units()), 2, name)
        self.check_bars(folder, name)
        if "plots/heatmap.gp" in (folder / "figure.gp").read_text():
            return
        for x, y, _ in points:
            self.assertTrue(x_low <= x <= x_high and y_low <= y <= y_high, f"{name}: {x}, {y}")
        drawn = len(drawing.marks) + drawing.boxes
        self.assertGreaterEqual(drawn, sum(1 for _, _, is_value in points if is_value) - self.front_marks(folder), name)

    def check_bars(self, folder, name):
        """Each name along an axis of bars has one: a panel of measured values alone would have none."""
        if "plots/bars.gp" not in (folder / "figure.gp").read_text():
            return
        has_bar, has_mark = set(), set()
        for data in folder.glob("data-*.tsv"):
            rows = [numbers(line) for line in data.read_text().splitlines()]
            has_bar |= {row[0] for row in rows if any(n == n for n in row[1::3])}
        for marks in folder.glob("marks-*.tsv"):
            has_mark |= {round(numbers(line)[1]) for line in marks.read_text().splitlines()}
        self.assertLessEqual(has_mark, has_bar, name)

    def front_marks(self, folder):
        """A Pareto front is a line without marks: its values have none."""
        script = (folder / "figure.gp").read_text()
        if "plots/pareto.gp" not in script:
            return 0
        count = 0
        for data in folder.glob("data-*.tsv"):
            count += sum(line.split("\t")[-3] != "NaN" for line in data.read_text().splitlines())
        return count

    def check_pdf(self, path):
        words, size = boxes_of_pdf(path)
        wide = 180 if "180mm" in path.name else 88
        self.assertAlmostEqual(size[0], wide / 25.4 * 72, delta=1)
        for (left, top, right, bottom), word in words:
            self.assertTrue(-0.5 <= left and right <= size[0] + 0.5 and -2 <= top and bottom <= size[1] + 2,
                            f"{path}: {word}")

    def test_every_figure(self):
        kept = sorted((SCENARIOS / "kept").iterdir())
        self.assertGreater(len(kept), 40)
        for folder in kept:
            with self.subTest(figure=folder.name):
                self.check_svg(folder)

    @unittest.skipUnless(shutil.which("pdftotext"), "pdftotext is not installed (Debian package poppler-utils)")
    def test_every_pdf(self):
        pdfs = sorted(SCENARIOS.rglob("*.pdf"))
        self.assertGreater(len(pdfs), 80)
        for pdf in pdfs:
            with self.subTest(pdf=str(pdf.relative_to(SCENARIOS))):
                self.check_pdf(pdf)


if __name__ == "__main__":
    unittest.main()
