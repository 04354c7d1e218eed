# SPDX-License-Identifier: BSD-3-Clause
"""Reads figures as they were drawn: texts of an SVG with their boxes, and what gnuplot was given."""
import pathlib
import re
import struct
import xml.etree.ElementTree as ET

SVG = "{http://www.w3.org/2000/svg}"
LINK = "{http://www.w3.org/1999/xlink}href"
FONT = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"


class Font:
    """Advance widths of a TrueType font, in em."""

    def __init__(self, path=FONT):
        data = pathlib.Path(path).read_bytes()
        tables = {}
        for i in range(struct.unpack(">H", data[4:6])[0]):
            tag, _, start, _ = struct.unpack(">4sLLL", data[12 + 16 * i:28 + 16 * i])
            tables[tag] = start
        self.units = struct.unpack(">H", data[tables[b"head"] + 18:tables[b"head"] + 20])[0]
        metrics = struct.unpack(">H", data[tables[b"hhea"] + 34:tables[b"hhea"] + 36])[0]
        start = tables[b"hmtx"]
        self.widths = [struct.unpack(">H", data[start + 4 * i:start + 4 * i + 2])[0] for i in range(metrics)]
        self.glyphs = self.read_cmap(data, tables[b"cmap"])

    @staticmethod
    def read_cmap(data, start):
        glyphs = {}
        for i in range(struct.unpack(">H", data[start + 2:start + 4])[0]):
            offset = start + struct.unpack(">L", data[start + 8 + 8 * i:start + 12 + 8 * i])[0]
            if struct.unpack(">H", data[offset:offset + 2])[0] != 12:
                continue
            for k in range(struct.unpack(">L", data[offset + 12:offset + 16])[0]):
                first, last, glyph = struct.unpack(">LLL", data[offset + 16 + 12 * k:offset + 28 + 12 * k])
                glyphs.update((c, glyph + c - first) for c in range(first, last + 1))
        return glyphs

    def width(self, text):
        numbers = [self.glyphs.get(ord(c), 0) for c in text]
        return sum(self.widths[min(n, len(self.widths) - 1)] for n in numbers) / self.units


class Drawing:
    """`size` of the page; `texts`: (text, (left, top, right, bottom), slanted); `marks`: those of data; `measured`: how many marks
    of measured values there are; `values`: (x, y, text) of what a browser tells."""

    def __init__(self, svg, font):
        root = ET.fromstring(svg)
        self.size = [float(n) for n in root.get("viewBox").split()[2:]]
        self.texts, self.marks, self.boxes, self.measured = [], [], 0, 0
        self.values = [(float(circle.get("cx")), float(circle.get("cy")), circle.find(SVG + "title").text)
                       for circle in root.iter(SVG + "circle") if circle.get("cx") and circle.find(SVG + "title") is not None]
        for group in root.iter(SVG + "g"):
            text = "".join(t.text or "" for t in group.findall(SVG + "text")).strip()
            if text:
                self.add_text(group, text, font)
            title = group.find(SVG + "title")
            if title is not None and re.match(r"\$data_\d+ using", title.text or ""):
                uses = [u for u in group.iter(SVG + "use") if "gpPt" in u.get(LINK)]
                self.marks += uses
                self.boxes += len(list(group.iter(SVG + "polygon")))
            if title is not None and re.match(r"\$marks_\d+ using", title.text or ""):
                self.measured += sum(u.get(LINK) == "#gpPt1" for u in group.iter(SVG + "use"))

    def add_text(self, group, text, font):
        transform = group.get("transform")
        x, y = (float(n) for n in re.match(r"translate\(([-\d.]+),([-\d.]+)\)", transform).groups())
        angle = re.search(r"rotate\(([-\d.]+)\)", transform)
        size = float(group.get("font-size"))
        width = font.width(text) * size
        left = {"start": 0, "middle": -width / 2, "end": -width}[group.get("text-anchor")]
        if angle and float(angle.group(1)) in (-90.0, 270.0):
            box = (x - 0.75 * size, y - left - width, x + 0.2 * size, y - left)
        else:
            box = (x + left, y - 0.75 * size, x + left + width, y + 0.2 * size)
        self.texts.append((text, box, bool(angle) and abs(float(angle.group(1))) not in (90.0, 270.0)))

    def places(self):
        """Where the marks of data stand, in whole dots."""
        for mark in self.marks:
            yield tuple(round(float(n)) for n in re.match(r"translate\(([-\d.]+),([-\d.]+)\)", mark.get("transform")).groups())

    def overlaps(self):
        straight = [t for t in self.texts if not t[2]]
        for i, (text, (l, t, r, b), _) in enumerate(straight):
            for other, (l2, t2, r2, b2), _ in straight[:i]:
                if l < r2 - 1 and l2 < r - 1 and t < b2 - 1 and t2 < b - 1:
                    yield f"{text!r} and {other!r}"

    def crowded(self):
        """Slanted labels below an axis that are less than a line apart: their ends would lie over each other."""
        lines = {}
        for text, (left, top, right, bottom), slanted in self.texts:
            if slanted:
                lines.setdefault(round(bottom), []).append((right, (bottom - top) / 0.95, text))
        for labels in lines.values():
            labels.sort()
            for (x, size, text), (other_x, _, other) in zip(labels, labels[1:]):
                if (other_x - x) * 0.7 < 0.85 * size:
                    yield f"{text!r} and {other!r}"

    def raw(self):
        """Names as a program writes them, and numbers that a reader would have to count: a_b, a=b, gpu0, 1e-05, 8us."""
        names = r"\w_\w|\w=\w|\d[eE][-+]?\d|·10[⁰¹²³⁴⁵]$|\bu[sJ]\b|\bgpus?\d*\b|\b\d+[a-z]{3,}"
        units = r"\b[\d.]+([pnuµm]?s|[kKMGT]?i?B|[kMG]?Hz|[uµm]?J|W)(/s)?\b"
        for text, _, _ in self.texts:
            if re.search(names, text) or re.search(units, text):
                yield text

    def units(self):
        """Texts that end in a unit: one a unit along an axis, none in a legend beside it."""
        ends = [re.search(r"\(([pnµm]?s|GB/s|GHz|[µm]?J|W)\)$", text) for text, _, _ in self.texts]
        return [end[0] for end in ends if end]

    def outside(self):
        for text, (l, t, r, b), slanted in self.texts:
            if not slanted and (l < 0 or t < 0 or r > self.size[0] or b > self.size[1]):
                yield text


def numbers(line):
    return [float("nan") if n == "NaN" else float(n) for n in line.split("\t")]


def variable(script, name):
    return float(re.search(rf"(?m)^{name} = ([-\d.e+]+)$", script).group(1))


def tables(script, name):
    """The lines of numbers that the script gives gnuplot under $NAME_1, $NAME_2, ..., a list a panel."""
    found = re.findall(rf"(?ms)^\${name}_\d+ << END_OF_DATA\n(.*?)^END_OF_DATA$", script)
    return [[numbers(line) for line in lines.splitlines()] for lines in found]


def given(script):
    """What gnuplot was given: (x, y) of all values, low and high ends included, and the axes' ends."""
    ends = [variable(script, name) for name in ("x_low", "x_high", "y_low", "y_high")]
    points = []
    for row in (row for table in tables(script, "data") for row in table):
        points += [(row[0], row[i], i % 3 == 1) for i in range(1, len(row)) if row[i] == row[i]]
    return points, ends
