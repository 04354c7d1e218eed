-- SPDX-License-Identifier: BSD-3-Clause
-- NCCL's kernels for arrays in symmetric memory, which each GPU reaches in all other GPUs (src/device/symmetric,
-- src/sym_kernels.cc, the same from 2.27 to 2.30): which kernel NCCL takes, on how many blocks, and what each kernel does.
-- Without multicast.
local kernel = require "benchmarks.parts.kernel"
local nccl = require "configs.nccl"
local given = nccl.symmetric
local symmetric = {}

-- Whether there is a kernel for the operation: for bytes if it does not sum, for elements of more than one byte if it sums.
function symmetric.has(of)
  return of.operation == "all_gather" or (of.operation == "all_reduce" or of.operation == "reduce_scatter") and of.element > 1
end

local KERNELS = {
  all_reduce = { { name = "AGxLL_R", is_LL = true }, { name = "RSxLD_AGxST", loads = true, stores = true } },
  all_gather = { { name = "LL", is_LL = true }, { name = "ST", stores = true } },
  reduce_scatter = { { name = "LL", is_LL = true }, { name = "LD", loads = true } },
}

-- NCCL's estimate of the time with `blocks` blocks, in microseconds.
local function estimate(of, one, bytes, blocks)
  local n, is_sum = of.gpus, of.operation == "all_reduce"
  local moved = one.is_LL and n * bytes * given.LL_factor or is_sum and 2 * bytes * (n - 1) / n or (n - 1) * bytes
  local has = of.generation
  local each, most = (is_sum and has.block_rate.all_reduce or has.block_rate.other) * given.unit, has.most_rate * given.unit
  local rate = most - each * math.log(1 + (math.exp(most / each) - 1) * math.exp(-blocks))
  local beyond = moved / rate - 1
  return has.base[one.is_LL and "LL" or "other"][of.operation] + (beyond >= 100 and beyond or math.log(1 + math.exp(beyond)))
end

-- The fewest blocks whose estimate is within 2.5 % of that with the most blocks, and this estimate.
local function blocks_of(of, one, bytes)
  local best = estimate(of, one, bytes, given.most_blocks)
  for blocks = 1, given.most_blocks - 1 do
    local us = estimate(of, one, bytes, blocks)
    if us <= given.tolerance * best then return blocks, us end
  end
  return given.most_blocks, best
end

-- Adds NCCL's choice to `of`.
function symmetric.plan(of)
  local cells = math.ceil((of.operation == "all_reduce" and of.bytes or of.bytes // of.gpus) / given.cell)
  local best
  for _, one in ipairs(KERNELS[of.operation]) do
    local blocks, us = blocks_of(of, one, cells * given.cell)
    local cost = us * (1 + given.block_penalty * blocks)
    if not best or cost < best.cost then best = { cost = cost, kernel = one, blocks = blocks } end
  end
  local per_block = math.ceil(cells / best.blocks)
  of.algorithm, of.protocol, of.threads = "symmetric", best.kernel.is_LL and "LL" or "Simple", given.threads
  of.kernel, of.channels, of.part = best.kernel, math.ceil(cells / per_block), math.min(per_block * given.cell, of.operation == "all_reduce" and of.bytes or of.bytes // of.gpus)
  return of
end

local function load_time(of, machine)
  return nccl.load + (of.bytes > machine.cache and machine.memory or 0)
end

-- LL: 512 threads at a time send words with flags, 8 B of data in 16 B, to all GPUs and to their own; each waits for the
-- words of all GPUs before the next. A scatter deals the words for all GPUs out to the threads, a gather the words of all
-- GPUs.
local function run_LL(of, machine)
  local n, left, total, waited, word = of.gpus, of.part, 0, 0, kernel.word(machine)
  local scatters, gathers = of.operation == "reduce_scatter", of.operation == "all_gather"
  local parts = given.LL_trip[gathers and "gathers" or "adds"]
  local function instructions(count, words) -- of as many warps as there are words for
    local busy = math.min(of.threads, math.ceil(words / 32) * 32)
    return kernel.instructions({ kernel = of.kernel, protocol = of.protocol, threads = busy }, machine, count)
  end
  while left > 0 do
    local bytes = math.min(left, of.threads * 8)
    local words = math.ceil(bytes / 8)
    local dealt = math.ceil(n * words / of.threads)
    local trip = instructions(parts[1], scatters and n * words or words) + instructions(parts[2] + parts[3], gathers and n * words or words)
    local loads = (scatters and dealt or 1) * load_time(of, machine) -- the loads follow one another
    local sent = math.max(kernel.out({ loads = 1, own = 2, peer = 2 * (n - 1) }, bytes), 2 * (n - 1) * bytes * of.channels / machine.link)
    local looks = math.ceil((gathers and dealt or n) / given.looks[gathers and "gathers" or "adds"]) - 1
    local got = word + looks * machine.batch + kernel.out({ loads = 2 * n, own = gathers and n or 1, peer = 0 }, bytes)
    total, waited, left = total + loads + trip + sent + got, waited + word, left - bytes
  end
  return total, waited
end

-- The phases of a kernel, { bytes of a block, trips, bytes of a pack }: trips of blocks over packs of 16 B, four a thread,
-- as far as all take equally many; the rest by packs of 4 B, then by elements.
local function phases_of(of)
  local list, sharers = {}, of.channels * (of.operation == "all_reduce" and of.gpus or 1)
  local left, warps = of.operation == "all_reduce" and of.bytes or of.bytes // of.gpus, of.threads // 32
  for _, pack in ipairs { 16, 4 } do
    local chunk = 4 * 4 * 32 * pack
    local chunks = left // chunk
    chunks = chunks - chunks % sharers
    if chunks > 0 then
      list[#list + 1] = { bytes = chunks * chunk / sharers, trips = 4 * chunks / (sharers * warps), pack = pack }
    end
    left = left - chunks * chunk
  end
  if left > 0 then
    list[#list + 1] = { bytes = left / sharers, trips = math.ceil(left / of.element) / (sharers * of.threads), pack = 0 }
  end
  return list
end

-- Loads from all GPUs, stores to all, or both, between two barriers. A GPU enters the first barrier before the loads of its
-- own part, and waits for it after them.
local function run_packs(of, machine)
  local n, one, total = of.gpus, of.kernel, 0
  local far_load = machine.far_load + (of.bytes > machine.cache and given.far_memory or 0)
  local own_stores = (of.in_place and not one.loads) and 0 or 1
  local arrays = { loads = one.loads and n or 1, own = own_stores, peer = one.stores and n - 1 or 0 }
  for i, phase in ipairs(phases_of(of)) do
    local own, count = load_time(of, machine), given.trip[of.operation][phase.pack]
    local peers = phase.pack == 0 and n - 1 or n - 2 -- peers beside the first one
    local loads = one.loads and ((phase.pack == 0 and 0 or 1) + math.ceil(peers / given.together[phase.pack])) * far_load or own
    local out = kernel.out(arrays, phase.bytes / phase.trips)
    local wire = phase.bytes * of.channels * (n - 1) * (one.loads and one.stores and 2 or 1) / machine.link
    local first = i == 1 and math.max(machine.way - (one.loads and 0 or own), 0) or 0
    total = total + first + math.max(kernel.trips(of, machine, phase.trips, loads, count[1] + (n - 2) * count[2], out), wire)
  end
  return total + (one.stores and machine.put or machine.way), machine.way
end

-- The time of a kernel between its start and its end, in s: the part that moves no data, the part that does, and how much of
-- that is waiting for flags.
function symmetric.time(of, machine)
  local setup = kernel.loads(of, machine, given.loads[of.protocol])
    + kernel.instructions(of, machine, of.kernel.is_LL and given.once or given.once_of_packs[of.operation])
  return setup, (of.kernel.is_LL and run_LL or run_packs)(of, machine)
end

return symmetric
