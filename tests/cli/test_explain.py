# SPDX-License-Identifier: BSD-3-Clause
"""gpunetsim explain: stages are a partition of the measured latency, to the picosecond, whatever the design and wherever the
parties are; gpunetsim trace: what it writes is as Chrome's trace format asks."""
import collections
import csv
import json
import re
import unittest

from program import PROJECT, ProgramTest

SUMS = re.compile(r"(\d+) operations of (\S+) .*sum up to (\d+) ps, their latencies to (\d+) ps")
LATENCY = re.compile(r"The workload's (?:latency|time): ([\d.]+)(ns|us|ms|ps)")
PS = {"ps": 1, "ns": 10**3, "us": 10**6, "ms": 10**9}

PLACES = ("intra-socket", "cross-socket", "inter-node")
RANKS = ("charm-h", "charm-messaging", "charm-channel", "ampi-h", "ampi-d", "charm4py-h", "charm4py-d",
         "openmpi-h", "openmpi-d", "spectrum-h", "spectrum-d")
KERNELS = ("dgpu", "dgpu-host-queue", "apu", "comp-net", "gpu-verbs", "gpu-warp", "smart-nic", "gravel")


def study(machine, call, **axes):
    """A study whose results leave out the spreads of means, so that explain does not look for groups of runs: that would be the most of its time."""
    lists = ", ".join(f"{name} = {{ {', '.join(json.dumps(value) for value in values)} }}"
                      for name, values in axes.items())
    return (f'local machine_of = require "configs.{machine}"\n'
            'local guests = require "scenarios.whatif.parts.guests"\n'
            'local cuda = require "benchmarks.parts.cuda"\n'
            f'return study {{ title = "Explained", machine = machine_of {{ nodes = 2 }}, vary = {{ {lists} }},\n'
            f"  run = function(p) local r, kept, found = {call}, {{}}, false\n"
            "    local times = { latency = true, time = true, iteration = true, duration = true }\n"
            "    for name, value in pairs(r) do if times[name] then kept[name], found = value, true end end\n"
            "    return found and kept or r end }\n")


class Explain(ProgramTest):
    def explain(self, text, *options):
        (self.folder / "s.lua").write_text(text)
        return self.succeed("explain", "s.lua", *options)

    def idle_nics(self, machine):
        """What explain says of idle NICs beside one that four puts of 16 MiB go by."""
        return re.findall("Idle NICs: .*", self.explain(f"""
            return study {{ title = "Idle", machine = (require "configs.h200_cluster") {{ nodes = 2, {machine} }}, vary = {{ turn = {{ 1 }} }},
              run = function()
                local w = program {{ design = "gpu-verbs", nodes = 2 }}
                local data, come = w:buffer "16MiB", w:signals(1)
                w:parties {{ work_groups = 1, program = function(me)
                  local hit = {{ to = 1, buffer = data, signal = come, index = 0, value = 1 }}
                  local start = me:now()
                  for turn = 1, 4 do
                    hit.value = turn
                    if me.rank == 0 then me:put_signal(hit) end
                    if me.rank == 1 then me:wait_until {{ from = 0, buffer = data, signal = come, index = 0, value = turn }} end
                  end
                  me:record("came", me:now() - start)
                end }}
                return {{ came = w:run().came }}
              end }}
            """, "--point", "turn=1"))

    def test_rounds_gather(self):
        """Twice the GPU's clock makes the rounds half as long: what they gather is less, and seven work-groups take longer, unless the rounds
        are twice as many or nobody waits for others (completion = by_context). explain says so."""
        text = """local node = require "configs.gem5_node"
            return study { title = "Rounds", machine = function(p) return node { nodes = 2, gpu = { clock = p.clock } } end,
              vary = { case = { "8", "16", "by_context" }, clock = { "1.5GHz", "3GHz" } },
              run = function(p)
                local turns = p.case == "by_context" and design { from = "comp-net", completion = p.case }
                  or design { from = "comp-net", polling_rounds = tonumber(p.case) }
                return neighbour_exchange { design = turns, pattern = "ping_pong", work_groups = 7, bytes = "16KiB", iterations = 10 }
              end }"""
        said = self.explain(text, "--point", "case=8,clock=3GHz")
        self.assertIn("faster polls make the rounds shorter, so that they gather fewer operations, and the others wait", said)
        self.succeed("run", "s.lua", "--no-plot", "-o", "csv:turns.csv", "--force")
        with (self.folder / "turns.csv").open(newline="", encoding="utf-8") as file:
            turn = {(row["case"], float(row["clock_GHz"])): float(row["turn_us"]) for row in csv.DictReader(file)}
        self.assertGreater(turn["8", 3], turn["8", 1.5])
        self.assertLess(turn["16", 3], turn["8", 1.5])
        self.assertLess(turn["by_context", 3], turn["by_context", 1.5])

    def test_idle_nics(self):
        """One of a node's NICs carries 64 MiB at 47 GB/s, which is nearly all that the run does; the others nothing. A node with one NIC has
        none to tell."""
        told = self.idle_nics("node = { sockets = 2, gpus_per_socket = 2, nics_per_socket = 2 }")
        self.assertEqual(len(told), 1, told)
        use = re.match(r"Idle NICs: of node0, nic0 is busy (\d+) % of the time, nic1, nic2, nic3 at most 0 %; ", told[0])
        self.assertTrue(use, told)
        self.assertGreaterEqual(int(use[1]), 90)
        self.assertLessEqual(int(use[1]), 100)
        self.assertEqual(self.idle_nics("node = { sockets = 1, gpus_per_socket = 2, nics_per_socket = 1 }"), [])

    def check_sums(self, output, count, per_message=1):
        """Stages sum up to latencies, and their mean is the workload's latency, rounded as that rounds."""
        sums, latencies = SUMS.findall(output), LATENCY.findall(output)
        self.assertEqual((len(sums), len(latencies)), (count, count), output)
        for (operations, _, stages_ps, all_ps), (number, unit) in zip(sums, latencies):
            self.assertEqual(stages_ps, all_ps)
            whole, _, rest = number.partition(".")
            measured_ps = int(whole) * PS[unit] + int(rest.ljust(9, "0")) * PS[unit] // 10**9
            mean_ps = int(all_ps) // int(operations)
            self.assertIn(measured_ps - mean_ps, (0, 1), output)

    def test_messages(self):
        text = study("summit", 'osu_latency { design = p.design, bytes = p.bytes, placement = p.place, iterations = 12 }',
                     design=RANKS, place=PLACES, bytes=("8B", "1MiB"))
        for design in RANKS:
            self.check_sums(self.explain(text, "--point", f"design={design}"), 6)

    def test_work_groups(self):
        text = study("gcn3_node", "get_latency { design = p.design, bytes = p.bytes, repeats = 20 }",
                     design=KERNELS, bytes=("8B", "64KiB"))
        self.check_sums(self.explain(text), 2 * len(KERNELS))

    def test_both_worlds(self):
        text = study("summit", "osu_latency { design = p.design, bytes = p.bytes, placement = \"inter-node\", iterations = 12 }",
                     design=("comp-net", "dgpu", "gpu-verbs"), bytes=("8B", "64KiB"))
        self.check_sums(self.explain(text), 6)
        text = study("summit", "get_latency { design = p.design, bytes = p.bytes, repeats = 10 }",
                     design=("openmpi-d", "charm-channel", "charm-messaging", "ampi-d"), bytes=("8B", "64KiB"))
        self.check_sums(self.explain(text), 8)

    def test_copies(self):
        text = study("summit", "cuda.copy { bytes = p.bytes }", bytes=("8B", "1MiB"))
        output = re.sub(r"\nThe critical path .*?(?=\nbytes |\Z)", "", self.explain(text), flags=re.S)  # of one process: the same
        self.check_sums(output, 2)
        self.assertIn("launch overhead", output)

    def test_difference(self):
        text = study("summit", 'osu_latency { design = p.design, bytes = "64KiB", placement = "inter-node", iterations = 12 }',
                     design=("charm-messaging", "charm-channel"))
        output = self.explain(text, "--point", "design=charm-messaging", "--point", "design=charm-channel", "-o", "bars.svg")
        tail = output[output.rindex("design charm-messaging takes"):]
        self.assertRegex(tail, r"late_receive: [\d.]+ us less")
        self.assertIn("runtime (messaging, channel)", tail)
        bars = (self.folder / "bars.svg").read_text()
        for text in ("Charm++ (Messaging)", "Charm++ (Channel)", "Time of an operation (µs)"):
            self.assertIn(f"<text>{text}</text>", bars)

    def test_machines(self):
        """Points on different machines: each is run on its own, and what the machines differ in is said."""
        self.write("s.lua", 'local summit = require "configs.summit"\n'
                            'return study { title = "Two", machine = function(p) return summit { nodes = 2, network = { rate = p.rate } } end,\n'
                            '  vary = { rate = { "12.5GB/s", "25GB/s" } },\n'
                            '  run = function(p) return osu_latency { design = "openmpi-d", bytes = "1MiB", placement = "inter-node", iterations = 5 } end }\n')
        output = self.succeed("explain", "s.lua", "--point", "rate=12.5GB/s", "--point", "rate=25GB/s")
        tail = output[output.rindex("rate 12.5GB/s takes"):]
        self.assertIn("Their machines differ in network.rate (12.5GB/s, 25GB/s).", tail)
        self.succeed("trace", "s.lua", "-o", "t.json", "--only", "nic")
        events = json.loads((self.folder / "t.json").read_text())["traceEvents"]
        names = {event["args"]["name"] for event in events if event["ph"] == "M" and event["name"] == "process_name"}
        self.assertEqual(names, {f"rate {rate}: node{node}.nic0" for rate in ("12.5GB/s", "25GB/s") for node in (0, 1)})
        self.assertRegex(tail, r"\ndelivered: [\d.]+ us less until the last byte is in its memory .*100 % of the difference")

    def test_own_stores(self):
        """What a work-group copies by itself to a GPU of its node has no entry whose status is stored, and no server."""
        text = study("summit", 'osu_latency { design = p.design, bytes = "64KiB", placement = p.place, iterations = 12 }',
                     design=("rocshmem-ipc",), place=("intra-socket", "inter-node"))
        near = self.explain(text, "--point", "place=intra-socket")
        self.check_sums(near, 1)
        self.assertRegex(near, r"\nstored +work-group .*until its own loads and stores have copied it")
        self.assertRegex(near, r"stored, [\d.]+ %: the work-group itself loads and stores .*\(peer = work_group")
        self.assertNotRegex(near, r"\n(posted|served|completed|seen) ")
        self.assertNotIn("stored ", self.explain(text, "--point", "place=inter-node").split("until")[0])
        text = study("summit", 'allreduce { design = p.design, nodes = 1, gpus_per_node = 3, bytes = "64KiB", repeats = 2 }',
                     design=("rocshmem-ipc",))
        output = self.explain(text)
        self.assertRegex(output, r"\nstored +work-group")
        self.assertNotRegex(output, r"\nposted ")

    def test_two_groups(self):
        """What is explained is one run; a mean whose runs fall into two groups says so, with the medians that tables show. Without groups, or where
        runs are long and so repeated too seldom to fall into any, nothing is said."""
        text = study("gcn3_node", 'queue_service { design = "dgpu", operation = "get", bytes = "8B", work_groups = 4, operations = 2 }',
                     runs=("one peak", "two", "long"))
        text = text.replace("return found and kept or r", """
          if p.runs == "one peak" then return r end
          return { latency = r.latency, latency_spread = r.latency_spread, events = p.runs == "long" and 200000 or 20000,
                   latency_lower = "4.7012us", latency_upper = "5.6us", latency_lower_share = 0.62 }""")
        told = "One run is explained; over all phases of the polling loops runs fall into two groups: latency 4.7012us (62 %) or 5.6us (38 %)."
        for runs in "one peak", "two", "long":
            output = self.explain(text, "--point", f"runs={runs}")
            self.assertEqual(told in output, runs == "two", output)
            self.assertEqual("two groups" in output, runs == "two", output)

    def test_several_programs(self):
        """Operations are explained by the design that carried them out, whatever else runs beside them."""
        text = study("summit", 'guests { kernel_design = "comp-net", job_design = "charm-messaging", work_groups = 4,\n'
                               '    kernel_bytes = "8B", job_bytes = "8B", gets = 8, messages = 8 }', n=(1,))
        self.assertIn("(runtime = messaging)", self.explain(text))
        kernel = self.explain(text, "--of", "node0.operations")
        self.assertIn("(server = command_processor", kernel)
        self.assertNotIn("runtime =", kernel)
        self.write("s.lua", 'local summit = require "configs.summit"\n'
                            'return study { title = "Two", machine = summit { nodes = 2 }, vary = { n = { 1 } }, run = function()\n'
                            '  local function of(design)\n'
                            '    local w = program { design = design, kernels = 1 }\n'
                            '    local data = w:buffer("8B")\n'
                            '    w:gpu(0):kernel { work_groups = 2, threads = 64, program = function(wg)\n'
                            '      for i = 1, 10 do wg:put { to = 1, buffer = data } end end }\n'
                            '    return w end\n'
                            '  return (of("comp-net"):run(of("dgpu"))) end }\n')
        output = self.succeed("explain", "s.lua")
        other = re.search(r"\(--of\): (node0.operations@\S+) \(20, ", output)[1]
        self.assertIn("20 operations of node0.operations (", output)
        self.assertIn("(nic_queue.memory = gpu)", output)
        self.assertNotIn("host_thread", output)
        output = self.succeed("explain", "s.lua", "--of", other)
        self.assertIn("(server = host_thread, queue.memory = gpu)", output)
        self.assertNotIn("ommand processors", output)

    def test_causes(self):
        """The axis that makes a stage what it is: named for one point; for two, with the stage that grew by it."""
        text = ('local node = require "configs.gcn3_node"\n'
                'return study { title = "Causes", machine = node { nodes = 2 }, vary = { completion = { "together", "by_context" } },\n'
                '  run = function(p) return queue_service { work_groups = 64, operation = "get",\n'
                '    design = design { from = "dgpu", completion = p.completion } } end }\n')
        output = self.explain(text, "--point", "completion=together", "--point", "completion=by_context")
        self.assertRegex(output, r"completed, [\d.]+ %: .*waits for all that it has issued.*\(completion = together, polling_rounds = 8\)")
        tail = output[output.index("Their designs differ in"):]
        self.assertRegex(tail, r"completed: [^\n]*\n    by completion \(together, by_context\)\n")

    def test_every_axis_acts(self):
        """No axis of a design is without a stage that it acts on: a difference by it would have no cause."""
        words = re.sub(r'" \.\.\n +"', "", (PROJECT / "views/explain.lua").read_text())
        named = set(re.findall(r"[a-z_.]+", " ".join(re.findall(r'"([a-z_. |]+)" (?:\}|\.\.)', words))))
        axes = set(re.findall(r"^([a-z_.]+)  +\S", self.succeed("help", "design").split("parameter", 1)[1], re.M)) - {"parameter"}
        self.assertGreater(len(axes), 30)
        self.assertEqual(axes - named, set())

    def test_colours(self):
        """Nine stages of a served operation, and seven more, are boxes of different colours."""
        colours = re.findall(r"^set linetype \d+ linecolor rgb '(#\w+)'", (PROJECT / "plots/page.gp").read_text(), re.M)
        self.assertEqual((len(colours), len(set(colours))), (16, 16))

    def test_refusals(self):
        text = study("gcn3_node", "get_latency { design = p.design, bytes = p.bytes }",
                     design=("dgpu", "apu"), bytes=("8B", "64B"))
        (self.folder / "s.lua").write_text(text)
        for options, words in ((("--point", "size=8B"), "no axis size"), (("--point", "bytes=9"), "takes no value 9"),
                               (("--point", "bytes"), "AXIS=VALUE"), (("--point", "bytes=8,bytes=8"), "twice"),
                               (("-o", "bars.txt"), "ends in")):
            self.assertIn(words, self.fail_with(2, "explain", "s.lua", *options))
        self.assertIn("-o FILE.json", self.fail_with(2, "trace", "s.lua"))


WARM = """
return study { title = "Warm-ups", machine = require "configs.summit" { nodes = 2, software = { phases = "fixed" } },
  vary = { { "workload", { "all_to_all", "message_rate", "moe", "jacobi2d", "allreduce" } }, { "design", { "gpu-verbs", "openmpi-d" } },
           { "repeats", { 1, 3 } } },
  where = function(p) return p.workload ~= "message_rate" or p.design == "gpu-verbs" end,
  run = function(p)
    local d, n = p.design, p.repeats
    if p.workload == "all_to_all" then return all_to_all { design = d, nodes = 2, bytes = "64KiB", repeats = n } end
    if p.workload == "moe" then return moe { design = d, tokens = 4, work_groups = 1, repeats = n, warmup = 2 } end
    if p.workload == "jacobi2d" then return jacobi2d { design = d, nodes = 2, edge = 64, iterations = n, warmup = 2 } end
    if p.workload == "allreduce" then return allreduce { design = d, nodes = 2, bytes = "4KiB", repeats = n, warmup = 2 } end
    return message_rate { design = d, warps = 2, lanes = 1, messages = 8 * n, warmup = 20, window = 8 }
  end }
"""


class WarmUps(ProgramTest):
    def test_are_not_in_means(self):
        """What was observed of a warm-up is in no table: three repeats have three times as many operations as one, give or take the one that a
        party may have begun earlier."""
        self.write("w.lua", WARM)
        for of, points in (("messages", ("workload=all_to_all", "workload=moe", "workload=jacobi2d", "workload=allreduce")),
                           ("node0.operations", ("workload=message_rate",))):
            out = self.succeed("explain", "w.lua", "--of", of, *(word for point in points for word in ("--point", point)))
            counts = [int(count) for count in re.findall(r"(?m)^(\d+) operations of", out)]
            self.assertEqual(len(counts), 16 if of == "messages" else 2)
            for one, three in zip(counts[::2], counts[1::2]):
                self.assertLessEqual(abs(three - 3 * one), 2, counts)


class ApplicationTest(ProgramTest):
    def explain(self, *options):
        self.write("s.lua", self.TEXT)
        return self.succeed("explain", "s.lua", *options)

    def rows(self, output, key):
        lines = output[output.index(f"\n{key}  "):].strip().splitlines()
        names = lines[0].replace(" (us)", "_us").split()
        return [dict(zip(names, line.split())) for line in lines[1:]]


class Applications(ApplicationTest):
    """Iterations of applications, by place: what a place's iterations take is what the workload gives as its time."""

    TEXT = (
        'local node = require "configs.gcn3_node"\n'
        'return study { title = "Applications", machine = node { nodes = 4 },\n'
        '  vary = { app = { "jacobi2d", "allreduce", "small", "copied" },\n'
        '           design = { "comp-net", "inter-kernel", "cpu", "dgpu", "gpu-verbs" } },\n'
        '  where = function(p) return p.app ~= "copied" or p.design == "inter-kernel" end,\n'
        '  run = function(p)\n'
        '    if p.app == "jacobi2d" then return jacobi2d { design = p.design, nodes = 4, edge = 128, iterations = 5 } end\n'
        '    local bytes = p.app == "small" and "4KiB" or "256KiB"\n'
        '    local memory = p.app == "copied" and "copied" or "design"\n'
        '    return allreduce { design = p.design, nodes = 4, bytes = bytes, memory = memory, repeats = 3 }\n'
        "  end }\n")

    def test_sums(self):
        for app in ("jacobi2d", "allreduce", "small"):
            for design in ("comp-net", "inter-kernel", "cpu", "dgpu", "gpu-verbs"):
                output = self.explain("--point", f"app={app},design={design}", "--by", "place")
                operations, path, stages_ps, all_ps = SUMS.search(output).groups()
                self.assertEqual((path, stages_ps), ("iterations", all_ps))
                count = 5 if app == "jacobi2d" else 3
                self.assertEqual(int(operations), 4 * count)
                measured = re.search(r"The workload's (?:iteration|duration): ([\d.]+)us", output)[1]
                rows = self.rows(output, "place")
                self.assertEqual([int(row["place"]) for row in rows], [0, 1, 2, 3])
                self.assertEqual(float(rows[0]["mean_us"]), float(measured), f"{app} {design}")
                for row in rows:
                    parts = sum(round(float(value) * 10**6) for name, value in row.items()
                                if name.endswith("_us") and name != "mean_us")
                    self.assertLessEqual(abs(parts - round(float(row["mean_us"]) * 10**6)), len(row))
                self.assertEqual(sum(int(row["iterations"]) for row in rows), 4 * count)

    def test_iterations(self):
        output = self.explain("--point", "app=jacobi2d,design=inter-kernel", "--by", "iteration")
        rows = self.rows(output, "iteration")
        self.assertEqual([(int(row["iteration"]), int(row["places"])) for row in rows], [(i, 4) for i in range(5)])

    def test_kinds_of_time(self):
        """Kernels that the host launches pay for that; one that stays does not; a CPU's loops keep its cores busy; what the
        NIC has copied to the host is a copy."""
        for design, some, none in (("inter-kernel", {"launched", "kernel", "busy", "exposed"}, {"idle"}),
                                   ("comp-net", {"kernel", "exposed", "posted"}, {"launched", "started"}),
                                   ("cpu", {"busy", "exposed"}, {"kernel", "launched"})):
            output = self.explain("--point", f"app=jacobi2d,design={design}", "--by", "place")
            names = {name.removesuffix("_us") for name in self.rows(output, "place")[0]}
            self.assertLessEqual(some, names)
            self.assertFalse(none & names, names)
        output = self.explain("--point", "app=copied,design=inter-kernel", "--by", "place")
        self.assertIn("staged_us", self.rows(output, "place")[0])

    def test_overlap(self):
        """The halo goes beside the interior: the larger that is, the less of the halo is left to be seen."""
        text = ('local node = require "configs.gcn3_node"\n'
                'return study { title = "Overlap", machine = node { nodes = 4 }, vary = { edge = { 256, 4096 } },\n'
                '  run = function(p) return jacobi2d { design = "inter-kernel", nodes = 4, edge = p.edge, iterations = 3 } end }\n')
        self.write("s.lua", text)
        exposed = []
        for edge in (256, 4096):
            output = self.succeed("explain", "s.lua", "--point", f"edge={edge}", "--by", "place")
            exposed.append(float(self.rows(output, "place")[1]["exposed_us"]))
        halo_us = 2 * 4096 * 4 / 12.5e9 * 1e6  # what the larger halo takes on the wire alone
        self.assertLess(exposed[1], exposed[0] + halo_us)

    def check_path(self, output):
        """The path's stages add up to the iterations, to the picosecond; returns the shares of its stages."""
        iterations, path = SUMS.findall(output)
        self.assertEqual((iterations[1], path[1]), ("iterations", "critical_path"))
        self.assertEqual((iterations[0], iterations[3]), (path[0], path[3]))
        self.assertEqual(path[2], path[3])
        table = output[output.index("The critical path of these iterations"):]
        return {row[0]: float(row[1]) for row in re.findall(r"^(\w+) +\S.*? +[\d.]+ +([\d.]+) +[\d.]+ +[\d.]+  ", table, re.M)}

    def test_critical_path(self):
        """What iterations wait for is followed into operations: through servers and NICs where there are some, to who posted them."""
        for app in ("jacobi2d", "small"):
            for design, some in (("comp-net", {"seen", "served", "fetched", "delivered"}), ("inter-kernel", {"packed", "delivered"}),
                                 ("cpu", {"packed", "delivered"}), ("dgpu", {"seen", "fetched", "delivered"}),
                                 ("gpu-verbs", {"fetched", "delivered"})):
                with self.subTest(app=app, design=design):
                    shares = self.check_path(self.explain("--point", f"app={app},design={design}"))
                    self.assertLessEqual(some, set(shares))
                    self.assertLess(shares.get("exposed", 0), 10)
                    self.assertLess(abs(sum(shares.values()) - 100), 1)

    def test_path_of_experts(self):
        """Proxies that complete all together: the stage that grows on the path is the one, and it names the axis."""
        self.write("s.lua", 'local node = require "configs.gcn3_node"\n'
                            'return study { title = "Experts", machine = node { nodes = 3 }, vary = { rounds = { 1, 64 } },\n'
                            '  run = function(p) return moe { nodes = 3, tokens = 4, work_groups = 2, repeats = 2, design = design {\n'
                            '    from = "dgpu", service_threads = 2, polling_rounds = p.rounds } } end }\n')
        output = self.succeed("explain", "s.lua", "--point", "rounds=1", "--point", "rounds=64")
        self.check_path(output[:output.index("\nrounds 64\n")])
        tail = output[output.index("Along the critical paths:"):]
        self.assertRegex(tail, r"\ncompleted: [^\n]*\n    by polling_rounds \(1, 64\)\n")

    def test_path_of_waiting_entries(self):
        """Eight work-groups to a proxy that takes 50 us for an entry: what an entry waits for is that others are served, and so are
        the words that tell of tokens. Nothing of that is exposed."""
        self.write("s.lua", 'local node = require "configs.gcn3_node"\n'
                            'return study { title = "Waiting", vary = { told = { 0, 2 }, threads = { 1, 2 } },\n'
                            '  machine = node { nodes = 3, software = { dispatch_instructions = 100000 } },\n'
                            '  run = function(p) return moe { nodes = 3, tokens = 16, work_groups = 8, repeats = 2, phase = "dispatch",\n'
                            '    telling_groups = p.told, design = design { from = "comp-net", service_threads = p.threads } } end }\n')
        for told in (0, 2):
            for threads in (1, 2):
                with self.subTest(told=told, threads=threads):
                    shares = self.check_path(self.succeed("explain", "s.lua", "--point", f"told={told},threads={threads}"))
                    self.assertGreater(shares["served"] + shares.get("mutex", 0), 70)  # that of its library, with two threads
                    self.assertLess(shares["seen"], 3)
                    self.assertLess(sum(shares.get(stage, 0) for stage in ("exposed", "idle")), 1)

    def test_path_of_a_chain(self):
        """Rank 1 computes, then puts; rank 0 waits: what the computation takes is on the path of rank 0, which computes nothing."""
        self.write("s.lua", 'local node = require "configs.gcn3_node"\n'
                            'return study { title = "Chain", machine = node { nodes = 2 },\n'
                            '  vary = { design = { "comp-net", "gpu-verbs", "openmpi-d" } },\n'
                            '  run = function(p) local w = program { design = p.design }\n'
                            '    local ball, bell = w:buffer("8B"), w:signals(2)\n'
                            '    w:parties { program = function(me) for turn = 1, 4 do\n'
                            '      local hit = { to = 1 - me.rank, buffer = ball, signal = bell, index = turn % 2, value = turn }\n'
                            '      local come = { from = 1 - me.rank, buffer = ball, signal = bell, index = turn % 2, value = turn }\n'
                            '      me:begin_iteration()\n'
                            '      if me.rank == 1 then me:compute "50us" me:put_signal(hit) else me:wait_until(come) end\n'
                            '      me:end_iteration()\n'
                            '    end end }\n'
                            '    return w:run() end }\n')
        for design in ("comp-net", "gpu-verbs"):
            output = self.succeed("explain", "s.lua", "--point", f"design={design}")
            shares = self.check_path(output)
            self.assertGreater(shares["kernel"], 80)
            self.assertLess(shares.get("exposed", 0), 5)

    def test_others(self):
        """Messages within the iterations; a kernel's gets beside a job's messages."""
        output = self.explain("--point", "app=jacobi2d,design=inter-kernel")
        self.assertRegex(output, r"Measured as well \(--of\): messages \(\d+, [\d.]+ us each\)")
        output = self.explain("--point", "app=jacobi2d,design=inter-kernel", "--of", "messages")
        _, path, stages_ps, all_ps = SUMS.search(output).groups()
        self.assertEqual((path, stages_ps), ("messages", all_ps))
        self.write("s.lua", study("summit", 'guests { kernel_design = "comp-net", job_design = "charm-channel", work_groups = 4,\n'
                                            '    kernel_bytes = "8B", job_bytes = "8B", gets = 8, messages = 8 }', n=(1,)))
        paths = re.search(r"Measured as well \(--of\): (.*)", self.succeed("explain", "s.lua"))[1]
        self.assertIn("operations", paths)
        for path in re.findall(r"(\S+) \(", paths):
            sums = SUMS.search(self.succeed("explain", "s.lua", "--of", path))
            self.assertEqual(sums[3], sums[4])
        self.assertRegex(self.fail_with(2, "explain", "s.lua", "--of", "iterations"), "those that were are .*messages")

    def test_refusals(self):
        self.write("s.lua", self.TEXT)
        self.assertIn("place and iteration", self.fail_with(2, "explain", "s.lua", "--point", "app=jacobi2d,design=cpu", "--by", "rank"))
        self.write("s.lua", study("gcn3_node", 'get_latency { design = p.design, bytes = "8B" }', design=("apu",)))
        code, _, err = self.run_program("explain", "s.lua", "--by", "place")
        self.assertEqual(code, 2)
        self.assertIn("no application runs", err)


class Halo(ApplicationTest):
    """Jacobi3D by iteration, PE and GPU: each PE's iterations take what the workload gives as its time, to the picosecond, those too
    that it has not simulated; messages of the halo; mixture of experts."""

    DESIGNS = ("charm-h", "charm-messaging", "charm-channel", "ampi-d", "charm4py-d", "openmpi-d", "openmpi-h")
    TEXT = (
        'local summit = require "configs.summit"\n'
        'return study { title = "Halo", machine = summit { nodes = 2, transport = { kind = "segment", segment = "16KiB" } },\n'
        f'  vary = {{ design = {{ {", ".join(map(json.dumps, DESIGNS))} }}, odf = {{ 1, 2 }}, tolerance = {{ 0, 0.01 }}, how = {{ "none", "C", "graph" }} }},\n'
        '  run = function(p)\n'
        '    return jacobi3d { design = p.design, nodes = 2, grid = 192, odf = p.odf, warmup = 2, iterations = 23, tolerance = p.tolerance,\n'
        '                      graph = p.how == "graph", fusion = p.how == "C" and "C" or "none" }\n'
        "  end }\n")

    def check_places(self, output, places):
        operations, path, stages_ps, all_ps = SUMS.search(output).groups()
        self.assertEqual((path, stages_ps), ("iterations", all_ps))
        measured, unit = re.search(r"The workload's (?:iteration|duration): ([\d.]+)(us|ms)", output).groups()
        measured_ps = round(float(measured) * PS[unit])
        parted = self.rows(output, "place")
        self.assertEqual([int(row["place"]) for row in parted], list(range(places)))
        self.assertEqual(round(float(parted[0]["mean_us"]) * 10**6), measured_ps)
        for row in parted:
            parts = sum(round(float(value) * 10**6) for name, value in row.items() if name.endswith("_us") and name != "mean_us")
            self.assertLessEqual(abs(parts - round(float(row["mean_us"]) * 10**6)), len(row))
        return int(operations), int(all_ps), measured_ps, parted

    def halo(self, design, *options, odf=1, tolerance=0, how="none"):
        return self.explain("--point", f"design={design},odf={odf},tolerance={tolerance},how={how}", *options)

    def test_halo(self):
        cases = [(design, 1, 0, "none") for design in self.DESIGNS]
        cases += [("charm-channel", 2, 0, "none"), ("charm-h", 2, 0.01, "none"), ("openmpi-d", 1, 0.01, "none"),
                  ("charm-channel", 2, 0.01, "C"), ("charm-channel", 1, 0, "graph")]
        for design, odf, tolerance, how in cases:
            output = self.halo(design, "--by", "place", odf=odf, tolerance=tolerance, how=how)
            operations, all_ps, measured_ps, parted = self.check_places(output, 12)
            self.assertEqual((operations, all_ps // operations), (12 * 23, measured_ps), f"{design} {odf} {tolerance} {how}")
            self.assertEqual({row["mean_us"] for row in parted}, {parted[0]["mean_us"]})

    def test_kernels(self):
        """While a kernel is at work the time is the kernel's: as long as the workload says that its GPU was busy."""
        self.write("s.lua", self.TEXT)
        self.write("busy.lua", self.TEXT.replace("return jacobi3d {", "local r = jacobi3d {").replace(
            "  end }", "    return { busy = r.gpu_busy } end,\n  where = function(p) return p.odf == 1 and p.tolerance == 0 and p.how ~= 'C' and "
            "(p.how == 'none' and p.design == 'openmpi-h' or p.design == 'charm-channel') end }"))
        self.succeed("run", "busy.lua", "--no-plot", "-o", "csv:busy.csv")
        with open(self.folder / "busy.csv") as file:
            cases = list(csv.DictReader(line for line in file if not line.startswith("#")))
        self.assertEqual(len(cases), 3)
        for case in cases:
            output = self.halo(case["design"], how=case["how"])
            kernel = float(re.search(r"\nkernel +GPU +([\d.]+)", output)[1])
            self.assertAlmostEqual(kernel / float(case["busy_us"]), 1, delta=0.01, msg=case["design"])

    def test_kinds(self):
        """Host staging copies and packs; the GPU Messaging API receives late; a graph costs fewer launches."""
        def stages(output):
            return {name: float(mean) for name, mean in re.findall(r"\n(\w+) +[\w-]+(?: engine)? +([\d.]+) +[\d.]+ +[\d.]+ +[\d.]+ ", output)}
        staged, late, graph = (stages(self.halo("charm-h")), stages(self.halo("charm-messaging")),
                               stages(self.halo("charm-channel", how="graph")))
        plain = stages(self.halo("charm-channel"))
        self.assertGreater(staged["staged"], 2 * late["staged"])
        self.assertGreater(staged["copied"], 0)
        self.assertGreater(late["late_receive"], 0)
        self.assertGreater(late["scheduled"], 0)  # a message for each face
        self.assertNotIn("scheduled", plain)  # all messages are the PE's to itself, callbacks
        self.assertLess(graph["launched"], 0.7 * plain["launched"])
        self.assertLessEqual({"packed", "callback", "scheduled", "launched", "started", "copy", "kernel", "busy", "exposed", "idle"}, set(late))

    def test_difference(self):
        output = self.explain("--point", "design=charm-h,odf=1,tolerance=0,how=none", "--point", "design=charm-channel,odf=1,tolerance=0,how=none")
        tail = output[output.rindex("Their designs differ"):]
        self.assertRegex(tail, r"staged: [\d.]+ us less until it is copied between GPU and host memory")
        self.assertIn("host staging: the program copies to host memory", tail)

    def test_messages(self):
        output = self.halo("charm-messaging", "--of", "messages")
        _, path, stages_ps, all_ps = SUMS.search(output).groups()
        self.assertEqual((path, stages_ps), ("messages", all_ps))
        self.assertIn("late receive: the receive is posted when the metadata message", output)

    def test_experts(self):
        for machine, designs in (("gcn3_node", ("comp-net", "gpu-verbs", "dgpu")), ("summit", ("charm-messaging", "openmpi-h", "ampi-d"))):
            text = study(machine, 'moe { design = p.design, nodes = 2, tokens = 4, packing = p.packing, repeats = 3 }',
                         design=designs, packing=("packed", "token"))
            self.write("s.lua", text)
            for design in designs:
                output = self.succeed("explain", "s.lua", "--point", f"design={design},packing=token", "--by", "place")
                operations, _, _, _ = self.check_places(output, 2)
                self.assertEqual(operations, 6)
                self.assertIn(", that of place 0: ", output)


class Trace(ProgramTest):
    def trace(self, text, *options):
        (self.folder / "s.lua").write_text(text)
        self.output = self.succeed("trace", "s.lua", "-o", "t.json", *options)
        return json.loads((self.folder / "t.json").read_text())["traceEvents"]

    def check(self, events):
        """Times never go back, from 0 on; spans of a thread do not overlap; each arrow begins once and ends once; who has
        events has a name."""
        last, ends, flows, named = 0, collections.Counter(), set(), set()
        for event in events:
            if event["ph"] == "M":
                named.add((event["name"], event["pid"], event["tid"]))
                continue
            at = round(event["ts"] * 10**6)
            self.assertGreaterEqual(at, last)
            last = at
            self.assertIn(("process_name", event["pid"], 0), named)
            place = event["pid"], event["tid"]
            if event["ph"] == "X":
                self.assertIn(("thread_name", *place), named)
                self.assertGreaterEqual(at, ends[place])
                ends[place] = at + round(event["dur"] * 10**6)
            elif event["ph"] == "s":
                self.assertNotIn(event["id"], flows)
                flows.add(event["id"])
            elif event["ph"] == "t":
                self.assertIn(event["id"], flows)
            elif event["ph"] == "f":
                flows.remove(event["id"])
            else:
                self.assertEqual(event["ph"], "C")
        self.assertEqual(flows, set())

    def names(self, events, kind):
        return {event["args"]["name"] for event in events if event["ph"] == "M" and event["name"] == kind}

    GETS = study("gcn3_node", "get_latency { design = p.design, bytes = \"8B\", repeats = 20 }", design=("dgpu", "comp-net"))

    def test_work_groups(self):
        events = self.trace(self.GETS, "--point", "design=comp-net")
        self.check(events)
        self.assertLessEqual({"CU 0", "core", "serves", "pipeline", "packets", "link out", "work-group 0"},
                             self.names(events, "thread_name"))
        self.assertEqual(sum(event["ph"] == "s" for event in events), 24)
        steps = collections.Counter(event["id"] for event in events if event["ph"] == "t")
        self.assertEqual(set(steps.values()), {2})  # served, and in the NIC
        levels = {event["name"] for event in events if event["ph"] == "C"}
        self.assertLessEqual({"core power", "link out link use", "queue occupancy entries"}, levels)

    def test_messages(self):
        text = study("summit", 'osu_latency { design = p.design, bytes = "64KiB", placement = "inter-node", iterations = 10 }',
                     design=("charm-channel", "charm-h"))
        events = self.trace(text)
        self.check(events)
        processes = self.names(events, "process_name")
        self.assertIn("design charm-channel: rank0", processes)
        self.assertIn("design charm-h: rank1", processes)
        self.assertLessEqual({"core", "copy engine to host", "stream 1", "pipeline"}, {name.split(" #")[0] for name in self.names(events, "thread_name")})

    def test_filters(self):
        whole = self.trace(self.GETS)
        self.check(whole)
        window = self.trace(self.GETS, "--from", "10us", "--to", "40us", "--only", "nic", "--force")
        self.check(window)
        times = [event["ts"] for event in window if event["ph"] != "M"]
        self.assertTrue(10 <= min(times) and max(times) <= 40)
        self.assertTrue(all("nic" in name for name in self.names(window, "process_name")))

    def test_refusals(self):
        self.write("s.lua", self.GETS)
        for options, words in ((("--only", "nothing"), "no track has any of these in its name"), (("--from", "10us", "--to", "5us"), "before it begins"),
                               (("--to", "-5us"), "0 or more"), (("--limit", "1B"), "4096 bytes at least"), (("--from", "10"), "has no unit")):
            self.assertIn(words, self.fail_with(2, "trace", "s.lua", "-o", "t.json", *options))
            self.assertFalse((self.folder / "t.json").exists())

    def test_limit(self):
        events = self.trace(self.GETS, "--limit", "100KiB")
        self.check(events)
        self.assertIn("left out", self.output)
        self.assertLess((self.folder / "t.json").stat().st_size, 110 * 1024)

    def test_limit_of_a_pipe(self):
        """A stream that has no position has the limit of a file, and the same bytes."""
        options = "--point", "design=dgpu", "--limit", "8KiB"
        self.trace(self.GETS, *options)
        piped = self.succeed("trace", "s.lua", "-o", "-", *options)
        self.assertLess(len(piped), 12 * 1024)
        self.assertEqual(piped, (self.folder / "t.json").read_text())


if __name__ == "__main__":
    unittest.main()
