# SPDX-License-Identifier: BSD-3-Clause
"""gpunetsim collective --nodes: a step between nodes is the sum of its parts, long ones go at the NICs' rate, and what NCCL chooses."""
import csv
import io
import json
import unittest

from program import ProgramTest, sample

PARTS = """
return study {
  title = "The parts of a step",
  machine = require "configs.h200_cluster",
  vary = { nodes = { 2 } },
  run = function()
    local function load(memory) return gpu_operation { operation = "load", memory = memory }.time end
    return {
      host = flag_round_trip { partner = "host", ordered = false, rounds = 8 }.time,
      peer = flag_round_trip { partner = "peer", ordered = false, rounds = 8 }.time,
      sent = perftest { operation = "send_lat", memory = "gpu", iterations = 20 }.latency,
      sent_from_host = perftest { operation = "send_lat", inline = "0B", iterations = 20 }.latency,
      rate = quantity(perftest { operation = "send_bw", bytes = "1MiB", memory = "gpu", iterations = 400 }.bandwidth),
      fence = gpu_operation { operation = "store_fence" }.time,
      load = load "gpu",
    }
  end,
}
"""


class Rails(ProgramTest):
    def rows(self, operation, nodes, gpus, sizes, *words):
        """Rows between nodes of the cluster, as dictionaries of text."""
        text = self.succeed("collective", operation, "-m", "h200_cluster", "-s", f"nodes={max(nodes, 2)}", "--nodes", str(nodes), "-g", str(gpus),
                            "-b", sizes[0], "-e", sizes[-1], "-f", "4", "-o", "csv:-", *words)
        return list(csv.DictReader(io.StringIO(text)))

    def row(self, operation, nodes, gpus, size, *words):
        return self.rows(operation, nodes, gpus, [size], *words)[0]

    def parts(self):
        self.write("parts.lua", PARTS)
        row = next(csv.DictReader(io.StringIO(self.succeed("run", "parts.lua", "-o", "csv:-", "--no-plot"))))
        return {name.removesuffix("_us"): float(value) for name, value in row.items() if name != "nodes"}

    def test_step(self):
        """Fence; the tail until the host thread has it; post, wire and completion; the tail that it sets, or the flag that a GPU polls."""
        part = self.parts()
        tail = part["host"] / 2
        for protocol, expected in (("Simple", part["fence"] + tail + part["sent"] + tail),
                                   ("LL128", part["fence"] + tail + part["sent"] + part["load"]),
                                   ("LL", tail + part["sent_from_host"] + part["load"])):
            row = self.row("all_gather", 2, 1, "1KiB", "-p", protocol)
            self.assertEqual((row["nics"], row["network_steps"]), ("1", "1"))
            self.assertAlmostEqual(float(row["step_us"]), expected, places=4)

    def test_instead_of_peer(self):
        """A gather between two nodes takes the step instead of a word's way between peers, 0.1 us longer than a flag's: 512 B are 1 KiB of LL, whose 16 lines the proxy looks at,
        16 at once in 110 ns, and which the NIC sends."""
        part = self.parts()
        far = self.row("all_gather", 2, 1, "1KiB", "-p", "LL")
        near = self.row("all_gather", 1, 2, "1KiB", "-p", "LL", "--how", "graph")
        expected = float(far["step_us"]) - (part["peer"] / 2 + 0.1) + 0.110 + 1024 / part["rate"] * 1e6
        self.assertAlmostEqual(float(far["moved_us"]) - float(near["moved_us"]), expected, delta=0.01)

    def test_wire(self):
        """A longer wire is waited for once for each step over the network on the longest way: of a tree, or of a ring, where what a node's last GPU
        sends comes back to its first one."""
        for operation, nodes, gpus, protocol, algorithm, steps in sample((
                ("all_gather", 2, 1, "Simple", "ring", 1), ("all_reduce", 2, 1, "LL", "ring", 2), ("all_gather", 4, 2, "LL", "ring", 4),
                ("reduce_scatter", 4, 1, "Simple", "ring", 3), ("reduce_scatter", 2, 4, "LL", "ring", 2),
                ("all_reduce", 2, 8, "LL", "tree", 2), ("all_reduce", 3, 4, "LL", "tree", 4), ("all_reduce", 4, 8, "LL", "tree", 4),
                ("all_reduce", 8, 4, "LL", "tree", 6), ("alltoall", 2, 4, "Simple", "direct", 1)), 3):
            slow, fast = (self.row(operation, nodes, gpus, "1KiB", "-p", protocol, "-s", f"network.latency={time}us") for time in (11, 1))
            self.assertEqual((slow["algorithm"], int(slow["network_steps"])), (algorithm, steps), (operation, nodes))
            each = float(slow["step_us"]) - float(fast["step_us"])
            self.assertGreaterEqual(each, 10)  # a cable or more of a fat tree
            self.assertAlmostEqual(float(slow["moved_us"]) - float(fast["moved_us"]), steps * each, delta=0.002 * steps * each)  # what waits hide

    def test_buffer(self):
        """A buffer has eight steps. Each GPU of a ring of 16 sends 15 times: the ninth time it waits until the receiver, who had the first one a wire
        later, has told that it is free, another wire later; so that a reduction waits for one wire more than its own two."""
        slow, fast = (self.row("reduce_scatter", 2, 8, "1KiB", "-p", "LL", "-s", f"network.latency={time}us") for time in (101, 1))
        each = float(slow["step_us"]) - float(fast["step_us"])
        self.assertAlmostEqual(float(slow["moved_us"]) - float(fast["moved_us"]), 3 * each, delta=0.15 * each)

    def test_rate(self):
        """Long ones go at the rate of the NICs: what nccl-tests calls bus bandwidth; not faster."""
        rate = self.parts()["rate"] / 1e9
        for operation, nodes, gpus in sample((("all_reduce", 2, 1), ("all_reduce", 4, 1), ("all_gather", 2, 1), ("reduce_scatter", 4, 2),
                                       ("broadcast", 2, 1), ("all_reduce", 2, 8)), 3):
            row = self.row(operation, nodes, gpus, "4GiB")
            share = float(row["bus_rate_GBps"]) / (int(row["nics"]) * rate)
            self.assertTrue(0.96 < share <= 1.0001, (operation, nodes, gpus, share))
        row = self.row("alltoall", 4, 2, "4GiB")
        self.assertAlmostEqual(float(row["time_us"]), (4 << 30) * 6 / 8 / rate / 1e3, delta=0.02 * float(row["time_us"]))

    def test_more_nics(self):
        """Twice the NICs are never slower, and long ones nearly twice as fast."""
        for operation in sample(("all_reduce", "all_gather", "broadcast", "alltoall"), 4):
            one, two = ([float(row["time_us"]) for row in self.rows(operation, 2, 4, ("4KiB", "1GiB"), "-s", f"node.nics_per_socket={count}")]
                        for count in (2, 4))
            for few, many in zip(one, two):
                self.assertLessEqual(many, few * 1.0001, operation)
            self.assertGreater(one[-1], 1.8 * two[-1])

    def test_choice(self):
        """By src/graph/tuning.cc. Of 16 GPUs on two nodes a tree of LL has 6.8 + 2 (7 0.6 + 5.0) = 25.2 us, a ring 6.6 + 28 1.0 + 2 2.7 = 40; of one
        GPU on each, a ring 6.6 + 2 5.0 = 16.6, a tree 16.8. Eight NICs have eight rings, which are doubled; one has two halves, doubled."""
        small, large = self.row("all_reduce", 2, 8, "1KiB"), self.row("all_reduce", 2, 8, "1GiB")
        self.assertEqual((small["algorithm"], small["protocol"], small["nics"]), ("tree", "LL", "8"))
        self.assertEqual((large["algorithm"], large["protocol"], large["channels"]), ("ring", "Simple", "16"))
        self.assertEqual(self.row("all_reduce", 2, 1, "1KiB")["algorithm"], "ring")
        self.assertEqual(self.row("all_gather", 2, 1, "1GiB")["channels"], "4")
        # A gather of 1 MiB takes 6.6 + 5.0 us and its half by LL at 24 GB/s, 33.4, and 8.4 + 14 by Simple at 48 GB/s, 33.3.
        self.assertEqual([row["protocol"] for row in self.rows("all_gather", 2, 1, ("64KiB", "16MiB"))], ["LL", "LL", "Simple", "Simple", "Simple"])

    def test_forms(self):
        words = ("collective", "all_gather", "-m", "h200_cluster", "--nodes", "2", "-g", "8", "-b", "1MiB", "-e", "1MiB")
        lines = self.succeed(*words).splitlines()
        self.assertIn("(simulated by gpunetsim: h200-cluster, 2 nodes of 8 GPUs, launched)", lines[0])
        self.assertEqual(len(lines[-1]), 118 + 18)
        explained = self.succeed(*words, "--explain").splitlines()
        self.assertTrue(explained[2].endswith("NICs  network steps  of each: fence     seen     wire      way     told"))
        self.assertEqual(explained[3].split()[3], self.row("all_gather", 2, 8, "1MiB")["channels"])
        self.assertEqual(len(explained[2]), len(explained[3]))
        values = json.dumps(json.loads(self.succeed(*words, "-o", "json:-")))
        for name in ("nics", "network_steps", "step_us"):
            self.assertIn(name, values)

    def test_refusals(self):
        cluster = ["-m", "h200_cluster", "--nodes"]
        for words, sentence in (
                (["all_reduce", "--nodes", "2"], "the collective is for 2 nodes, the machine has 1"),
                (["all_reduce", *cluster, "3"], "the collective is for 3 nodes, the machine has 2"),
                (["all_reduce", *cluster, "0"], "nodes is 0; it is a whole number from 1 to 64"),
                (["all_reduce", *cluster, "16", "-g", "8"], "16 nodes with 8 GPUs each are 128; at most 64 GPUs are followed"),
                (["all_reduce", *cluster, "2", "--how", "graph"], "over nodes only launched collectives are modelled"),
                (["all_gather", *cluster, "2", "--how", "symmetric"], "over nodes only launched collectives are modelled"),
                (["alltoall", *cluster, "2", "-p", "LL"], "sends and receives to other nodes are Simple"),
                (["all_reduce", *cluster, "2", "-b", "4B"], "sizes are from 16 B, an element of each GPU, to 16 GiB")):
            self.assertIn(sentence, self.fail_with(2, "collective", *words))


if __name__ == "__main__":
    unittest.main()
