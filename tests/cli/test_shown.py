# SPDX-License-Identifier: BSD-3-Clause
"""What `run` shows on a terminal, and what `list` and `help` tell people and programs."""
import json
import os
import re
import struct
import subprocess
import fcntl
import termios
import unittest

from program import PROGRAM, STUDY, ProgramTest

# Twelve series of six letters and more, and a point that fails.
WIDE = """
local names = {}
for i = 1, 12 do names[i] = "design" .. i end
return study {
  title = "Wide",
  machine = machine { name = "plain" },
  vary = { { "design", names }, { "bytes", { "8B", "64B" } } },
  run = function(p)
    if p.design == "design7" then error("no such luck") end
    return { latency = "3us", share = 0.5, energy = "1uJ" }
  end,
  %s
}
"""
PLOT = 'plot = { x = "bytes", y = "latency_us", by = "design" },'


class Table(ProgramTest):

    def run_wide(self, *arguments, plot=PLOT, **environment):
        self.write("w.lua", WIDE % plot)
        code, out, err = self.run_program("run", "w.lua", "--no-plot", *arguments, **environment)
        self.assertEqual(code, 1, err)
        return out

    def lines(self, out):
        """Of the table: from the second line to the empty one."""
        return out.split("\nResults")[0].splitlines()[1:]

    def test_fits(self):
        for width in (40, 80, 200):
            out = self.run_wide(COLUMNS=str(width))
            self.assertLessEqual(max(map(len, self.lines(out))), width)
            for number in range(1, 13):
                self.assertRegex(out, rf"\bdesign{number}\b")
        self.assertLessEqual(max(map(len, self.lines(self.run_wide(COLUMNS="no number")))), 80)

    def test_terminal(self):
        """Its own width counts, and nothing but text is written there, whatever the terminal."""
        self.write("w.lua", WIDE % PLOT)
        for environment in ({"TERM": "dumb"}, {"NO_COLOR": "1"}, {"TERM": "xterm-256color"}):
            own, theirs = os.openpty()
            fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 60, 0, 0))
            subprocess.run([PROGRAM, "run", "w.lua", "--no-plot"], cwd=self.folder, stdout=theirs,
                           stderr=subprocess.DEVNULL, check=False,
                           env={**os.environ, "COLUMNS": "200", **environment})
            os.close(theirs)
            shown = b""
            while True:
                try:
                    part = os.read(own, 65536)
                except OSError:
                    break
                shown += part
                if not part:
                    break
            os.close(own)
            text = shown.decode()
            self.assertNotIn("\x1b", text)
            self.assertLessEqual(max(map(len, self.lines(text.replace("\r", "")))), 60)

    def test_says_its_axes(self):
        out = self.run_wide()
        self.assertIn("latency (us); rows: bytes; columns: design\n", out)
        out = self.run_wide(plot='plot = { x = "bytes", y = "latency", by = "design" },')
        self.assertIn("latency (us); rows: bytes; columns: design\n", out)
        out = self.run_wide(plot='plot = { x = "bytes", y = "share", only = { design = "design2" } },')
        self.assertIn("share; rows: bytes; only design = design2\n", out)
        out = self.run_wide(plot='plot = { x = "design", y = "share", only = { bytes = "64B" } },')
        self.assertIn("share; rows: design; only bytes = 64 B\n", out)
        out = self.run_wide(plot='plot = { x = "bytes", y = "share", by = "design", style = "heatmap" },')
        self.assertIn("share; rows: design; columns: bytes\n", out)

    def test_units_of_axes(self):
        """An axis of quantities says its unit, as a measure does."""
        self.write("clock.lua", """
            return study { title = "t", machine = require "configs.gcn3_node" {}, vary = { clock = { "1GHz", "2GHz" }, wait = { "1us", "2us" } },
              run = function(p) return { share = 0.5 } end, plot = { x = "wait", y = "share", by = "clock", style = "lines" } }""")
        self.assertIn("share; rows: wait (us); columns: clock (GHz)\n", self.succeed("run", "clock.lua", "--no-plot"))

    def test_failures_stand_below(self):
        out = self.run_wide()
        self.assertRegex(out, r"\nFailed at design=design7,bytes=8B and 1 other: w\.lua:9: no such\s+luck\.\n")
        table = out.split("Failed at")[0]
        self.assertNotIn("luck", table)
        self.assertNotIn("failure", table)
        rows = (self.folder / "out/w/results.csv").read_text()
        self.assertIn("failure", rows.splitlines()[0])

    def test_without_plot(self):
        """The axes and what fits; the others are named."""
        out = self.run_wide(plot="", COLUMNS="44")
        self.assertRegex(out, r"(?m)^design +bytes +energy \(uJ\) +latency \(us\)$")
        self.assertIn("Not shown: share. --columns chooses.\n", out)
        self.assertRegex(self.run_wide(plot=""), r"(?m)^design +bytes +energy \(uJ\) +latency \(us\) +share$")

    def test_columns(self):
        out = self.run_wide("--columns", "energy,share")
        self.assertRegex(out, r"(?m)^design +bytes +energy \(uJ\) +share$")
        self.assertNotIn("latency", out)
        out = self.run_wide("--columns", "all", COLUMNS="30")
        self.assertRegex(out, r"(?m)^design +bytes +energy \(uJ\)$")
        self.assertRegex(out, r"(?m)^design +bytes +latency \(us\)$")

    def test_wide(self):
        """All measures beside each other, however long the lines; or those that are named."""
        out = self.run_wide("--wide", COLUMNS="30")
        self.assertRegex(out, r"(?m)^design +bytes +energy \(uJ\) +latency \(us\) +share$")
        out = self.run_wide("--wide", "--columns", "energy,share", COLUMNS="30")
        self.assertRegex(out, r"(?m)^design +bytes +energy \(uJ\) +share$")

    def test_spread(self):
        """A mean over phases stands with its spread behind it, and takes it with it into a table of chosen columns."""
        spread = """
            return study { title = "Spread", machine = machine { name = "m" }, vary = { bytes = { "64B" } },
                           run = function(p) return { latency = "3.2123us", latency_spread = "45ns" } end }"""
        self.write("p.lua", spread)
        out = self.succeed("run", "p.lua", "--no-plot", "-o", "csv:p.csv")
        self.assertRegex(out, r"(?m)^bytes +latency \(us\)\n64 B +3\.212 ±0\.045$")
        self.assertEqual((self.folder / "p.csv").read_text(), "bytes,latency_us,latency_spread_us\n64,3.2123,0.045\n")
        out = self.succeed("run", "p.lua", "--no-plot", "--columns", "latency")
        self.assertRegex(out, r"(?m)^64 B +3\.212 ±0\.045$")
        out = self.succeed("run", "p.lua", "--no-plot", "--columns", "latency_spread")
        self.assertRegex(out, r"(?m)^bytes +latency_spread \(us\)\n64 B +0\.045$")

    def test_two_groups(self):
        """A mean whose runs fall into two groups stands as their medians with their shares, and a figure's band goes from one to the other."""
        self.write("g.lua", """
            local states = { latency = "5.042us", latency_spread = "210ns", latency_lower = "4.7012us", latency_upper = "5.6us",
                             latency_lower_share = 0.62 }
            return study { title = "Groups", machine = machine { name = "m" }, vary = { { "queues", { 64, 128 } }, { "threads", { 1, 2 } } },
                           run = function(p) return p.queues == 64 and p.threads == 2 and states or { latency = "4us", latency_spread = "1us" } end,
                           plot = { x = "queues", y = "latency_us", by = "threads", style = STYLE } }""".replace("STYLE", '"lines"'))
        out = self.succeed("run", "g.lua", "-o", "csv:g.csv", "-o", "svg:g.svg")
        self.assertRegex(out, r"(?m)^queues +1 +2\n64 +4\.0 ±1\.0 +4\.70 \(62 %\) or 5\.60 \(38 %\)\n128 +4\.0 ±1\.0 +4\.0 ±1\.0$")
        self.assertEqual((self.folder / "g.csv").read_text().splitlines()[:3], [
            "queues,threads,latency_us,latency_spread_us,latency_lower_us,latency_lower_share,latency_upper_us",
            "64,1,4,1,,,", "64,2,5.042,0.21,4.7012,0.62,5.6"])
        figure = (self.folder / "g.svg").read_text()
        self.assertIn("95 % interval of the mean over phases, or the medians of two groups of runs", figure)
        self.write("h.lua", (self.folder / "g.lua").read_text().replace("5.6us", "8us"))
        self.succeed("run", "h.lua", "-o", "svg:h.svg")
        self.assertNotEqual((self.folder / "h.svg").read_text(), figure)
        out = self.succeed("run", "g.lua", "--no-plot", "--columns", "latency")
        self.assertRegex(out, r"(?m)^64 +2 +4\.70 \(62 %\) or 5\.60 \(38 %\)$")
        self.write("p.lua", (self.folder / "g.lua").read_text().replace('"lines"', '"points"').replace('x = "queues"', 'x = "latency_spread_us"'))
        self.assertRegex(self.succeed("run", "p.lua"), r"4\.70 \(62 %\) or 5\.60 \(38 %\)")

    def test_scatter(self):
        out = self.run_wide(plot='plot = { x = "latency_us", y = "share", style = "points" },')
        self.assertRegex(out, r"(?m)^design +bytes +latency \(us\) +share$")
        self.assertNotIn("energy", out)

    def test_long_table(self):
        self.write("l.lua", """
            return study { title = "Long", machine = machine { name = "m" }, vary = { n = range(1, 600, 1) },
                           run = function(p) return { twice = 2 * p.n } end }""")
        out = self.succeed("run", "l.lua", "--no-plot")
        self.assertIn("... and 100 more rows\n", out)
        self.assertRegex(out, r"(?m)^500 +1000$")
        self.assertNotRegex(out, r"(?m)^501 ")

    def test_unknown_columns(self):
        self.write("s.lua", STUDY % "")
        sentence = self.fail_with(2, "run", "s.lua", "--no-plot", "--columns", "shar")
        self.assertIn("--columns shar: no such axis or measure: did you mean share; there are bytes, design", sentence)
        sentence = self.fail_with(2, "run", "s.lua", "--no-plot", "--best", "latenc")
        self.assertIn("--best latenc: no such measure: did you mean latency_us; those with numbers are", sentence)
        sentence = self.fail_with(2, "run", "s.lua", "-o", "csv:-", "--no-plot", "--columns", "share")
        self.assertIn("--columns", sentence)
        self.assertTrue((self.folder / "out/s/results.csv").exists())
        self.write("v.lua", (STUDY % "").replace("local slow", 'if p.bytes == "8B" then return { only_here = 1 } end local slow'))
        for name in ("only_here", "share"):
            self.assertIn(name, self.succeed("run", "v.lua", "--no-plot", "--columns", name, "-j", "1"))
        self.write("p.lua", (STUDY % "").replace('y = "latency_us"', 'y = "latncy"'))
        self.assertIn("did you mean latency_us", self.fail_with(2, "run", "p.lua"))


class Huge(ProgramTest):

    def test_a_million_points(self):
        """They are counted without being listed, and a share of them starts without the others."""
        self.write("h.lua", """
            return study { title = "h", machine = machine { name = "m" },
              vary = { a = range(1, 100, 1), b = range(1, 100, 1), c = range(1, 100, 1) },
              run = function(p) return { sum = p.a + p.b + p.c } end }""")
        self.assertEqual(self.succeed("check", "h.lua"), "h.lua: no faults found; 1000000 points\n")
        self.assertIn("10 points, 0 failed", self.succeed("sweep", "h.lua", "--store", "h.db", "--shard", "1/100000"))


class Defaults(ProgramTest):
    """Values of a machine that nobody gave are told where they are more than half of what a run reads."""

    STUDY = """
        return study { title = "d", machine = %s, vary = { design = { "gpu-verbs" } },
          run = function(p) return get_latency { design = p.design, bytes = "8B", repeats = 2 } end }"""

    def note(self, machine, *arguments):
        self.write("d.lua", self.STUDY % machine)
        out = self.succeed("run", "d.lua", "--no-plot", *arguments, COLUMNS="2000")
        found = re.search(r"(\d+) of the (\d+) machine values .* are defaults without a source: (.*)\.\n", out)
        return found and (int(found[2]), int(found[1]), found[3])

    def test_told(self):
        here = 'machine { name = "m", nic = { command_gap = published("3ns", "s") } }'
        everything, defaults, counts = self.note(here)
        self.assertEqual(sum(int(number) for number in re.findall(r" (\d+)(?=,| \()", " " + counts)), defaults)
        self.assertTrue(counts.endswith(" (--defaults names them, gpunetsim sensitivity tells which matter)"))
        self.assertLess(len(counts), 240)
        everything, defaults, names = self.note(here, "--defaults")
        self.assertGreater(everything, 20)
        self.assertEqual(defaults, everything - 1)
        self.assertEqual(len(re.findall(r"[a-z_0-9]+(?=,|;|$)", names)), defaults)
        self.assertIn("; nic: active_power, command_latency, doorbell_latency", names)
        self.assertNotIn("command_gap", names)
        self.assertNotIn("charm", names)  # the run does not read it

    def test_not_told(self):
        self.assertIsNone(self.note('require "configs.gcn3_node"'))


class Telling(ProgramTest):

    def test_measures(self):
        out = self.succeed("list", "measures")
        self.assertRegex(out, r"(?m)^latency_us +Mean latency")
        self.assertRegex(out, r"(?m)^bandwidth_GBps +\S")
        self.assertIn("Mean latency", self.succeed("help", "latency_us"))
        self.assertEqual(self.succeed("help", "latency"), self.succeed("help", "latency_us").replace("_us:", ":"))
        self.assertIn("did you mean latency", self.fail_with(2, "help", "latncy"))
        self.assertIn("did you mean nic", self.fail_with(2, "help", "nicc"))

    def test_rows_of_several_components(self):
        """Help shows them once, by themselves; other programs get them all, and each has its own topic."""
        host = self.succeed("help", "host")
        self.assertRegex(host, r"(?m)^l1_\* +gpunetsim help cache +L1 data cache of a core: size = 64KiB, ways = 2, latency_cycles = 2$")
        self.assertRegex(host, r"(?m)^\(core\) +gpunetsim help core +A core: clock = 4GHz, ")
        self.assertRegex(self.succeed("help", "cache"), r"(?m)^ways +16 +1 to 1024 +Associativity\.$")
        self.assertRegex(self.succeed("help", "core"), r"(?m)^clock +1MHz to 10GHz +Clock of a core\.$")
        rows = {row["parameter"]: row for row in json.loads(self.succeed("help", "host", "--json"))["parameters"]}
        self.assertEqual(rows["l1_ways"]["default"], "2")
        self.assertEqual(rows["clock"]["default"], "4GHz")
        self.assertIn("default   4", self.succeed("help", "cp.dcache_latency_cycles"))

    def test_every_measure_of_a_run_is_listed(self):
        listed = {row["measure"] for row in json.loads(self.succeed("list", "measures", "--json"))}
        self.write("m.lua", """
            local summit = require "configs.summit"
            return study { title = "m", machine = summit { nodes = 2 }, vary = { way = { "get", "message" } },
              run = function(p)
                if p.way == "get" then return get_latency { design = "comp-net", bytes = "8B", repeats = 2 } end
                return osu_latency { design = "charm-channel", bytes = "8B", placement = "inter-node" }
              end }""")
        rows = json.loads(self.succeed("run", "m.lua", "--no-plot", "-o", "json:-"))
        means = {name for name in rows[0] if "_spread" not in name}  # that of each mean is listed as NAME_spread
        self.assertLessEqual(means - {"way"}, listed)

    def test_json(self):
        everything = json.loads(self.succeed("list", "--json"))
        self.assertEqual(sorted(everything), ["components", "designs", "machines", "measures", "scenarios", "workloads"])
        self.assertIn("run", [row["command"] for row in json.loads(self.succeed("help", "--json"))])
        self.assertEqual(json.loads(self.succeed("help", "run", "--json"))["arguments"], "FILE.lua")
        nic = json.loads(self.succeed("help", "nic", "--json"))
        self.assertIn("command_gap", [row["parameter"] for row in nic["parameters"]])
        gap = json.loads(self.succeed("help", "nic.command_gap", "--json"))
        self.assertEqual((gap["default"], gap["units"][:2]), ("10ns", "ps"))
        design = json.loads(self.succeed("help", "comp-net", "--json"))
        self.assertIn({"axis": "server", "value": "command_processor"},
                      [{key: row[key] for key in ("axis", "value")} for row in design["axes"]])
        self.assertIn("Mean", json.loads(self.succeed("help", "latency", "--json"))["description"])


if __name__ == "__main__":
    unittest.main()
