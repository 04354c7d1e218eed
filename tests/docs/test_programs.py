# SPDX-License-Identifier: BSD-3-Clause
"""Runs what docs/use/programs.md shows, holds the programs of scenarios/programs to the workloads written in C, and
tries mistakes, limits and workers."""

import csv
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(os.environ["GPUNETSIM_ROOT"])
PROGRAM = os.environ["GPUNETSIM_PROGRAM"]
PAGE = (ROOT / "docs/use/programs.md").read_text()
BLOCK = re.compile(r"^```(\w+)(?: file=(\S+))?\n(.*?)^```", re.M | re.S)

STUDY = """
return study {
  title = "t", machine = require "configs.gcn3_node" { nodes = 2 }, vary = { design = { "%s" } },
  run = function(p)
    local w = program { design = p.design%s }
    local b, s = w:buffer("64B"), w:signals(2)
    %s
    return w:run()
  end,
}
"""
PARTIES = "w:parties { program = function(me) %s end }"


class Programs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)

    def call(self, *words):
        return subprocess.run([PROGRAM, *words], cwd=self.path, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL)

    def rows(self, study, *words):
        done = self.call("run", str(study), "-o", "csv:r.csv", "--force", *words)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        with open(self.path / "r.csv", newline="") as file:
            return list(csv.DictReader(file))

    def test_page(self):
        """Every block runs; the sentence of the last is the page's."""
        for language, name, body in BLOCK.findall(PAGE):
            if language == "lua":
                (self.path / name).write_text(body)
            elif language == "sh":
                for line in body.splitlines():
                    done = self.call(*line.split()[1:])
                    self.assertEqual(done.returncode, 0, line + done.stderr)
            elif language == "text":
                stuck = body.strip()
        host, cp = self.rows("two_kinds.lua")
        self.assertLess(float(cp["turn_us"]), float(host["turn_us"]))  # one side has nothing to stage
        for server, sentence in (("gpu_warp", "server = gpu_warp: threads of a kernel cannot run a rank"),
                                 ("none", 'process.server: "none" is not known; accepted: design, host_thread, command_processor,')):
            study = (self.path / "two_kinds.lua").read_text().replace('"command_processor"', f'"{server}"')
            (self.path / "refused.lua").write_text(study)
            done = self.call("run", "refused.lua", "--force")
            self.assertIn(sentence, done.stderr)
        for row in self.rows("ball.lua"):
            self.assertLessEqual(float(row["turn_min_us"]), float(row["turn_us"]))
            self.assertLessEqual(float(row["turn_us"]), float(row["turn_max_us"]))
            self.assertLess(float(row["turn_us"]), 1.1 * float(row["turn_p50_us"]))  # no warm-up in the mean
        puts = {(row["design"], row["work_groups"]): float(row["ten_puts_us"]) for row in self.rows("puts.lua")}
        self.assertLess(puts["comp-net", "1"], puts["comp-net", "64"])
        overlap = {(row["design"], row["flops"]): float(row["both_us"]) for row in self.rows("overlap.lua")}
        self.assertLess(overlap["openmpi-d", "0"], overlap["openmpi-d", "100000000"])
        done = self.call("run", "stuck.lua", "--no-plot")
        self.assertEqual(done.returncode, 1)
        self.assertIn(stuck, done.stderr + done.stdout + "".join(self.failures()))

    def test_beside(self):
        """Two programs on one machine: each is slowed down by the other, whatever they share, by what that takes of it."""
        for row in self.page_rows("guests.lua"):
            for who in ("kernel", "job"):
                self.assertGreater(float(row[who + "_beside_us"]), 1.02 * float(row[who + "_alone_us"]), row)
        one = 'work_groups = 160, threads = 256'
        kernel = ('local function kernel() local w = program { design = "comp-net", kernels = 1 } w:gpu(0):kernel { %s, '
                  'program = function(wg) local s = wg:now() %s wg:record("t", wg:now() - s) end } return w end' )
        job = ('local function job() local w = program { design = "openmpi-d" } local d, h = w:buffer("64MiB"), '
               'w:buffer("64MiB", "pinned") w:host(0):process(function(me) local s = me:now() %s me:synchronise() '
               'me:record("t", me:now() - s) end) return w end')
        study = ('%s %s return study { title = "t", machine = require "configs.summit" { nodes = 2 }, vary = { x = { 1 } }, '
                 'run = function(p) local a, b = %s():run(%s()) return { alone = %s():run().t, other_alone = %s():run().t, '
                 'both = a.t, other = b.t } end }')

        def times(wg, process, first="kernel", second="job"):
            (self.path / "two.lua").write_text(study % (kernel % (one, wg), job % process, first, second, first, second))
            row, = self.rows("two.lua")
            return [float(row[name + "_us"]) for name in ("alone", "other_alone", "both", "other")]

        # Compute units: of equal shares each waits for all of the shorter one's work. Memory: likewise.
        for what, launch in (("flops = 4000", "flops = 4000000"), ('bytes = "4kB", working_set = "1GiB"', 'bytes = "1MiB"')):
            alone, other_alone, both, other = times("wg:compute { elements = 1000, %s }" % what, f"me:launch {{ {one}, {launch} }}")
            self.assertGreater(both, 1.05 * alone, what)
            self.assertGreater(other, 1.05 * other_alone, what)
            self.assertLess(max(both, other), 1.02 * (alone + other_alone), what)
        # A copy takes the bytes that it writes off the memory of a kernel that fills it.
        alone, _, both, _ = times('wg:compute { elements = 1000, bytes = "8kB", working_set = "1GiB" }', "me:copy { to = d, from = h }")
        rate = 160 * 8e6 / alone  # B/us
        self.assertAlmostEqual(both - alone, 2 ** 26 / rate, delta=0.05 * 2 ** 26 / rate)
        # A copy engine does one copy after the other, whose ever.
        alone, _, both, other = times("", "me:copy { to = d, from = h }", "job", "job")
        self.assertGreater(max(both, other), 1.9 * alone)

    def test_kernels_side_by_side(self):
        """Kernels of two programs that have room on one GPU begin at the same time: the second ends when it would alone."""
        (self.path / "sides.lua").write_text(
            'local function kernel() local w = program { design = "comp-net", kernels = 1 } w:gpu(0):kernel { work_groups = 8, threads = 64, '
            'program = function(wg) wg:compute("100us") wg:record("over", wg:now()) end } return w end '
            'return study { title = "t", machine = require "configs.summit" { nodes = 2 }, vary = { x = { 1 } }, run = function(p) '
            'local a, b = kernel():run(kernel()) return { alone = kernel():run().over, first = a.over, second = b.over } end }')
        row, = self.rows("sides.lua")
        self.assertEqual(row["first_us"], row["alone_us"])
        self.assertEqual(row["second_us"], row["alone_us"])

    def page_rows(self, name):
        for language, file, body in BLOCK.findall(PAGE):
            if language == "lua":
                (self.path / file).write_text(body)
        return self.rows(name)

    def test_beside_refusals(self):
        head = ('return study { title = "t", machine = require "configs.gcn3_node" { nodes = 2 }, vary = { x = { 1 } }, '
                'run = function(p) local function new(d) local w = program { design = d } '
                'w:parties { program = function(me) end } return w end local w = new("comp-net") %s end }')
        for body, sentence in (("return w:run(w)", "the program has run already"),
                               ("return w:run(3)", "w:run takes other programs, which run at the same time, not a number"),
                               ('return w:run(new("apu"))', "designs of discrete and of coherent nodes do not share a machine")):
            (self.path / "r.lua").write_text(head % body)
            done = self.call("run", "r.lua", "--force")
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(sentence, done.stderr)

    def failures(self):
        with open(self.path / "out/stuck/results.csv", newline="") as file:
            failures = [row["failure"] for row in csv.DictReader(file)]
        self.assertIn("rank 0 of GPU 0 waits here; deadlock:", failures[1])
        return failures

    def test_reference_is_complete(self):
        operations = set(re.findall(r'(?m)^    \{"(\w+)", ', (ROOT / "sim/script/workload/party.c").read_text()) +
                         re.findall(r'(?m)^    \{"(\w+)", ', (ROOT / "sim/script/program/cuda.c").read_text()) +
                         re.findall(r'(?m)^    \{"(\w+)", ', (ROOT / "sim/script/program/party.c").read_text()))
        self.assertGreater(len(operations), 20)
        for operation in operations:
            self.assertRegex(PAGE, rf"(me|wg|p):{operation}[ (]", operation)

    def test_as_in_c(self):
        """To the picosecond, with fixed phases; with drawn ones, both run as often as their means need."""
        pairs = {"ping_pong": (("turn_us", "workload_us"), ("turn_max_us", "workload_max_us")),
                 "halo_exchange": (("turn_us", "workload_us"),),
                 "ring_allreduce": (("duration_us", "workload_us"),),
                 "staged_copy": (("alone_us", "workload_us"),),
                 "graph_launch": (("graph_us", "workload_us"), ("apart_us", "workload_apart_us"))}
        for name, columns in pairs.items():
            fixed = () if name in ("staged_copy", "graph_launch") else ("-s", "software.phases=fixed")  # those poll nothing
            for row in self.rows(ROOT / f"scenarios/programs/{name}.lua", *fixed):
                for ours, theirs in columns:
                    with self.subTest(name=name, row=row):
                        self.assertGreater(float(row[theirs]), 0)
                        self.assertEqual(row[ours], row[theirs])

    def test_independent_runs(self):
        """As of workloads: several runs with drawn phases, of which the means have a spread; none where the functions would see that there
        was a run before, as their sums would be of several, and none where the program says so."""
        body = """local seen, box = 0, { 3 } w:parties { program = function(me)
                    for turn = 1, 10 do
                      local start, other = me:now(), 1 - me.rank
                      local hit = { to = other, buffer = b, signal = s, index = turn % 2, value = turn }
                      if me.rank == 0 then me:put_signal(hit) end
                      me:wait_until { from = other, buffer = b, signal = s, index = turn % 2, value = turn }
                      if me.rank == 1 then me:put_signal(hit) end
                      if me.rank == 0 then me:record("turn", me:now() - start) me:record("box", turn * box[1]) end
                      FUNCTION
                    end
                  end }"""
        told = "local r = w:run() return { turn = r.turn, box = r.box, seen = seen, spread = r.turn_spread, box_spread = r.box_spread }"

        def row(function="", design="dgpu", words="", *options):
            (self.path / "s.lua").write_text((STUDY % (design, words, body.replace("FUNCTION", function)))
                                             .replace("return w:run()", told))
            return self.rows("s.lua", *options)[0]
        many, once = row(), row(words=", once = true")
        self.assertEqual((many["box"], many["box_spread"], once["box"]), ("16.5", "0", "16.5"))  # each run gives the same
        self.assertNotEqual(many["turn_us"], once["turn_us"])
        self.assertLess(abs(float(many["turn_us"]) - float(once["turn_us"])),
                        2 * (float(many["spread_us"]) + float(once["spread_us"])))
        for function in ("seen = seen + 1", "box[2] = turn", "box.last = { turn }"):
            changed = row(function)
            self.assertEqual((changed["turn_us"], changed["seen"]), (once["turn_us"], "20" if "seen" in function else "0"))
        self.assertEqual(row("local mine = { turn } mine[1] = box[1]")["turn_us"], many["turn_us"])
        row()
        explained = self.call("explain", "s.lua", "--point", "design=dgpu")  # one run, in which the script reads what it does in several
        self.assertEqual((explained.returncode, explained.stderr), (0, ""))
        (self.path / "one.lua").write_text((STUDY % ("dgpu", "", PARTIES % "if me.rank == 0 then me:put { to = 1, buffer = b } "
                                                     "me:record('took', me:now()) end")).replace("w:run()", "{ s = w:run().took_spread }"))
        self.assertGreater(float(self.rows("one.lua")[0]["s_us"]), 0)
        explained = self.call("explain", "one.lua", "--point", "design=dgpu")
        self.assertEqual((explained.returncode, explained.stderr), (0, ""))
        with self.assertRaisesRegex(AssertionError, "turn_spread"):  # nothing was drawn
            row("", "dgpu", "", "-s", "software.phases=fixed")
        four = self.path / "four.lua"  # 12 measures with all percentiles fit into a result
        four.write_text(STUDY % ("dgpu", ", percentiles = { 10, 75, 90, 99.9 }",
                                 PARTIES % "for i = 1, 24 do me:record('r' .. i % 12, me:now()) end"))
        self.assertIn("r11_p99_9_us", self.rows("four.lua")[0])

    def test_graphs(self):
        """What is wrong with a graph is said where it is; of nodes and launches each costs what the machine says."""
        head = "local k = { threads = 32 } "
        for body, sentence in (
                ("me:graph(function() end)", "its function launches none"), ("me:graph(3)", "needs a function that launches kernels"),
                ("me:graph(function() me:launch(k) me:compute('1us') end)", "can only launch them"),
                ("me:graph(function() me:launch { stream = me:stream() } end)", "can only launch them"),
                ("local s = me:stream() me:graph(function() me:launch { stream = s } end)", "the stream is told to me:graph"),
                ("me:launch { graph = k }", "what this rank's me:graph(function) gave"),
                ("local g = me:graph(function() me:launch(k) end) me:launch { graph = g, flops = 1 }", "takes no flops"),
                ("me:graph(function() error('no') end)", "no"),
                ("local g = me:graph(function() me:launch(k) end) me:graph(function() me:launch { graph = g } end)", "chain of kernels"),
                ("me:graph(function() for i = 1, 1025 do me:launch(k) end end)", "at most 1024 kernels"),
                ("me:graph(function() me:launch(k) end, nil, 0)", "a graph has 1 to 1024 branches"),
                ("me:launch { time = '-1us' }", "time is negative"),
                ("local g = me:graph(function() me:launch(k) end) me:launch { graph = g, time = '1us' }", "takes no time"),
                ("for i = 1, 257 do me:graph(function() me:launch(k) end) end", "at most 256 graphs")):
            with self.subTest(body=body):
                text = self.sentence("openmpi-d", PARTIES % (head + body))
                self.assertIn(sentence, text)
                self.assertRegex(text, r"s\.lua:\d+: ")
        self.assertIn("is for ranks", self.sentence("comp-net", PARTIES % "me:graph(function() end)"))
        # A launch of three nodes: one after the other into one stream, as kernels are.
        (self.path / "s.lua").write_text("""
            return study { title = "t", machine = require "configs.summit" { nodes = 1 }, vary = { n = { 1, 2, 4 }, times = { 1, 3 } },
              run = function(p)
                local w = program { design = "openmpi-d", nodes = 1 }
                w:host(0):process(function(me)
                  local made = me:now()
                  local g = me:graph(function() for i = 1, p.n do me:launch { threads = 32 } end end)
                  local start = me:now()
                  for i = 1, p.times do me:launch { graph = g } end
                  local called = me:now()
                  me:synchronise()
                  me:record("made", start - made) me:record("called", called - start) me:record("ended", me:now() - start)
                end)
                return w:run()
              end }""")
        rows = {(int(row["n"]), int(row["times"])): {name: float(row[f"{name}_us"]) for name in ("made", "called", "ended")}
                for row in self.rows("s.lua", "-s", "cuda.graph_instantiate=3us", "-s", "cuda.graph_launch=5us",
                                     "-s", "cuda.graph_node=300ns", "-s", "cuda.graph_node_start=700ns")}
        for (n, times), row in rows.items():
            self.assertAlmostEqual(row["made"], 3 * n, places=6)
            self.assertAlmostEqual(row["called"], times * (5 + 0.3 * (n - 1)), places=6)
        kernel = rows[2, 1]["ended"] - rows[1, 1]["ended"] - 0.3 - 0.7  # one more node: its call, its start, itself
        self.assertAlmostEqual(rows[4, 1]["ended"] - rows[1, 1]["ended"], 3 * (0.3 + 0.7 + kernel), places=6)

    def test_threads(self):
        """Ranks as threads of a process: flags take a hop between caches; a copy to another rank's GPU is any copy's time."""
        text = """
            local cuda = require "benchmarks.parts.cuda"
            return study { title = "t", machine = require "configs.h200x2", vary = { bytes = { "8B", "1MiB" } },
              run = function(p)
                local w = program { design = "openmpi-d", nodes = 1, gpus_per_node = 2 }
                local d, h = w:buffer(p.bytes), w:buffer(p.bytes, "pinned")
                w:parties { program = function(me)
                  local other = 1 - me.rank
                  %s
                  local start = me:now()
                  for i = 1, 3 do
                    if me.rank == 0 then me:tell(other) end
                    me:wait_told(other)
                    if me.rank == 1 then me:tell(other) end
                  end
                  if me.rank == 0 then me:record("turn", (me:now() - start) / 3) end
                  start = me:now()
                  me:tell(other) me:tell(other) me:compute("5us") me:wait_told(other) me:wait_told(other)
                  me:record("early", me:now() - start)
                  for name, copy in pairs { peer = { to = d, to_rank = other, from = d }, out = { to = h, from = d },
                                            into = { to = d, from = h, from_rank = other } } do
                    if me.rank == 0 then
                      me:copy(copy) me:synchronise()
                      start = me:now()
                      me:copy(copy) me:synchronise()
                      me:record(name, me:now() - start)
                    end
                  end
                end }
                local r = w:run()
                local function alone(direction) return cuda.copy { direction = direction, bytes = p.bytes, repeats = 2 }.time end
                return { turn = r.turn, early = r.early, peer = r.peer, out = r.out, into = r.into, peer_alone = alone "device-to-device",
                         out_alone = alone "device-to-host", into_alone = alone "host-to-device" }
              end }"""
        (self.path / "s.lua").write_text(text % "")
        for row in self.rows("s.lua"):
            self.assertEqual(float(row["turn_us"]), 0.28)
            self.assertEqual(float(row["early_us"]), 5.28)
            for way in ("peer", "out", "into"):
                self.assertEqual(row[f"{way}_us"], row[f"{way}_alone_us"], row)
        (self.path / "s.lua").write_text(text % "me:wait_told(other)")
        self.assertIn("rank 0 of GPU 0 waits here; deadlock", self.call("run", "s.lua", "--force", "--no-plot").stdout)
        for body, sentence in (("me:tell(me.rank)", "tell needs another rank's number, 0 to 1"), ("me:wait_told()", "wait_told needs another"),
                               ("me:tell(1 - me.rank)", "is on another node, which shares no memory"),
                               ("me:copy { to = b, from = b, to_rank = 1 - me.rank }", "is on another node, where no copy engine reaches")):
            self.assertIn(sentence, self.sentence("openmpi-d", PARTIES % body))
        self.assertIn("is for ranks", self.sentence("comp-net", PARTIES % "me:tell(1)"))

    def test_reset(self):
        """What was recorded before it is in no measure, for work-groups and for ranks, for quantities and for numbers."""
        (self.path / "s.lua").write_text("""
            return study { title = "t", machine = (require "configs.summit") { nodes = 2 }, vary = { design = { "comp-net", "openmpi-d" } },
              run = function(p)
                local w = program { design = p.design }
                w:parties { program = function(me)
                  if me.rank == 1 then return end
                  me:record("time", "7us") me:record("number", 5) me:record("only_before", 1)
                  me:reset()
                  me:record("time", "3us") me:record("number", 2) me:record("only_after", 1)
                end }
                return w:run()
              end }""")
        for row in self.rows("s.lua", "--no-plot"):
            self.assertEqual([float(row[name]) for name in ("time_us", "number", "only_after")], [3, 2, 1])
            self.assertNotIn("only_before", row)
            self.assertNotIn("time_min_us", row)

    def test_memory_of_kernels(self):
        """A wavefront's bytes under way by the memory's latency, until the memory is full; reads and writes by turns fill it sooner."""
        (self.path / "s.lua").write_text("""
            return study { title = "t", machine = require "configs.h200x2", vary = { x = { 1 } },
              run = function()
                local w = program { design = "openmpi-d", nodes = 1, gpus_per_node = 1 }
                w:parties { program = function(me)
                  local function record(name, kernel)
                    local start = me:now()
                    me:launch(kernel) me:synchronise()
                    me:record(name, me:now() - start)
                  end
                  record("empty", { work_groups = 132, threads = 32 })
                  for _, bytes in ipairs { "64B", "128B", "169B" } do
                    record("f" .. bytes, { work_groups = 132, threads = 32, bytes = "1MiB", in_flight = bytes })
                  end
                  record("usual", { work_groups = 132, threads = 32, bytes = "1MiB" })
                  for name, mixed in pairs { reads = false, both = true } do
                    record(name, { work_groups = 132, threads = 1024, bytes = "64MiB", in_flight = "64KiB", mixed = mixed })
                  end
                end }
                return w:run()
              end }""")
        row, = self.rows("s.lua", "-s", "gpu.memory_latency=250ns")
        took = {name[:-3]: float(value) - float(row["empty_us"]) for name, value in row.items() if name.endswith("_us")}
        latency_us = 0.25 + (33 + 390) / 1980
        for held in (64, 128):
            self.assertAlmostEqual(took[f"f{held}B"], 2 ** 20 / held * latency_us, delta=0.001 * took["f64B"])
        self.assertEqual(took["f169B"], took["usual"])
        for name, rate in (("reads", 4.8e6), ("both", 4.1e6)):
            self.assertAlmostEqual(took[name], 132 * 2 ** 26 / rate, delta=0.001 * took[name])
        self.assertIn("mixed is true or false", self.sentence("openmpi-d", PARTIES % "me:launch { mixed = 5 }"))

    def test_iterations(self):
        """What a program calls an iteration is explained as those of the workloads are: by place, to the picosecond."""
        text = STUDY % ("%s", "", PARTIES % """
            for i = 1, 5 do
              me:begin_iteration()
              local start = me:now()
              me:compute("2us")
              me:put_signal { to = 1 - me.rank, buffer = b, signal = s, index = i %% 2, value = i }
              me:wait_until { from = 1 - me.rank, buffer = b, signal = s, index = i %% 2, value = i }
              if me.rank == 0 then me:record("iteration", me:now() - start) end
              me:end_iteration()
            end me:quiet()""")
        for design, stage in (("comp-net", "kernel"), ("charm-channel", "busy")):
            (self.path / "s.lua").write_text(text.replace("%s", design).replace("%%", "%"))
            out = self.call("explain", "s.lua", "--by", "place").stdout
            self.assertRegex(out, r"10 operations of iterations \(place\)")
            measured = re.search(r"The workload's iteration: ([\d.]+)us, that of place 0: ([\d.]+) us", out)
            self.assertEqual(float(measured[1]), float(measured[2]), out)
            self.assertRegex(out, rf"\n{stage} +\w+ +2\.000000 ")
        for body, sentence in (("me:end_iteration()", "no iteration of this party has begun"),
                               ("me:begin_iteration() me:begin_iteration()", "before the one before has ended")):
            self.assertIn(sentence, self.sentence("comp-net", PARTIES % body))

    def test_pipeline(self):
        """Several pieces take less than one whole, and no less than their copies or their messages alone."""
        rows = self.rows(ROOT / "scenarios/programs/staged_copy.lua")
        times = {row["piece_bytes"]: float(row["duration_us"]) for row in rows}
        self.assertLess(times["1048576"], times["4194304"])
        for row in rows:
            pieces = 8 * 1048576 // int(row["piece_bytes"])
            self.assertGreater(float(row["duration_us"]), pieces * float(row["alone_us"]))

    def test_schedule(self):
        """What Lua wrote ends as the same text does, on both devices; its text is that."""
        page = (ROOT / "docs/use/goal.md").read_text()
        body = next(body for _, name, body in BLOCK.findall(page) if name == "trace.lua")
        (self.path / "trace.lua").write_text(body.replace(
            "return g:run()", "local r = g:run() "
            "return { makespan = r.makespan, sent = r.sent, network = r.network, text = g:text() }"))
        done = self.call("run", "trace.lua", "-o", "csv:r.csv", "-j", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path / "r.csv", newline="") as file:
            rows = {row["device"]: row for row in csv.DictReader(file)}
        self.assertEqual(rows["gpu"]["makespan_us"], "174.764874")  # docs/use/goal.md has it of the text
        (self.path / "t.goal").write_text(rows["gpu"]["text"])
        for device, row in rows.items():
            done = self.call("goal", "t.goal", "--machine", "gcn3_node", "--placement", device)
            self.assertEqual(float(done.stdout.split()[-1]), round(float(row['makespan_us']) * 1000, 3), done.stderr)
            self.assertEqual(row["sent_bytes"], "1000")
        self.assertEqual(rows["gpu"]["network_bytes"], "1000")
        self.assertEqual(rows["core"]["network_bytes"], "0")  # two cores of a node

    def test_schedule_mistakes(self):
        head = "do local g = schedule { ranks = 2 } %s return g:run() end"
        for body, sentence in (
                ('g:send { rank = 0, to = 1, bytes = "8B" }', "s.lua:7: 1 send and 0 receives have no partner (line 7: rank 0 sends"),
                ('g:send { rank = 0, to = 2, bytes = "8B" }', "s.lua:7: to is 2; it is a whole number from 0 to 1"),
                ('g:calc { rank = 0, time = "8B" }', 'time: "8B" has "B" where a time needs one of ps'),
                ('g:calc { rank = 0, time = "1ps" }', "time: GOAL has whole nanoseconds"),
                ('g:calc { rank = 0, time = "1ns", after = 1 }', "after has to be what an operation of rank 0 gave"),
                ('g:calc { rank = 0, times = "1ns" }', 'unknown key "times" in calc'),
                ("g:shout()", 'a schedule has calc, send, receive, generate, text and run, not "shout"')):
            with self.subTest(body=body):
                self.assertIn(sentence, self.sentence("dgpu", head % body))

    def test_workers(self):
        """The same bytes by one worker and by two."""
        study = ROOT / "scenarios/programs/halo_exchange.lua"
        results = []
        for jobs in ("1", "2"):
            done = self.call("sweep", str(study), "--store", f"{jobs}.db", "-j", jobs, "-o", f"csv:{jobs}.csv")
            self.assertEqual(done.returncode, 0, done.stderr)
            results.append((self.path / f"{jobs}.csv").read_bytes())
        self.assertEqual(*results)

    def sentence(self, design, body, head="", code=1):
        (self.path / "s.lua").write_text(STUDY % (design, head, body))
        done = self.call("run", "s.lua", "-o", "csv:r.csv", "--force")
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        with open(self.path / "r.csv", newline="") as file:
            return next(csv.DictReader(file))["failure"]

    def test_atomics(self):
        """Three work-groups of one GPU count in a word of the other one by atomics; then one of them swaps."""
        change = 'wg:atomic { to = 1, group = 0, signal = s, op = "%s", value = %d, compare = %d }'
        body = ("w:gpu(1):kernel { work_groups = 3, program = function() end }\n"
                "w:gpu(0):kernel { work_groups = 3, program = function(wg) for i = 1, 5 do " + change % ("add", 2, 0) +
                " end wg:group_barrier() if wg.group == 0 then " + " ".join(
                    f"wg:record('r{i}', {change % call})" for i, call in enumerate(
                        (("swap", 5, 0), ("compare_swap", 9, 4), ("compare_swap", 9, 5), ("add", 0, 0)))) + " end end }")
        for design in ("dgpu", "comp-net", "gpu-thread", "nvshmem-ibgda"):
            (self.path / "s.lua").write_text(STUDY % (design, "", body))
            done = self.call("run", "s.lua", "-o", "csv:r.csv", "--force")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            with open(self.path / "r.csv", newline="") as file:
                row = next(csv.DictReader(file))
            self.assertEqual([float(row[f"r{i}"]) for i in range(4)], [30, 5, 5, 9], design)

    def test_mistakes(self):
        put = "me:put { to = %s, buffer = b%s }"
        cases = (
            ("dgpu", PARTIES % (put % ("2", "")), "s.lua:7: to is 2; it is a whole number from 0 to 1: the nodes and "
             "gpus_per_node of program { ... } give more"),
            ("dgpu", PARTIES % (put % ("me.rank", "")), "s.lua:7: to is the party itself"),
            ("dgpu", PARTIES % (put % ("1 - me.rank", ', bytes = "65B"')), "bytes: the buffer has 1 to 64 bytes"),
            ("dgpu", PARTIES % (put % ("1 - me.rank", ", bytes = 8")), "bytes has to be a quantity with a unit"),
            ("dgpu", PARTIES % (put % ("1 - me.rank", ", size = 8")), 'put has no "size"'),
            ("dgpu", PARTIES % "me:put()", "put needs a table, as in me:put { to = ... }"),
            ("dgpu", PARTIES % "me:shout()", 'a party has no "shout"; docs/use/programs.md lists its operations'),
            ("dgpu", PARTIES % "me.put { to = 1 }", "a party's operations are called with a colon"),
            ("dgpu", PARTIES % "me:wait(me:send { to = 1 - me.rank, buffer = b })", "messages need channels"),
            ("dgpu", PARTIES % "me:barrier()", "barrier needs program { barrier = true, ... }"),
            ("dgpu", PARTIES % 'me:wait_until { from = 1 - me.rank, buffer = b, signal = s, index = 2 }',
             "index is 2; it is a whole number from 0 to 1"),
            ("dgpu", PARTIES % 'me:wait_until { from = 1 - me.rank, buffer = b, signal = b }',
             "signal has to be what w:signals gave"),
            ("dgpu", PARTIES % "local x = nil + 1", "s.lua:7: attempt to perform arithmetic on a nil value"),
            ("dgpu", PARTIES % "error({})", "the script raised a table instead of a message"),
            ("dgpu", PARTIES % 'me:record("a b", 1)', 'record: "a b" is no name of letters, digits and _'),
            ("dgpu", PARTIES % 'me:record("a", 1) me:record("a", "1us")', 'record: "a" was recorded as a number before'),
            ("dgpu", PARTIES % "me:stream()", "stream is for ranks: a work-group has no streams"),
            ("openmpi-d", PARTIES % "me:load { signal = s }", "load is for work-groups: a rank's signals are messages"),
            ("openmpi-d", PARTIES % 'me:atomic { to = 1 - me.rank, signal = s, op = "add" }', "atomic is for work-groups"),
            ("dgpu", PARTIES % 'me:atomic { to = 1 - me.rank, signal = s, op = "or" }', 'op has to be "add", "swap" or'),
            ("dgpu", PARTIES % 'me:atomic { to = me.rank, signal = s, op = "add" }', "to is the party's own"),
            ("dgpu", 'w:host(0):process(function(p) end)', "transfers of design dgpu are started by work-groups; write "
             "w:gpu(0):kernel"),
            ("openmpi-d", 'w:gpu(0):kernel { program = function(p) end }', "transfers of design openmpi-d are started "
             "by host processes; write w:host(0):process(f)"),
            ("dgpu", 'w:buffer("17GiB")', "a buffer needs a size such as \"1KiB\", of 16 GiB at most"),
            ("dgpu", "w:gpu(2)", "s.lua:7: the program has GPUs 0 to 1, each with a host process"),
            ("dgpu", "", "no party of the program has a function; give one by w:parties { ... }"),
            ("dgpu", "w:parties { program = 5 }", "program has to be a function of the party, not a number"),
            ("dgpu", 'w:buffer("1KiB", "host")', "work-groups have no buffers in host memory"),
            ("dgpu", "w:gpu(0):kernel { program = function() end } w:gpu(1):kernel { work_groups = 2, program = "
             "function() end }", "all GPUs of a program have the same number of parties"),
            ("dgpu", "local stolen\n" + PARTIES % "stolen = stolen or me; me:compute('1us'); stolen:quiet()",
             "s.lua:8: a party's operations are its own: this is not its function"),
        )
        for design, body, sentence in cases:
            with self.subTest(body=body):
                self.assertIn(sentence, self.sentence(design, body))

    def test_shapes(self):
        for head, sentence in ((", nodes = 3", "the program is for 3 nodes, the machine has 2"),
                               (", gpus_per_node = 2", "the program is for 2 GPUs a node, the machine has 1"),
                               (", kernels = 3", "program.kernels: there are 2 GPUs")):
            self.assertIn(sentence, self.sentence("dgpu", PARTIES % "", head))
        self.assertIn("w:gpu(1) runs no kernel: program.kernels = 1, counted from the first",
                      self.sentence("dgpu", "w:gpu(1):kernel { program = function() end }", ", kernels = 1"))

    def test_messages_that_nobody_waits_for(self):
        body = PARTIES % ("if me.rank == 0 then me:send { to = 1, buffer = b } else "
                          "me:wait(me:receive { from = 0, buffer = b }) end")
        self.assertIn("s.lua:7: a party's function ended before it waited for its messages",
                      self.sentence("openmpi-d", body, ", channels = true"))

    def test_deadlocks(self):
        wait = "me:wait_until { from = 1 - me.rank, buffer = b, signal = s, value = 3 }"
        for design, who in (("dgpu", "work-group"), ("openmpi-d", "rank")):
            failure = self.sentence(design, PARTIES % wait)
            self.assertTrue(failure.startswith(f"s.lua:7: {who} 0 of GPU 0 waits here; deadlock"), failure)

    def test_limits(self):
        loop = "while true do local ok = pcall(function() while true do end end) end"
        for body, sentence in (
                (loop, "s.lua:7: the script does not end: it was stopped after 100 million instructions"),
                ("local t = {} for i = 1, 1e9 do t[i] = { i } end", "the script needs more than 256 MiB of memory"),
                ("local function f() return f() + 1 end f()", "stack overflow"),
                ('local function f() return (("x"):gsub("x", f)) end f()', "C stack overflow"),
                ("local function f() assert(pcall(f)) end f()", "C stack overflow"),
                ("local t = setmetatable({}, {}) getmetatable(t).__index = function(_, k) return t[k + 1] end "
                 "return t[1]", "C stack overflow"),
                ("local t = {} for i = 1, 50 do t[i] = i end local function f() table.sort(t, function(x, y) f() "
                 "return x < y end) end f()", "C stack overflow")):
            with self.subTest(body=body):
                self.assertIn(sentence, self.sentence("dgpu", PARTIES % body))

    def test_blocking_anywhere(self):
        """Operations block inside pcall, iterators and comparisons, also where thousands of parties do."""
        body = """
    local order = {}
    w:parties { work_groups = 200, program = function(me)
      local ok = pcall(function() me:put { to = 1 - me.rank, buffer = b } end)
      assert(ok)
      table.sort({ 3, 1, 2 }, function(x, y) me:compute("1ns") return x < y end)
      for word in ("a b c"):gmatch("%a") do me:compute("1ns") end
      local kept = {}
      for i = 1, 100 do kept[i] = { i, tostring(i) } me:compute("1ns") end
      assert(kept[100][2] == "100")
      order[#order + 1] = me.rank * 1000 + me.group
      me:record("time", me:now())
    end }
    local r = w:run()
    assert(#order == 400)
    do return { time = r.time, last = order[400] } end"""
        first = self.rows_of(body)
        self.assertEqual(first, self.rows_of(body))

    def rows_of(self, body):
        (self.path / "s.lua").write_text(STUDY % ("gpu-verbs", "", body))
        return self.rows("s.lua")


if __name__ == "__main__":
    unittest.main()
