#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The scoreboard: runs every scenario that compares with measurements, and says which errors against them differ from those on file.

usage: errors.py PROGRAM [--whole] [--results FOLDER] [--update | --all | --beside OTHER_PROGRAM]

The file is tests/cli/errors.tsv. A line has a scenario, what its points are of (who measured, how many GPUs, how, which library: what of
that its rows tell apart), a measure, the number of measured points, the median and the 90th percentile of |simulated / measured - 1| in percent,
and the percentage of pairs of points that the simulation puts in the measured order; a pair counts if its measured values are more than
10 % apart. With --beside, the other program's errors take the place of the file. --results takes what FOLDER/SCENARIO/results.csv has
instead of running. --whole adds the scenarios that take minutes. --all prints every line.

A change of a model shows what it does to the truth by what this prints: a line that became worse by more than what two collections of the same
rows differ by (1.1 %) ends with "worse", and the change's message says why. --update writes the file again, so that the change shows it too.
"""
import argparse
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
HEAD = ("scenario", "of", "measure", "points", "median", "p90", "in order")
GROUPS = ("source", "gpus", "how", "library")  # columns that tell kinds of rows apart; gpus beside another one
NOISE = 1.1  # percent between two collections of the same rows
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


def line_of(scenario, of, rows, measure):
    points = measured_points(rows, measure)
    errors = [100 * abs(simulated / measured - 1) for measured, simulated in points]
    median, p90 = median_and_p90(errors)
    apart, alike = pairs_in_order(points)
    in_order = f"{100 * alike / apart:.1f}" if apart else "-"
    return scenario, of, measure, str(len(errors)), f"{median:.1f}", f"{p90:.1f}", in_order


def lines_of_rows(scenario, rows):
    """One line for each kind of rows and each measure that was measured of it."""
    names = [name for name in GROUPS if name in rows[0]]
    names = [] if names == ["gpus"] else names
    kinds = {}
    for row in rows:
        kinds.setdefault(" ".join(row[name] for name in names), []).append(row)
    return [line_of(scenario, of, of_kind, measure) for of, of_kind in kinds.items() for measure in measures_of(rows)
            if measured_points(of_kind, measure)]


def read_rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def lines_of(program, scenario, results):
    """The lines of a scenario, which is run unless there are results."""
    if results and (results / scenario.stem / "results.csv").exists():
        return lines_of_rows(scenario.stem, read_rows(results / scenario.stem / "results.csv"))
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "run", str(scenario), "--no-plot", "--progress", "none", "--out", folder, "-o", f"csv:{folder}/rows.csv"]
        done = subprocess.run(command, text=True, capture_output=True, check=False)
        if done.returncode not in (0, 1):  # 1: a claim is missed
            raise SystemExit(f"{scenario.stem}: exit code {done.returncode}\n{done.stderr}")
        return lines_of_rows(scenario.stem, read_rows(f"{folder}/rows.csv"))


def scenarios(is_whole=False):
    """Those that compare with measurements; but for long ones unless all are meant."""
    paths = sorted((PROJECT / "scenarios").glob("*/*.lua"))
    texts = {path: path.read_text(encoding="utf-8") for path in paths}
    compares = re.compile(r'^  measured = |_published|require "parts\.between"', re.M)
    return [path for path in paths if compares.search(texts[path]) and (is_whole or "long = true" not in texts[path])]


def all_lines(program, arguments):
    results = Path(arguments.results) if arguments.results else None
    return [line for scenario in scenarios(arguments.whole) for line in lines_of(program, scenario, results)]


def lines_on_file():
    return [tuple(line.split("\t")) for line in FILE.read_text(encoding="utf-8").splitlines()[1:]]


def is_worse(now, before):
    """Of (points, median, p90, in order), as texts: whether the median is larger by more than what measurements differ by."""
    return before is not None and before[0] == now[0] and float(now[1]) > float(before[1]) + NOISE


def show(line, was):
    before = " ".join(f"{cell:>6}" for cell in was or ("-",) * 4)
    print(f"{line[0]:26} {line[1]:24} {line[2]:12} {' '.join(f'{cell:>6}' for cell in line[3:])}   was {before}"
          f"{'  worse' if is_worse(line[3:], was) else ''}")


def show_moves(before, now, shows_all):
    """Prints each line that differs, or all, with what it was; whether one differs."""
    was = {line[:3]: line[3:] for line in before}
    moved = [line for line in now if was.get(line[:3]) != line[3:]]
    for line in now if shows_all else moved:
        show(line, was.get(line[:3]))
    gone = was.keys() - {line[:3] for line in now}
    for key in sorted(gone):
        print(f"{' '.join(key)} is no longer measured")
    print(f"{len(moved) + len(gone)} of {len(now)} lines have other errors (points, median, p90, in order)")
    return bool(moved or gone)


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--results")
    way = parser.add_mutually_exclusive_group()
    way.add_argument("--update", action="store_true")
    way.add_argument("--all", action="store_true")
    way.add_argument("--beside")
    return parser.parse_args(arguments)


def main():
    arguments = parse(sys.argv[1:])
    now = all_lines(str(Path(arguments.program).resolve()), arguments)
    if arguments.update:
        FILE.write_text("\n".join("\t".join(line) for line in (HEAD, *now)) + "\n", encoding="utf-8")
        return 0
    before = all_lines(str(Path(arguments.beside).resolve()), parse([arguments.beside, *["--whole"] * arguments.whole])) \
        if arguments.beside else lines_on_file()
    return show_moves(before, now, arguments.all)


if __name__ == "__main__":
    sys.exit(main())
