-- SPDX-License-Identifier: BSD-3-Clause
-- NCCL 2.28 to 2.30 as its source has it (github.com/NVIDIA/nccl at 5067397, files below src/): the table by which it chooses, what it
-- moves in one piece, and what a kernel does before and after. No number here comes from a measured collective. NVLS, CollNet and PAT are
-- left out.

-- Microseconds and GB/s of its own cost table, graph/tuning.cc; only what it chooses depends on them.
local costs = {
  base = { ring = { LL = 6.6, LL128 = 14.0, Simple = 8.4 }, tree = { LL = 6.8, LL128 = 14.0, Simple = 8.4 } },
  step = { -- of a link within a node, and of the network
    node = { ring = { LL = 0.6, LL128 = 1.9, Simple = 3.4 }, tree = { LL = 0.6, LL128 = 1.25, Simple = 4.0 } },
    network = { ring = { LL = 2.7, LL128 = 4.0, Simple = 14.0 }, tree = { LL = 5.0, LL128 = 8.5, Simple = 14.0 } },
  },
  most_LL = { 141, 45, 35 }, -- of one, two, more nodes
  most_channel = { -- of a channel, likewise
    ring = { LL128 = { 36.7, 36.7, 36.7 } },
    tree = { LL128 = { 36.7, 36.7, 29.0 }, Simple = { 38.7, 41.4, 36.0 } },
  },
  LL128_share = 0.92, tree_share = 0.92, tree_LL_share = 1 / 3.8, tree_LL128_share = { 7 / 9, 120 / 128 },
  tree_correction = { -- from 64 B on, by powers of two
    LL = { 1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1, 1 },
    LL128 = { 1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1, 1, 1 },
    Simple = { .9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5, .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9, .9 },
  },
}

return {
  costs = costs,
  -- graph/search.cc finds rings of these GB/s; with as much left over it doubles their number. An HGX H100 or H200: 12 of 30.
  channels = { count = 24, rate = 15, tree_rate = 21 },
  protocols = {
    -- include/device.h: most threads; bytes a thread and channel below which it takes fewer of both (times GPUs: ring, LL)
    LL = { threads = 512, least = 8, per_gpu = true, buffer = 16 * 512 * 8 * 8, payload = 1 / 2 },
    LL128 = { threads = 640, least = 8, buffer = 120 * 640 * 8 * 8, payload = 15 / 16 },
    Simple = { threads = 512, least = 64, buffer = 4 << 20, payload = 1, sync_threads = 32 },
  },
  steps = 8, -- of a channel's buffer: include/device.h
  chunk_steps = { broadcast = 1, other = 4 }, slice_steps = { broadcast = 1, other = 2 }, -- of Simple: include/collectives.h
  unroll = 8, -- accesses of 16 B of a thread under way: include/device.h, ncclCollUnroll
  -- What a kernel runs once: instructions of a warp, loads that each need the one before, and registers of its caller that the function of a
  -- protocol keeps in memory meanwhile. LL is within the kernel, LL128 and Simple are called (device/common.h, ncclKernelMain). Counted in
  -- the machine code of libnccl 2.28.3 for compute capability 9.0; of LL's and LL128's code a half is taken to run, of Simple's, which
  -- has each copy for several alignments and sizes, a fifth.
  once = {
    kernel = { code = 672, share = 0.5, loads = 3 }, -- arguments, communicator and channel, work
    LL = { share = 0.5, loads = 3, kept = 0, code = { all_gather = 1104, all_reduce = 1480, reduce_scatter = 880, broadcast = 1576, alltoall = 1104 } },
    LL128 = { share = 0.5, loads = 4, kept = 56, code = { all_gather = 2152, all_reduce = 3048, reduce_scatter = 2048, broadcast = 2600 } },
    Simple = { share = 0.2, loads = 4, kept = 58,
      code = { all_gather = 9952, all_reduce = 11544, reduce_scatter = 5528, broadcast = 9176, alltoall = 5768 } },
  },
  -- Of the instructions this share are of integers (the same code), which a scheduler begins every other cycle, the others every cycle (CUDA C
  -- programming guide, throughput of instructions, compute capability 9.0); a multiprocessor has four schedulers.
  schedulers = 4, integers = { LL = 0.45, LL128 = 0.48, Simple = 0.29 },
  -- LL loads and stores its user's arrays by elements (device/prims_ll.h), each access with sectors that it uses in part.
  element_loads = 2, element_stores = { [1] = 8, [2] = 4, [4] = 2 },
  trip = { LL = 60, LL128 = 150, Simple = 60 }, -- instructions of a warp around one access of each kind: estimated, half to twice as many
  send_receive = { threads = 640, part = 64 << 10, most_part = 16 << 20, LL = 16384, chunk = 512 << 10, channels = 32 }, -- enqueue.cc, init.cc
}
