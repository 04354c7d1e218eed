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
  most_LL = { 141, 39, 20.4 }, -- of one, two, more nodes; of several by the host's CPU, which is Intel's
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
  -- A tree of two GPUs, whose links go one way each, has 21 (its log on such a host); of more it is taken to have what rings have.
  channels = { count = 24, rate = 15, tree_rate_of_two = 21 },
  protocols = {
    -- include/device.h: most threads; bytes a thread and channel below which it takes fewer of both (times GPUs: ring, LL)
    LL = { threads = 512, least = 8, per_gpu = true, buffer = 16 * 512 * 8 * 8, payload = 1 / 2 },
    LL128 = { threads = 640, least = 8, buffer = 120 * 640 * 8 * 8, payload = 15 / 16 },
    Simple = { threads = 512, least = 64, buffer = 4 << 20, payload = 1, sync_threads = 32 },
  },
  nvlink_rate = 450e9, -- of GPUs whose kernels, table and rings these are, a direction: compute capability 9.0
  -- Over nodes: GB/s of ports (the system tells NCCL 100 to 800 Gbit/s) and of its list for compute capability 9.0 (search.cc); what it counts
  -- of a bus (topo.cc: 48 GB/s of PCIe 5.0 x16, which has 63); microseconds of a step's posts on Intel's hosts and a factor of long rings
  -- (tuning.cc); of sends and receives the bytes of a message (init.cc) and GB/s of a channel (paths.cc).
  network = { ports = { 12.5, 25, 50, 100 }, speeds = { 48, 45, 42, 40, 30, 24, 22, 20, 17.5, 15, 12, 6, 3, 2.4, 1.2, 0.24, 0.12 }, bus_share = 48 / 63,
    overhead = 1, plateau = 1.4, most_channels = 32, chunk = 128 << 10, channel_rate = 14 },
  call = 3e-6, -- of the host in a call, beside its launch: estimated
  steps = 8, -- of a channel's buffer: include/device.h
  chunk_steps = { broadcast = 1, other = 4 }, slice_steps = { broadcast = 1, other = 2 }, -- of Simple: include/collectives.h
  in_row = 20, -- operations that nccl-tests (its option -n) and the probe measure together
  unroll = 8, -- accesses of 16 B of a thread under way: include/device.h, ncclCollUnroll
  -- What a kernel runs once: instructions of a warp; loads that each need the one before (arguments, communicator and channel, work; then
  -- peers, connection, head; LL128 and Simple a function's address too); and loads of registers that the compiler keeps in memory. Counted
  -- with Nsight Compute (probe/nccl_counters.tsv) on kernels of 1 KiB of libnccl 2.28.3 for compute capability 9.0, between two
  -- H200, where the other GPU came first. Not counted but estimated, a third either way: instructions of broadcast, of LL128 but for all_gather,
  -- and of Simple but for all_gather, by the ratios of LL's (`counted` times as many).
  counted = 1,
  once = {
    loads = { LL = 6, LL128 = 7, Simple = 7 },
    instructions = {
      LL = { all_gather = 421, all_reduce = 528, reduce_scatter = 400, broadcast = 421, alltoall = 397 },
      LL128 = { all_gather = 629, all_reduce = 790, reduce_scatter = 600, broadcast = 629 },
      Simple = { all_gather = 1028, all_reduce = 1290, reduce_scatter = 980, broadcast = 1028, alltoall = 600 },
    },
    kept = {
      LL = { all_gather = 0, all_reduce = 0, reduce_scatter = 0, broadcast = 0, alltoall = 8 },
      LL128 = { all_gather = 57, all_reduce = 63, reduce_scatter = 57, broadcast = 57 },
      Simple = { all_gather = 138, all_reduce = 138, reduce_scatter = 88, broadcast = 138, alltoall = 12 },
    },
    -- Stores of such registers by a warp, 128 B each, likewise.
    kept_stores = {
      LL = { all_gather = 0, all_reduce = 0, reduce_scatter = 0, broadcast = 0, alltoall = 9 },
      LL128 = { all_gather = 67, all_reduce = 79, reduce_scatter = 67, broadcast = 67 },
      Simple = { all_gather = 128, all_reduce = 109, reduce_scatter = 78, broadcast = 128, alltoall = 9 },
    },
  },
  -- s by which a kernel ends later behind a store to another GPU: probe/tables/h200x2_fifteenth/exchanges.tsv, leave_peer less leave_own's kernel
  -- without a store: 0.03 to 0.11 us of 1, 16 and 24 blocks. A cluster, 4 KiB of arguments, 80 KiB of shared memory, 80 registers of a thread
  -- and NCCL's launch attributes add at most 0.1 us to one that does nothing (kernel_nodes.tsv), and are left out.
  ended = 70e-9,
  written_back = 1, -- what of these stores an L1 writes to the L2 before its kernel ends: estimated
  -- s of a load whose address the one before gives, of lines that nobody stores to: probe/tables/h200x2_fifteenth/kernel_nodes.tsv, follow, 1 to
  -- 12 loads. Of the loads above those that are told of stores (head and connection) may find their lines in the far partition of the L2.
  load = 152e-9, far_loads = 2,
  -- s by which a kernel with one exchange with the other GPU takes longer than another one, a kernel of a graph (0.69 us as launch.tsv has it) and `ended`: the same
  -- host's exchanges.tsv, graph, with barriers, 1 round less a third of 4 less 1, by blocks and threads. Hosts with H100 have 0.1 less to as much.
  first_exchange = { blocks = { 1, 4, 24 }, threads = { 32, 128, 512 }, { 0.13e-6, 0.31e-6, 0.39e-6 }, { 0.38e-6, 0.39e-6, 0.33e-6 }, { 0.46e-6, 0.54e-6, 0.67e-6 } },
  -- Cycles of a warp for one of these instructions, where no other warp is in its way and without those for which it waits for memory and
  -- barriers: of the same kernels, smsp__average_warp_latency_issue_stalled (wait, branch_resolving, short_scoreboard, no_instruction) and
  -- issue, 2,531 for 421 instructions and 6,273 for 1,028.
  cycles = 6,
  -- Of the instructions this share are of integers (the machine code), which a scheduler begins every other cycle, the others every cycle
  -- (CUDA C programming guide, throughput of instructions, compute capability 9.0); a multiprocessor has four schedulers.
  schedulers = 4, integers = { LL = 0.45, LL128 = 0.48, Simple = 0.29 },
  -- LL loads its user's arrays by 4 B and stores them by elements (device/prims_ll.h; `port`).
  trip = { LL = 60, LL128 = 150, Simple = 60 }, -- instructions of a warp around one access of each kind: estimated
  -- enqueue.cc, init.cc. Up to 2.28 the protocol is chosen first, by what all channels may carry with LL, and a part is an eighth of its step.
  traffic = { ["2.28"] = 16 << 10, ["2.29"] = 32 << 10 }, -- bytes at least that a channel moves; whole cells of it are dealt out: enqueue.cc
  send_receive = { threads = 640, most_part = 16 << 20, LL = 16384, chunk = 512 << 10, channels = 32,
    part = { LL = 8 << 10, Simple = 64 << 10 } },
  -- Kernels of symmetric memory (sym_kernels.cc, device/symmetric): by what it chooses, us and units of 2^30 B/s before Blackwell; what a
  -- thread loads once in a row; of its instructions all are estimated, but that sums of half are in float.
  symmetric = {
    base = { LL = 4.5, other = 7.8 }, LL_factor = 9, block_rate = { all_reduce = 65, other = 44 }, most_rate = 320, unit = (1 << 30) / 1e6,
    most_blocks = 64, tolerance = 1.025, block_penalty = 0.025, cell = 1024, threads = 512,
    looks = { adds = 8, gathers = 4 }, -- words that a thread looks at together
    -- What a kernel runs once: of LL estimated, of the others counted as below, as are the loads of its state, its work's window and that window's
    -- place that wait for each other.
    loads = { LL = 2, Simple = 3 }, once = 200, LL_trip = 60, once_of_packs = { all_reduce = 455, reduce_scatter = 450, all_gather = 360 },
    far_memory = 170e-9, -- s by which loads from another GPU take longer if its L2 has them not: mixes.tsv, read_peer, 32 KiB at 32.8 and 28.0 GB/s
    -- A trip of a warp, in the machine code that nvcc 13.0 makes of device/symmetric of 2.28.9 for compute capability 9.0: instructions with two
    -- GPUs and for each one more, by the bytes of a pack (0: an element), to a tenth; and how many peers' loads are under way together. Of packs
    -- of 16 B it puts the second peer's loads behind the first one's sums.
    trip = {
      all_reduce = { [16] = { 224, 123 }, [4] = { 150, 75 }, [0] = { 100, 25 } },
      reduce_scatter = { [16] = { 175, 98 }, [4] = { 115, 50 }, [0] = { 65, 16 } },
      all_gather = { [16] = { 70, 20 }, [4] = { 90, 20 }, [0] = { 70, 10 } },
    },
    together = { [16] = 1, [4] = 4, [0] = 8 },
  },
  -- What leaves a multiprocessor by its port, bytes/s: stores of 16 B a thread to its GPU's memory and to another's, and bytes that are asked for,
  -- beside stores to its own memory alone and with some to another's. probe/tables/h100x2/mixes.tsv, one block of 512 threads, four accesses of a
  -- thread under way: write_own 62.5, write_peer 50.0 GB/s; copy_own 48.3, gather 26.1 less these. What comes in has a way of its own:
  -- read_own reaches 192 GB/s. Stores of 8 B a thread by elements of 1 and 2 B, by threads: weak_elements_of_1, _of_2, GB/s, h200x2_sixteenth; of
  -- 4 B as fast as of 16.
  port = { own = 62.5e9, peer = 50.0e9, asked = 212e9, asked_beside_peer = 432e9, by_threads = { 128, 256, 512, 1024 },
    elements = { [1] = { 25.8e9, 13.0e9, 8.0e9, 6.4e9 }, [2] = { 35.4e9, 19.9e9, 17.8e9, 13.0e9 } } },
  -- What stores of few blocks reach of a link's rate, by blocks and threads of which each has four accesses under way, beyond what a pass
  -- takes that moves nothing: probe/tables, inkernel_bw.tsv, store: h200x2_between, 32 MiB less 4; h200x2_between_2, 64 MiB less 8, of 10,
  -- 20, 40 and 80 blocks; of 371 GB/s (configs/h200x2.lua, nvlink.access_efficiency).
  few_blocks = { { 12, 0.770, 0.881, 0.923 }, { 24, 0.796, 0.918, 0.956 }, { 66, 0.936, 0.983, 0.992 }, threads = { 128, 512, 768 } },
  -- What is estimated, with the ends of its range.
  estimated = {
    { "call", 1e-6, 5e-6 }, { "written_back", 0, 1 }, { "counted", 2 / 3, 4 / 3 },
    { "trip", "LL", 30, 120 }, { "trip", "LL128", 75, 300 }, { "trip", "Simple", 30, 120 },
    { "symmetric", "once", 100, 400 }, { "symmetric", "LL_trip", 30, 120 },
  },
}
