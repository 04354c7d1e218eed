#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs every scenario that compares with measurements, and says which errors against them differ from those on file.

usage: errors.py PROGRAM [--update | --beside OTHER_PROGRAM]

The file is tests/cli/errors.tsv. A line has a scenario, a measure, the number of measured points, the median and the 90th percentile of
|simulated / measured - 1| in percent, and the percentage of pairs of points that the simulation puts in the measured order; a pair counts
if its measured values are more than 10 % apart. With --beside, the other program's errors take the place of the file.

A change of a model shows what it does to the truth by what this prints. --update writes the file again, so that the change shows it too.
"""
import csv
import itertools
import math
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
FILE = Path(__file__).with_suffix(".tsv")
HEAD = ("scenario", "measure", "points", "median", "p90", "in order")
GAP = 1.1  # pairs of points whose measured values differ by more have to be in the measured order


def median_and_p90(errors):
    ordered = sorted(errors)
    return statistics.median(ordered), ordered[math.ceil(0.9 * len(ordered)) - 1]


def pairs_in_order(points):
    """Of pairs of (measured, simulated): how many have a gap, and how many of these the simulation orders alike."""
    apart = alike = 0
    for (measured, simulated), (other, other_simulated) in itertools.combinations(points, 2):
        if max(measured, other) <= GAP * min(measured, other):
            continue
        apart += 1
        alike += (measured - other) * (simulated - other_simulated) > 0
    return apart, alike


# A column of measured values: of the file that a study names, or a result that a scenario takes from a publication.
MEASURED = re.compile(r"(\w+?)_(?:measured|published)((?:_[a-zA-Z]+)?)")


def measures_of(rows):
    return [match[1] for match in map(MEASURED.fullmatch, rows[0]) if match]


def measured_points(rows, measure):
    """Pairs of (measured, simulated) of the rows that have both."""
    match = next(match for match in map(MEASURED.fullmatch, rows[0]) if match and match[1] == measure)
    column, simulated = match[0], match[1] + match[2]
    return [(float(row[column]), float(row[simulated])) for row in rows if row[column] and row[simulated]]


def line_of(scenario, rows, measure):
    points = measured_points(rows, measure)
    errors = [100 * abs(simulated / measured - 1) for measured, simulated in points]
    median, p90 = median_and_p90(errors)
    apart, alike = pairs_in_order(points)
    in_order = f"{100 * alike / apart:.1f}" if apart else "-"
    return scenario, measure, str(len(errors)), f"{median:.1f}", f"{p90:.1f}", in_order


def lines_of_rows(scenario, rows):
    """One line for each measure that was measured."""
    return [line_of(scenario, rows, measure) for measure in measures_of(rows)]


def lines_of(program, scenario):
    """The lines of a scenario, which is run."""
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "run", str(scenario), "--no-plot", "--progress", "none", "--out", folder, "-o", f"csv:{folder}/rows.csv"]
        done = subprocess.run(command, text=True, capture_output=True, check=False)
        if done.returncode not in (0, 1):  # 1: a claim is missed
            raise SystemExit(f"{scenario.stem}: exit code {done.returncode}\n{done.stderr}")
        with open(f"{folder}/rows.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
    return lines_of_rows(scenario.stem, rows)


def scenarios():
    """Those that compare with measurements, but for long ones."""
    paths = sorted((PROJECT / "scenarios").glob("*/*.lua"))
    texts = {path: path.read_text(encoding="utf-8") for path in paths}
    compares = re.compile(r'^  measured = |_published|require "parts\.between"', re.M)
    return [path for path in paths if compares.search(texts[path]) and "long = true" not in texts[path]]


def all_lines(program):
    return [line for scenario in scenarios() for line in lines_of(program, scenario)]


def lines_on_file():
    return [tuple(line.split("\t")) for line in FILE.read_text(encoding="utf-8").splitlines()[1:]]


def show_moves(before, now):
    """Prints each line that differs, with what it was."""
    old = {line[:2]: line[2:] for line in before}
    moved = [line for line in now if old.pop(line[:2], None) != line[2:]]
    was = {line[:2]: line[2:] for line in before}
    for line in moved:
        before_text = " ".join(f"{cell:>6}" for cell in was.get(line[:2], ("-",) * 4))
        print(f"{line[0]:28} {line[1]:14} {' '.join(f'{cell:>6}' for cell in line[2:])}   was {before_text}")
    for scenario, measure in old:
        print(f"{scenario:28} {measure:14} is no longer measured")
    print(f"{len(moved) + len(old)} of {len(now)} measures have other errors (points, median, p90, in order)")
    return bool(moved or old)


def main():
    if len(sys.argv) not in (2, 3, 4) or sys.argv[2:3] not in ([], ["--update"], ["--beside"]):
        raise SystemExit(__doc__)
    now = all_lines(str(Path(sys.argv[1]).resolve()))
    if sys.argv[2:] == ["--update"]:
        FILE.write_text("\n".join("\t".join(line) for line in (HEAD, *now)) + "\n", encoding="utf-8")
        return 0
    before = all_lines(str(Path(sys.argv[3]).resolve())) if sys.argv[2:] else lines_on_file()
    return show_moves(before, now)


if __name__ == "__main__":
    sys.exit(main())
