# SPDX-License-Identifier: BSD-3-Clause
"""Chakra traces: gpunetsim goal, export goal and trace-info."""
import os
import random
import re
import unittest

import chakra
from chakra import node
from program import ProgramTest

# On this LogGOPS machine a message takes 1000 ns + 1 ns a byte but its first, and nothing else takes time.
COSTS = ("--loggp", "L=1000,o=0,g=0,G=1,O=0,S=1000000000")


class Chakra(ProgramTest):
    def put(self, name, *ranks):
        for old in self.folder.glob(f"{name}.*.et"):
            old.unlink()
        for rank, nodes in enumerate(ranks):
            (self.folder / f"{name}.{rank}.et").write_bytes(chakra.trace(*nodes))
        return name

    def time(self, name, *options, of="makespan_ns"):
        out = self.succeed("goal", name, *options)
        self.assertTrue(out.startswith(of), out)
        return float(out.split()[-1])

    def all_ranks(self, count, kind, size, **more):
        return self.put("all", *[[node(1, chakra.COLL, comm_type=kind, comm_size=size, **more)]] * count)

    def test_rings(self):
        """Steps of a ring of N: 2 (N - 1) of a block, N - 1 of a block, N - 1 of all that a rank gives."""
        for count in (2, 4, 5):
            block = 1000 + 4000 - 1
            for kind, size, steps in ((chakra.ALL_REDUCE, 4000 * count, 2 * (count - 1)),
                                      (chakra.REDUCE_SCATTER, 4000 * count, count - 1),
                                      (chakra.ALL_GATHER, 4000, count - 1)):
                self.assertEqual(self.time(self.all_ranks(count, kind, size), *COSTS), steps * block, (count, kind))

    def test_as_the_pattern(self):
        """A ring allreduce is the pattern ring, on LogGOPS and, without the reductions, on a machine."""
        name = self.all_ranks(4, chakra.ALL_REDUCE, 1 << 20)
        ring = ("--generate", "ring:4,bytes=262144")
        self.assertEqual(self.succeed("goal", name), self.succeed("goal", *ring))
        machine = ("--machine", "summit", "--placement", "gpu")
        pattern = float(self.succeed("goal", *ring, *machine).split()[-1])
        self.assertAlmostEqual(self.time(name, *machine, "--trace", "memory=1e18") / pattern, 1, 2)
        self.assertGreater(self.time(name, *machine, "--trace", "memory=1e11"), 1.1 * pattern)

    def test_others(self):
        """A tree of 8 is 3 deep, and its longest way has no message that waits for another. An all-to-all's third message leaves at
        1999, when the CPU has taken the first that came (1000 to 1999), is there 1000 later, and is taken in 999."""
        whole = 1000 + 8000 - 1
        self.assertEqual(self.time(self.all_ranks(8, chakra.BROADCAST, 8000), *COSTS), 3 * whole)
        self.assertEqual(self.time(self.all_ranks(4, chakra.ALL_TO_ALL, 4000), *COSTS), 1999 + 1000 + 999)
        self.assertEqual(self.time(self.all_ranks(8, chakra.BARRIER, 0), *COSTS), 3 * 1000)
        doubling = self.time(self.all_ranks(8, chakra.ALL_REDUCE, 8000), *COSTS, "--trace", "all_reduce=doubling")
        self.assertEqual(doubling, 3 * whole)
        five = self.time(self.all_ranks(5, chakra.ALL_REDUCE, 8000), *COSTS, "--trace", "all_reduce=doubling")
        self.assertTrue(4 * whole <= five < 6 * whole)  # one more step before and one behind; CPUs take one message after the other
        for kind in (chakra.REDUCE, chakra.GATHER, chakra.SCATTER):
            self.assertGreaterEqual(self.time(self.all_ranks(5, kind, 8000), *COSTS), 1000)

    def test_dependencies_and_streams(self):
        """Kernels one after the other; host code beside them; a chain of both."""
        kernel = [node(i, chakra.COMP, us=10, is_cpu_op=False) for i in (1, 2, 3)]
        host = [node(9, chakra.COMP, us=25, is_cpu_op=True)]
        chain = [node(20, chakra.COMP, deps=(3, 9), us=5, ctrl=(77,), is_cpu_op=False)]
        self.assertEqual(self.time(self.put("one", kernel), *COSTS), 30000)
        self.assertEqual(self.time(self.put("two", kernel + host), *COSTS), 30000)
        self.assertEqual(self.time(self.put("three", chain + kernel + host), *COSTS), 35000)
        late = [node(30, chakra.COMP, deps=(9,), us=20, is_cpu_op=False)]  # waits for the host's 25 us
        self.assertEqual(self.time(self.put("four", host + late), *COSTS), 45000)
        pair = [[node(1, chakra.COMP, us=10, is_cpu_op=False), node(2, chakra.SEND, deps=(1,), comm_size=1000, comm_dst=1)],
                [node(1, chakra.RECV, comm_size=1000, comm_src=0), node(2, chakra.COMP, deps=(1,), us=10, is_cpu_op=False)]]
        self.assertEqual(self.time(self.put("five", *pair), *COSTS), 10000 + 1999 + 10000)

    def test_control(self):
        """Calls in calls, or an order: what control dependencies mean is the trace's."""
        nodes = [node(1, chakra.COMP, us=10, is_cpu_op=False), node(2, chakra.COMP, us=10, ctrl=(1,), is_cpu_op=True)]
        self.assertEqual(self.time(self.put("ctrl", nodes), *COSTS), 10000)
        self.assertEqual(self.time("ctrl", *COSTS, "--trace", "control=wait"), 20000)
        lost = self.put("lost", [node(2, chakra.COMP, us=10, ctrl=(1,))])
        self.assertIn("it depends on node 1, which the trace does not have", self.fail_with(2, "goal", lost, "--trace", "control=wait"))

    def test_overlap_on_a_machine(self):
        """A kernel of 1 ms hides an allreduce that takes less; a chain of both does not."""
        def ranks(deps):
            return [[node(1, chakra.COMP, us=1000, is_cpu_op=False),
                     node(2, chakra.COLL, deps=deps, comm_type=chakra.ALL_REDUCE, comm_size=1 << 20)]] * 4
        alone = self.time(self.all_ranks(4, chakra.ALL_REDUCE, 1 << 20), "--machine", "summit")
        beside = self.time(self.put("beside", *ranks(())), "--machine", "summit")
        behind = self.time(self.put("behind", *ranks((1,))), "--machine", "summit")
        self.assertLess(beside, 1e6 + 0.2 * alone)
        self.assertGreater(behind, 1e6 + 0.8 * alone)

    def test_roofline(self):
        nodes = [node(1, chakra.COMP, num_ops=3000000, tensor_size=1000)]
        name = self.put("roof", nodes)
        rates = "flops=1e12,memory=1e9"
        self.assertEqual(self.time(name, *COSTS, "--trace", rates), 3000)
        self.assertEqual(self.time(name, *COSTS, "--trace", "flops=1e15,memory=1e9"), 1000)
        timed = self.put("timed", [node(1, chakra.COMP, us=7, num_ops=3000000, tensor_size=1000)])
        self.assertEqual(self.time(timed, *COSTS), 7000)
        self.assertEqual(self.time(timed, *COSTS, "--trace", "compute=roofline," + rates), 3000)
        # A V100 of the machine file: 80 CUs x 4 SIMDs x 32 lanes x 2 / 4 cycles at 1.53 GHz are 7.83 TFLOP/s (double precision)
        slow = self.put("slow", [node(1, chakra.COMP, num_ops=783 * 10**8)])
        self.assertAlmostEqual(self.time(slow, "--machine", "summit") / 1e7, 1, 1)

    def test_groups(self):
        """Two groups at once take what one takes; the second collective of a group waits for its first."""
        def ranks(groups, **more):
            return [[node(1, chakra.COLL, comm_type=chakra.ALL_REDUCE, comm_size=2000, pg_name=groups[rank], **more),
                     node(2, chakra.COLL, comm_type=chakra.ALL_REDUCE, comm_size=2000, pg_name=groups[rank], **more)]
                    for rank in range(4)]
        name = self.put("tp", *ranks("1122"))
        self.write("groups.json", '{"1": [0, 1],\n "2": [3, 2]}\n')
        self.assertEqual(self.time(name, *COSTS, "--trace", "groups=groups.json"), 2 * 2 * 1999)
        described = '["[{\\"pg_name\\": \\"1\\", \\"ranks\\": [0, 1]}, {\\"pg_name\\": \\"2\\", \\"ranks\\": [2, 3]}]"]'.replace('\\"', '"')
        told = [[node(0, chakra.METADATA, inputs=described)] + nodes for nodes in ranks("1122")]
        self.assertEqual(self.time(self.put("pg", *told), *COSTS), 2 * 2 * 1999)
        dims = self.put("dims", *[nodes[:1] for nodes in ranks([""] * 4, involved_dim=[False, True])])
        out = self.succeed("export", "goal", dims, "--trace", "dims=2x2")
        self.assertIn("to 2 tag", out.split("rank 1")[0])
        self.assertNotIn("to 1 tag", out.split("rank 1")[0])

    def test_messages(self):
        """Each sends before it receives, and a send does not wait for its receiver."""
        def one(rank):
            return [node(1, chakra.SEND, comm_size=1000, comm_dst=1 - rank, comm_tag=5, comm_src=rank),
                    node(2, chakra.RECV, deps=(1,), comm_size=1000, comm_src=1 - rank, comm_tag=5)]
        name = self.put("both", one(0), one(1))
        self.assertEqual(self.time(name, *COSTS), 1999)
        self.assertGreater(self.time(name, "--loggp", "S=10"), 0)
        self.assertGreater(self.time(name, "--machine", "gcn3_node"), 1000)

    def test_memory(self):
        name = self.put("mem", [node(1, chakra.MEM_LOAD, tensor_size=5000), node(2, chakra.MEM_STORE, tensor_size=5000)])
        self.assertEqual(self.time(name, *COSTS, "--trace", "memory=1e9"), 10000)

    def test_old_schema(self):
        """0.0.1: no metadata; types and collectives have other numbers."""
        for rank in range(2):
            nodes = chakra.records(chakra.old_node(1, 6, comm_type=1, comm_size=2000, involved_dim=1),
                                   chakra.old_node(2, 4 if rank == 0 else 5, deps=(1,), comm_size=100, comm_src=0, comm_dst=1))
            (self.folder / f"old.{rank}.et").write_bytes(nodes)
        self.assertEqual(self.time("old.0.et", *COSTS), 2 * 1999 + 1099)

    def test_same_trace_on_many_ranks(self):
        (self.folder / "lone.et").write_bytes(chakra.trace(node(1, chakra.COLL, comm_type=chakra.ALL_GATHER, comm_size=1000)))
        self.assertEqual(self.time("lone.et", *COSTS, "--trace", "ranks=4"), 3 * 1999)
        self.assertEqual(self.time("lone.et", *COSTS), 0)

    def test_export(self):
        name = self.all_ranks(4, chakra.ALL_REDUCE, 1 << 20)
        self.succeed("export", "goal", name, "-o", "all.goal")
        self.assertEqual(self.succeed("goal", "all.goal", "--ends"), self.succeed("goal", name, "--ends"))

    def test_info(self):
        nodes = [node(1, chakra.COMP, us=3, is_cpu_op=True), node(2, chakra.COLL, deps=(1,), ctrl=(1,), is_cpu_op=True),
                 node(3, chakra.COLL, deps=(2,), comm_type=chakra.ALL_REDUCE, comm_size=64), node(4, chakra.COMP, num_ops=5)]
        self.assertEqual(self.succeed("trace-info", self.put("info", nodes, nodes)), (
            "ranks\t2\nschema\t0.0.4\nCOMP\t4\nCOMM_COLL\t4\nALL_REDUCE\t2\nALL_REDUCE bytes\t128\ndata dependencies\t4\n"
            "longest chain of nodes\t3\ncontrol dependencies, not waited for\t2\ncollectives called by the host, replayed as host code\t2\n"
            "computing by roofline, without a duration\t2\nrefused\tnothing\n"))
        self.write("other.txt", "num_ranks 2\n")
        self.assertIn("other.txt: a Chakra trace is a file that ends in .et, or PREFIX of PREFIX.0.et", self.fail_with(2, "trace-info", "other.txt"))
        bad = self.put("bad", [node(1, chakra.COLL, comm_type=12, comm_size=1)])
        self.assertIn("refused\tbad.0.et: record 2 (node 1, node1): there is no collective of number 12", self.succeed("trace-info", bad))

    def test_refused(self):
        coll = dict(comm_type=chakra.ALL_REDUCE, comm_size=8)
        half = dict(coll, comm_size=4)
        cases = (
            ([[node(1, chakra.COLL, **coll)], [node(1, chakra.COLL, **half)]],
             "t.1.et: record 2 (node 1, node1): collective 1 of group all is ALL_REDUCE of 4 B here, and ALL_REDUCE of 8 B in record 2 of t.0.et"),
            ([[node(1, chakra.COLL, **coll)], []], "t.0.et: record 2 (node 1, node1): rank 1 has no collective 1 of group"),
            ([[node(1, chakra.COLL, comm_type=0)]], "record 2 (node 1, node1): it has no number comm_size"),
            ([[node(1, chakra.COLL, comm_size=8)]], "record 2 (node 1, node1): it has no number comm_type"),
            ([[node(1, chakra.COLL, pg_name="7", **coll)]], "process group 7 is described by no metadata node"),
            ([[node(1, chakra.COLL, involved_dim=[True, False], **coll)]], "not all dimensions take part"),
            ([[node(1, chakra.SEND, comm_size=8, comm_dst=0)]], "t.0.et: record 2 (node 1, node1): no rank receives this message"),
            ([[node(1, chakra.RECV, comm_size=8, comm_src=0)]], "no rank sends this message"),
            ([[node(1, chakra.SEND, comm_size=8, comm_dst=3)]], "comm_dst is 3, and there are traces of ranks 0 to 0"),
            ([[node(1, chakra.SEND, comm_size=8, comm_dst=0, comm_src=2)]], "comm_src is 2, and this is the trace of rank 0"),
            ([[node(1, chakra.SEND, comm_size=8, comm_dst=0), node(2, chakra.RECV, comm_size=9, comm_src=0)]],
             "record 3 (node 2, node2): it is of 9 B, and the message sent in record 2 of t.0.et of 8 B"),
            ([[node(1, chakra.COMP, deps=(5,))]], "it depends on node 5, which the trace does not have"),
            ([[node(1, chakra.COMP, deps=(2,)), node(2, chakra.COMP, deps=(1,))]], "it depends on itself, through 2 nodes"),
            ([[node(1, chakra.COMP), node(1, chakra.COMP)]], "record 3 (node 1, node1): record 2 is a node of the same number"),
            ([[node(1, 0)]], "record 2 (node 1, node1): its type is 0; types are 1"),
            ([[node(1, 9)]], "its type is 9"),
            ([[node(1, chakra.COMP, num_ops=8)]], "it has num_ops, and no machine says how fast that is"),
            ([[node(1, chakra.COMP, us=2**62)]], "its duration is not of this world"),
            ([[node(1, chakra.COMP) + chakra.field(14, 3)]], "field 14 is none of a node's in schema 0.0.4"),
            ([[node(1, chakra.COMP) + chakra.field(7, "x")]], "field 7 of a node is of wire type 2; the schema has 0"),
            ([[node(1, chakra.COMP) + b"\x0b"]], "field 1 is of wire type 3"),
            ([[chakra.field(10, chakra.field(9, 3))]], "an attribute has no name"),
            ([[chakra.varint(2 << 3 | 2) + chakra.varint(2**63 - 1) + b"abc"]], "record 2: field 2 is longer than its message"),
            ([[node(1, chakra.COMP, num_ops="many")]], "record 2 (node 1, node1): its num_ops is no number from 0 on"),
            ([[node(1, chakra.COMP, tensor_size=float("inf"))]], "its tensor_size is no number from 0 on"),
            ([[node(1, chakra.COLL, involved_dim=1, **coll)]], "involved_dim is no list of truth values"),
            ([[node(1, chakra.COLL, pg_name=[True], **coll)]], "process group a list is described by no metadata node"),
            ([[node(1, chakra.METADATA, inputs='[{"pg_name":"0","ranks":[99999999999999999999]}]')]], "process group 0 has rank 9223372036854775807"),
            ([[node(1, chakra.COMP, name="a\0b\nc", us=2**62)]], "record 2 (node 1, a?b?c): its duration is not of this world"),
        )
        for ranks, sentence in cases:
            self.assertIn(sentence, self.fail_with(2, "goal", self.put("t", *ranks)))

    def test_bad_bytes(self):
        good = chakra.trace(node(1, chakra.COMP, us=5, is_cpu_op=True, comm_size=2**40))
        for bytes_, sentence in ((b"", "the file is empty"), (b"\x1f\x8b\x08", "the file is compressed"),
                                 (b"\xff" * 12, "has more than 64 bits"), (b"\x05ab", "it has 5 bytes, and the file 2 more"),
                                 (chakra.varint(2**63 - 1) + b"ab", "it has 9223372036854775807 bytes, and the file 2 more"),
                                 (b"num_ranks 2\n", "it has 110 bytes, and the file 11 more"),
                                 (chakra.records(b"\x1a\x00"), "it is neither metadata nor a node")):
            (self.folder / "b.et").write_bytes(bytes_)
            self.assertIn("b.et: record 1: ", self.fail_with(2, "goal", "b.et"))
            self.assertIn(sentence, self.fail_with(2, "trace-info", "b.et"))
        for cut in range(1, len(good)):  # wherever it is cut, there is a sentence or a whole trace
            (self.folder / "b.et").write_bytes(good[:cut])
            if chakra.records(chakra.field(1, "0.0.4")) != good[:cut]:
                self.assertIn("b.et: record ", self.fail_with(2, "trace-info", "b.et"))

    def test_any_bytes(self):
        """Bytes that are changed anywhere are a trace still, or one sentence."""
        draw = random.Random(4)
        good = chakra.trace(node(1, chakra.COMP, us=5, is_cpu_op=True), node(2, chakra.COLL, deps=(1,), comm_type=0, comm_size=8, pg_name="0"),
                            node(3, chakra.SEND, comm_size=8, comm_dst=0), node(4, chakra.RECV, comm_size=8, comm_src=0))
        for _ in range(60):
            bytes_ = bytearray(good)
            for _ in range(draw.randint(1, 3)):
                bytes_[draw.randrange(len(bytes_))] = draw.randrange(256)
            (self.folder / "any.et").write_bytes(bytes_)
            code, _, err = self.run_program("goal", "any.et")
            self.assertIn(code, (0, 2), err)
            self.assertLessEqual(len(err.splitlines()), 1, err)

    def test_many_dependencies(self):
        """More than Lua passes to a function."""
        name = self.put("deps", [node(1, chakra.COMP, us=1), node(2, chakra.COMP, deps=[1] * 1100000)])
        self.assertEqual(self.time(name), 1000)

    def test_large(self):
        """Blocks of a collective of 2^62 bytes are a fourth of it each; their sum in trace-info stays at the largest number."""
        (self.folder / "large.et").write_bytes(chakra.trace(node(1, chakra.COLL, comm_type=chakra.REDUCE_SCATTER, comm_size=2**62)))
        self.succeed("export", "goal", "large.et", "--trace", "ranks=4", "-o", "large.goal")
        self.assertEqual(set(re.findall(r"send (\d+)b", (self.folder / "large.goal").read_text())), {str(2**60)})
        self.assertIn(f"REDUCE_SCATTER bytes\t{2**63 - 1}\n", self.succeed("trace-info", "large.et", "--trace", "ranks=4"))
        for option in ("memory=1e9", "memory=1e-300"):
            self.assertIn("at most 8.79609e+06 s are replayed", self.fail_with(2, "goal", "large.et", "--trace", "ranks=4," + option))

    def test_bad_options(self):
        name = self.all_ranks(2, chakra.ALL_REDUCE, 8)
        self.write("g.json", '{"1": [0, 1], "2": }')
        os.mkfifo(self.folder / "pipe")
        self.write("huge.json", '{"1": [0, 99999999999999999999]}')
        self.write("far.json", '{"1": [0, 7]}')
        for option, sentence in (("x=2", "--trace x=2: it has groups=FILE"), ("flops=0", "--trace flops=0: a number above 0"),
                                 ("compute=both", "accepted are duration and roofline"), ("ranks=4", "there are traces of 2 ranks already"),
                                 ("dims=2x", "--trace dims=: a whole number"), ("groups=g.json", "g.json: groups are written"),
                                 ("groups=no.json", "no.json: cannot be read: no such file"),
                                 ("groups=pipe", "pipe: is a FIFO; a file of process groups is read from a regular file"),
                                 ("groups=huge.json", "huge.json: group 1 has rank 9223372036854775807, and"), ("groups=far.json", "far.json: group 1 has rank 7, and")):
            self.assertIn(sentence, self.fail_with(2, "goal", name, "--trace", option))
        self.assertIn("--trace belongs to Chakra traces", self.fail_with(2, "goal", "--generate", "ring:2", "--trace", "ranks=2"))
        self.assertIn("--trace belongs to Chakra traces", self.fail_with(2, "export", "goal", "ring:2", "--trace", "ranks=2"))
        (self.folder / "gap.0.et").write_bytes(chakra.trace())
        (self.folder / "gap.2.et").write_bytes(chakra.trace())
        self.assertIn("gap.2.et: the trace of a rank before it, gap.1.et, is missing", self.fail_with(2, "goal", "gap.2.et"))
        self.assertIn("none.et: there is no such file", self.fail_with(2, "goal", "none.et"))


if __name__ == "__main__":
    unittest.main()
