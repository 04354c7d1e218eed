# SPDX-License-Identifier: BSD-3-Clause
"""Draws a window of a timeline (gpunetsim trace) with gnuplot: timeline.py TRACE.json FROM_US TO_US OUT.png"""
import json
import subprocess
import sys

COLOURS = ["#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#bbbbbb", "#994455", "#999933", "#004488",
           "#bb5566", "#000000", "#88ccee", "#ddaa33", "#44aa99", "#882255"]


def rows_of(events):
    """[(label, spans)] by process and thread, in the order of their names."""
    processes, rows = {}, {}
    for event in events:
        if event["ph"] == "M" and event["name"] == "process_name":
            processes[event["pid"]] = event["args"]["name"]
        elif event["ph"] == "M":
            rows[event["pid"], event["tid"]] = (f'{processes[event["pid"]]}  {event["args"]["name"]}', [])
        elif event["ph"] == "X":
            rows[event["pid"], event["tid"]][1].append((event["ts"], event["ts"] + event["dur"], event["name"]))
    return sorted(rows.values())


def draw(trace, start, end, out):
    with open(trace, encoding="utf-8") as file:
        rows = rows_of(json.load(file)["traceEvents"])
    rows = [(label, [span for span in spans if span[1] > start and span[0] < end]) for label, spans in rows]
    rows = [row for row in rows if row[1]][::-1]
    names = sorted({name for _, spans in rows for _, _, name in spans})
    script = [f'set terminal pngcairo size 1500,{90 + 22 * len(rows)} font "Sans,10"', f'set output "{out}"',
              f"set xrange [{start}:{end}]", f"set yrange [-0.5:{len(rows) - 0.5}]", 'set xlabel "Time (us)"',
              "set key outside right top", "set grid x"]
    tics = ", ".join(f'"{label}" {y}' for y, (label, _) in enumerate(rows))
    script.append(f"set ytics noenhanced ({tics})")
    number = 0
    for y, (_, spans) in enumerate(rows):
        for first, last, name in spans:
            number += 1
            colour = COLOURS[names.index(name) % len(COLOURS)]
            script.append(f"set object {number} rectangle from {max(first, start)},{y - 0.38} to {min(last, end)},{y + 0.38} "
                          f'fillcolor rgb "{colour}" fillstyle solid noborder')
    lines = [f'NaN with boxes fillstyle solid fillcolor rgb "{COLOURS[i % len(COLOURS)]}" title "{name}" noenhanced'
             for i, name in enumerate(names)]
    script.append("plot " + ", ".join(lines))
    subprocess.run(["gnuplot", "-d"], input="\n".join(script), text=True, check=True)


if __name__ == "__main__":
    draw(sys.argv[1], float(sys.argv[2]), float(sys.argv[3]), sys.argv[4])
