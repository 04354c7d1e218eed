# SPDX-License-Identifier: BSD-3-Clause
"""Designs as a user meets them: listed, told about, composed in Lua, on an axis, overridden, refused."""
import csv
import json
import unittest

from program import PROJECT, ProgramTest, connect_store

STUDY = """local d = design { from = "comp-net", polling_rounds = 60, name = "patient" }
return study {
  title = "designs",
  machine = machine { %s },
  vary = { { "design", { %s } } },
  run = function(p)
    return get_latency { design = p.design, bytes = "64B", repeats = 3 }
  end,
}
"""


class DesignTest(ProgramTest):
    def rows(self, designs, *options, machine='name = "m"'):
        self.write("d.lua", STUDY % (machine, designs))
        self.succeed("run", "d.lua", "--no-plot", "--force", "-o", "csv:d.csv", *options)
        with open(self.folder / "d.csv", newline="") as file:
            return {row["design"]: row["latency_us"] for row in csv.DictReader(file)}

    def test_an_mpi_that_a_machine_further_down_describes(self):
        text = """local summit = require "configs.summit"
return study {
  title = "t",
  vary = { d = { design { from = "openmpi-d", name = "mine", runtime = "%s" }, design { from = "openmpi-d", name = "its" } } },
  machine = %s summit { nodes = 2, mympi = mpi { from = "openmpi", call = "9us" } }%s,
  run = function(p) return osu_latency { design = p.d, placement = "inter-node", bytes = "8B" } end,
}
"""
        for before, after in (("", ""), ("function() return ", " end")):
            self.write("d.lua", text % ("mympi", before, after))
            self.assertEqual(self.run_program("run", "d.lua", "--no-plot", "--force", "-o", "csv:d.csv")[0], 0)
            with open(self.folder / "d.csv", newline="") as file:
                times = {row["d"]: float(row["latency_us"]) for row in csv.DictReader(file)}
            self.assertGreater(times["mine"], times["its"] + 8)
        self.write("d.lua", text % ("mimpy", "", ""))  # said where it stands if no machine has it
        for command in (("check", "d.lua"), ("run", "d.lua", "--no-plot")):
            self.assertRegex(self.fail_with(2, *command), r'\Ad\.lua:4: design\.runtime: "mimpy" is not known; accepted: none, [a-z, 0-9]+\.\Z')
        self.write("d.lua", text % ("mimpy", "function() return ", " end"))
        self.assertIn("takes runtime = mimpy, which is no mpi of the machine", self.fail_with(1, "run", "d.lua", "--no-plot"))

    def refused(self, code, designs, *options, machine='name = "m"'):
        self.write("d.lua", STUDY % (machine, designs))
        return self.fail_with(code, "run", "d.lua", "--no-plot", "--force", *options)

    def test_lists_and_help(self):
        listed = self.succeed("list", "designs")
        self.assertRegex(listed, r"comp-net +Command processors serve queues")
        self.assertRegex(listed, r"charm-channel +Charm\+\+ Channel API")
        self.assertNotIn("get_latency", listed)
        self.assertIn("comp-net", self.succeed("list"))
        self.assertIn('did you mean "designs"?', self.fail_with(2, "list", "design"))
        workloads = json.loads(self.succeed("list", "workloads", "--json"))
        self.assertGreater(len(workloads), 15)
        for name in (workload["workload"] for workload in workloads):
            self.assertRegex(self.succeed("help", name), rf"^{name}: .*\n\nparameter +default")
        told = self.succeed("help", "comp-net")
        self.assertIn("Source: ComPNet18, section 4", told)
        self.assertRegex(told, r"polling_rounds +8 +estimated, 1 to 64: the paper says a predefined number")
        self.assertRegex(told, r"server +command_processor")
        self.assertRegex(self.succeed("help", "design"), r"server +host_thread +none, host_thread, command_processor")
        self.assertIn("accepted  host, gpu", self.succeed("help", "design.queue.memory"))

    def test_axis_of_designs(self):
        """Names, texts and design { ... } beside each other; a cell is a text that names the same point."""
        rows = self.rows('"comp-net", d, design { from = d, queue = { memory = "host" } }, "apu"')
        self.assertEqual(list(rows), ["comp-net", "patient", "comp-net{queue.memory=host,polling_rounds=60}", "apu"])
        again = self.rows(", ".join(f'"{text}"' for text in rows if text != "patient"))
        for text, latency in again.items():
            self.assertEqual(latency, rows[text])
        self.assertGreater(float(rows["patient"]), float(rows["comp-net"]))

    def test_override(self):
        plain = self.rows('"dgpu", design { from = "dgpu", queue = { memory = "host" }, name = "far" }')
        moved = self.rows('"dgpu"', "-s", "design.queue.memory=host")
        self.assertEqual(moved["dgpu"], plain["far"])
        self.assertNotEqual(plain["dgpu"], plain["far"])

    def test_memory_knows_points_not_names(self):
        """What a store remembers of a design is all its axes."""
        self.write("d.lua", STUDY % ('name = "m"', '"dgpu-host-queue", "dgpu{queue.memory=host}"'))
        self.succeed("sweep", "d.lua", "--store", "d.db", "-j", "1")
        with connect_store(self.folder / "d.db") as store:
            calls = store.execute("SELECT arguments FROM call").fetchall()
        self.assertEqual(len(calls), 1)
        self.assertIn("{initiator=kernel,server=host_thread,", calls[0][0])
        self.assertNotIn("dgpu", calls[0][0])

    def test_refusals(self):
        for designs, part in (
                ('"comp-nt"', 'did you mean "comp-net"?'),
                ('design { from = "comp-nt" }', 'did you mean "comp-net"?'),
                ('design { from = "comp-net", queue = { memory = "gpuu" } }', 'design.queue.memory: "gpuu" is not known'),
                ('design { from = "comp-net", queue = "gpu" }', 'unknown key "queue" in design; it is a record of queue.memory'),
                ('design { from = "comp-net", queue = { memori = "gpu" } }', 'did you mean "queue.memory"?'),
                ('design { from = "comp-net", queue = { "gpu" } }', "design.queue has a value without a name"),
                ('design { from = "comp-net", room_by = "copy" }', 'it is called "queue.room_by" now'),
                ('design { from = "dgpu", queue = { memory = "host", polling = "runtime_call" } }', "it takes queue.memory = gpu and server = host_thread"),
                ('design { from = "dgpu", name = "apu" }', '"apu" is the name of another design'),
                ('design { from = "dgpu", polling_rounds = estimated(80, 1, 64, "x") }', "not between its bounds"),
                ('design "dgpu"', "design needs a table"),
                ("{}", "no quantity, number, name or boolean"),
        ):
            with self.subTest(designs=designs):
                self.assertIn(part, self.refused(1 if designs == '"comp-nt"' else 2, designs))

    def test_workloads_refuse(self):
        self.write("q.lua", (STUDY % ('name = "m"', '"openmpi-d"')).replace("get_latency", "queue_service")
                   .replace('bytes = "64B", repeats = 3', "work_groups = 1, operations = 3"))
        self.assertIn("asks for puts and gets from inside a kernel; design openmpi-d has no runtime for them",
                      self.fail_with(1, "run", "q.lua", "--no-plot"))
        self.assertIn('did you mean "openmpi-d"?', self.fail_with(2, "osu", "latency", "-d", "openmpid"))
        self.assertIn("carry host data", self.fail_with(2, "osu", "latency", "-d", "charm-h{payload=direct}"))

    def test_file_of_designs(self):
        """A new design is an entry of the project's file and nothing else; faults are told before all else."""
        entry = '["mine"] = design { description = "Mine.", source = "me", server = "command_processor" }'
        (self.folder / "configs").mkdir()
        for name in ("views", "benchmarks"):
            (self.folder / name).symlink_to(PROJECT / name)

        def file(text):
            self.write("configs/designs.lua", text)
            return {"GPUNETSIM_ROOT": str(self.folder)}

        self.assertRegex(self.succeed("list", "designs", **file("return { %s }" % entry)), r"mine +Mine\.")
        self.write("m.lua", STUDY.replace("comp-net", "mine") % ('name = "m"', '"mine"'))
        self.succeed("run", "m.lua", "--no-plot", "-o", "csv:m.csv", **file("return { %s }" % entry))
        for text, part in (("return 3", "returns a number instead of a table of designs"),
                           ("return { a = 3 }", '"a" is a number, not a design'),
                           ("return { ['A,b'] = design {} }", '"A,b" is not a name for a design'),
                           ("return { a = design { description = 'x' } }", 'design "a" needs a source'),
                           ("return { a = design { source = 'x' } }", 'design "a" needs a description'),
                           ("return {\n  a = design { server = 'none' } }", "designs.lua:2: design: a kernel's requests")):
            with self.subTest(text=text):
                self.assertIn(part, self.fail_with(2, "list", "designs", **file(text)))

    def test_moved_names(self):
        """Protocol choices were parameters of component software."""
        self.assertIn('"polling_rounds" in software; it is an axis of designs: design { from = "comp-net", '
                      "polling_rounds = ... }",
                      self.refused(2, '"dgpu"', machine="software = { polling_rounds = 3 }"))
        self.assertIn("write design.completion=...",
                      self.refused(2, '"dgpu"', "-s", "software.completion=together"))
        self.assertIn('unknown axis "quene" in design; did you mean "queue"?',
                      self.refused(2, '"dgpu"', "-s", "design.quene=host"))
        self.assertIn("it takes queue.memory, nic_queue.memory and heap = host",
                      self.refused(1, '"dgpu"', "-s", "design.node=coherent"))


if __name__ == "__main__":
    unittest.main()
