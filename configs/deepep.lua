-- SPDX-License-Identifier: BSD-3-Clause
-- DeepEP's low-latency kernels (github.com/deepseek-ai/DeepEP at 29d31c0, csrc/kernels/internode_ll.cu and utils.cuh; the same since
-- bulk copies came with c874cb7 and up to the last version before its second one) between GPUs of a node, which reach each other
-- by NVLink. No number here comes from a measured dispatch or combine.

-- Each measured value is of probe/tables/h200x4_third, if no other host is named: experts.tsv (`cast`, `put`, ..., us of the median block less those of meet with 0
-- rounds, 0.256) or profiled.tsv (durations that a profiler tells of a kernel).
return {
  -- What fits the message of a token: an index and three unused words, then its numbers; as bytes also a factor of 4 B for each 128.
  head = 16, scaled = 128, scale = 4,
  hidden = { [2048] = true, [2560] = true, [3072] = true, [4096] = true, [5120] = true, [6144] = true, [7168] = true, [8192] = true }, -- launch.cuh
  most_choices = 11, most_experts = 14 * 132, -- of a token; of groups of warps on all multiprocessors
  most_warps = 32, -- of a block: warps of all experts that it answers for
  lanes = 32, pack = 16, -- a load or store of a lane
  under_way = { put = 8, unpack = 7 }, -- packs of a lane
  counters = 32, -- words of counters that a warp adds to at a time
  ids = 8, -- loads of a lane's experts under way
  bulk = { piece = 2048, pieces = 7 }, -- bytes that go through shared memory at a time; of the probe's tokens

  -- Time in s of a kernel of 128 blocks of 1,024 threads, two a cluster, launched cooperatively, that a profiler tells from its start to its
  -- end (profiled.tsv): 0.81 us if it does nothing; 0.16 more if it ends behind a store.
  kernel = 0.97e-6,
  -- All blocks of a GPU meet: meet, 32 rounds less none.
  meet = 1.08e-6,
  -- A warp adds with release to 32 words: released, 8 rounds less 1.
  released = 0.31e-6,
  -- A token of 7,168 numbers of 2 B becomes bytes: cast, 128 blocks, 1 round, as for any
  -- token that the threads of 31 warps load by 16 B at once.
  cast = 0.74e-6,
  -- What the link passes of bulk stores of 2 KiB, as a share of what it passes of loads and stores (371 GB/s): bulk, 4 GPUs, 128 blocks,
  -- 32 warps, 8 rounds, 469.8 MB in 1,676 us. Two GPUs: 0.79.
  bulk_share = 0.755,
  -- bytes/s of a multiprocessor's bulk copies to shared memory and from there: bulk, 1 block, 32 warps, 8 rounds less 4.
  bulk_rate = 30.6e9,
  -- Time in s of a token of 14,336 B that one warp copies in bulk: bulk, 4 GPUs, 1 block, 1 warp, 1 round; and of each further one.
  bulk_first = 1.47e-6, bulk_each = 1.36e-6,
  -- bytes/s at which a multiprocessor loads in bulk and sums: sum, 1 block, 8 rounds less 2, 688 KB in 8.9 us; and the time of one token
  -- of eight arrays: 1 round.
  sum_rate = 77e9, sum_first = 2.14e-6, sum_bytes = 8 * 14336,
  -- bytes/s at which all multiprocessors together copy arrays that lie in the L2, those that do not, and one multiprocessor does, each byte
  -- read and written. Plain: unpack, 128 blocks, 16 warps, 1 round, 14.7 MB in 5.1 us; 32 warps, 8 rounds; 1 block, 32 warps, 8 rounds less 4.
  -- With factors, each stored to a row of its own: scaled_unpack (h200x2_eighteenth), 6.75 us; 8 rounds less 4; likewise.
  unpack = { plain = { near = 2.9e12, far = 2.05e12, each = 48.3e9 }, scaled = { near = 2.17e12, far = 1.74e12, each = 33.0e9 } },
  summed = 3.3e12, -- the same of arrays that are read and summed, outside of the L2: sum, 128 blocks, 8 rounds
  -- Time in s of a warp that takes a place at a counter, copies a message of two loads a lane under way 8 times, and adds to a counter with
  -- release, beyond the bytes' time at the port: placed_put (h200x2_eighteenth), 2 GPUs, 1 block, 8 warps, further rounds, 2.92 us less 1.19.
  put = 1.73e-6, put_loads = 2,
  -- Instructions of a warp in the machine code that nvcc 13.0 makes of internode_ll.cu for compute capability 9.0 (hidden 7,168, fp8, indices of 8
  -- B), along the way of the warp that ends last, without those that the measured values have. In a dispatch: until the first block's last
  -- warp adds to counters; before it counts experts, and for each 8 loads of a lane; for each of a block's experts; of a warp that puts: until it
  -- loads a token, and from there until it copies, less the probe's; of the one that tells; from the meeting until it looks for a count; until warps
  -- know it; until they copy. In a combine: until a warp's first bulk load; for each piece more than the probe's loop has; until a flag is
  -- told; from the meeting until the first load; behind the sum.
  instructions = {
    dispatch = { begin = 110, clean = 70, count = 45, ids = 70, expert = 45, load = 28, place = 60, tell = 105, look = 95, take = 65, unpack = 70 },
    combine = { begin = 260, piece = 58, tell = 85, sum = 210, ends = 30 },
  },
  counted = 1, -- a factor on all of them: counted by hand, branches that are not taken among them
  estimated = { { "counted", 2 / 3, 4 / 3 }, { "bulk_share", 0.70, 0.79 } },
}
