# SPDX-License-Identifier: BSD-3-Clause
"""gpunetsim collective dispatch and combine: counts of messages, formulas on simple cases, the table's form, and what is refused."""
import csv
import io
import statistics
import unittest

from program import ProgramTest, unless_sanitized

PARTS = {"dispatch": ("begins", "sends", "counts", "tells", "meets", "takes_counts", "unpacks"), "combine": ("begins", "sends", "tells", "waits", "meets", "sums")}
KERNEL = 0.97  # us: a kernel that ends behind a store, as a profiler tells it (probe/tables/h200x4_third/profiled.tsv)
CYCLE = 6 / 1.98e3  # us of an instruction that waits for the one before


class ExpertParallel(ProgramTest):
    def rows(self, operation, tokens, *words):
        """The rows of these tokens: numbers by column."""
        text = self.succeed("collective", operation, "--tokens", tokens, "-o", "csv:-", *words)
        return [{name: float(value) for name, value in row.items() if name != "line"} for row in csv.DictReader(io.StringIO(text))]

    def row(self, operation, tokens, *words):
        return self.rows(operation, tokens, *words)[0]

    def test_shape(self):
        """Blocks answer for as few experts as fit 132 multiprocessors, with 32 warps in all: 256 experts two a block; 288 three, with ten warps each."""
        for experts, blocks, threads in (("256", 128, 1024), ("128", 128, 1024), ("288", 96, 960)):
            row = self.row("dispatch", "8", "--experts", experts)
            self.assertEqual((row["blocks"], row["threads"]), (blocks, threads))
        self.assertEqual(self.row("combine", "1000", "--experts", "64")["blocks"], 125)  # eight tokens a block

    def test_messages(self):
        """Each token is a message to each of its experts: 16 B, the numbers, and 4 B for each 128 if these are bytes; of 256 experts 7 in 8 are elsewhere."""
        row = self.row("dispatch", "1024")
        self.assertEqual((row["message_bytes"], row["messages"]), (16 + 7168 + 56 * 4, 8192))
        self.assertAlmostEqual(row["messages_far"], 8192 * 7 / 8, delta=4 * (8192 * 7 / 64) ** 0.5)
        self.assertEqual(self.row("dispatch", "8", "-d", "bf16", "--hidden", "4096", "--topk", "3")["message_bytes"], 16 + 8192)
        self.assertEqual(self.row("combine", "8")["message_bytes"], 14336)
        # All experts: each GPU sends one message to each.
        row = self.row("dispatch", "5", "-g", "2", "--experts", "8", "--topk", "8")
        self.assertEqual((row["messages"], row["messages_far"]), (40, 20))

    def test_parts(self):
        """The parts follow one another; the GPUs' blocks meet once (probe: 1.08 us)."""
        for operation, parts in PARTS.items():
            for row in self.rows(operation, "1,64,512"):
                self.assertAlmostEqual(sum(row[part + "_us"] for part in parts) + KERNEL, row["time_us"], places=6)
                self.assertEqual(row["meets_us"], 1.08)
                self.assertTrue(row["low_us"] < row["time_us"] < row["high_us"])

    def test_small_dispatch(self):
        """One token: the first block's last warp decides, which adds to 256 counters by 32, then to those of its two experts, 0.31 us each, and loads the ids
        once (0.152); its instructions are 110 + 70 + 45 + 70 and 45 an expert."""
        row = self.row("dispatch", "1")
        expected = (256 / 32 + 2) * 0.31 + 0.152 + (110 + 70 + 45 + 70 + 2 * 45) * CYCLE
        self.assertAlmostEqual(row["sends_us"] + row["counts_us"], expected, places=3)
        # With 64 experts, one a block, there are 2 + 1 adds.
        less = self.row("dispatch", "1", "--experts", "64", "--topk", "1")
        self.assertLess(less["sends_us"] + less["counts_us"], expected)

    def test_large(self):
        """Many tokens: the links decide. Of copies by warps they pass 0.99 of 371 GB/s, of bulk copies 0.755 of that."""
        for operation, rate in (("dispatch", 0.98 * 371), ("combine", 0.755 * 371)):
            one, two = self.rows(operation, "1024,2048")
            messages = two["messages_far"] - one["messages_far"]
            self.assertAlmostEqual((two["sends_us"] - one["sends_us"]) / (messages * one["message_bytes"] / rate / 1e3), 1, delta=0.03)
        # And memory: arrays of 7,168 B are read and written at 1.74 TB/s, eight of 14,336 B read at 3.3 TB/s.
        one, two = self.rows("dispatch", "1024,2048")
        self.assertAlmostEqual(two["unpacks_us"] - one["unpacks_us"], 8192 * 7168 / 1.74e6, delta=1)
        one, two = self.rows("combine", "1024,2048")
        self.assertAlmostEqual(two["sums_us"] - one["sums_us"], 8192 * 14336 / 3.3e6, delta=0.1)

    @staticmethod
    def received(gpus, tokens, top_k=8, experts=256):
        """Messages that each GPU gets from others, drawn as benchmarks/parts/expert_parallel.lua does (MINSTD)."""
        state, far = 1, [0] * gpus
        for gpu in range(gpus):
            for _ in range(tokens):
                taken = set()
                while len(taken) < top_k:
                    state = state * 48271 % 2147483647
                    taken.add(state * experts // 2147483647)
                for expert in taken:
                    far[expert * gpus // experts] += expert * gpus // experts != gpu
        return far

    def test_slowest(self):
        """A combine ends once the GPU that got most messages has sent its answers; a dispatch, once the GPU that gets most has them. 512 tokens are 3,584
        messages from other GPUs in the mean, the fullest of eight gets some 75 more, the first one fewer."""
        for tokens in (512, 1024):
            far = self.received(8, tokens)
            row = self.row("combine", str(tokens))
            wire = max(far) * row["message_bytes"] / (0.755 * 371e3)
            self.assertAlmostEqual(row["sends_us"] / (260 * CYCLE + 0.152 + 1.47 / 7 + wire), 1, delta=0.006)
        row = self.row("dispatch", "512")
        self.assertGreater(max(self.received(8, 512)), row["messages_far"] + 30)
        self.assertGreater(row["sends_us"], max(self.received(8, 512)) * row["message_bytes"] / 371e3)
        # What a dispatch of more tokens takes longer is the further messages of the GPU that gets most.
        rows, most = self.rows("dispatch", "256,512,1024"), [max(self.received(8, tokens)) for tokens in (256, 512, 1024)]
        longer = [after["sends_us"] - before["sends_us"] for before, after in zip(rows, rows[1:])]
        self.assertAlmostEqual(longer[0] / longer[1], (most[1] - most[0]) / (most[2] - most[1]), places=4)

    def test_machine(self):
        """A fence that takes longer is waited for once, and a link's latency once."""
        for operation in PARTS:
            slow, fast = (self.row(operation, "4", "-s", f"gpu.system_fence={time}ns") for time in (3000, 2500))
            self.assertGreater(slow["tells_us"] - fast["tells_us"], 0.49)
            self.assertAlmostEqual(slow["time_us"] - slow["tells_us"], fast["time_us"] - fast["tells_us"], places=6)
        slow, fast = (self.row("combine", "4", "-s", f"nvlink.latency={time}ns") for time in (587, 87))
        self.assertAlmostEqual(slow["waits_us"] - fast["waits_us"], 0.5, delta=0.02)

    def test_text(self):
        lines = self.succeed("collective", "combine", "--tokens", "2,128").splitlines()
        self.assertTrue(lines[0].startswith("# combine of DeepEP's low-latency kernels"))
        self.assertEqual([line.split()[:3] for line in lines[3:]], [["2", "14336", "16"], ["128", "14336", "1024"]])
        self.assertEqual([len(line) for line in lines[2:]], [72] * 3)
        for line in lines[3:]:
            *_, time, rate, low, high = map(float, line.split())
            self.assertTrue(low < time < high)
            self.assertAlmostEqual(rate, int(line.split()[2]) * 14336 / time / 1e3, delta=0.01 * rate)
        explained = self.succeed("collective", "dispatch", "--tokens", "2", "--explain").splitlines()
        *parts, time, _rate, _low, _high = map(float, explained[3].split()[3:])
        self.assertEqual(len(parts), len(PARTS["dispatch"]) + 1)
        self.assertAlmostEqual(sum(parts), time, delta=0.05)

    def test_refused(self):
        for words, said in ((("dispatch", "-b", "8B"), "--minbytes says nothing about dispatch"), (("all_reduce", "--tokens", "3"), "--tokens says nothing about all_reduce"),
                            (("combine", "-d", "fp8"), 'there is no type "fp8" for a combine'), (("dispatch", "--hidden", "100"), "no low-latency kernel"),
                            (("dispatch", "--experts", "100"), "cannot be divided equally among 8"), (("dispatch", "--tokens", "1,,2"), "tokens is"),
                            (("dispatch", "--experts", "8", "--topk", "9"), "cannot go to 9 different experts"), (("dispatch", "--nodes", "2"), "--nodes says nothing"),
                            (("dispatch", "-m", "summit"), "Hopper (450 GB/s) or Blackwell")):
            self.assertIn(said, self.fail_with(2, "collective", *words))

    @unless_sanitized
    def test_measured(self):
        """Thirteen published rows of eight GPUs and 22 of DeepEP's own kernels on two, none of which sets a value: all within a fifth."""
        errors = {"AIConfigurator": [], "probe": []}
        for row in self.rows_of_scenario("libraries", "deepep"):
            if row["time_measured_us"]:
                errors[row["source"]].append(abs(float(row["time_us"]) / float(row["time_measured_us"]) - 1))
        self.assertEqual([len(of) for of in errors.values()], [13, 22])
        self.assertLess(statistics.median(errors["AIConfigurator"]), 0.09)
        self.assertLess(statistics.median(errors["probe"]), 0.08)
        self.assertLess(max(errors["AIConfigurator"] + errors["probe"]), 0.2)


if __name__ == "__main__":
    unittest.main()
