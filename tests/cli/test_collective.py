# SPDX-License-Identifier: BSD-3-Clause
"""gpunetsim collective: the text of nccl-tests, what NCCL chooses by its table, and what is refused."""
import csv
import io
import math
import unittest

from program import ProgramTest


class Collective(ProgramTest):
    def chosen(self, operation, sizes, *words):
        """(algorithm, protocol, channels, threads) by size, of NCCL 2.28 between two GPUs."""
        rows = csv.DictReader(io.StringIO(self.succeed("collective", operation, "-l", "2.28", "-d", "half", "-b", sizes[0], "-e", sizes[1],
                                                       "-f", "4", "-o", "csv:-", *words)))
        return {int(row["bytes"]): (row["algorithm"], row["protocol"], int(row["channels"]), int(row["threads"])) for row in rows}

    def test_text(self):
        """Columns as nccl-tests has them (src/util.cu): 12, 12, 8, 6, 6 characters, then 7, 6, 6, 6 out of place and in place."""
        lines = self.succeed("collective", "all_gather", "-b", "1KiB", "-e", "4MiB", "-f", "8").splitlines()
        rows = [line for line in lines if not line.startswith("#")]
        self.assertTrue(lines[0].startswith("# all_gather_perf of NCCL"))
        self.assertEqual(self.succeed("collective", "all_gather", "-b", "1K", "-e", "4M", "-f", "8").splitlines(), lines)
        self.assertEqual([int(row.split()[0]) for row in rows], [1024, 8192, 65536, 524288, 4194304])
        for row in rows:
            self.assertEqual(len(row), 118 + 18)  # and the band
            size, count, kind, redop, root, time, algorithm_rate, bus_rate, wrong, *in_place, low, high = row.split()
            self.assertTrue(float(low) <= float(time) <= float(high))
            self.assertTrue(float(low) < float(high) or int(size) == 524288)  # of LL that waits for its port alone nothing has a range
            self.assertEqual((int(count) * 4, kind, redop, root, wrong, len(in_place)), (int(size), "float", "none", "-1", "N/A", 4))
            self.assertAlmostEqual(float(algorithm_rate), int(size) / float(time) / 1e3, delta=0.01 + 0.02 * float(algorithm_rate))
            self.assertAlmostEqual(float(bus_rate), float(algorithm_rate) / 2, delta=0.01)

    def test_more_gpus_than_there_are(self):
        """A host of two is answered for with eight GPUs, which the text says; the plain text is printed beside outputs to files."""
        size = ("all_gather", "-b", "1KiB", "-e", "1KiB")
        said = "; h200x2 has 2 GPUs a node, so this is a node like it with more"
        self.assertIn(said, self.succeed("collective", *size, "-g", "8").splitlines()[1])
        self.assertNotIn(said, self.succeed("collective", *size, "-g", "8", "-m", "h200_cluster"))
        text = self.succeed("collective", *size)
        self.assertNotIn(said, text)
        self.assertEqual(self.succeed("collective", *size, "-o", "csv:a.csv", "-o", "json:a.json"), text)
        self.assertEqual({path.name for path in self.folder.glob("a.*")}, {"a.csv", "a.json"})
        self.assertIn("two outputs cannot both be in one file", self.fail_with(2, "collective", *size, "-o", "csv:b", "-o", "json:b"))

    def test_choice(self):
        """Blocks and threads that NCCL 2.28.3 launched on two H200, as Nsight Compute saw them."""
        chosen = self.chosen("all_gather", ("1KiB", "4MiB"))
        self.assertEqual(chosen[1024], ("ring", "LL", 1, 128))
        self.assertEqual(chosen[1 << 20], ("ring", "LL", 24, 512))
        self.assertEqual(chosen[4 << 20], ("ring", "Simple", 24, 544))
        self.assertEqual(self.chosen("all_gather", ("1MiB", "1MiB"), "-p", "LL128")[1 << 20], ("ring", "LL128", 22, 640))
        self.assertEqual(self.chosen("all_gather", ("1KiB", "1KiB"), "-p", "LL128")[1024], ("ring", "LL128", 1, 320))
        self.assertEqual(self.chosen("all_gather", ("64KiB", "64KiB"), "-p", "Simple")[1 << 16], ("ring", "Simple", 2, 544))
        self.assertEqual(self.chosen("alltoall", ("64KiB", "64KiB"))[1 << 16], ("direct", "LL", 4, 640))  # and one for its own part
        # Its table on that host (probe/predicted_collectives.md) prefers LL up to 1 MiB and Simple from 2 MiB on for two GPUs, never LL128.
        chosen = self.chosen("all_reduce", ("512KiB", "8MiB"))
        self.assertEqual([chosen[size][1] for size in sorted(chosen)], ["LL", "Simple", "Simple"])

    def test_protocol_and_explain(self):
        """With LL128 NCCL takes its tree here, whose kernels have 640 threads."""
        lines = self.succeed("collective", "all_reduce", "-b", "1KiB", "-e", "1KiB", "-p", "LL128", "--explain").splitlines()
        self.assertEqual(lines[3].split()[1:5], ["tree", "LL128", "1", "640"])

    def row(self, operation, size, *words, how="graph"):
        """The one row of a size, in a graph between two GPUs: numbers by column."""
        text = self.succeed("collective", operation, "--how", how, "-d", "half", "-b", size, "-e", size, "-o", "csv:-", *words)
        return {name: float(value) for name, value in next(csv.DictReader(io.StringIO(text))).items()
                if name not in ("line", "algorithm", "protocol")}

    @staticmethod
    def most_far(chains):
        """Far lines to be expected of the slowest of `chains` chains of two loads whose lines others store to."""
        return (1 - (1 / 4)**chains) + (1 - (3 / 4)**chains)

    @staticmethod
    def instructions(count, warps, integers):
        """us of so many instructions of a warp beside the others of its scheduler, at 1.98 GHz: 6 cycles alone; mean value analysis."""
        begins, queued = 1 + integers, 0
        for _ in range(math.ceil(warps / 4)):
            took = begins * (1 + queued)
            queued = (_ + 1) * took / (6 - begins + took)
        return count * (6 - begins + took) / 1.98e3

    def test_slowest_channel(self):
        """Eight blocks wait for the slowest of 16 chains with two loads of a near or a far line (105 ns more); and a first exchange of 8 blocks of 512
        threads takes longer, between 0.33 us of 4 and 0.67 of 24, than one of 1, 0.39 (probe/tables/h200x2_fifteenth)."""
        one, eight = self.row("all_gather", "8KiB"), self.row("all_gather", "64KiB")
        self.assertEqual((one["channels"], eight["channels"], one["threads"], eight["threads"]), (1, 8, 512, 512))
        first = 0.33 + (0.67 - 0.33) * math.log(8 / 4) / math.log(24 / 4) - 0.39
        self.assertAlmostEqual(eight["setup_us"] - one["setup_us"], first + 0.105 * (self.most_far(16) - self.most_far(2)), places=4)

    def test_once(self):
        """What a kernel takes that moves nothing: its first exchange, which has the first of its loads, the others of 0.152 us each, its instructions:
        LL's 421 (probe/nccl_counters.tsv) less those of two operations, 148 and 93 of a warp that moves words, of which half make a trip (61, 50);
        Simple's warps load 138 registers each from the L1 (33 cycles) and store 128 of them, which pass the port before the kernel ends; LL's store none."""
        row = self.row("all_gather", "32KiB", "-p", "LL")
        self.assertEqual((row["channels"], row["threads"]), (4, 512))
        self.assertAlmostEqual(row["setup_us"], 0.33 + 5 * 0.152 + 0.105 * self.most_far(8)
                               + self.instructions(421 - (148 + 93 - (61 + 50) / 2), 16, 0.45), delta=0.02)
        row = self.row("all_gather", "32KiB", "-p", "Simple")
        self.assertEqual((row["channels"], row["threads"]), (1, 544))
        kept = 138 * 33 / 1.98e3 + 128 * 17 * 128 / 62.5e3
        self.assertAlmostEqual(row["setup_us"], 0.39 + 6 * 0.152 + 0.105 * self.most_far(2) + self.instructions(1028, 17, 0.29) + kept, delta=0.02)

    def test_memory(self):
        """What does not fit the L2 is waited for where a GPU loads its own array, and not where it gets: trips of 512 threads and 8 B. A scatter loads what it
        sends and what it adds; a gather's trips wait for the port, too, which takes their bytes one by one."""
        def change(operation):
            slow, fast = (self.row(operation, "128MiB", "-p", "LL", "-s", f"gpu.memory_latency={time}ns")["moved_us"] for time in (400, 200))
            return slow - fast
        trips = (128 << 20) / 2 / 24 / 4096
        gather, scatter = change("all_gather"), change("reduce_scatter")
        self.assertTrue(0.05 * trips < gather < 0.202 * trips, gather / trips)  # what it sends
        self.assertTrue(0.198 * trips < scatter < 0.402 * trips, scatter / trips)  # and what it adds

    def test_sums_in_turns(self):
        """Of 16 loads of a trip that sums, registers are there for 11; 2 and then 3 wait for those before (machine code of 2.28.9). Of 8 MiB each of 24
        channels has two slices of 88 KiB, 1.4 trips of all threads. With a far partition 200 ns farther a gather takes both slices 1 or 2 of 200 ns
        later, a scatter 3 to 6."""
        def change(operation):
            far, near = (self.row(operation, "8MiB", "-s", f"gpu.far_partition={time}ns")["moved_us"] for time in (305, 105))
            return far - near
        gather, scatter = change("all_gather"), change("reduce_scatter")
        self.assertTrue(0.3 < gather < 2 * 2 * 0.2 + 0.1, gather)
        self.assertTrue(2 * 3 * 0.2 - 0.1 < scatter < 2 * 6 * 0.2 + 0.1, scatter)

    def test_bytes(self):
        """What adds nothing is of bytes (enqueue.cc), which 512 threads store to their own array at 8 GB/s (probe/tables/h200x2_sixteenth), halves at
        17.8: in LL a GPU of two ends later by 4 KiB of each block with a gather than one without. In place it stores the peer's part alone."""
        gather, scatter = self.row("all_gather", "128KiB"), self.row("reduce_scatter", "128KiB")
        self.assertEqual((gather["channels"], gather["threads"]), (scatter["channels"], scatter["threads"]))
        apart = gather["moved_us"] - scatter["moved_us"]
        self.assertAlmostEqual(apart, 4096 / 8.0e3 - 4096 / 17.8e3, delta=0.15)
        times = [self.row("all_gather", "128KiB", "-d", kind)["time_us"] for kind in ("int8", "half", "float")]
        self.assertEqual(len(set(times)), 1)

    def test_fence_between_slices(self):
        """Simple has two slices: of 4 KiB the second one is empty, but its flag goes behind the fence of the first, which is waited for once."""
        slow, fast = (self.row("all_gather", "4KiB", "-p", "Simple", "-s", f"gpu.system_fence={time}ns") for time in (1844, 1444))
        self.assertAlmostEqual(slow["moved_us"] - fast["moved_us"], 0.4, delta=0.02)
        # Slices of 4 MiB are 44 KiB of each of 24 channels. Sending takes longer than the fence; of receiving the first one waits for two.
        slow, fast = (self.row("all_gather", "4MiB", "-p", "Simple", "-s", f"gpu.system_fence={time}us") for time in (24, 20))
        self.assertAlmostEqual(slow["moved_us"] - fast["moved_us"], 8, delta=0.2)

    def test_band(self):
        """Of a gather's kernel of LL only what differs between measurements has a range: a recorded event (0.65 to 1.02 us, 0.8) and a word's way (0.05 to
        0.16 us longer than a flag's, 0.1), the root of the sum of whose squares is the band's half."""
        row = self.row("all_gather", "1KiB")
        self.assertEqual(row["threads"], 128)
        self.assertAlmostEqual(row["high_us"] - row["time_us"], math.hypot(0.22, 0.06), delta=0.002)
        self.assertAlmostEqual(row["time_us"] - row["low_us"], math.hypot(0.15, 0.05), delta=0.002)

    def test_words(self):
        """A further GPU of a ring adds to a gather of LL what a word takes: a flag's way with its 0.1 us, and 26 instructions from its arrival until it goes on
        to the next GPU (probe/tables/h200x2_fifteenth/exchanges.tsv: 0.80 us a round, with the probe's own instructions)."""
        two, four = (self.row("all_gather", "1KiB", "-g", gpus)["moved_us"] for gpus in ("2", "4"))
        hop = (four - two) / 2
        self.assertGreater(hop, 0.80)
        self.assertLess(hop, 0.80 + 0.15)
        # Instructions before a word has come pass while it is under way: a slower clock of the same caches delays a hop by those behind it alone.
        slow = [self.row("all_gather", "1KiB", "-g", gpus, "-s", "gpu.clock=0.99GHz")["moved_us"] for gpus in ("2", "4")]
        self.assertLess((slow[1] - slow[0]) / 2 - hop, 0.6)

    def test_symmetric_choice(self):
        """Protocol and blocks by NCCL's formula (src/sym_kernels.cc): time and 2.5 % more a block; the fewest blocks within 2.5 % of 64."""
        unit = 2**30 / 1e6

        def estimate(moved, base, each, blocks):
            rate = 320 * unit - each * unit * math.log1p((math.exp(320 / each) - 1) * math.exp(-blocks))
            return base + (math.log1p(math.exp(moved / rate - 1)) if moved / rate < 101 else moved / rate - 1)

        def fewest(moved, base, each):
            most = 1.025 * estimate(moved, base, each, 64)
            blocks = next(blocks for blocks in range(1, 65) if blocks == 64 or estimate(moved, base, each, blocks) <= most)
            return estimate(moved, base, each, blocks) * (1 + 0.025 * blocks), blocks
        for operation, each, factor in (("all_reduce", 65, 1), ("all_gather", 44, 0.5), ("reduce_scatter", 44, 0.5)):
            for power in range(10, 25):
                part = 2**power * factor
                words = fewest(2 * part * 9, 4.5, each) + ("LL",)
                packs = fewest(part, 7.8, each) + ("Simple",)
                _, blocks, protocol = min(words, packs)
                text = self.succeed("collective", operation, "--how", "symmetric_graph", "-d", "half", "-b", f"{2**power}B", "-e", f"{2**power}B",
                                    "-o", "csv:-")
                row = next(csv.DictReader(io.StringIO(text)))
                cells = max(int(part) // 1024, 1)
                used = math.ceil(cells / math.ceil(cells / blocks))
                self.assertEqual((row["protocol"], row["channels"]), (protocol, str(used)), (operation, power))

    def test_symmetric_leftover(self):
        """What packs of 16 B leave goes by packs of 4 B, then by elements, each behind loads from the peer: 128 KiB are 16 chunks of 8 KiB for two
        GPUs of three blocks, so that 32 KiB are left, and 256 KiB are 32 for eight, of which nothing is left: they take less, as measured
        (8.6 and 11.1 us, probe/tables/h200x2_eighth)."""
        some, all_of_it = (self.row("all_reduce", size, how="symmetric_graph") for size in ("128KiB", "256KiB"))
        self.assertEqual((some["channels"], all_of_it["channels"]), (3, 4))
        loads = 3 * 0.90469  # one trip of 4 B, two of elements
        self.assertGreater(some["moved_us"] - all_of_it["moved_us"], loads)
        self.assertLess(some["moved_us"] - all_of_it["moved_us"], 1.5 * loads)  # and their instructions

    def test_symmetric_gather(self):
        """Beyond a trip a gather takes what its blocks' ports take, by probe/tables/h100x2/mixes.tsv: a request (432 GB/s), a store to the own array (62.5)
        and one to the peer's (50); in place no store to the own array."""
        small, large = (self.row("all_gather", size, how="symmetric_graph") for size in ("8MiB", "16MiB"))
        self.assertEqual((small["channels"], large["channels"]), (9, 9))
        each = (4 << 20) / 9e3
        expected = each * (1 / 432 + 1 / 62.5 + 1 / 50)
        self.assertAlmostEqual(large["moved_us"] - small["moved_us"], expected, delta=0.1 * expected)
        expected = each * (1 / 432 + 1 / 50)
        self.assertAlmostEqual(large["in_place_us"] - small["in_place_us"], expected, delta=0.1 * expected)

    def test_symmetric_sums(self):
        """Of a scatter's packs of 16 B the second peer's loads come behind the first one's sums: with four GPUs a trip waits for three far loads
        and not for one, and has 196 instructions more, by nccl.lua; eight blocks have one trip with 512 KiB of two and 1 MiB of four GPUs."""
        two, four = (self.row("reduce_scatter", size, "-g", gpus, how="symmetric_graph")["moved_us"] for size, gpus in (("256KiB", "2"), ("1MiB", "4")))
        more = 2 * 0.905 + 196 * 6 / 1.98e3
        self.assertGreater(four - two, more)
        self.assertLess(four - two, 1.25 * more)

    def test_large(self):
        """Equal chunks take equally long, so that only some are followed, of any protocol: from 4 to 16 GiB six times as long as from 2 to 4 (in the first
        chunks Simple's channels are still in step)."""
        for operation, protocol in (("all_reduce", "LL128"), ("broadcast", "LL"), ("reduce_scatter", "Simple")):
            words = ("-g", "8", "-p", protocol)
            times = [self.row(operation, size, *words)["time_us"] for size in ("2GiB", "4GiB", "16GiB")]
            self.assertAlmostEqual((times[2] - times[1]) / (times[1] - times[0]), 6, delta=0.06)

    def test_end(self):
        """A kernel ends 0.07 us later behind a store to the peer (probe/tables/h200x2_fifteenth), and each of 20 operations of a graph has its share of
        the launch before the first and of the synchronisation behind the last: 16.3 us less 15 kernels in a row of 0.695 (launch.tsv, 16 nodes). Behind each
        kernel of a graph an event is recorded: 1.49 us with it (probe/tables/h200_sixth, the mean of eight rows)."""
        node = 0.6946
        ends = 16.18 - 16 * node
        self.assertAlmostEqual(self.row("all_gather", "1KiB")["kernel_us"], 1.487 + 0.07 + ends / 20, delta=0.03)
        launched = self.row("all_gather", "1KiB", how="launched")["kernel_us"]  # 7.69 us of a launch and its end, 1.58 to the next kernel
        each = 1.58 + 2 * 0.118  # launch.tsv, cross_stream_event_chain_period: NCCL's stream waits for the kernel's, and that for NCCL's
        self.assertAlmostEqual(launched, each + 0.07 + (7.69 - each) / 20, delta=0.02)

    def test_link(self):
        """24 channels, which are blocks in clusters, with eight accesses of a thread fill the link: of slices of 1 MiB and 352 KiB the difference passes at 365
        GB/s (probe/tables/h200x2_seventeenth/slices.tsv, send, 24 blocks: 140.0 and 49.8 us)."""
        small, large = (self.row("broadcast", size)["moved_us"] for size in ("256MiB", "512MiB"))
        self.assertAlmostEqual((256 << 20) / (large - small) / 1e3, 24 * 2 * (1024 - 352) * 1.024 / (140.0 - 49.8), delta=4)

    def test_state_between_slices(self):
        """Of 96 MiB each of 24 channels gathers one chunk of 2 MiB: it sends two slices of 1 MiB and takes two. Behind each but the last it loads its state, 12
        loads one after the other: 24 slices in an L2 of 50 MiB take 0.560 (sent) and 0.548 us a load (taken); in one of 1 GiB, as slices of 50 KiB in one of
        50 MiB, 0.156 and 0.024 log2(50 / 44) more, and 0.027. In one chunk channels are in step but for their shares of the link, of 2 %, by which less than 2 us
        are made good. The machine code of reduce_scatter has half as many such loads. The peer's words, too, come from memory behind slices of 1 MiB, 0.560 us for 0.257:
        by the closed network of 16 warps, whose trips of 64 KiB wait for a port, a slice that is copied takes 0.34 us longer, one that is summed in three turns 7.7.
        Of six chunks half of all these waits is to be seen, but no more than 85 %: the others have the link meanwhile."""
        def apart(size, operation="all_gather"):
            small, large = (self.row(operation, size, "-s", "study.version=2.28", "-s", "gpu.memory_latency=0ns", "-s", f"gpu.l2_size={l2}")["moved_us"]
                            for l2 in ("50MiB", "1GiB"))
            return small - large
        sent, taken = 12 * (0.560 - 0.156 - 0.024 * math.log2(50 / 44)), 12 * (0.548 - 0.027)
        state = 2 * sent + taken
        self.assertTrue(state + 2 * 0.34 - 2 < apart("96MiB") < state + 2 * 0.34 + 0.1)
        self.assertTrue(state / 2 + 2 * 7.7 - 2 < apart("96MiB", "reduce_scatter") < state / 2 + 2 * 7.7 + 0.1)
        whole = 6 * state + 5 * taken + 12 * 0.34
        self.assertLess(whole / 2, apart("576MiB"))
        self.assertLess(apart("576MiB"), 0.85 * whole)

    def test_refusals(self):
        for words, sentence in (
                (["gather"], 'there is no operation "gather"; accepted are all_reduce, all_gather, reduce_scatter, broadcast, alltoall'),
                (["all_reduce", "-g", "9"], "gpus is 9; it is a whole number from 2 to 8"),
                (["all_reduce", "-d", "double"], 'there is no type "double"; accepted are int8, half, bfloat16, float'),
                (["all_reduce", "--how", "symmetric", "-p", "LL"], "kernels for symmetric memory choose their protocol; only for other kernels can it be given"),
                (["all_reduce", "-m", "summit"], "what is known of NCCL here is for GPUs whose NVLink has the rate a direction of Hopper (450 GB/s) "
                 "or Blackwell (900 GB/s); summit has 50GB/s"),
                (["all_reduce", "--how", "twice"], 'there is no how "twice"; accepted are launched, graph, symmetric, symmetric_graph'),
                (["alltoall", "-p", "LL128"], "alltoall is by sends and receives, which have LL and Simple"),
                (["all_reduce", "-b", "1B"], "sizes are from 8 B, an element of each GPU, to 16 GiB; from is 1B, to is 512MiB")):
            told = self.fail_with(2, "collective", *words)
            self.assertTrue(told.startswith(sentence), told) # and no line of benchmarks/ comes before it



# What nccl-tests of version 2.17 prints, with another program's line in between.
TEXT = """# nccl-tests version 2.17.6
#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             (us)  (GB/s)  (GB/s)
        1024           256     float     sum      -1     6.10    0.17    0.17       0     6.20    0.17    0.17       0
a line that another program writes
     1048576        262144     float     sum      -1    13.92   75.33   75.33       0    14.50   72.32   72.32     N/A
# Avg bus bandwidth    : 36.9
"""
COMPARED = """
local times = { ["1024B out-of-place"] = "6us", ["1024B in-place"] = "6.2us", ["1MiB out-of-place"] = "14us", ["1MiB in-place"] = "15us" }
return study {
  title = "Beside nccl-tests",
  machine = machine { name = "plain" },
  vary = { size = { "1024B", "1MiB" }, place = { "out-of-place", "in-place" } },
  measured = { file = "measured.txt" },
  run = function(p) return { time = times[p.size .. " " .. p.place] } end,
}
"""


class NcclTests(ProgramTest):
    """The text of nccl-tests as measurements beside a study."""

    def rows(self, text, study=COMPARED):
        self.write("measured.txt", text)
        self.write("compared.lua", study)
        return list(csv.DictReader(io.StringIO(self.succeed("run", "compared.lua", "--no-plot", "-o", "csv:-"))))

    def test_read(self):
        rows = self.rows(TEXT)
        self.assertEqual([float(row["time_measured_us"]) for row in rows], [6.1, 13.92, 6.2, 14.5])  # points vary the size first
        errors = [float(row["time_error_percent"]) for row in rows]
        for error, expected in zip(errors, (6 / 6.1 - 1, 14 / 13.92 - 1, 0, 15 / 14.5 - 1)):
            self.assertAlmostEqual(error, 100 * expected, delta=0.006)

    def test_own_text(self):
        """What the command prints is read, too: its own times have no error beyond what is printed."""
        text = self.succeed("collective", "all_reduce", "-b", "1K", "-e", "1M", "-f", "1024")
        cells = [line.split() for line in text.splitlines() if not line.startswith("#")]
        study = COMPARED
        for size, given in (("1024B", cells[0]), ("1MiB", cells[1])):
            for place, time in (("out-of-place", given[5]), ("in-place", given[9])):
                before, after = study.split(f'["{size} {place}"] = "')
                study = f'{before}["{size} {place}"] = "{time}us"{after.split(chr(34), 1)[1]}'
        self.assertEqual({row["time_error_percent"] for row in self.rows(text, study)}, {"0"})

    def test_refused(self):
        for text, sentence in (
                (TEXT.replace("-1    13.92 ", ""), "measured.txt:7: 11 fields where nccl-tests has 13"),
                (TEXT.replace("13.92", "fast"), 'measured.txt:7: time (us) is "fast"'),
                (TEXT.replace("13.92", "-1"), "measured.txt:7: time (us) is -1, which cannot be"),
                (TEXT + TEXT, "measured.txt:11: a second table of nccl-tests begins here")):
            self.write("measured.txt", text)
            self.write("compared.lua", COMPARED)
            self.assertIn(sentence, self.fail_with(2, "run", "compared.lua", "--no-plot"))

if __name__ == "__main__":
    unittest.main()
