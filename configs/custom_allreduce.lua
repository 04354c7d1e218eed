-- SPDX-License-Identifier: BSD-3-Clause
-- The allreduces of TensorRT-LLM and vLLM through peer memory, according to their source: which kernel is taken by size and number of
-- GPUs, its blocks and threads, and what it does. No number here comes from a measured allreduce.
--
--   TensorRT-LLM  1.2 and 1.3, strategy AUTO without its autotuner, for compute capability 9.0 (cpp/tensorrt_llm/common/
--                 customAllReduceUtils.h, thop/allreduceOp.cpp, kernels/communicationKernels/allReduceFusionKernels.cu)
--   vLLM          0.14 to 0.24 (csrc/custom_all_reduce.cuh, vllm/distributed/device_communicators/custom_all_reduce.py,
--                 all_reduce_utils.py, symm_mem.py), and the kernels of PyTorch's symmetric memory that it calls
--                 (torch/csrc/distributed/c10d/symm_mem/CUDASymmetricMemoryOps.cu)
local MiB = 1 << 20

return {
  trtllm = {
    name = "TensorRT-LLM 1.3", nccl = "2.29", gpus = { 2, 4, 8 },
    row = 4096, -- elements of a token, of a message of more than one
    least = 128, -- elements below which the table has no entry, so that NCCL is taken
    workspace = { [2] = 16000000, [4] = 8000000, [8] = 8000000 }, -- bytes above which NCCL is taken
    -- What the table has for rows of 4,096 elements and 1, 2, 4, … tokens: one-shot or two-shot; beyond its end NCCL. Messages of one
    -- token with fewer elements are one-shot.
    choice = { [2] = "12121111111", [4] = "1112222122", [8] = "1111112222" },
    cluster = 8, least_threads = 128, most_threads = 512, -- of a block; how a token is dealt out to the blocks of a cluster
    flags = 256, -- flags of each peer that all blocks together set in a barrier, one behind the other
    buffers = 3, -- that one-shot uses in turn, and clears
  },
  vllm = {
    name = "vLLM 0.24", nccl = "2.28", gpus = { 2, 4, 6, 8 },
    blocks = 36, threads = 512,
    two_stages = { [4] = MiB // 2, [6] = MiB // 4, [8] = MiB // 4 }, -- bytes from which the kernel has two stages; never with two GPUs
    most = { [2] = 8 * MiB, [4] = 8 * MiB, [6] = MiB // 2, [8] = MiB // 4 }, -- bytes from which symmetric memory is taken
    symmetric_most = { [2] = 64 * MiB, [4] = 32 * MiB, [6] = 64 * MiB, [8] = 64 * MiB }, -- bytes above which NCCL is taken
    symmetric_type = "bfloat16", -- the only type for which symmetric memory is taken
    symmetric_blocks = 24, symmetric_threads = 1024,
  },
  -- Chained loads of a kernel before its first exchange, less the one that nccl.first_exchange has: the workspace's address and its
  -- state; nothing (a barrier's number is the only one); the addresses of flags.
  loads = { lamport = 1, sync = 1, ["1stage"] = 0, ["2stage"] = 0, symm_mem = 1, multimem = 1 },
  once = 150, -- instructions of a warp that a kernel does once, without its loops: estimated
  -- Instructions of a warp for one pack of 16 B a thread, with two GPUs and for each GPU more. Loads from all GPUs with sums, and copies
  -- from all: a quarter of what nccl.symmetric.trip has for four packs, which nvcc makes of the same loops. Pushes with a look for
  -- negative zeros, and looks for data, are estimated.
  trip = { adds = { 44, 24.5 }, copies = { 18, 5 }, pushes = { 34, 4 }, takes = { 60, 20 } },
  counted = 1, -- factor of the estimated instructions
  -- The share of a fence's time that each further flag of `flags` waits for its own fence: all of it, as fences of one thread back to back do
  -- (probe/tables/h200x2/fences.tsv). NVIDIA's own choice of two-shot on few blocks speaks for less: estimated.
  chained = 1,
  -- Time in s that a kernel begins earlier in a graph, or in a stream, if it may start when all blocks of the previous one say so at their end
  -- (programmatic dependent launch): estimated. Only the end of one kernel and the beginning of the next one overlap, so at most half of
  -- a kernel without work is saved; the middle of that range is taken.
  early = 0.17e-6,
  -- The share of a link's rate that loads and stores through the switch's multicast reach: estimated.
  multicast = 0.8,
  framework = 10e-6, -- s of the host in Python and PyTorch for one call that is not in a graph: estimated
  -- The estimated values, each with the ends of its range.
  estimated = { { "early", 0, 0.35e-6 }, { "counted", 0.5, 2 }, { "chained", 0, 1 }, { "multicast", 0.6, 1 }, { "framework", 5e-6, 30e-6 } },
}
