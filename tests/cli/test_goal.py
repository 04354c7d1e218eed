# SPDX-License-Identifier: BSD-3-Clause
"""gpunetsim goal and gpunetsim export goal."""
import hashlib
import random
import shutil
import unittest

from program import PROJECT, ProgramTest

# What LogGOPSim 76451de's txt2bin makes of tests/goal/*.goal: the first half of its SHA-256.
TXT2BIN = {"chain": "e24da31dbeee4205", "fanin": "665da55ce40d3b64", "fanout": "d05c04ab5476f78a", "pingpong": "1acca0b9ab8b9db9",
           "random1": "da40dd3349bd2ee1"}

COSTS = "L=2500,o=1500,g=1000,G=6,O=0,S=65535"


class Goal(ProgramTest):
    def copy(self, name):
        shutil.copy(PROJECT / "tests" / "goal" / name, self.folder / name)
        return name

    def test_ends_and_makespan(self):
        trace = self.copy("pingpong.goal")
        self.assertEqual(self.succeed("goal", trace, "--loggp", COSTS), "makespan_ns\t23765\n")
        self.assertEqual(self.succeed("goal", trace, "--ends"),
                         "rank\tend_ns\n0\t23765\n1\t12994\n")

    def test_fractions_of_a_nanosecond(self):
        trace = self.write("t.goal", "num_ranks 2\nrank 0 { send 2b to 1 }\nrank 1 { recv 2b from 0 }\n")
        out = self.succeed("goal", trace, "--loggp", "L=1us,o=1,g=0,G=40ps", "--ends")
        self.assertEqual(out, "rank\tend_ns\n0\t1\n1\t1002.040\n")

    def test_written_and_read_back(self):
        pattern = "halo3d:4x3x2,iterations=3,bytes=1000,calc=500"
        self.assertEqual(self.succeed("export", "goal", pattern, "-o", "halo.goal"), "")
        self.assertEqual(self.files(), ["halo.goal"])
        generated = self.succeed("goal", "--generate", pattern, "--ends")
        self.assertEqual(self.succeed("goal", "halo.goal", "--ends"), generated)
        text = (self.folder / "halo.goal").read_text()
        self.assertEqual(self.succeed("export", "goal", "halo.goal"), text)

    def test_binary(self):
        """The same bytes as txt2bin, and a schedule that ends at the same times."""
        for name, digest in TXT2BIN.items():
            text = self.copy(name + ".goal")
            self.succeed("export", "goal-binary", text, "-o", "x.bin", "--force")
            binary = (self.folder / "x.bin").read_bytes()
            self.assertEqual(hashlib.sha256(binary).hexdigest()[:16], digest, name)
            self.assertEqual(self.succeed("goal", "x.bin", "--ends"), self.succeed("goal", text, "--ends"))
        self.succeed("export", "goal-binary", "x.bin", "-o", "y.bin")
        self.assertEqual((self.folder / "y.bin").read_bytes(), binary)
        self.succeed("export", "goal-binary", "ring:5,bytes=1000,calc=7", "-o", "ring.bin")
        self.assertEqual(self.succeed("goal", "ring.bin"), self.succeed("goal", "--generate", "ring:5,bytes=1000,calc=7"))

    def test_bad_binaries(self):
        self.succeed("export", "goal-binary", self.copy("pingpong.goal"), "-o", "good.bin")
        good = (self.folder / "good.bin").read_bytes()
        row = int.from_bytes(good[14:22], "little") + 8  # the part of rank 0: 2 numbers, the roots, then operations of 39 bytes
        first = row + 8 + 4 * good[row + 4]

        def refused(at, byte, sentence):
            (self.folder / "bad.bin").write_bytes(good[:at] + bytes([byte]) + good[at + 1:])
            self.assertIn(sentence, self.fail_with(2, "goal", "bad.bin"))
        refused(1, 0, "bad.bin: it is neither GOAL's text nor its binary")
        refused(11, 1, "bad.bin: the file is too short for its 16777218 ranks")
        refused(20, 255, "bad.bin: rank 0, operation 0: the rank's part lies outside the file")
        refused(row + 3, 1, "the rank's part is too short")
        refused(first + 4, 9, "bad.bin: rank 0, operation 0: it is of no kind; kinds are 1, 2 and 3")
        refused(first + 16, 255, "bad.bin: rank 0, operation 0: its size is above 2^63 - 1")
        refused(first, 3, "it waits for one that the file does not name")
        refused(first + 24, 1, "its waiters lie outside the rank's part")
        refused(first + 23, 2, "rank 0, operation 1: its waiters are in those of another one")
        (self.folder / "bad.bin").write_bytes(good[:30] + good[14:30] + good[46:])  # the row of rank 0 for rank 1, too, and bytes between them
        self.assertIn("bad.bin: rank 1, operation 0: the rank's part is in that of another one", self.fail_with(2, "goal", "bad.bin"))
        draw = random.Random(5)
        for _ in range(80):
            bytes_ = bytearray(good[:draw.choice((len(good), draw.randrange(len(good))))])
            for _ in range(draw.randint(0, 2) if len(bytes_) > 1 else 0):
                bytes_[draw.randrange(1, len(bytes_))] = draw.randrange(256)
            (self.folder / "any.bin").write_bytes(bytes_)
            code, _, err = self.run_program("goal", "any.bin")
            self.assertIn(code, (0, 1, 2), err)
            self.assertLessEqual(len(err.splitlines()), 1, err)
        self.write("wide.goal", "num_ranks 1\nrank 0 { calc 5 cpu 256 }\n")
        self.assertIn("GOAL's binary has streams 0 to 255, and the schedule one of 256",
                      self.fail_with(2, "export", "goal-binary", "wide.goal", "-o", "wide.bin"))
        self.assertNotIn("wide.bin", self.files())

    def program(self, source, *settings):
        """The makespan in us of what `export program` makes of the source."""
        self.succeed("export", "program", source, "-o", "p.lua", "--force")
        self.succeed("run", "p.lua", "--no-plot", "-o", "csv:p.csv", *[word for setting in settings for word in ("-s", setting)], "--force")
        row = (self.folder / "p.csv").read_text().splitlines()
        return float(dict(zip(row[0].split(","), row[1].split(",")))["makespan_us"])

    def test_program(self):
        """A schedule as a study: by ranks as on a machine, and by work-groups, which GOAL's runtimes are not."""
        ring = "ring:4,bytes=256KiB,calc=10000"
        goal = float(self.succeed("goal", "--generate", ring, "--machine", "summit", "--placement", "gpu,ranks_per_node=2").split()[-1]) / 1000
        apart = self.program(ring, "study.nodes=2", "study.gpus_per_node=2")
        self.assertLess(abs(apart - goal), 0.25 * goal)
        for design in ("gpu-verbs", "dgpu"):  # 6 calculations of 10 us, and 6 steps of 256 KiB by 12.5 GB/s between nodes
            self.assertGreater(self.program(ring, "study.design=" + design, "study.nodes=4", "study.gpus_per_node=1"), 6 * (10 + 262.144 / 12.5))

    def test_program_order(self):
        """Messages of a pair that are received in another order than sent; and ranks that each wait for a third's."""
        self.write("swap.goal", "num_ranks 2\nrank 0 {\na: send 8b to 1 tag 1\nb: send 4096b to 1 tag 2\nb requires a\n}\n"
                   "rank 1 {\na: recv 4096b from 0 tag 2\nb: recv 8b from 0 tag 1\nb requires a\nc: calc 5000\nc requires b\n}\n")
        for design in ("openmpi-d", "comp-net"):
            self.assertGreater(self.program("swap.goal", "study.design=" + design, "study.nodes=2", "study.gpus_per_node=1"), 5)
        lines = (self.folder / "p.lua").read_text().splitlines()
        self.assertIn('  [0] = { "s", 1, 8, "v", 1, "s", 1, 4096 },', lines)
        self.assertIn('  [1] = { "r", 0, 8, "r", 0, 4096, "w", 2, "w", 1, "c", 5000 },', lines)
        self.write("any.goal", "num_ranks 2\nrank 0 { send 8b to 1 }\nrank 1 { recv 8b from -1 }\n")
        self.write("self.goal", "num_ranks 1\nrank 0 { send 8b to 0\n recv 8b from 0 }\n")
        for name, sentence in (("any", "a program's messages have one sender and one tag, and rank 1 receives any"),
                               ("self", "rank 0 sends to itself")):
            self.assertIn(sentence, self.fail_with(2, "export", "program", name + ".goal", "-o", name + ".lua"))
        self.write("stuck.goal", "num_ranks 2\nrank 0 {\na: recv 8b from 1\nb: send 8b to 1\nb requires a\n}\n"
                   "rank 1 {\na: recv 8b from 0\nb: send 8b to 0\nb requires a\n}\n")
        self.assertIn("4 operations of the schedule wait for ever", self.fail_with(2, "export", "program", "stuck.goal", "-o", "stuck.lua"))

    def test_machine(self):
        trace = self.copy("random1.goal")
        for transport in ("flow", "segment"):
            for place in ("core", "gpu,ranks_per_node=3", "gpu,memory=host,ranks_per_node=3,order=round-robin"):
                call = ("goal", trace, "--machine", "gcn3_node", "--transport", transport,
                        "--placement", place, "--ends")
                out = self.succeed(*call)
                self.assertEqual(len(out.splitlines()), 7)
                self.assertEqual(self.succeed(*call), out)

    def ring(self, ranks, *options):
        out = self.succeed("goal", "--generate", f"ring:{ranks},bytes=4MiB", "--machine", "summit", *options)
        return float(out.split()[-1]) / 1000

    def test_rings_on_summit(self):
        """Microseconds: 2 (n - 1) blocks of 4 MiB over the slowest link; NVLink is 47 GB/s and 0.25 us, and X-Bus is faster.
        Open MPI adds to that, a step and once: handles of a peer's memory are opened, memory is mapped."""
        block = 4 << 20
        nvlink, network = block / 47e3, block / 12.5e3
        for ranks, options, least, above in (
                (2, ("--placement", "gpu"), 2 * (nvlink + 0.25), 0.45),
                (2, ("--placement", "gpu,ranks_per_node=2"), 2 * (nvlink + 0.65), 0.6),
                (4, ("--placement", "gpu"), 6 * (nvlink + 0.25), 0.36),
                (12, ("--placement", "gpu"), 22 * network, 0.26),
                (24, ("--placement", "gpu", "-s", "nodes=4"), 46 * network, 0.26),
                (2, ("--placement", "gpu,memory=host"), 2 * (block / 15.7e3 + 0.05), 0.02),
                (4, (), 6 * (block / 15.7e3 + 0.05), 0.02)):
            took = self.ring(ranks, *options)
            self.assertGreater(took, least * (1 - 1e-6), (ranks, options))
            self.assertLess(took, least * (1 + above), (ranks, options))

    def test_traffic(self):
        out = self.succeed("goal", "--generate", "ring:12,bytes=1000", "--machine", "summit", "--placement", "gpu",
                           "--traffic", "--ends")
        lines = out.splitlines()
        self.assertEqual(lines[:5], ["path\tbytes", "shared-memory\t0", "gpu-memory\t0", "node-links\t220000",
                                     "network\t44000"])
        self.assertEqual((lines[5], len(lines)), ("rank\tend_ns", 18))

    def test_energy(self):
        """By part on a machine: what rests draws its power for the whole time, and a byte on the network its energy. LogGOPS has none."""
        call = ("goal", "--generate", "ring:2,bytes=4MiB,calc=1000", "--energy")
        self.assertEqual(self.succeed(*call).splitlines()[0], "energy_uJ\tnot modelled")
        self.assertEqual(len(self.succeed(*call).splitlines()), 2)
        call += ("--machine", "gcn3_node", "-s", "gpu.idle_power=10W", "--placement")
        rows = dict(line.split("\t") for line in self.succeed(*call, "gpu").splitlines())
        self.assertAlmostEqual(float(rows["energy_time_us"]), float(rows["makespan_ns"]) / 1000, delta=1e-6)
        self.assertAlmostEqual(float(rows["gpu_idle_energy_uJ"]), 2 * 10 * float(rows["energy_time_us"]), delta=1e-6)
        self.assertEqual(rows["service_energy_uJ"], "not modelled")
        parts = [float(value) for name, value in rows.items()
                 if name.endswith("_energy_uJ") and value != "not modelled"]
        self.assertAlmostEqual(sum(parts), float(rows["energy_uJ"]), delta=1e-6)
        self.assertGreater(float(rows["network_energy_uJ"]), 0)
        twice = dict(line.split("\t") for line in self.succeed(*call, "gpu", "-s", "network.byte_energy=2nJ").splitlines())
        once = dict(line.split("\t") for line in self.succeed(*call, "gpu", "-s", "network.byte_energy=1nJ").splitlines())
        self.assertAlmostEqual(float(twice["network_energy_uJ"]), 2 * float(once["network_energy_uJ"]), delta=1e-6)

    def test_numbers_that_do_not_fit(self):
        form = "num_ranks 1\nrank 0 {\ncalc %d\ncalc %d\ncalc 7000\n}\n"
        self.write("long.goal", form % (9223372036854775, 9223372036854775))
        self.write("longer.goal", form % (2**63 - 1, 1))
        self.write("cut.goal", "num_ranks 2\nrank 0 {\nsend 100b to 1\n}\nrank 1 {\nrecv 50b from 0\n}\n")
        self.assertEqual(self.succeed("goal", "long.goal"), "makespan_ns\t18446744073716550\n")
        ring = "ring:4,bytes=9223372036854775807"
        for start, call in (
                ("longer.goal:4: the calculation of rank 0 ends after", ("longer.goal",)),
                ("long.goal:3: the calculation of rank 0 ends after", ("long.goal", "--machine", "summit")),
                (ring, ("--generate", ring)),
                (ring, ("--generate", ring, "--machine", "gcn3_node")),
                ("cut.goal:6: rank 1 receives 50 bytes", ("cut.goal",)),
                ("cut.goal:6: rank 1 receives 50 bytes", ("cut.goal", "--machine", "gcn3_node")),
                ("L=-5 is negative", ("long.goal", "--loggp", "L=-5")),
                ("L=1 and L=2: which", ("long.goal", "--loggp", "L=1,L=2")),
                ("bytes=1 and bytes=2: which", ("--generate", "ring:4,bytes=1,bytes=2")),
                ("bytes=7 are a rank's, which moe divides into 8 parts: accepted is 8 or more", ("--generate", "moe:8x2,bytes=7")),
                ("bytes=3 are a rank's, which train divides into 4 parts", ("--generate", "train:2x4x2x2,bytes=3")),
                ("bytes=-5 is negative", ("--generate", "ring:4,bytes=-5"))):
            sentence = self.fail_with(2, "goal", *call)
            self.assertTrue(sentence.startswith(start), sentence)

    def test_parts_of_a_pattern(self):
        """Without bytes, a rank has 8, or one for each peer."""
        for pattern, part in ("moe:4x1", 2), ("moe:8x2", 1), ("moe:12x2", 1), ("moe:12x2,bytes=30", 2), ("hierarchical:4x2,bytes=4", 1):
            self.assertIn(f"send {part}b", self.succeed("export", "goal", pattern), pattern)

    def test_refused(self):
        trace = self.copy("pingpong.goal")
        self.write("bad.goal", "num_ranks 2\nrank 0 {\nsend 8b to 1\n}\n")
        circle = ("num_ranks 2\nrank 0 { a: recv 8b from 1; b: send 8b to 1; b requires a }\n"
                  "rank 1 { a: recv 8b from 0; b: send 8b to 0; b requires a }\n")
        self.write("circle.goal", circle)
        for code, start, call in (
                (2, "bad.goal:3: 1 send and 0 receives have no partner", ("goal", "bad.goal")),
                (2, "nowhere.goal: ", ("goal", "nowhere.goal")),
                (1, "circle.goal:2: the schedule does not end", ("goal", "circle.goal")),
                (2, "goal takes either", ("goal",)),
                (2, "goal takes either", ("goal", trace, "--generate", "ring:4")),
                (2, "there is no pattern", ("goal", "--generate", "tree:4")),
                (2, '"X', ("goal", trace, "--loggp", "X=5")),
                (2, "--transport flood", ("goal", trace, "--machine", "gcn3_node", "--transport",
                                          "flood")),
                (2, "--transport, --placement, --design, --set and --traffic", ("goal", trace, "--placement", "gpu")),
                (2, "placement.device: \"place\"", ("goal", trace, "--machine", "summit", "--placement", "place")),
                (2, "override nic.gap=1", ("goal", trace, "--machine", "summit", "-s", "nic.gap=1")),
                (2, "13 ranks do not fit on the machine: 2 nodes of 6 ranks, one a GPU, have room for 12",
                 ("goal", "--generate", "ring:13", "--machine", "summit", "--placement", "gpu")),
                (2, "cannot export", ("export", "csv", "ring:4")),
                (2, "there is no pattern", ("export", "goal", "tree:4", "-o", "out.goal")),
                (1, "cannot write", ("export", "goal", "ring:4", "-o", "nowhere/out.goal")),
                (1, "cannot write", ("export", "goal", "ring:4", "-o", "/dev/full/x"))):
            sentence = self.fail_with(code, *call)
            self.assertTrue(sentence.startswith(start), sentence)
        self.assertEqual(self.files(), ["bad.goal", "circle.goal", "pingpong.goal"])


if __name__ == "__main__":
    unittest.main()
