# SPDX-License-Identifier: BSD-3-Clause
"""gpunetsim export of a study's point: as GOAL and as Chakra traces, which run again in nearly the same time."""
import collections
import re
import unittest

from program import ProgramTest, unless_sanitized

# Workloads of ranks, and for each the largest error of its schedule on the same machine and design. First uses of memory, which a
# schedule has two of a rank, and the order of calls that a chare's scheduler picks are not in it.
ERRORS = {
    "osu_latency": ('osu_latency { design = p.design, bytes = "64KiB", placement = "inter-node" }', 0.03),
    "osu_latency_near": ('osu_latency { design = p.design, bytes = "64KiB", placement = "intra-socket" }', 0.001),
    "osu_bandwidth": ('osu_bandwidth { design = p.design, bytes = "64KiB", placement = "inter-node" }', 0.01),
    "allreduce": ('allreduce { design = p.design, nodes = 2, gpus_per_node = 2, bytes = "4MiB" }', 0.05),
    "moe": ("moe { design = p.design, nodes = 2, gpus_per_node = 6 }", 0.01),
    "jacobi3d": ("jacobi3d { design = p.design, nodes = 2, grid = 192, iterations = 5, warmup = 1 }", 0.13),
    "ring": ("ring(p.design)", 0.035),
}
DESIGNS = ("openmpi-d", "openmpi-h", "charm-channel", "ampi-d")

STUDY = """
local function ring(design)
  local w = program {{ design = design, nodes = 2, gpus_per_node = 6, channels = true }}
  local data, come = w:buffer("64KiB"), w:signals(2)
  w:parties {{ program = function(me)
    for turn = 1, 40 do
      local sent = me:send {{ to = (me.rank + 1) % me.ranks, buffer = data, bytes = "64KiB" }}
      local got = me:receive {{ from = (me.rank - 1) % me.ranks, buffer = data, bytes = "64KiB" }}
      me:compute("7us")
      me:wait(sent, got)
      me:compute {{ elements = 4096, flops = 5, bytes = "8B", working_set = "1GiB" }}
      me:put_signal {{ to = me.rank ~ 1, buffer = data, bytes = "100B", signal = come, index = turn % 2, value = turn }}
      me:wait_until {{ from = me.rank ~ 1, buffer = data, bytes = "100B", signal = come, index = turn % 2, value = turn }}
      me:finish()
    end
    me:record("time", me:now())
  end }}
  return w:run()
end

return study {{
  title = "What is exported",
  machine = require "configs.{machine}" {{ nodes = 2 }},
  vary = {{ design = {{ {designs} }} }},
  run = function(p) return {workload} end,
}}
"""


class Export(ProgramTest):
    def study(self, workload, designs=DESIGNS, machine="summit"):
        names = ", ".join(f'"{design}"' for design in designs)
        return self.write("s.lua", STUDY.format(workload=workload, designs=names, machine=machine))

    def export(self, form, design, output, *options):
        self.succeed("export", form, "s.lua", "--point", f"design={design}", "-o", output, "--force", *options)

    @staticmethod
    def pairs(text):
        """Messages and bytes of each pair of ranks, of a GOAL text."""
        sums, rank = collections.Counter(), None
        for line in text.splitlines():
            if line.startswith("rank"):
                rank = int(line.split()[1])
            if sent := re.match(r"l\d+: send (\d+)b to (\d+)", line):
                sums[rank, int(sent[2]), "bytes"] += int(sent[1])
                sums[rank, int(sent[2]), "messages"] += 1
            if got := re.match(r"l\d+: recv (\d+)b from (\d+)", line):
                sums[int(got[2]), rank, "received"] += int(got[1])
        return sums

    def again(self, schedule, design, placement, machine="summit"):
        out = self.succeed("goal", schedule, "-m", machine, "-s", "nodes=2", "-d", design, "--placement", placement)
        return float(out.split()[-1])

    @unless_sanitized
    def test_takes_as_long_again(self):
        for name, (workload, limit) in ERRORS.items():
            self.study(workload)
            for design in DESIGNS:
                with self.subTest(workload=name, design=design):
                    self.export("goal", design, "x.goal")
                    head = (self.folder / "x.goal").read_text().split("num_ranks")[0]
                    took_ns = float(re.search(r"([\d.]+) ns", head)[1])
                    placement = re.search(r"--placement (\S+)", head)[1]
                    error = self.again("x.goal", design, placement) / took_ns - 1
                    self.assertLess(abs(error), limit)

    def test_forms_have_the_same_messages(self):
        self.study(ERRORS["moe"][0])
        self.export("goal", "openmpi-d", "x.goal")
        self.export("goal-binary", "openmpi-d", "x.bin")
        self.export("chakra", "openmpi-d", "x")
        text = (self.folder / "x.goal").read_text()
        sums = self.pairs(text)
        self.assertEqual(self.pairs(self.succeed("export", "goal", "x.bin")), sums)
        self.assertEqual(self.pairs(self.succeed("export", "goal", "x")), sums)
        for (sender, receiver, what), count in list(sums.items()):
            if what == "bytes":
                self.assertEqual(sums[sender, receiver, "received"], count)
        messages, sent = re.search(r": (\d+) messages, (\d+) bytes", text).groups()
        self.assertEqual(sum(v for k, v in sums.items() if k[2] == "messages"), int(messages))
        self.assertEqual(sum(v for k, v in sums.items() if k[2] == "bytes"), int(sent))
        placement = "both,memory=gpu,ranks_per_node=6"
        self.assertEqual(self.again("x.bin", "openmpi-d", placement), self.again("x.goal", "openmpi-d", placement))
        # Chakra's nodes do not say in which order what is ready is begun.
        self.assertAlmostEqual(self.again("x", "openmpi-d", placement) / self.again("x.goal", "openmpi-d", placement), 1, delta=0.15)

    def test_a_program_as_it_is_written(self):
        """Each rank sends 40 times 64 KiB to the next, and 40 times 100 B to its partner."""
        self.study("ring(p.design)")
        for design in DESIGNS:
            self.export("goal", design, "x.goal")
            text = (self.folder / "x.goal").read_text()
            for rank in range(12):
                next_bytes, own = 40 * 65536, self.pairs(text)
                partner, after = rank ^ 1, (rank + 1) % 12
                if partner == after:
                    self.assertEqual(own[rank, after, "bytes"], next_bytes + 4000)
                else:
                    self.assertEqual((own[rank, after, "bytes"], own[rank, partner, "bytes"]), (next_bytes, 4000))
            self.assertGreaterEqual(text.count("calc 7000 "), 12 if design != "openmpi-h" else 0)

    def test_work_groups(self):
        """Work-groups are CPU streams of their GPU's rank, gets a request and an answer, and puts are received by nobody's program."""
        self.study('get_latency { design = p.design, bytes = "64KiB" }', ("gpu-verbs",), "h200_cluster")
        self.export("goal", "gpu-verbs", "x.goal")
        sums = self.pairs((self.folder / "x.goal").read_text())
        gets = sums[0, 1, "messages"]
        self.assertGreater(gets, 10)
        self.assertEqual((sums[0, 1, "bytes"], sums[1, 0, "bytes"]), (8 * gets, 65536 * gets))
        self.study("moe { design = p.design, nodes = 2, gpus_per_node = 4 }", ("gpu-verbs", "gpu-warp"), "h200_cluster")
        self.export("goal", "gpu-verbs", "x.goal")
        text = (self.folder / "x.goal").read_text()
        self.assertEqual({int(cpu) for cpu in re.findall(r"cpu (\d+)", text)}, set(range(8)))
        sums = self.pairs(text)
        self.export("program", "gpu-verbs", "x.lua")
        written = (self.folder / "x.lua").read_text()
        self.assertIn("nodes = 2, gpus_per_node = 4,", written)  # as in the study
        # The study's machine and design are not: the file says so, beside the point's name.
        head = written[:1000]
        self.assertIn("-- s.lua, design gpu-verbs as a program", head)
        self.assertIn("The machine and the design are these, whatever the messages were recorded with", head)
        run = ("run", "x.lua", "--no-plot", "-s", "study.machine=h200_cluster", "-s", "study.design=gpu-verbs", "-s", "study.nodes=2",
               "-s", "study.gpus_per_node=4")
        took_us = float(re.search(r"gpu-verbs +([\d.]+)", self.succeed(*run))[1])
        was_us = float(re.search(r"([\d.]+) ns", text)[1]) / 1000
        # One work-group of each GPU does what eight did.
        self.assertTrue(0.9 < took_us / was_us < 2, (took_us, was_us))

    def test_iterations_that_are_not_simulated(self):
        """The schedule has those that were; its head says how many more there are."""
        self.study("jacobi3d { design = p.design, nodes = 1, gpus = 2, grid = 96, iterations = 60, warmup = 0, tolerance = 0.1 }", ("openmpi-d",))
        self.export("goal", "openmpi-d", "x.goal")
        text = (self.folder / "x.goal").read_text()
        left = int(re.search(r"(\d+) further iterations are like others", text)[1])
        # Two blocks send each other two faces an iteration, round the torus or not.
        messages = sum(v for k, v in self.pairs(text).items() if k[2] == "messages")
        self.assertEqual(messages % (60 - left), 0)

    def test_receives_posted_ahead(self):
        """The GPU Messaging API posts receives of an iteration that never comes; they are no messages."""
        self.study(ERRORS["jacobi3d"][0], ("charm-messaging",))
        self.export("goal", "charm-messaging", "x.goal")
        sums = self.pairs((self.folder / "x.goal").read_text())
        for (sender, receiver, what), count in list(sums.items()):
            if what == "bytes":
                self.assertEqual(sums[sender, receiver, "received"], count)
        self.assertIn("makespan_ns", self.succeed("goal", "x.goal"))

    def test_refused(self):
        self.study("flag_round_trip {}", ("gpu-verbs",), "h200_cluster")
        self.assertIn("nothing in it has parties", self.fail_with(2, "export", "goal", "s.lua"))
        self.study("litmus { design = p.design }", ("gpu-verbs",), "h200_cluster")
        self.assertIn("words, which are no messages", self.fail_with(2, "export", "goal", "s.lua"))
        self.study(ERRORS["osu_latency"][0])
        self.assertIn("at most 1 can be exported", self.fail_with(2, "export", "goal", "s.lua"))
        self.assertIn("needs -o PREFIX", self.fail_with(2, "export", "chakra", "s.lua", "--point", "design=openmpi-d"))
        self.assertIn("at most 1 can be exported", self.fail_with(2, "export", "goal", "fig08a_get_latency"))
        self.assertIn('expected PATTERN:RANKS and found "ring"', self.fail_with(2, "export", "goal", "ring"))
        self.assertIn("belong to studies", self.fail_with(2, "export", "goal", "ring:4", "--point", "design=openmpi-d"))
        twice = 'osu_latency {{ design = p.design, bytes = "8B" }}'
        self.study(f"({twice}).latency and {twice}".replace("{{", "{").replace("}}", "}"), ("openmpi-d",))
        self.assertIn("has 2 simulations; choose one", self.fail_with(2, "export", "goal", "s.lua"))
        self.assertIn("messages", self.succeed("export", "goal", "s.lua", "--simulation", "2"))
        self.assertIn("choose one", self.fail_with(2, "export", "goal", "s.lua", "--simulation", "3"))
        self.write("any.goal", "num_ranks 2\nrank 0 { recv 8b from -1 }\nrank 1 { send 8b to 0 }\n")
        self.assertIn("rank 0 receives any", self.fail_with(2, "export", "chakra", "any.goal", "-o", "any"))
        self.assertFalse(list(self.folder.glob("any*.et")))


if __name__ == "__main__":
    unittest.main()
