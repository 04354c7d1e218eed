# SPDX-License-Identifier: BSD-3-Clause
"""gpunetsim derive, and the models that it makes as machines of gpunetsim goal."""
import re
import unittest
from collections import Counter

from program import ProgramTest, unless_sanitized

# Known costs in ps and as for each byte, with a rendezvous beyond 4 KiB: samples on them give them back.
LINES = """
local fit = require "benchmarks.parts.derive_fit"
local known = {
  { from = 8, to = 512, waits = 0, send = { 500000, 0 }, sent = { 600000, 0 }, arrive = { 2100000, 1111111 }, busy = { 300000, 0 },
    late = { 400000, 0 }, post = { 90000, 0 }, first = { 0, 0 }, receive = { 200000, 0 }, out = { 510000, 1111111 },
    into = { 310000, 1111111 }, shared = { 0, 0 } },
  { from = 513, to = 4096, waits = 0, send = { 700000, 100000 }, sent = { 800000, 100000 }, arrive = { 2500000, 2222222 }, busy = { 300000, 250000 },
    late = { 400000, 250000 }, post = { 90000, 0 }, first = { 0, 0 }, receive = { 200000, 250000 }, out = { 710000, 2222222 },
    into = { 310000, 2222222 }, shared = { 0, 0 } },
  { from = 4097, to = 65536, waits = 1, send = { 500000, 0 }, sent = { 4100000, 1111111 }, arrive = { 4000000, 1111111 }, busy = { 2000000, 1111111 },
    late = { 2100000, 1111111 }, post = { 90000, 0 }, first = { 9000000, 0 }, receive = { 150000, 0 }, out = { 500000, 1111111 },
    into = { 160000, 1111111 }, shared = { 50000, 555555 } },
}
local samples = {}
for k = 3, 16 do
  for _, bytes in ipairs { 1 << k, (1 << k) + 1, 3 << k >> 1 } do
    local of = bytes <= 512 and known[1] or bytes <= 4096 and known[2] or known[3]
    local sample = { bytes = bytes, waits = of.waits }
    for _, name in ipairs(fit.measures) do sample[name] = of[name][1] + of[name][2] * bytes * 1e-6 end
    if bytes <= 65536 then samples[#samples + 1] = sample end
  end
end
local pieces, off = fit.pieces(samples), 0
for _, name in ipairs(fit.measures) do
  for i = 1, #known do
    off = math.max(off, math.abs(pieces[i][name][1] - known[i][name][1]), math.abs(pieces[i][name][2] - known[i][name][2]))
  end
end
local median = 0
for _, list in pairs(fit.errors(samples, 5)) do median = math.max(median, list[(#list + 1) // 2]) end
return study {
  title = "Known lines",
  machine = machine { name = "plain" },
  vary = { one = { 1 } },
  run = function()
    return { pieces = #pieces, first = pieces[1].to, second = pieces[2].to, waits = pieces[3].waits and 1 or 0, off = off, median = median }
  end,
}
"""

NAMES = ("send", "sent", "arrive", "busy", "late", "post", "first", "receive", "out", "into", "shared")


def piece(least, most, waits=False, **costs):
    """Costs in ns and in ns for each byte."""
    lines = ", ".join(f"{name} = {{ {costs.get(name, (0, 0))[0] * 10**3}, {costs.get(name, (0, 0))[1] * 10**9} }}" for name in NAMES)
    return f"{{ from = {least}, to = {most}, waits = {str(waits).lower()}, {lines} }}"


def model(shape="gpus_per_node = 2, gpus_per_socket = 2, nodes_per_leaf = 2, kernel = 0, gpus_sharing = 1", **distances):
    parts = ", ".join(f"{name} = {{ {', '.join(pieces)} }}" for name, pieces in distances.items())
    return f"-- a comment\nreturn {{ {shape}, distances = {{ {parts} }} }}\n"


EAGER = {"send": (100, 1), "sent": (150, 1), "arrive": (1000, 10), "busy": (200, 2), "late": (250, 2), "post": (40, 0), "receive": (50, 0),
         "out": (120, 3), "into": (60, 4)}


class Derive(ProgramTest):
    def test_known_lines_come_back(self):
        """Least squares finds the pieces where they are, each line to a picosecond, and errs at no size that it was not shown but next to a break."""
        self.write("lines.lua", LINES)
        self.succeed("run", "lines.lua", "--no-plot", "-o", "csv:out.csv")
        names, values = [line.split(",") for line in (self.folder / "out.csv").read_text().splitlines()]
        found = dict(zip(names, values))
        self.assertEqual([found[name] for name in ("pieces", "first", "second", "waits")], ["3", "512", "4096", "1"])
        self.assertLess(float(found["off"]), 2)
        self.assertLess(float(found["median"]), 1e-4)

    def ends(self, text, trace):
        self.write("m.lua", text)
        self.write("t.goal", trace)
        return [float(line.split()[1]) for line in self.succeed("goal", "t.goal", "--model", "m.lua", "--ends").splitlines()[1:]]

    def test_formulas(self):
        """As sim/fabric/loggp/loggp_model.h says, with s = 100."""
        text = model(same_socket=[piece(1, 1000, **EAGER)])
        one = "num_ranks 2\nrank 0 { send 100b to 1 }\nrank 1 { recv 100b from 0 }\n"
        self.assertEqual(self.ends(text, one), [150 + 100, 1000 + 1000])
        busy = "num_ranks 2\nrank 0 { send 100b to 1 }\nrank 1 { a: recv 100b from 0\nb: calc 9000 }\n"
        self.assertEqual(self.ends(text, busy)[1], 40 + 9000 + 200 + 200)  # the receive was posted
        late = "num_ranks 2\nrank 0 { send 100b to 1 }\nrank 1 { a: calc 9000\nb: recv 100b from 0\nb requires a }\n"
        self.assertEqual(self.ends(text, late)[1], 9000 + 40 + 250 + 200)
        kernel = text.replace("kernel = 0", "kernel = 70000")
        self.assertEqual(self.ends(kernel, "num_ranks 2\nrank 0 { calc 1000 }\nrank 1 { }\n")[0], 1070)
        three = "num_ranks 2\nrank 0 { " + "send 100b to 1\n" * 3 + "}\nrank 1 { " + "recv 100b from 0\n" * 3 + "}\n"
        gap = max(100 + 100, 120 + 300, 60 + 400)  # of the sender's processor, its port, the receiver's port
        self.assertEqual(self.ends(text, three)[1], 2000 + 2 * gap)

    def test_a_rendezvous_waits_for_its_receiver(self):
        costs = dict(EAGER, sent=(1100, 10), first=(5000, 0))
        text = model(same_socket=[piece(1, 1000, waits=True, **costs)])
        late = "num_ranks 2\nrank 0 { send 100b to 1 }\nrank 1 { a: calc 9000\nb: recv 100b from 0\nb requires a }\n"
        received = 9000 + 40 + 250 + 200 + 5000
        self.assertEqual(self.ends(text, late), [received + 1100 - 1000, received])
        twice = "num_ranks 2\nrank 0 { a: send 100b to 1\nb: send 100b to 1\nb requires a }\nrank 1 { a: recv 100b from 0\nb: recv 100b from 0\nb requires a }\n"
        self.assertEqual(self.ends(text, twice)[0], 2 * 2100 + 5000)  # the first of the pair takes longer

    def test_first_messages(self):
        """Two ranks send to rank 0, whose CPU stream needs 5 us more for each one in its node, whose handles it opens, but once for both from other
        nodes, where it registers its own memory: seen at 1600, handled for 50 + 5000, moved for 400, a port's gap of 460."""
        for senders, end in (((1, 2), 1600 + 2 * (50 + 5000) - 50 + 400), ((3, 6), 1600 + 5000 + 400 + 460)):
            pieces = [piece(1, 1000, **EAGER, first=(5000, 0))]
            text = model("gpus_per_node = 3, gpus_per_socket = 3, nodes_per_leaf = 0, kernel = 0, gpus_sharing = 1", same_socket=pieces, same_rail=pieces)
            sends = {0: "\n".join(f"recv 100b from {rank}" for rank in senders)} | {rank: "send 100b to 0" for rank in senders}
            trace = "num_ranks 9\n" + "".join(f"rank {rank} {{ {sends.get(rank, '')} }}\n" for rank in range(9))
            self.assertEqual(self.ends(text, trace)[0], end)

    def shared_ends(self, trace, ranks, of_node=3, **costs):
        """By rank, with nodes of three GPUs that share a NIC: messages of 100 bytes are received after 2000 ns alone; of these they
        move from NIC to NIC for 700, from 200 on (rendezvous: for 300, to the end)."""
        waits = costs.pop("waits", False)
        pieces = [piece(1, 1000, waits=waits, **{**EAGER, "out": (0, 0), "into": (0, 0), "shared": (300 if waits else 700, 0), **costs})]
        text = model(f"gpus_per_node = {of_node}, gpus_per_socket = {of_node}, nodes_per_leaf = 0, kernel = 0, gpus_sharing = {of_node}",
                     same_rail=pieces, same_leaf=pieces)
        lines = [f"rank {rank} {{ {trace.get(rank, '')} }}" for rank in range(ranks)]
        return self.ends(text, f"num_ranks {ranks}\n" + "\n".join(lines) + "\n")

    def test_messages_of_a_node_share_its_nic(self):
        """k begun at once end together: each moves at 1/k. From one node, and into one, where they begin and end alike."""
        for k in (1, 2, 3):
            out = {rank: f"send 100b to {3 * rank + 3}" for rank in range(k)} | {3 * rank + 3: f"recv 100b from {rank}" for rank in range(k)}
            self.assertEqual(self.shared_ends(out, 12)[3::3][:k], [2000 + 700 * (k - 1)] * k)
            into = {3 * rank + 3: f"send 100b to {rank}" for rank in range(k)} | {rank: f"recv 100b from {3 * rank + 3}" for rank in range(k)}
            self.assertEqual(self.shared_ends(into, 12)[:k], [2000 + 700 * (k - 1)] * k)

    def test_one_begins_after_another(self):
        """The second message begins 300 ns later: 300 of 700 have moved, the other 400 move at one half, until 1100; the second has 300
        left then, and ends at 1400, since the NIC is never idle."""
        trace = {0: "send 100b to 3", 1: "a: calc 300\nb: send 100b to 6\nb requires a", 3: "recv 100b from 0", 6: "recv 100b from 1"}
        self.assertEqual(self.shared_ends(trace, 9)[3::3], [2000 + 1100 - 700, 2000 + 1400 - 700])

    def test_the_smaller_share_of_both_nics(self):
        """Three messages leave a node, one of them to a node that a fourth message from elsewhere comes to as well: this one has one half of
        the destination and is received after 2 x 700; the others have a third of the source until 3 x 700."""
        trace = {0: "send 100b to 3", 1: "send 100b to 6", 2: "send 100b to 9", 12: "send 100b to 4",
                 3: "recv 100b from 0", 4: "recv 100b from 12", 6: "recv 100b from 1", 9: "recv 100b from 2"}
        ends = self.shared_ends(trace, 15)
        self.assertEqual([ends[rank] for rank in (3, 4, 6, 9)], [3400, 2700, 3400, 3400])

    def test_a_rendezvous_shares_when_its_receiver_takes_part(self):
        """Three at once: the data of all move from 1700 on, at one third, to 1700 + 3 x 300; the sends end with them. If one receiver comes
        only at 9000, then its message is alone, and so late: 9000 + posting + 250 + 200."""
        trace = {rank: f"send 100b to {3 * rank + 3}" for rank in range(3)} | {3 * rank + 3: f"recv 100b from {rank}" for rank in range(3)}
        ends = self.shared_ends(trace, 12, waits=True, sent=(1100, 10))
        self.assertEqual(ends[:3] + ends[3::3], [2600 + 1100 - 1000] * 3 + [2600] * 3)
        trace[9] = "a: calc 9000\nb: recv 100b from 2\nb requires a"
        self.assertEqual(self.shared_ends(trace, 12, waits=True)[3::3], [2300, 2300, 9000 + 40 + 250 + 200])

    def test_a_receiver_takes_up_what_comes_meanwhile(self):
        """Three messages come to one GPU together after 3 x 700. Its processor has handled, and its port passed, the parts of all three by
        then, as one third of their bytes comes at a time; if both take longer than the NIC, these are what is waited for."""
        trace = {3 * rank + 3: "send 100b to 0" for rank in range(3)} | {0: "\n".join(f"recv 100b from {3 * rank + 3}" for rank in range(3))}
        self.assertEqual(self.shared_ends(trace, 12, into=(700, 0))[0], 3400)
        self.assertEqual(self.shared_ends(trace, 12, into=(1000, 0))[0], 2000 + 2 * 1000)
        self.assertEqual(self.shared_ends(trace, 12, receive=(1000, 0))[0], 2000 + 2 * 1000)

    def test_a_send_that_is_copied_ends_before_its_nic(self):
        """sent of 250 ns is before the message would have left alone (200 + 700), 950 ns is after."""
        trace = {rank: f"send 100b to {3 * rank + 3}" for rank in range(3)} | {3 * rank + 3: f"recv 100b from {rank}" for rank in range(3)}
        self.assertEqual(self.shared_ends(trace, 12, sent=(250, 0))[:3], [250] * 3)
        self.assertEqual(self.shared_ends(trace, 12, sent=(950, 0))[:3], [950 + 1400] * 3)

    def test_none_overtakes(self):
        """After a message of 100 bytes, one of 50, which would take no time of the NIC, goes to the same rank: each has its own receive. While
        the first moves at one half, until 1600, the second waits behind it: both are seen 700 ns later, as the first one was alone."""
        both = ("a: {0} 100b {1} {2}\nb: {0} 50b {1} {2}\nb requires a".format("send", "to", 3),
                "{0} 100b {1} {2}\n{0} 50b {1} {2}".format("recv", "from", 0))
        small = piece(1, 99, **{**EAGER, "send": (0, 0), "sent": (0, 0), "arrive": (1100, 0), "busy": (400, 0), "out": (0, 0), "into": (0, 0)})
        large = piece(100, 1000, **{**EAGER, "sent": (0, 0), "out": (0, 0), "into": (0, 0), "shared": (700, 0)})
        text = model("gpus_per_node = 3, gpus_per_socket = 3, nodes_per_leaf = 0, kernel = 0, gpus_sharing = 3",
                     same_rail=[small, large], same_leaf=[small, large])
        trace = "num_ranks 9\n" + "".join(f"rank {rank} {{ {text} }}\n" for rank, text in (
            (0, both[0]), (1, "send 100b to 6"), (2, ""), (3, both[1]), (4, ""), (5, ""), (6, "recv 100b from 1"), (7, ""), (8, "")))
        ends = self.ends(text, trace)
        self.assertEqual((ends[3], ends[6]), (2700, 2700))

    def test_costs_beyond_all_times(self):
        """The first message holds its port, the second takes as long: together more than 64 bits of picoseconds."""
        most = (0, 1125899)
        pieces = [piece(2**40, 2**40, waits=True, out=most), piece(2**41, 2**41, waits=True, arrive=most, first=(100, 0))]
        self.write("m.lua", model(same_socket=pieces))
        self.write("t.goal", f"num_ranks 2\nrank 0 {{ send {2**40}b to 1\nsend {2**41}b to 1\n}}\n"
                             f"rank 1 {{ recv {2**40}b from 0\nrecv {2**41}b from 0\n}}\n")
        self.assertIn("t.goal:3: ", self.fail_with(2, "goal", "t.goal", "--model", "m.lua"))
        for waits in (False, True):
            pieces = [piece(2**41, 2**41, waits=waits, arrive=most, late=most, shared=most, busy=most if waits else (0, 0))]
            self.write("m.lua", model("gpus_per_node = 2, gpus_per_socket = 2, nodes_per_leaf = 0, kernel = 0, gpus_sharing = 2", same_rail=pieces))
            self.write("t.goal", "num_ranks 4\n" + "".join(f"rank {i} {{ send {2**41}b to {i + 2} }}\n" for i in (0, 1)) +
                       "".join(f"rank {i + 2} {{ recv {2**41}b from {i} }}\n" for i in (0, 1)))
            self.assertIn("t.goal:3: ", self.fail_with(2, "goal", "t.goal", "--model", "m.lua"))

    def test_schedules_in_lua_refuse(self):
        """A pattern that would not fit, and a model that is no list of lines."""
        study = """return study { title = "t", machine = machine { name = "m" }, vary = { a = { 1 } }, run = function()
  local g = schedule { ranks = %d }
  g:generate "%s"
  return { a = g:run { model = %s }.makespan }
end }"""
        line = '"1 0 100 0' + 22 * " 1" + '"'
        for ranks, pattern, lines, sentence in ((1024, "alltoall:1024,iterations=100", "{}", "is longer than a schedule in Lua may be"),
                                                (2, "ring:2", '{ "2 2 0 1 5", %s, 5 }' % line, "run's model is a list of lines")):
            self.write("s.lua", study % (ranks, pattern, lines))
            code, out, err = self.run_program("run", "s.lua", "--no-plot", "--force")
            self.assertNotEqual(code, 0)
            self.assertIn(sentence, " ".join((out + err).split()))

    def test_a_pattern_begins_behind_what_was_added(self):
        """Of rank 1 only, which calculates first: its first send and receive wait for that; those of rank 0 wait for nothing."""
        self.write("s.lua", """return study { title = "t", machine = machine { name = "m" }, vary = { a = { 1 } }, run = function()
  local g = schedule { ranks = 2 }
  g:calc { rank = 1, time = "5us" }
  g:generate "ring:2,bytes=100"
  local function waiting(one, on) return select(2, g:text():gsub(one .. " requires " .. on, "")) end
  return { second = waiting("l2", "l1"), third = waiting("l3", "l1"), fourth = waiting("l4", "l1") }
end }""")
        self.succeed("run", "s.lua", "--no-plot", "-o", "csv:out.csv")
        names, values = [line.split(",") for line in (self.folder / "out.csv").read_text().splitlines()]
        # second: of rank 1; third: of both; fourth: of rank 0, whose second step has four operations
        self.assertEqual([values[names.index(name)] for name in ("second", "third", "fourth")], ["1", "2", "1"])

    def test_outside(self):
        """One sentence, with what was asked for and what the model was derived for."""
        self.write("m.lua", model(same_socket=[piece(8, 64, **EAGER), piece(128, 512, waits=True, **EAGER)]))

        def refused(pattern, sentence):
            self.assertEqual(self.fail_with(2, "goal", "--generate", pattern, "--model", "m.lua"), f"{pattern}: {sentence}")
        where = "m.lua was derived for 8 to 64 and 128 to 512 bytes between GPUs of a socket."
        refused("ring:2,bytes=4", "rank 0 sends 4 bytes to rank 1, and " + where)
        refused("ring:2,bytes=100", "rank 0 sends 100 bytes to rank 1, and " + where)
        refused("ring:2,bytes=513", "rank 0 sends 513 bytes to rank 1, and " + where)
        refused("ring:4,bytes=8", "rank 1 sends to rank 2, and m.lua was not derived for GPUs of different numbers below a leaf switch.")
        self.assertIn("--model takes the place", self.fail_with(2, "goal", "--generate", "ring:2", "--model", "m.lua", "--loggp", "o=1"))

    def test_files_that_are_no_models(self):
        def refused(text, sentence):
            self.write("m.lua", text)
            self.assertIn(sentence, self.fail_with(2, "goal", "--generate", "ring:2", "--model", "m.lua"))
        good = model(same_socket=[piece(8, 64, **EAGER)])
        refused("x = 1", 'm.lua:1: a model begins with "return {"')
        refused(good + "\nprint()", "m.lua:4: a model is one table, and nothing after it")
        refused(good.replace("send = {", "send = f {"), "m.lua:2: a model has tables, numbers, texts, true and false")
        refused(good.replace("gpus_sharing = 1", "gpus_sharing = 3"), "m.lua: gpus_sharing is a whole number from 1 to 2")
        refused(good.replace("to = 64", "to = 4"), "m.lua: to is a whole number from 8 to")
        refused(good.replace("late = {", "later = {"), "m.lua: late of a piece is { picoseconds, attoseconds for each byte }")
        refused(good.replace("same_socket", "near"), "m.lua: distances of a model are same_gpu, same_socket")
        refused(good.replace("distances = {", "distances = { same_rial = {},"), "m.lua: distances of a model are same_gpu, same_socket, same_node, "
                "same_rail, same_leaf, across, not same_rial")
        refused(good.replace("kernel = 0", "kernel = 0, kernels = 1"), "gpus_sharing, kernel, distances, errors, not kernels")
        refused(good.replace("kernel = 0", "kernel = 0, kernel = 7"), "m.lua:2: kernel is there twice")
        refused(good.replace("late = {", "latest = { 0, 0 }, late = {"), "entries of a piece of a model are from, to, waits, send, ")
        for waits in ("", 'waits = "false", ', "waits = 1, "):
            refused(good.replace("waits = false, ", waits), "m.lua: waits of a piece is true or false")
        refused(good.replace("post = { 40000, 0", "post = { 40000, 0, 5"), "m.lua: post of a piece is { picoseconds, attoseconds for each byte }")
        self.assertIn("none.lua", self.fail_with(2, "goal", "--generate", "ring:2", "--model", "none.lua"))

    @unless_sanitized
    def test_as_the_detailed_runs(self):
        """Each pattern's iteration takes what it takes on the machine in detail, to 1 % (six
        messages at a time: 12 %); the bytes do not depend on workers."""
        self.succeed("derive", "h200_cluster", "openmpi-d", "-b", "512B", "-e", "64KiB", "-o", "m.lua", "--workers=1")
        self.succeed("derive", "h200_cluster", "openmpi-d", "-b", "512B", "-e", "64KiB", "-o", "n.lua", "--workers=2")
        self.assertEqual((self.folder / "m.lua").read_bytes(), (self.folder / "n.lua").read_bytes())
        errors = re.findall(r'\{ "\w+", "\w+", ([\d.]+), ([\d.]+) \}', (self.folder / "m.lua").read_text())
        self.assertGreater(len(errors), 40)

        def iteration_ns(pattern, *machine):
            once, twice = (float(self.succeed("goal", "--generate", f"{pattern},iterations={n}", *machine).split()[1]) for n in (2, 4))
            return (twice - once) / 2
        detailed = ("--machine", "h200_cluster", "--design", "openmpi-d", "--placement", "gpu")
        for pattern, delta in (("ring:2,bytes=1024", 0.01), ("ring:16,bytes=65536", 0.01), ("alltoall:16,bytes=2000", 0.01),
                               ("hierarchical:8x2,bytes=65536", 0.01), ("ring:4,bytes=1024,calc=20000", 0.01), ("moe:16x1,bytes=524288", 0.12)):
            with self.subTest(pattern):
                expected = iteration_ns(pattern, *detailed)
                self.assertAlmostEqual(iteration_ns(pattern, "--model", "m.lua") / expected, 1, delta=delta)

    @unless_sanitized
    def test_a_shared_nic(self):
        """Of Summit's NICs, which three GPUs share, a message takes its bytes at 12.5 GB/s and up to 3 % more for headers: no part of what
        the CPUs take to agree on it, which was 1.9 us of a rendezvous. An iteration of experts on twelve GPUs, 64 KiB
        for each, takes what it takes in detail to 3 %."""
        self.succeed("derive", "summit", "openmpi-d", "-b", "64KiB", "-e", "128KiB", "-o", "m.lua")
        lines = [line for line in (self.folder / "m.lua").read_text().splitlines() if "from = 65536" in line]
        shared = [tuple(map(int, re.search(r"shared = \{ (-?\d+), (-?\d+) \}", line).groups())) for line in lines]
        self.assertEqual([fixed + 65536 * byte // 10**6 > 0 for fixed, byte in shared], [False] * 2 + [True] * 3)
        for fixed, byte in shared[2:]:
            nic_ps = 65536 * 10**12 / 12.5e9
            self.assertTrue(nic_ps <= fixed + 65536 * byte / 10**6 <= 1.03 * nic_ps, (fixed, byte))
        detailed = ("--machine", "summit", "--design", "openmpi-d", "--placement", "gpu")

        def iteration_ns(*machine):
            few, more = (float(self.succeed("goal", "--generate", f"moe:12x1,bytes=786432,iterations={n}", *machine).split()[1]) for n in (2, 6))
            return (more - few) / 4
        self.assertAlmostEqual(iteration_ns("--model", "m.lua") / iteration_ns(*detailed), 1, delta=0.03)

    def test_refused(self):
        self.assertIn("derive needs -o MODEL.lua", self.fail_with(2, "derive", "h200_cluster", "openmpi-d"))
        self.assertIn("from and to are sizes", self.fail_with(2, "derive", "h200_cluster", "openmpi-d", "-b", "1KiB", "-e", "1KiB", "-o", "m.lua"))
        self.write("s.lua", 'return study { title = "s", machine = machine { name = "plain" }, vary = { n = { 1 } }, run = function() return { x = 1 } end }')
        self.assertIn("the study concludes no Lua file", self.fail_with(2, "run", "s.lua", "-o", "lua:x.lua", "--no-plot"))
        self.write("fails.lua", 'return study { title = "s", machine = machine { name = "plain" }, vary = { n = { 1 } }, run = function() error "ran" end }')
        self.assertNotIn("ran", self.fail_with(2, "run", "fails.lua", "-o", "lua:x.lua"))  # it is refused before the run
        self.assertNotIn("x.lua", self.files())


class Groups(ProgramTest):
    def sends(self, pattern):
        """How often rank i sends to j so many bytes; every send has its receive."""
        found, rank = {"send": Counter(), "recv": Counter()}, None
        for line in self.succeed("export", "goal", pattern).splitlines():
            if match := re.match(r"rank (\d+)", line):
                rank = int(match[1])
            if match := re.search(r": (send|recv) (\d+)b \w+ (\d+) tag (\d+)", line):
                pair = (rank, int(match[3])) if match[1] == "send" else (int(match[3]), rank)
                found[match[1]][(*pair, int(match[2]), int(match[4]))] += 1
        self.assertEqual(found["send"], found["recv"])
        return found["send"]

    def test_experts(self):
        """Dispatch and combine go once from each rank of a group to each other one."""
        counts = Counter()
        for (rank, peer, size, _), count in self.sends("moe:9x2,bytes=900").items():
            self.assertEqual(size, 100)
            counts[rank, peer] += count
        self.assertEqual(counts, {(i, j): 2 for i in range(18) for j in range(18) if i != j and i // 9 == j // 9})

    def test_hierarchical(self):
        """Rings in nodes of four, doubling among six of equal place: in each of the steps a fourth of the bytes."""
        counts = Counter()
        for (rank, peer, size, _), count in self.sends("hierarchical:4x6,bytes=4000").items():
            self.assertEqual(size, 1000)
            counts["node" if rank // 4 == peer // 4 else "rail" if rank % 4 == peer % 4 else "other"] += count
        self.assertEqual(counts, {"node": 24 * 6, "rail": 4 * (2 + 2 * 4 + 2)})

    def test_training(self):
        """2 x 3 x 4 x 2 ranks: each way tensor (1 exchange), experts (2 x 2), stages (1 for half of the ranks); data (2 exchanges)."""
        counts = Counter()
        for (rank, peer, _, _), count in self.sends("train:2x3x4x2,bytes=600").items():
            away = [abs(a - b) for a, b in zip(*((r % 2, r // 2 % 3, r // 6 % 4, r // 24) for r in (rank, peer)))]
            self.assertEqual(sum(bool(one) for one in away), 1)
            counts[next(i for i, one in enumerate(away) if one)] += count
        self.assertEqual(counts, {0: 2 * 48, 1: 2 * 48 * 4, 2: 48 * 2, 3: 48})
        self.assertEqual(self.succeed("goal", "--generate", "train:2x3x4x2,bytes=600,calc=1000").split()[0], "makespan_ns")


if __name__ == "__main__":
    unittest.main()
