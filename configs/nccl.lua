-- SPDX-License-Identifier: BSD-3-Clause
-- NCCL 2.27 to 2.30 according to its source (github.com/NVIDIA/nccl at 5067397, files below src/): the cost table by which
-- it chooses, the size of the pieces that it moves, and the work of a kernel before and after moving data. No number here
-- comes from a measured collective. NVLS, CollNet and PAT are left out.

-- Microseconds and GB/s of NCCL's own cost table, graph/tuning.cc. Only NCCL's choice depends on them.
local costs = {
  base = { ring = { LL = 6.6, LL128 = 14.0, Simple = 8.4 }, tree = { LL = 6.8, LL128 = 14.0, Simple = 8.4 } },
  step = { -- us of a step over a link within a node, and over the network
    node = { ring = { LL = 0.6, LL128 = 1.9, Simple = 3.4 }, tree = { LL = 0.6, LL128 = 1.25, Simple = 4.0 } },
    network = { ring = { LL = 2.7, LL128 = 4.0, Simple = 14.0 }, tree = { LL = 5.0, LL128 = 8.5, Simple = 14.0 } },
  },
  LL128_share = 0.92, tree_share = 0.92, tree_LL_share = 1 / 3.8, tree_LL128_share = { 7 / 9, 120 / 128 },
  tree_correction = { -- from 64 B on, by powers of two
    LL = { 1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1, 1 },
    LL128 = { 1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1, 1, 1 },
    Simple = { .9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5, .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9, .9 },
  },
}

-- What differs between generations of GPUs. graph/search.cc gives a link of NVLink 20.6 GB/s for Hopper (topo.h), 40.1 for
-- Blackwell, so that a GPU has 370.8 and 721.8. It finds `rings` of `rate` GB/s: 6 of 60 and 8 of 90, whose number is then
-- doubled and rate halved; each becomes two channels (connect.cc). Trees have as many; the ways of two GPUs' trees go half
-- in each direction, so that each has the double rate, 60 and 90; of more GPUs it is the greatest in the list of speeds that
-- all can have in one order. most_LL: GB/s in all with one, two, more nodes; with several for Intel's CPUs. ring, tree: the
-- most of one ring and of one tree. speeds: the list for NICs.
local hopper = {
  name = "Hopper", nvlink_rate = 450e9, -- bytes/s a direction
  rings = 12, rate = 30, tree_rate = { two = 60, more = 30 },
  most_LL = { 141, 39, 20.4 },
  ring = { LL128 = { 36.7, 36.7, 36.7 } },
  tree = { LL128 = { 36.7, 36.7, 29.0 }, Simple = { 38.7, 41.4, 36.0 } },
  speeds = { 48, 45, 42, 40, 30, 24, 22, 20, 17.5, 15, 12, 6, 3, 2.4, 1.2, 0.24, 0.12 },
  -- Kernels of symmetric memory (sym_kernels.cc): the values by which NCCL chooses one, in us and units of 2^30 B/s.
  base = { LL = { all_reduce = 4.5, all_gather = 4.5, reduce_scatter = 4.5 }, other = { all_reduce = 7.8, all_gather = 7.8, reduce_scatter = 7.8 } },
  block_rate = { all_reduce = 65, other = 44 }, most_rate = 320,
  link = 1, -- the share of its link's rate for which stores of as many blocks were measured (few_blocks)
}

-- Of compute capability 10.0 some values change with NCCL's version: 2.27.7, 2.28.9, 2.29.2, 2.30.7.
local function blackwell(changes)
  local of = {
    name = "Blackwell", nvlink_rate = 900e9,
    rings = 16, rate = 45, tree_rate = { two = 90, more = 45 },
    most_LL = { 282, 39, 20.4 },
    tree = { LL128 = { 55.6, 31.67, 20.0 }, Simple = { 70.0, 42.8, 24.0 } },
    speeds = { 96, 48, 45.1, 42, 40, 30, 24, 22, 20, 17.5, 15, 12, 6, 3, 2.4, 1.2, 0.24, 0.12 },
    base = { LL = { all_reduce = 11, all_gather = 8.5, reduce_scatter = 11 }, other = { all_reduce = 19.5, all_gather = 13, reduce_scatter = 13 } },
    block_rate = { all_reduce = 55, other = 55 }, most_rate = 600,
    link = 1 / 2,
  }
  for key, value in pairs(changes) do of[key] = value end
  return of
end

local before_45 = { two = 90, more = 40 } -- the list of speeds had no 45

return {
  costs = costs,
  generations = {
    ["2.27"] = { hopper, blackwell { tree_rate = before_45, ring = { LL128 = { 73.4, 73.4, 73.4 } },
                                     tree = { LL128 = { 73.4, 73.4, 58.0 }, Simple = { 77.4, 82.8, 72.0 } } } },
    ["2.28"] = { hopper, blackwell { tree_rate = before_45, ring = { LL128 = { 73.4, 34.6, 73.4 } } } },
    ["2.29"] = { hopper, blackwell { ring = { LL128 = { 34.5, 34.6, 34.5 } } } },
    ["2.30"] = { hopper, blackwell { ring = { LL128 = { 40, 40, 40 } },
                                     speeds = { 96, 86, 80, 48, 45.1, 42, 40, 30, 24, 22, 20, 17.5, 15, 12, 6, 3, 2.4, 1.2, 0.24, 0.12 } } },
  },
  protocols = {
    -- include/device.h: the most threads; and the bytes a thread and channel below which NCCL takes fewer of both (times the
    -- number of GPUs for rings with LL)
    LL = { threads = 512, least = 8, per_gpu = true, buffer = 16 * 512 * 8 * 8, payload = 1 / 2 },
    LL128 = { threads = 640, least = 8, buffer = 120 * 640 * 8 * 8, payload = 15 / 16 },
    Simple = { threads = 512, least = 64, buffer = 4 << 20, payload = 1, sync_threads = 32 },
  },
  -- Between nodes: GB/s of ports (the system reports 100 to 800 Gbit/s to NCCL); the share of a bus that NCCL counts (topo.cc:
  -- 48 GB/s of PCIe 5.0 x16, which has 63); microseconds for posting a step on Intel's hosts and a factor for long rings
  -- (tuning.cc); for sends and receives the bytes of a message (init.cc) and GB/s of a channel (paths.cc).
  network = { ports = { 12.5, 25, 50, 100 }, bus_share = 48 / 63,
    overhead = 1, plateau = 1.4, most_channels = 32, chunk = 128 << 10, channel_rate = 14 },
  call = 3e-6, -- s of the host in a call, in addition to its launch: estimated
  steps = 8, -- steps of a channel's buffer: include/device.h
  chunk_steps = { broadcast = 1, other = 4 }, slice_steps = { broadcast = 1, other = 2 }, -- Simple: include/collectives.h
  in_row = 20, -- operations that nccl-tests (its option -n) and the probe measure together
  unroll = 8, -- accesses of 16 B that a thread has under way: include/device.h, ncclCollUnroll
  -- Work that a kernel does once: instructions of a warp; loads each of which needs the previous one (arguments,
  -- communicator and channel, work; then peers, connection, head; for LL128 and Simple also a function's address), less the
  -- one that `first_exchange` has; and loads of registers that the compiler keeps in memory. Counted with Nsight Compute
  -- (probe/nccl_counters.tsv) on kernels of 1 KiB of libnccl 2.28.3 for compute capability 9.0, between two H200, where the
  -- other GPU began first; LL's and LL128's instructions less those of `parts` below, of which two of four warps of LL and one of
  -- ten of LL128 make trips. Simple's registers kept in memory were counted for all_gather: the 53 that a called function saves, and a share of all
  -- such loads and stores in its machine code, which the others' code has fewer of (560 and 264; 272 and 96, 113 and 45, 316 and 171). Instructions of broadcast, and of LL128 and Simple except for all_gather, were not counted but
  -- estimated to within a third, by the ratios among LL's (`counted` multiplies them).
  counted = 1,
  once = {
    loads = { LL = 5, LL128 = 6, Simple = 6 },
    instructions = {
      LL = { all_gather = 239, all_reduce = 218, reduce_scatter = 218, broadcast = 239, alltoall = 327 },
      LL128 = { all_gather = 395, all_reduce = 407, reduce_scatter = 366, broadcast = 395 },
      Simple = { all_gather = 1028, all_reduce = 1290, reduce_scatter = 980, broadcast = 1028, alltoall = 600 },
    },
    kept = {
      LL = { all_gather = 0, all_reduce = 0, reduce_scatter = 0, broadcast = 0, alltoall = 8 },
      LL128 = { all_gather = 57, all_reduce = 63, reduce_scatter = 57, broadcast = 57 },
      Simple = { all_gather = 138, all_reduce = 94, reduce_scatter = 70, broadcast = 101, alltoall = 12 },
    },
    -- Stores of such registers by a warp, 128 B each, counted and estimated in the same way.
    kept_stores = {
      LL = { all_gather = 0, all_reduce = 0, reduce_scatter = 0, broadcast = 0, alltoall = 9 },
      LL128 = { all_gather = 67, all_reduce = 79, reduce_scatter = 67, broadcast = 67 },
      Simple = { all_gather = 128, all_reduce = 80, reduce_scatter = 66, broadcast = 102, alltoall = 9 },
    },
  },
  -- Time in s by which a kernel ends later after a store to another GPU: probe/tables/h200x2_fifteenth/exchanges.tsv,
  -- leave_peer less leave_own's kernel without a store: 0.03 to 0.11 us with 1, 16 and 24 blocks. A cluster, 4 KiB of
  -- arguments, 80 KiB of shared memory, 80 registers of a thread and NCCL's launch attributes add at most 0.1 us to an empty
  -- kernel (kernel_nodes.tsv), and are left out.
  ended = 70e-9,
  written_back = 1, -- share of kept_stores that an L1 writes to the L2 before its kernel ends: estimated
  -- Time in s of the node behind each kernel of a graph, which records an event (src/misc/strongstream.cc):
  -- probe/tables/h200_sixth/kernel_nodes.tsv, recorded, 1.49 us in the mean, less a kernel of a graph; 0.65 to 1.02 more than the same without it.
  recorded = 0.8e-6,
  -- Time in s of a load whose address the previous load gives, of lines that are not stored to:
  -- probe/tables/h200x2_fifteenth/kernel_nodes.tsv, follow, 1 to 12 loads. Of the loads above, those of lines that are
  -- stored to (head and connection) may find their lines in the far partition of the L2.
  load = 152e-9, far_loads = 2,
  -- Time in s by which a kernel with one exchange with the other GPU takes longer than the sum of a further exchange, a
  -- kernel of a graph (0.69 us by launch.tsv) and `ended`: the same host's exchanges.tsv, graph, with barriers, 1 round less
  -- a third of (4 rounds less 1), by blocks and threads. Hosts with H100 have between 0.1 us less and the same.
  first_exchange = { share = 1, blocks = { 1, 4, 24 }, threads = { 32, 128, 512 }, { 0.13e-6, 0.31e-6, 0.39e-6 }, { 0.38e-6, 0.39e-6, 0.33e-6 }, { 0.46e-6, 0.54e-6, 0.67e-6 } },
  -- Cycles of a warp for one of these instructions if no other warp delays it, without cycles of waiting for memory and
  -- barriers: from the same kernels, smsp__average_warp_latency_issue_stalled (wait, branch_resolving, short_scoreboard,
  -- no_instruction) and issue, 2,531 for 421 instructions and 6,273 for 1,028.
  cycles = 6,
  -- The same of a trip that is not the first one: the stalls in the machine code of LL's loops, 2.1 to 2.9, and 0.6 of branches.
  trip_cycles = 3.2,
  -- This share of the instructions works on integers (from the machine code): a scheduler begins one of them every other
  -- cycle, others every cycle (CUDA C programming guide, throughput of instructions, compute capability 9.0); a
  -- multiprocessor has four schedulers.
  schedulers = 4, integers = { LL = 0.45, LL128 = 0.48, Simple = 0.29 },
  -- Between slices, Simple keeps its registers in memory. `count`: loads, each of which waits for the one before, from the last store of a slice
  -- to the first load of the next one, in the machine code that nvcc 13.0 makes of device/prims_simple.h of 2.28.9, without words that a slice has
  -- loaded already: of all_gather on a thread's way through its branches; the others' in proportion to what the code of their loops has, 13.3 and
  -- 10.7 for all_gather's 21.5. Seconds of a load behind a slice that was sent and one that was only taken, by KiB of the slice, with 24 channels and
  -- an L2 of 50 MiB: probe/tables/h200x2_twentieth/slices_in_row.tsv, turns, copy, local, 128 words, 83,968 B, sent_taken and taken_taken, an eighth.
  state = { count = { all_gather = 12, all_reduce = 7, reduce_scatter = 6 }, channels = 24, cache = 50 << 20, kib = { 4, 44, 88, 176, 352, 704, 1024 },
    sent = { 0.027e-6, 0.156e-6, 0.180e-6, 0.228e-6, 0.296e-6, 0.533e-6, 0.560e-6 },
    taken = { 0.027e-6, 0.027e-6, 0.027e-6, 0.116e-6, 0.208e-6, 0.480e-6, 0.548e-6 } },
  -- LL loads its user's arrays by 4 B and stores them by elements (device/prims_ll.h; `port`).
  -- Of Simple: instructions of a warp and their stalls in cycles in one trip of a loop over words of 16 B, and how many turns its loads take,
  -- each of which waits for the one before: in the machine code that nvcc 13.0 makes of 2.28.9 with NCCL's 96 registers for compute capability
  -- 9.0 (reduceCopyPacks in device/common_kernel.h; half). Sums have registers for 11 of 16 loads; then come 2, then 3, all of the peer's words.
  trip = {
    send = { 45, 112, turns = 1 }, copy_send = { 70, 157, turns = 1 }, get = { 42, 92, turns = 1 },
    add = { 121, 230, turns = 3 }, add_send = { 128, 234, turns = 3 }, add_copy_send = { 143, 259, turns = 3 },
  },
  slice = 74, -- instructions of a warp from the barrier at which a slice begins to its first trip: 72 to 76 in the same machine code
  -- Instructions of a warp in the machine code that nvcc 13.0 makes of device/all_gather.h of 2.28.9 for compute capability 9.0, by
  -- what an operation does. Of each trip: until it stores, or looks for the peer's words; from their arrival until it
  -- stores; behind that. Then those of each operation beside its trips: before the first and behind the last one.
  -- Counters agree: 107 to 128 of LL's are an operation (all_reduce has one more than the others), 216 of LL128's a trip (1
  -- MiB against 1 KiB).
  parts = {
    LL = { send = { 32, 0, 29, 65, 22 }, pass = { 12, 26, 19, 54, 45 }, get = { 12, 10, 28, 16, 24 } },
    LL128 = { send = { 130, 0, 110, 75, 35 }, pass = { 50, 75, 110, 70, 57 }, get = { 50, 60, 110, 50, 30 } },
  },
  -- Time in s by which a word of 16 B with flags comes later than a flag of 4 B, which is simulated (0.68 us):
  -- probe/tables/h200x2_fifteenth/exchanges.tsv, resident, a round of 0.80 us (0.73 to 0.84), of which 0.02 are instructions.
  word = 0.1e-6,
  -- enqueue.cc, init.cc. In 2.27 and 2.28 the protocol is chosen first, by the bytes that all channels may carry with LL, and a
  -- part is an eighth of the protocol's step.
  traffic = { ["2.27"] = 16 << 10, ["2.28"] = 16 << 10, ["2.29"] = 32 << 10, ["2.30"] = 32 << 10 }, -- the least bytes of a channel, dealt out in whole cells: enqueue.cc
  -- A block works on at most 8 sends and receives together (include/device.h).
  send_receive = { threads = 640, together = 8, most_part = 16 << 20, LL = 16384, chunk = 512 << 10, channels = 32,
    part = { LL = 8 << 10, Simple = 64 << 10 } },
  -- Kernels of symmetric memory (sym_kernels.cc, device/symmetric): what NCCL's choice has in common for all GPUs; and the loads
  -- and instructions of a thread, of which all instructions are estimated, except that sums of half are made in float.
  symmetric = {
    LL_factor = 9, unit = (1 << 30) / 1e6,
    most_blocks = 64, tolerance = 1.025, block_penalty = 0.025, cell = 1024, threads = 512,
    looks = { adds = 8, gathers = 4 }, -- words that a thread polls together
    -- Work that a kernel does once, counted as below. The chained loads, less the one of `first_exchange`: the kernel's
    -- state, its work's window, and that window's place. Instructions of a trip of LL: until it stores, from the arrival of
    -- the words until it stores, behind that.
    loads = { LL = 1, Simple = 2 }, once = 125, LL_trip = { gathers = { 60, 22, 30 }, adds = { 60, 60, 30 } },
    once_of_packs = { all_reduce = 455, reduce_scatter = 450, all_gather = 360 },
    -- Cycles of a warp for an instruction that is not of a trip of packs: the machine code's own stalls, 2.6 in the mean,
    -- and 0.6 of branches and instructions that are fetched, as `cycles` below has; these kernels keep their state in
    -- registers.
    cycles = 3.2,
    far_memory = 170e-9, -- s more for loads that miss in another GPU's L2: mixes.tsv, read_peer, 32 KiB at 32.8 and 28.0 GB/s
    -- The instructions of a trip of a warp, in the machine code that nvcc 13.0 makes of device/symmetric of 2.28.9 for
    -- compute capability 9.0: with two GPUs, and for each GPU more, by the bytes of a pack (0: an element), exact to a
    -- tenth; and how many peers' loads are under way together. With packs of 16 B nvcc puts the second peer's loads behind
    -- the first one's sums.
    trip = {
      all_reduce = { [16] = { 224, 123 }, [4] = { 150, 75 }, [0] = { 100, 25 } },
      reduce_scatter = { [16] = { 175, 98 }, [4] = { 115, 50 }, [0] = { 65, 16 } },
      all_gather = { [16] = { 70, 20 }, [4] = { 90, 20 }, [0] = { 70, 10 } },
    },
    together = { [16] = 1, [4] = 4, [0] = 8 },
  },
  -- Rates at which data leave a multiprocessor by its port, bytes/s: stores of 16 B a thread to its GPU's memory and to
  -- another's; and requests (in bytes asked for), beside stores to its own memory only, and beside stores to another's, too.
  -- probe/tables/h100x2/mixes.tsv, one block of 512 threads, four accesses of a thread under way: write_own 62.5, write_peer
  -- 50.0 GB/s; copy_own 48.3, gather 26.1 less these. Incoming data have a way of their own: read_own reaches 192 GB/s.
  -- Stores of 8 B a thread by elements of 1 and 2 B, by threads: weak_elements_of_1, _of_2, GB/s, h200x2_sixteenth; those by
  -- 4 B are as fast as those by 16 B.
  port = { speed = 1, own = 62.5e9, peer = 50.0e9, asked = 212e9, asked_beside_peer = 432e9, by_threads = { 128, 256, 512, 1024 },
    elements = { [1] = { 25.8e9, 13.0e9, 8.0e9, 6.4e9 }, [2] = { 35.4e9, 19.9e9, 17.8e9, 13.0e9 } } },
  -- The share of a link's rate that stores of few blocks reach, by blocks and threads with four accesses under way each,
  -- without the time of an empty pass: probe/tables, inkernel_bw.tsv, store: h200x2_between, 32 MiB less 4;
  -- h200x2_between_2, 64 MiB less 8, of 10, 20, 40 and 80 blocks; of 371 GB/s (configs/h200x2.lua,
  -- nvlink.access_efficiency).
  few_blocks = { { 12, 0.770, 0.881, 0.923 }, { 24, 0.796, 0.918, 0.956 }, { 66, 0.936, 0.983, 0.992 }, threads = { 128, 512, 768 } },
  -- The same with eight accesses of a thread under way, as Simple has them, on two GPUs at once: of blocks in clusters of four
  -- (NCCL launches them so, if their number is a multiple of it); of others, and of others that also store to their own
  -- memory: probe/tables/h200x2_seventeenth/slices.tsv, send and copy_send, 24 blocks, 1 MiB less 352 KiB, all_us. spread: the
  -- standard deviation of a block's share, as a part of it: probe/tables/h200x2_twentyfirst/slices_of_blocks.tsv, 24 blocks of 1 MiB.
  cluster = 4, slices = { clustered = 0.985, single = 0.962, single_copying = 0.878, spread = 0.02 },
  -- The estimated values and those that hosts differ in, each with the ends of its range.
  estimated = {
    { "call", 1e-6, 5e-6 }, { "recorded", 0.65e-6, 1.02e-6 }, { "word", 0.05e-6, 0.16e-6 }, { "written_back", 0, 1 }, { "counted", 2 / 3, 4 / 3 },
  },
  -- Those that were measured on Hopper, for other GPUs: their clock and instructions are much alike, which a third covers.
  elsewhere = {
    { "load", 120e-9, 200e-9 }, { "ended", 30e-9, 150e-9 }, { "cycles", 4.5, 8 }, { "slices", "clustered", 0.9, 1 }, { "port", "speed", 0.8, 2 },
    { "first_exchange", "share", 0.6, 1.5 },
  },
}
