# SPDX-License-Identifier: BSD-3-Clause
"""Every figure of the project's scenarios: no two texts touch, none leaves the page, all values lie within the axes and
are drawn. In the PDFs, of both widths, likewise where pdftotext is installed."""
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from drawn import FONT, Drawing, Font, given, tables
from program import PROJECT, SCENARIOS, unless_sanitized


def template(name):
    """The first words of a template, by which a script that has it is known."""
    return (PROJECT / f"plots/{name}.gp").read_text().splitlines()[1]


HEATMAP, BARS, PARETO = template("heatmap"), template("bars"), template("pareto")


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

    def check_svg(self, path):
        script = path.read_text()
        drawing = Drawing(path.with_suffix(".svg").read_text(), self.font)
        points, (x_low, x_high, y_low, y_high) = given(script)
        name = path.parent.name
        self.assertEqual(list(drawing.overlaps()), [], name)
        self.assertEqual(list(drawing.outside()), [], name)
        self.assertEqual(list(drawing.crowded()), [], name)
        self.assertEqual(list(drawing.raw()), [], name)
        self.assertLessEqual(len(drawing.units()), 2, name)
        self.check_bars(script, name)
        self.check_measured(script, drawing, name)
        self.check_values(drawing, name)
        if HEATMAP in script:
            return
        for x, y, _ in points:
            self.assertTrue(x_low <= x <= x_high and y_low <= y <= y_high, f"{name}: {x}, {y}")
        drawn = len(drawing.marks) + drawing.boxes
        self.assertGreaterEqual(drawn, sum(1 for _, _, is_value in points if is_value) - self.front_marks(script), name)

    def check_bars(self, script, name):
        """Each name along an axis of bars has one: a panel of measured values alone would have none."""
        if BARS not in script:
            return
        data, marks = sum(tables(script, "data"), []), sum(tables(script, "marks"), [])
        has_bar = {row[0] for row in data if any(n == n for n in row[1::3])}
        self.assertLessEqual({round(row[1]) for row in marks}, has_bar, name)

    def check_measured(self, script, drawing, name):
        """What was measured has the mark that the legend says, beside bars too."""
        measured = sum(row[0] == 3 for table in tables(script, "marks") for row in table)
        self.assertEqual(drawing.measured, measured, name)

    def check_values(self, drawing, name):
        """The values that a browser tells stand where the marks are drawn: each mark has one, and each has a name and a number."""
        places = {(round(x), round(y)) for x, y, _ in drawing.values}
        near = {(x + i, y + k) for x, y in places for i in (-1, 0, 1) for k in (-1, 0, 1)}
        self.assertEqual([place for place in drawing.places() if place not in near], [], name)
        for _, _, text in drawing.values:
            self.assertRegex(text, r": -?[\d.]+", name)

    def front_marks(self, script):
        """A Pareto front is a line without marks: its values have none."""
        if PARETO not in script:
            return 0
        return sum(row[-3] == row[-3] for table in tables(script, "data") for row in table)

    def check_pdf(self, path):
        words, size = boxes_of_pdf(path)
        wide = 180 if "180mm" in path.name else 88
        self.assertAlmostEqual(size[0], wide / 25.4 * 72, delta=1)
        for (left, top, right, bottom), word in words:
            self.assertTrue(-0.5 <= left and right <= size[0] + 0.5 and -2 <= top and bottom <= size[1] + 2,
                            f"{path}: {word}")

    def test_every_figure(self):
        scripts = sorted(SCENARIOS.rglob("figure*.gp"))
        self.assertGreater(len(scripts), 40)
        for script in scripts:
            with self.subTest(figure=str(script.relative_to(SCENARIOS))):
                self.check_svg(script)

    def test_script_alone(self):
        """A figure's script draws the same page anywhere."""
        script = min(SCENARIOS.rglob("figure.gp"))
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(script, folder)
            done = subprocess.run(["gnuplot", script.name], cwd=folder, capture_output=True, text=True, check=True)
            self.assertEqual(done.stdout, "")
            drawn, kept = boxes_of_pdf(Path(folder) / "figure.pdf"), boxes_of_pdf(script.with_suffix(".pdf"))
            self.assertEqual(drawn, kept)

    @unittest.skipUnless(shutil.which("pdftotext"), "pdftotext is not installed (Debian package poppler-utils)")
    def test_every_pdf(self):
        pdfs = sorted(SCENARIOS.rglob("*.pdf"))
        self.assertGreater(len(pdfs), 80)
        for pdf in pdfs:
            with self.subTest(pdf=str(pdf.relative_to(SCENARIOS))):
                self.check_pdf(pdf)


if __name__ == "__main__":
    unittest.main()
