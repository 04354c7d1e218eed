# SPDX-License-Identifier: BSD-3-Clause
"""gpunetsim collective all_reduce -l trtllm, -l vllm: the kernel by size as the libraries' source chooses it, bytes moved, and times by hand."""
import csv
import io
import unittest

from program import ProgramTest, sample

WAY, FENCED, FAR, NEAR, CYCLE = 0.672, 1.982, 0.905, 0.152, 1 / 1980  # us between two H200: a flag, a word behind a fence, loads; a cycle
CYCLES, SLOTS = 6, 1.29 / 4  # of an instruction of one warp; of a scheduler for each
REQUESTED, BESIDE, OWN, PEER = 212e3, 432e3, 62.5e3, 50e3  # bytes/us of a multiprocessor's port (configs/nccl.lua)
LINK = 450e3  # bytes/us


class CustomAllreduce(ProgramTest):
    def rows(self, library, gpus, *words, kind="bfloat16", how="graph"):
        text = self.succeed("collective", "all_reduce", "-l", library, "-g", str(gpus), "-d", kind, "--how", how, "-o", "csv:-", *words)
        return {int(row["bytes"]): row for row in csv.DictReader(io.StringIO(text))}

    def row(self, library, gpus, size, *words, **more):
        (row,) = self.rows(library, gpus, "-b", size, "-e", size, *words, **more).values()
        return row

    def chosen(self, library, gpus, **more):
        return [(row["protocol"], int(row["channels"]), int(row["threads"]))
                for row in self.rows(library, gpus, "-b", "8KiB", "-e", "16MiB", "-f", "2", how="launched", **more).values()]

    def test_choice_of_tensorrt(self):
        """customAllReduceUtils.h's table for compute capability 9.0, rows of 4,096 elements, from one token of 8 KiB on; above 16 MB (two GPUs) and 8 MB NCCL.
        A token has 512 packs: four blocks of 128, of a cluster; fewer and larger ones where not all blocks fit 132 multiprocessors; two-shot has a token
        of each GPU at a time."""
        two = self.chosen("trtllm", 2)
        self.assertEqual("".join({"lamport": "1", "sync": "2"}.get(protocol, "N") for protocol, _, _ in two), "12121111111N")
        self.assertEqual([cut[1:] for cut in two[:11]], [(4, 128), (4, 128), (16, 128), (16, 128), (64, 128), (128, 128), (128, 256), (128, 512),
                                                         (132, 512), (132, 512), (132, 512)])
        for gpus, choice in sample(((4, "1112222122NN"), (8, "1111112222NN")), 2):
            found = self.chosen("trtllm", gpus)
            self.assertEqual("".join({"lamport": "1", "sync": "2"}.get(protocol, "N") for protocol, _, _ in found), choice)
        small = self.rows("trtllm", 2, "-b", "128B", "-e", "2KiB", "-f", "4", how="launched")
        self.assertEqual([(row["protocol"], row["channels"], row["threads"]) for row in small.values()],
                         [("LL", "1", "128"), ("lamport", "1", "32"), ("lamport", "1", "128")])  # 64 elements are in no row
        self.assertEqual(self.row("trtllm", 2, "8KiB", kind="float", how="launched")["threads"], "128")  # a token of 2,048 elements

    def test_choice_of_vllm(self):
        """custom_all_reduce.cuh: one stage between two GPUs, on at most 36 blocks of 512; two stages from 512 KiB (four GPUs). all_reduce_utils.py: PyTorch's
        symmetric memory from 8 MiB and, of eight GPUs, 256 KiB on, for bfloat16 alone, at most 64 or 32 MiB; else NCCL."""
        self.assertEqual(self.chosen("vllm", 2), [("1stage", blocks, 512) for blocks in (1, 2, 4, 8, 16, 32, 36, 36, 36, 36)]
                         + [("symm_mem", 24, 1024)] * 2)
        self.assertEqual([protocol for protocol, _, _ in self.chosen("vllm", 4)], ["1stage"] * 6 + ["2stage"] * 4 + ["multimem"] * 2)
        self.assertEqual([protocol for protocol, _, _ in self.chosen("vllm", 8)], ["1stage"] * 5 + ["multimem"] * 7)
        self.assertEqual(self.row("vllm", 8, "256KiB", kind="half")["algorithm"], "ring")  # NCCL
        self.assertEqual(self.row("vllm", 2, "128MiB")["algorithm"], "ring")

    def test_bytes_moved(self):
        """On a link that is the limit: one-shot (n - 1) S, two-shot 2 (n - 1) / n S, whichever kernel. 128 blocks of 512 threads reach 98.3 % of it, 36 blocks
        (between 24 and 66 on a scale of logarithms) 94.4 %."""
        for library, gpus, size, bytes_, share in sample((
                ("trtllm", 4, "1MiB", 3 << 20, 0.983), ("trtllm", 2, "4MiB", 4 << 20, 0.983), ("trtllm", 4, "4MiB", 6 << 20, 0.983),
                ("vllm", 2, "4MiB", 4 << 20, 0.944), ("vllm", 4, "4MiB", 6 << 20, 0.944), ("vllm", 8, "128KiB", 7 << 17, 0.885)), 3):
            fast, slow = (float(self.row(library, gpus, size, "-s", f"nvlink.access_efficiency={part}")["moved_us"]) for part in (0.04, 0.02))
            expected = bytes_ / LINK / share * (1 / 0.02 - 1 / 0.04)
            self.assertAlmostEqual(slow - fast, expected, delta=0.03 * expected, msg=(library, gpus, size))

    def trip(self, instructions, warps, out, load):
        """The one trip of all warps: a load, instructions of a warp, and what the port or the schedulers take for all warps."""
        return load + instructions * CYCLES * CYCLE + max(out, instructions * SLOTS * warps * CYCLE)

    def test_one_stage(self):
        """Two flags' ways, a far load, the second flag's number from near, 44 instructions, 8 KiB asked for from both GPUs and stored."""
        expected = 2 * WAY + NEAR + self.trip(44, 16, 8192 * (2 / REQUESTED + 1 / OWN), FAR)
        self.assertAlmostEqual(float(self.row("vllm", 2, "8KiB")["moved_us"]), expected, delta=0.01)

    def test_lamport(self):
        """A push, the way of a word with its data (0.1 us behind a flag), and the last part of a look at it: no fence. Each GPU more costs 4 and 20
        instructions, and two stores and two loads at the port; a clear of its buffer is hidden behind the way."""
        bytes_ = 2048  # of a block of 128 threads
        for gpus in (2, 4):
            more = gpus - 2
            push = self.trip(34 + 4 * more, 4, bytes_ * (1 / BESIDE + 1 / OWN + (gpus - 1) / PEER), NEAR)
            take = self.trip(60 + 20 * more, 4, bytes_ * (gpus / REQUESTED + 1 / OWN), 0)
            self.assertAlmostEqual(float(self.row("trtllm", gpus, "8KiB")["moved_us"]), push + WAY + 0.1 + take, delta=0.01)

    def test_barriers_of_two_shot(self):
        """Blocks share 256 flags of each peer, a fence for each of them: 16 blocks set 48 fewer than four do, in each of two barriers. The band reaches down to
        barriers without fences behind the first one."""
        few, more = (self.row("trtllm", 2, size) for size in ("16KiB", "64KiB"))
        self.assertAlmostEqual(float(few["moved_us"]) - float(more["moved_us"]), 2 * 48 * (FENCED - WAY), delta=0.01 * float(few["moved_us"]))
        self.assertAlmostEqual(float(few["time_us"]) - float(few["low_us"]), 2 * (63 * (FENCED - WAY) + 0.214 - WAY), delta=0.01 * float(few["time_us"]))

    def test_two_stages(self):
        """A flag, sums of an N-th, a word behind a fence, loads of all parts: of four GPUs 93 instructions, then 28, and a block's 8 KiB of each array."""
        add = self.trip(44 + 2 * 24.5, 16, 8192 * (4 / REQUESTED + 1 / OWN), FAR)
        get = self.trip(18 + 2 * 5, 16, 8192 * (4 / REQUESTED + 4 / OWN), FAR)
        self.assertAlmostEqual(float(self.row("vllm", 4, "512KiB")["moved_us"]), WAY + add + NEAR + FENCED + get, delta=0.01)

    def test_launched(self):
        """Not in a graph vLLM copies into its shared buffer first: a kernel's time behind another one's, 1.58 us, and 2.06 TB/s (copies.tsv). TensorRT-LLM does
        not. Python's share of a call, 5 to 30 us, is what small ones wait for."""
        for library, copied in (("vllm", 1.58 + (4 << 20) / 2.06e6), ("trtllm", 0)):
            graph, launched = (float(self.row(library, 2, "4MiB", how=how)["moved_us"]) for how in ("graph", "launched"))
            self.assertAlmostEqual(launched - graph, copied, delta=0.02)
        small = self.row("trtllm", 2, "1KiB", how="launched")
        self.assertAlmostEqual(float(small["time_us"]), 10 + 2.64, delta=0.01)
        self.assertAlmostEqual(float(small["high_us"]) - float(small["time_us"]), 20, delta=0.01)

    def test_refusals(self):
        for words, sentence in (
                (["all_reduce", "-l", "vllm", "-g", "3"], "vLLM 0.24 takes 2, 4, 6, 8 GPUs; 3 are asked for"),
                (["all_reduce", "-l", "trtllm", "-g", "6"], "TensorRT-LLM 1.3 takes 2, 4, 8 GPUs; 6 are asked for"),
                (["all_reduce", "-l", "trtllm", "-d", "int8"], "TensorRT-LLM 1.3 adds up half, bfloat16 and float, not int8"),
                (["all_gather", "-l", "vllm"], "vLLM 0.24 has a kernel of its own for all_reduce within a node, launched or in a graph"),
                (["all_reduce", "-l", "vllm", "-p", "LL"], "without a protocol or plan"),
                (["all_reduce", "-m", "custom_allreduce"], 'there is no machine "custom_allreduce"'),
                (["all_reduce", "-l", "2.1"], 'there is no library "2.1"; accepted are 2.27, 2.28, 2.29, 2.30, trtllm, vllm')):
            self.assertIn(sentence, self.fail_with(2, "collective", *words))


if __name__ == "__main__":
    unittest.main()
