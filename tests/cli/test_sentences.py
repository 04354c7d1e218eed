# SPDX-License-Identifier: BSD-3-Clause
"""Sentences of errors that no other test meets: each by the least input that leads to it."""
import csv
import os
import shutil
import subprocess
import unittest

from program import PROGRAM, PROJECT, STUDY, ProgramTest

# (what a rank's program does, the sentence)
RANK = (
    ("me:stream(1)", "a stream's priority is -5 to 0"),
    ("me:stream(0, 99)", "stream is 99; ranks are 0 to "),
    ("me:stream(0, -1)", "stream is -1; ranks are 0 to "),
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
    ("me:copy { to = h, from = h, bytes = '8B' }", "copy: both buffers are in host memory; a copy engine takes one in the GPU's"),
    ("me:record('x', '-1ns')", 'record: "x" cannot be negative'),
    ("me:barrier()", "barrier needs program { barrier = true, ... }"),
    ("me:put { to = 1, buffer = other:buffer('8B') }", "buffer is of another program"),
    ("me:put { buffer = d }", "to is missing"),
    ("me:put { to = 1, buffer = d, bytes = '-8B' }", "bytes is negative"),
    ("me:serve { from = 0 }", "from is the party itself"),
    ("me:put { to = 1, buffer = d, bytes = '8q' }", 'bytes: "8q" has "q" where a number of bytes needs one of'),
    ("for i = 1, 20 do me:record('m' .. i, 1) end", "a program records at most"),
)

# (what stands before the parties, the sentence)
BEFORE = (
    ("w.buffer('8B')", "a program's functions are called with a colon, as in"),
    ("w:buffer('8B', 'attic')", 'in "host" or in "pinned" memory, not in "attic"'),
    ("for _ = 1, 10000 do w:buffer('8B') end", "a program has at most"),
    ("w:signals(0)", "signals are 1 to"),
    ("for _ = 1, 1000 do w:signals(1) end", "a program asks for signals at most"),
    ("w:parties(5)", "parties needs a table { work_groups = ..., program = function(me) ... end }"),
    ("w:parties { work_groups = 0, program = function() end }", "work_groups is 0; it is a whole number from 1 to 65536"),
    ("for _ = 1, 2 do w:host(0):process(function() end) end", "GPU 0 has a program already"),
    ("w:host(0).process(function() end)", "it is called with a colon, as in w:gpu(0):kernel { ... }"),
    ("w:host(0):proces(function() end)", "w:gpu(i) has kernel { ... }, w:host(i) has process(f), nothing else"),
    ("w:kernel()", 'a program has buffer, signals, parties, gpu, host and run, not "kernel"'),
    ("w:host(0):process(function() end, 5)", "process needs a table, not a number"),
    ("for _ = 1, 5 do w:signals(4096) end w:parties { program = function() end }", "a program has at most"),
    ("local all = {} for i = 1, 9 do all[i] = program { design = 'openmpi-d' } end all[1]:run(table.unpack(all))",
     "programs run at once"),
    ("local g = schedule { ranks = 2 } g.calc {}", "a schedule's functions are called with a colon, as in g:calc { ... }"),
    ("schedule { ranks = 2 }:calc { time = '1us' }", "rank is missing"),
    ("schedule { ranks = 2 }:send { rank = 0, bytes = '8B' }", "to is missing"),
    ("schedule { ranks = 2 }:calc(5)", "calc needs a table { rank = ..., ... }"),
    ("get_latency(5)", "get_latency needs a table, not a number"),
    ("kernels(function(me) me:put { to = 1, buffer = 5 } end)", "buffer has to be"),
    ("kernels(function(me) me:barrier() end, { barrier = true, kernels = 1 })",
     "barrier needs a program on all GPUs; here kernels says which have one"),
    ("kernels(function(me) if me.group == 1 then me:quiet() end end, { queues = 1 })",
     "work-group 1 has no queue: only the first 1 of a GPU have one (queues)"),
    ("ranks(function(me) me:group_barrier() end)", "ranks of a GPU are processes of their own, without a barrier"),
    ("ranks(function(me, b) for _ = 1, 1000 do me:send { to = 1 - me.rank, buffer = b } end end)",
     "messages under way before it waits for all of them"),
    ("ranks(function(me, b) local m = me:receive { from = 1 - me.rank, buffer = b } me:send { to = 1 - me.rank, buffer = b } "
     "me:wait(m) me:wait(m) end)", "a message is waited for once"),
    ("local g = schedule { ranks = 2 } ranks(function() g:run() end)", "a schedule's run cannot be called inside a party's function"),
    ("ranks(function() schedule { ranks = 2 } end)", "schedule cannot be called inside a party's function: a run is in progress"),
    ("ranks(function() program { design = 'openmpi-d' } end)", "program cannot be called inside a party's function"),
    ("other:parties { program = function() end } ranks(function() other:run() end)",
     "a program's run cannot be called inside a party's function"),
    ("w:host(0):process(function(me) kept = me end) w:run() local x = kept.rank", "the run of this party is over"),
    ("w:host(0):process(function(me) kept = me end) w:run() kept:compute('1us')", "a party's operations are its own"),
    ("ranks(function(me) stream = stream or me:stream() end) ranks(function(me) me:synchronise(stream) end)",
     "stream has to be what this rank's me:stream() gave"),
    ("ranks(function(me, b) buffer = buffer or b end) ranks(function(me) me:send { to = 1 - me.rank, buffer = buffer } end)",
     "buffer is of another program"),
    ("local x = design { from = 'comp-net' } x.server = 'gpu'", "a design cannot be changed; design { from = d, ... } makes another one"),
    ("local x = design { from = 'comp-net' }.sever", 'unknown axis "sever" in a design'),
    ("design { from = 5 }", "design.from needs the name of a design or a design, not a number"),
    ("design { from = 'comp-net', name = 5 }", "design.name is text, not a number"),
    ("machine_here.range('bus.latency')", 'ask for a range as in m:range "bus.latency"'),
    ("machine_here:range('bus.nothing')", 'the machine gives no bounds for "bus.nothing"; only estimated and fitted values have them'),
    ("require 'configs.gcn3_node'", "files are required while the script is loaded, not when a point runs; "
     'require it above the study, as in local node = require "NAME"'),
    ("local x = p[5]", "has names, not a number"),
    ("ranks(function(me) for _ = 1, 3 do me:compute('1000000s') end end)",
     "the run takes longer than 26 days of simulated time, which is as far as the clock goes"),
    ("local g = schedule { ranks = 2 } for i = 1, 700000 do g:calc { rank = 0, time = '1234567890ns' } end g:text()",
     "the text of the schedule has more than 16 MiB"),
    ("local x = '8B' / bytes", "a quantity is divided by 0"),
)

POINTS = """
local summit = require "configs.summit"
local machine_here, bytes, kept, stream, buffer = summit { nodes = 2 }, "0B"
local function own(design, more, work_groups, body)
  more.design = design
  local w = program(more)
  local b = w:buffer("8B")
  w:parties { work_groups = work_groups, program = function(me) body(me, b) end }
  return w:run()
end
local function kernels(body, more) own("comp-net", more or {}, 2, body) end
local function ranks(body) own("openmpi-d", { channels = true }, 2, body) end
local cases = {
%s}
local numbers = {}
for i in ipairs(cases) do numbers[i] = i end
return study {
  title = "What programs are refused",
  machine = machine_here,
  vary = { case = numbers },
  run = function(p)
    local w, other = program { design = "openmpi-d" }, program { design = "openmpi-d" }
    local d, h = w:buffer("1KiB"), w:buffer("1KiB", "pinned")
    cases[p.case](w, d, h, p, other)
    return w:run()
  end,
}
"""

# (a workload and its arguments, the sentence)
WORKLOADS = (
    ("allreduce { design = 'comp-net', nodes = 2, bytes = '8B', memory = 'copied' }",
     "memory = copied is for designs whose processes pass messages"),
    ("allreduce { design = 'cpu', nodes = 2, bytes = '8B', tolerance = 0.1, repeats = 2 }", "tolerance above 0 takes repeats = 1"),
    ("jacobi2d { design = 'comp-net', nodes = 2, edge = 512, check = true }", "check = true takes an edge of at most 256 and tolerance = 0"),
    ("moe { design = 'comp-net', nodes = 2, top_k = 8, experts = 4 }", "a token cannot go to 8 different experts of 4"),
    ("moe { design = 'cpu', nodes = 2, telling_groups = 2 }", "telling_groups are work-groups of a kernel"),
    ("osu_bandwidth { design = 'openmpi-d', bytes = '8B', both_ways = true, reply = 'full' }",
     "both_ways = true needs no reply: reply = full is for one way"),
    ("osu_bidirectional { design = 'openmpi-d', bytes = '8B' }", '"osu_bidirectional" is not defined; it is called "osu_bandwidth" now'),
    ("osu_latency { design = 'comp-net', placement = 'inter-node', bytes = '8B', buffers = 'host' }",
     "a work-group's messages lie where its design keeps payloads; buffers = host is for ranks"),
    ("osu_latency { design = 'cp-channel', placement = 'inter-node', bytes = '8B', buffers = 'host' }",
     "buffers = host is for ranks on CPU cores"),
    ("queue_service { design = 'comp-net', work_groups = 1, operation = 'nop', posts = 1000 }", "1000 nops at once do not fit: a queue takes"),
    ("get_latency { design = 5, bytes = '8B' }", "get_latency.design"),
)

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
    (("vary = {", "vary = zip { a = 5 }, old = {"), 'zip: axis "a" needs a list of values'),
    (("vary = {", "vary = zip(5), old = {"), "zip needs a table of axes, such as"),
    (("title =", "schedule_here = schedule { ranks = 2 }, title ="), "schedule can be called only inside the run function of a study"),
    (("title =", "program_here = program { design = 'comp-net' }, title ="), "program can be called only inside the run function of a study"),
)

# (a claim's function, the note beside it)
CLAIMS = (
    ("r:value(5)", 'r:value needs a table such as { bytes = "8B" }'),
    ("r:value { bytes = function() end }", 'axis "bytes" has no such value'),
    ("{ obtained = { 1, 2, 3 } }", "a range obtained is { LOW, HIGH }, two numbers"),
    ("{ obtained = { 1, 2, mean = 3 } }", "a range obtained is { LOW, HIGH }, two numbers"),
    ("{ obtained = 1, limits = { low = 3 } }", "limits has to be a list of numbers, without names"),
    ("{ obtained = { 1, 2 }, limits = { { 1 }, { 2 }, { 3 } } }", "limits of a range are two lists, of its low and its high end"),
)

MANY = """
return study {
  title = "Many",
  machine = machine { name = "plain" },
  vary = { a = range(1, 65, 1) },
  run = function(p) return { a = 1 } end,
}
"""

FITTED = """
return study {
  title = "Fitted",
  machine = machine { nodes = fitted(2, 1, 3, { "N-39" }, "by hand") },
  vary = { a = { 1 } },
  run = function(p) return { t = "1us" } end,
}
"""

# (words of the command line behind the program's name, the sentence)
COMMANDS = (
    ("explain s.lua --by colour", "--by colour: accepted are place and iteration"),
    ("explain s.lua --seed -1", "a seed is 0 or more"),
    ("explain s.lua -o x.bmp", "-o x.bmp: the name ends in .svg, .png, .pdf, .csv or .json"),
    ("explain s.lua --point bytes", "point bytes: write AXIS=VALUE"),
    ("explain s.lua --point bytes=8,bytes=64", "point: bytes is there twice"),
    ("goal", "goal takes either a TRACE or --generate PATTERN"),
    ("osu latency --sizes 8B --window 4", "window belongs to bw, bibw and mbw_mr"),
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
    ("run s.lua -o csv:a -o json:a", "two outputs cannot both be in one file"),
    ("run s.lua --redo all", "--redo needs --store"),
    ("sweep s.lua --store s.db --redo some", "--redo some: accepted are failed and all"),
    ("sweep s.lua --store s.db --shard 3/2", "write I/N, such as 3/16, with I from 1 to N"),
    ("sweep s.lua --store s.db --seed -1", "a seed is 0 or more"),
    ("run s.lua -o sqlite:-", "this cannot go to standard output"),
    ("run n.lua -o svg:a.svg", "the study has no plot"),
    ("run n.lua -o osu:a.txt", "the OSU form needs a plot whose x is a size in bytes"),
    ("run s.lua -o csv:.gpunetsim-files", "gpunetsim keeps the list of its outputs under this name"),
    ("calibrate s.lua -o x.lua", "--output, --rows and --folds are for calibrate MACHINE DATA...; a study's values are printed"),
    ("calibrate gpu_host x.tsv --band 90", "--band is for calibrate STUDY.lua"),
    ("calibrate gpu_host empty", "empty: has no table (*.tsv) that can be read"),
    ("calibrate gpu_host latin.tsv", "latin.tsv:2: has a character that is not UTF-8; a table of measurements is text in UTF-8"),
    ("calibrate gpu_host platform.tsv", 'platform.tsv:2: sms is "many", no number from 1 to 1e6'),
    ("calibrate gpu_host perftest.txt", "a header of perftest names t_typical[usec], t_avg[usec] or BW average"),
    ("explain many.lua", "65 points are asked for, but at most 64 can be explained at a time: choose some with --point=AXIS=VALUE,...; the first are "),
    ("sensitivity many.lua", "65 points are asked for, but at most 64 can be changed at a time: choose some with --point"),
    ("trace many.lua -o t.json", "65 points are asked for, but at most 8 can be drawn over each other: choose some with --point"),
    ("goal --generate=ring:4 --loggp L=1 --machine summit", "--loggp and --machine cannot be given together"),
    ("params summit -s design.server=none", "override design.server=none: designs are chosen by studies; this takes a machine alone"),
    ("explain zipped.lua --point a=1,b=4", "point a=1,b=4: no point of the study has all of these"),
    ("solve zipped.lua --point a=1 --measure a_half --target soon --vary nic.command_gap=1ns..2ns",
     "--target soon: write a value, such as 2us, or AXIS=VALUE for the measure at another point, or least"),
    ("solve zipped.lua --point a=1,b=3 --target 1 --vary verb_instructions=1..2", 'did you mean "design.verb_instructions"?'),
    ("check bare.lua", 'bare.lua:1: require "h200_cluster": there is no such file below the script\'s folder or the project\'s; did you '
     'mean "configs.h200_cluster"?'),
    ("solve many.lua --target 1us --vary gpu.clock", "choose one with --point=AXIS=VALUE,...; the first are "),
    ("machines", '"gpunetsim help" lists them all, "gpunetsim list" machines, designs, workloads and measures'),
    ("help ibgda", ": did you mean nvshmem-ibgda; "),
    ("help gin", ": did you mean nccl-gin-gdaki or nccl-gin-proxy; "),
    ("run large/resolved.json", "is too large for a resolved.json, which has 64MiB at most"),
    ("run published.lua", 'plot.published: claim "P-B07" states no range of numbers; give y'),
    ("calibrate fitted.lua", "nodes is fitted, but is no quantity of a component"),
    ("topo summit --dot --xml", "--dot, --node and --xml cannot be given together"),
    ("osu latency --sizes " + ",".join(f"{i}B" for i in range(1, 70)), "at most 64 sizes"),
)

# The same, of runs that are good as far as they are asked for.
FAILURES = (
    ("explain s.lua --point design=one,bytes=8B", "nothing passes stages: no put, get, message or copy was measured"),
    ("explain s.lua --point design=one,bytes=8B --of put", "--of put: at "),
    ("trace s.lua --point design=one,bytes=8B -o t.json", "nothing was at work: no track has anything"),
    ("trace bad.lua --point a=1 -o t.json", "at a 1: bad.lua:"),
    ("solve bad.lua --point a=1 --target 5us --vary nic.command_gap=1ns..2ns", "bad.lua:"),
)


class Sentences(ProgramTest):
    def test_of_programs(self):
        cases = [(f"w:host(0):process(function(me) {code} end)", sentence) for code, sentence in RANK] + list(BEFORE)
        self.write("p.lua", POINTS % "".join(f"  function(w, d, h, p, other) {code} end,\n" for code, _ in cases))
        self.run_program("run", "p.lua", "--no-plot", "-o", "csv:p.csv")
        with (self.folder / "p.csv").open(newline="", encoding="utf-8") as file:
            failures = [row["failure"] for row in csv.DictReader(file)]
        self.assertEqual(len(failures), len(cases))
        for (code, sentence), failure in zip(cases, failures):
            with self.subTest(code):
                self.assertIn(sentence, failure)
                self.assertRegex(failure, r"^p\.lua:\d+: ")

    def test_line_of_an_argument(self):
        """A wrong value is told at its own line, not at that of the call."""
        cases = ("w:parties {\n  work_groups = 0,\n  program = function() end }",
                 "w:host(0):process(function(me) me:put {\n  to = 1,\n  buffer = d,\n  bytes = '8q' } end)",
                 "w:host(0):process(function(me) me:put {\n  to = 1,\n  buffer = d,\n  bytes = '-8B' } end)")
        for code, wrong in zip(cases, ("work_groups = 0", "bytes = '8q'", "bytes = '-8B'"), strict=True):
            with self.subTest(wrong):
                text = POINTS % f"  function(w, d, h, p, other) {code} end,\n"
                self.write("p.lua", text)
                self.run_program("run", "p.lua", "--no-plot", "-o", "csv:p.csv")
                line = text[:text.index(wrong)].count("\n") + 1
                with (self.folder / "p.csv").open(newline="", encoding="utf-8") as file:
                    self.assertRegex(next(csv.DictReader(file))["failure"], rf"^p\.lua:{line}: ")

    def test_of_runs_in_runs(self):
        """No workload can be called inside a party's function: one run is in progress at a time."""
        names = [line.split()[0] for line in self.succeed("list", "workloads").splitlines()[1:] if line.strip()]
        self.assertIn("get_latency", names)
        cases = [f"ranks(function() {name} {{}} end)" for name in names]
        cases.append("ranks(function(me) me:graph(function() get_latency {} end) end)")
        self.write("r.lua", POINTS % "".join(f"  function() {code} end,\n" for code in cases))
        self.run_program("run", "r.lua", "--no-plot", "-o", "csv:r.csv")
        with (self.folder / "r.csv").open(newline="", encoding="utf-8") as file:
            failures = [row["failure"] for row in csv.DictReader(file)]
        for code, failure in zip(cases, failures, strict=True):
            with self.subTest(code):
                self.assertRegex(failure, r"^r\.lua:\d+: \w+ cannot be called inside a party's function: a run is in progress")

    def test_of_workloads(self):
        self.write("w.lua", POINTS % "".join(f"  function() {code} end,\n" for code, _ in WORKLOADS))
        self.run_program("run", "w.lua", "--no-plot", "-o", "csv:w.csv")
        with (self.folder / "w.csv").open(newline="", encoding="utf-8") as file:
            failures = [row["failure"] for row in csv.DictReader(file)]
        self.assertEqual(len(failures), len(WORKLOADS))
        for (code, sentence), failure in zip(WORKLOADS, failures):
            with self.subTest(code):
                self.assertIn(sentence, failure)

    def test_of_claims(self):
        for code, sentence in CLAIMS:
            with self.subTest(code):
                self.write("c.lua", STUDY % f'claims = {{ ["N-40"] = function(r) return {code} end }},')
                out = self.run_program("run", "c.lua", "--no-plot")[1]
                self.assertIn(sentence, " ".join(out.split()))

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
        self.write("many.lua", MANY)
        self.write("bare.lua", 'local node = require "h200_cluster"\nreturn node {}')
        self.write("bad.lua", MANY.replace("return { a = 1 }", 'error("as it is")'))
        self.write("zipped.lua", MANY.replace("a = range(1, 65, 1)", "zip { a = { 1, 2 }, b = { 3, 4 } }")
                   .replace("a = 1 }", "a_half = p.a / 2 }"))
        self.write("fitted.lua", FITTED)
        self.write("published.lua", (STUDY % "").replace('style = "loglog"', 'published = { { "P-B07", x = "8B" } }'))
        with open(self.folder / self.write("large/resolved.json", "{}"), "r+b") as file:
            file.truncate(65 << 20)
        (self.folder / "empty").mkdir()
        (self.folder / "latin.tsv").write_bytes(b"#a\tb\n\xe9\t1\n")
        self.write("platform.tsv", "#gpu\tsms\tsm_clock_MHz\n0\tmany\t1500\n")
        self.write("perftest.txt", "-----\n  RDMA_Write Latency Test\n #bytes #iterations  t_max[usec]\n 8 1000 1.0\n")
        for words, sentence in COMMANDS:
            with self.subTest(words):
                self.assertIn(sentence, self.fail_with(2, *words.split()))
        for words, sentence in FAILURES:
            with self.subTest(words):
                code, _, err = self.run_program(*words.split())
                self.assertIn(code, (1, 2))
                self.assertIn(sentence, self.only_sentence(err))

    def test_of_gnuplot(self):
        """One that is there and draws nothing."""
        self.write("s.lua", STUDY % "")
        self.write("bin/gnuplot", "#!/bin/sh\nexit 0\n")
        (self.folder / "bin/gnuplot").chmod(0o755)
        self.assertIn("gnuplot wrote nothing", self.fail_with(1, "run", "s.lua", PATH=f"{self.folder}/bin:{os.environ['PATH']}"))

    def test_of_places(self):
        """Where claims are."""
        for name in ("configs", "plots", "views"):
            (self.folder / name).symlink_to(PROJECT / name)
        (self.folder / "claims/claims.tsv").mkdir(parents=True)
        for name in ("modelled", "restated", "causes"):
            self.write(f"claims/{name}.tsv", (PROJECT / f"claims/{name}.tsv").read_text())
        self.write("scenarios/b/s.lua", STUDY % "")
        self.assertIn("claims.tsv: is a folder; a table of claims is read from a regular file", self.fail_with(2, "reproduce", "--no-plot", GPUNETSIM_ROOT=str(self.folder)))


if __name__ == "__main__":
    unittest.main()
