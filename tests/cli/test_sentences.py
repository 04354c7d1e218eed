# SPDX-License-Identifier: BSD-3-Clause
"""Sentences of errors that no other test meets: each by the least input that leads to it."""
import csv
import os
import shutil
import subprocess
import unittest

from program import PROGRAM, STUDY, ProgramTest

# (what a rank's program does, the sentence)
RANK = (
    ("me:stream(1)", "a stream's priority is -5 to 0"),
    ("for _ = 1, 100 do me:stream() end", "a rank makes at most"),
    ("me:synchronise(5)", "stream has to be what this rank's me:stream() gave"),
    ("me:copy { to = d, from = h, bytes = '1GiB' }", "bytes: both buffers have 1 to"),
    ("me:wait_event(5)", "it needs what this rank's me:event(stream) gave"),
    ("me:graph(5)", "graph needs a function that launches kernels, not a number"),
    ("local function one() me:launch { threads = 32 } end for _ = 1, 2000 do me:graph(one) end", "a rank makes at most"),
    ("me:graph(function() for _ = 1, 1000000 do me:launch { threads = 32 } end end)", "a graph has at most"),
    ("me:graph(function() me:compute('1us') end)", "a graph is a chain of kernels: its function can only launch them"),
    ("local g = me:graph(function() me:launch { threads = 32 } end) me:launch { graph = g, threads = 64 }",
     "takes no threads: that is the graph's"),
    ("me:send { to = 1, buffer = h, bytes = '8B' }", "messages need channels: program { channels = true, ... }"),
    ("me:wait(5)", "wait needs messages that send and receive gave, not a number"),
    ("me:record(5, 5)", "record needs a name and a quantity or a number"),
    ("me:compute(5)", 'compute needs a time such as "1us"'),
    ("me:compute { elements = 5, bytes = '2MiB' }", "bytes of an element are 1 MiB at most"),
    ("me:finish(1000)", "lanes are 0 to"),
)

# (what stands before the parties, the sentence)
BEFORE = (
    ("w.buffer('8B')", "a program's functions are called with a colon, as in"),
    ("w:buffer('8B', 'attic')", 'in "host" or in "pinned" memory, not in "attic"'),
    ("for _ = 1, 10000 do w:buffer('8B') end", "a program has at most"),
    ("w:signals(0)", "signals are 1 to"),
    ("for _ = 1, 1000 do w:signals(1) end", "a program asks for signals at most"),
    ("w:parties(5)", "parties needs a table { work_groups = ..., program = function(me) ... end }"),
    ("w:parties { work_groups = 0, program = function() end }", "work_groups is a whole number from 1 to"),
    ("for _ = 1, 2 do w:host(0):process(function() end) end", "GPU 0 has a program already"),
    ("w:host(0).process(function() end)", "it is called with a colon, as in w:gpu(0):kernel { ... }"),
    ("w:host(0):proces(function() end)", "w:gpu(i) has kernel { ... }, w:host(i) has process(f), nothing else"),
    ("w:kernel()", 'a program has buffer, signals, parties, gpu, host and run, not "kernel"'),
)

POINTS = """
local summit = require "configs.summit"
local cases = {
%s}
local numbers = {}
for i in ipairs(cases) do numbers[i] = i end
return study {
  title = "What programs are refused",
  machine = summit { nodes = 2 },
  vary = { case = numbers },
  run = function(p)
    local w = program { design = "openmpi-d" }
    local d, h = w:buffer("1KiB"), w:buffer("1KiB", "pinned")
    cases[p.case](w, d, h)
    return w:run()
  end,
}
"""

# (what is otherwise in a study, the sentence)
STUDIES = (
    (('title = "A made-up study"', 'title = "A", band = 1'), "study: band has 2 to"),
    (("vary = {", "vary = zip {}, old = {"), "zip needs at least one axis"),
    (('vary = { bytes = { "8B", "64B", "512B" }, design = { "one", "two" } }', "vary = random(0, { a = { 1, 2 } })"),
     "the number of samples is 1 to"),
    (('plot = { x = "bytes", y = "latency_us", by = "design", style = "loglog" },', "plot = { 5 },"), "plot has to be a table { x = ..., y = ... } or a list of such"),
    (("machine_here,", "machine_here, measured = { { 'x.tsv' } },"), "NAME.tsv"),
    (("machine_here,", "machine_here, measured = { file = 'x.tsv', only = 5 },"), "only needs a table such as"),
    (("machine_here,", "machine_here, measured = { file = 'x.tsv', latency = 5 },"), "a text is needed for"),
)

# (words of the command line behind the program's name, the sentence)
COMMANDS = (
    ("explain s.lua --by colour", "--by colour: accepted are place and iteration"),
    ("explain s.lua --seed -1", "a seed is 0 or more"),
    ("explain s.lua -o x.bmp", "-o x.bmp: the name ends in .svg, .png, .pdf, .csv or .json"),
    ("explain s.lua --point bytes", "point bytes: write AXIS=VALUE"),
    ("explain s.lua --point bytes=8,bytes=64", "point: bytes is there twice"),
    ("goal", "goal takes either a TRACE.goal or --generate PATTERN"),
    ("osu latency --sizes 8B --window 4", "--window belongs to bw, bibw and mbw_mr"),
    ("sensitivity s.lua --step 0", "--step 0: accepted is more than 0 and up to"),
    ("sensitivity s.lua --band 1", "--band 1: the number of samples is 2 to"),
    ("solve s.lua --vary nic.command_gap=1ns..2ns", "solve needs --target"),
    ("solve s.lua --target 5us", "solve needs --vary: the parameters that may change"),
    ("solve s.lua --point design=one,bytes=8 --target 5us --vary nic.command_gap=1ns", "write LOW..HIGH"),
    ("solve s.lua --point design=one,bytes=8 --target 5us --vary nic.command_gap=2ns..1ns",
     "the low end has to be below the high one"),
    ("trace s.lua", "trace needs -o FILE.json"),
    ("trace s.lua -o t.json --seed -1", "a seed is 0 or more"),
    ("trace s.lua -o t.json --from 5us --to 1us", "the window ends before it begins"),
    ("run s.lua -o csv:a -o json:a", "two outputs cannot both be in a"),
    ("run s.lua --redo all", "--redo needs --store"),
    ("sweep s.lua --store s.db --redo some", "--redo some: accepted are failed and all"),
    ("sweep s.lua --store s.db --shard 3/2", "write I/N, such as 3/16, with I from 1 to N"),
    ("sweep s.lua --store s.db --seed -1", "a seed is 0 or more"),
    ("run s.lua -o sqlite:-", "this cannot go to standard output"),
    ("run n.lua -o svg:a.svg", "the study has no plot"),
)


class Sentences(ProgramTest):
    def test_of_programs(self):
        cases = [(f"w:host(0):process(function(me) {code} end)", sentence) for code, sentence in RANK] + list(BEFORE)
        self.write("p.lua", POINTS % "".join(f"  function(w, d, h) {code} end,\n" for code, _ in cases))
        self.run_program("run", "p.lua", "--no-plot", "-o", "csv:p.csv")
        with (self.folder / "p.csv").open(newline="", encoding="utf-8") as file:
            failures = [row["failure"] for row in csv.DictReader(file)]
        self.assertEqual(len(failures), len(cases))
        for (code, sentence), failure in zip(cases, failures):
            with self.subTest(code):
                self.assertIn(sentence, failure)
                self.assertRegex(failure, r"^p\.lua:\d+: ")

    def test_of_studies(self):
        for (old, new), sentence in STUDIES:
            with self.subTest(new):
                self.assertIn(old, STUDY)
                self.write("s.lua", (STUDY % "").replace(old, new))
                self.assertIn(sentence, self.fail_with(2, "check", "s.lua"))

    def test_of_a_program_without_its_files(self):
        alone = self.folder / "alone"
        shutil.copy(PROGRAM, alone)
        environment = {name: value for name, value in os.environ.items() if name != "GPUNETSIM_ROOT"}
        done = subprocess.run([alone, "list", "machines"], cwd=self.folder, env=environment, capture_output=True, text=True)
        if done.returncode == 0:
            self.skipTest("one is installed where this one looks")
        self.assertIn("GPUNETSIM_ROOT", done.stderr)

    def test_of_commands(self):
        self.write("s.lua", STUDY % "")
        self.write("n.lua", (STUDY % "").replace("plot = {", "--[[").replace('style = "loglog" },', "]]"))
        for words, sentence in COMMANDS:
            with self.subTest(words):
                self.assertIn(sentence, self.fail_with(2, *words.split()))


if __name__ == "__main__":
    unittest.main()
