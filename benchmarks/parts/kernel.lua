-- SPDX-License-Identifier: BSD-3-Clause
-- The common parts of NCCL's kernels: instructions of warps, loads that find their lines near or far, a multiprocessor's
-- port, stores of few blocks over a link.
local nccl = require "configs.nccl"
local kernel = {}

-- Cycles of a warp for an instruction if no other warp delays it.
local function cycles_of(of) return of.kernel and nccl.symmetric.cycles or nccl.cycles end

-- Time of `count` instructions of a warp among the others of its scheduler, each of which begins one and then waits for its
-- result: mean value analysis of a closed queue. `cycles`: those of one instruction, if it is not one that a kernel does once.
function kernel.instructions(of, machine, count, cycles)
  cycles = cycles or cycles_of(of)
  local begins, warps = 1 + nccl.integers[of.protocol], math.ceil((of.all_threads or of.threads) / 32 / nccl.schedulers)
  local waits, queued, took = cycles - begins, 0, nil
  for others = 1, warps do
    took = begins * (1 + queued)
    queued = others * took / (waits + took)
  end
  return count * (waits + took) * machine.cycle
end

-- The expected maximum of far loads in one of `chains` chains of loads, each of which finds its line in the near or the far
-- partition.
function kernel.most_far(loads, chains)
  local expected, below, ways = 0, 0, 1
  for k = 0, loads - 1 do
    below = below + ways / 2 ^ loads
    expected, ways = expected + 1 - below ^ chains, ways * (loads - k) / (k + 1)
  end
  return expected
end

-- The time of a word with flags from GPU to GPU, in s.
function kernel.word(machine) return machine.way + nccl.word end

-- The place of `x` in an ascending list, by logarithms: the index below it, and the fraction of the way from there to the
-- next one.
local function place_of(x, list)
  for i = #list - 1, 1, -1 do
    if list[i] <= x then return i, math.min(1, math.log(x / list[i]) / math.log(list[i + 1] / list[i])) end
  end
  return 1, 0
end

-- Time in s of a multiprocessor's port for the requests and stores that leave it, if it loads `loads` arrays of `bytes`, and
-- stores `own` arrays to the GPU's own memory and `peer` arrays to other GPUs'.
function kernel.out(arrays, bytes)
  local asked = arrays.peer > 0 and nccl.port.asked_beside_peer or nccl.port.asked
  return bytes * (arrays.loads / asked + arrays.own / nccl.port.own + arrays.peer / nccl.port.peer) / nccl.port.speed
end

-- The same for stores of 8 B a thread to its own memory by elements, as LL stores to its user's arrays. The more threads
-- there are, the slower this is, since their parts of a line interleave.
function kernel.out_by_elements(of, bytes)
  local rates = nccl.port.elements[of.element]
  if not rates then return bytes / nccl.port.own end
  local i, right = place_of(of.threads, nccl.port.by_threads)
  return bytes / (rates[i] + right * (rates[i + 1] - rates[i]))
end

-- Time in s by which a kernel's first exchange takes longer than later ones. Over nodes it was not measured; the value of
-- one block of 128 threads stands for it.
local function first_exchange(of)
  local given = nccl.first_exchange
  if (of.nodes or 1) > 1 then return given[1][2] end
  local row, down = place_of(of.channels, given.blocks)
  local column, right = place_of(of.threads, given.threads)
  local function at(i) return given[i][column] + right * (given[i][column + 1] - given[i][column]) end
  return (at(row) + down * (at(row + 1) - at(row))) * given.share
end

-- Time in s that a kernel takes to begin: its first exchange, and `loads` loads, each of which gives the address of the
-- next; of the slowest channel of all GPUs.
function kernel.loads(of, machine, loads)
  return first_exchange(of) + loads * nccl.load + kernel.most_far(math.min(loads, nccl.far_loads), of.gpus * of.channels) * machine.far
end

-- Time in s between two trips of each of `warps` equal warps. A trip takes `alone`, if no other warp delays it, and the
-- times in `services` at places that serve one warp after another: mean value analysis of a closed network.
function kernel.cycle(warps, alone, services)
  local queued, took = {}, alone
  for i in ipairs(services) do queued[i] = 0 end
  for count = 1, math.max(1, math.ceil(warps)) do
    took = alone
    for i, service in ipairs(services) do took = took + service * (1 + queued[i]) end
    for i, service in ipairs(services) do queued[i] = count * service * (1 + queued[i]) / took end
  end
  return took
end

-- Time in s of `trips` trips of all warps, which begin together; only some warps may make the last trip. `out`: the port's
-- time for one trip of all warps; `cycles`: those of a warp for its instructions, if they were counted.
function kernel.trips(of, machine, trips, alone, instructions, out, cycles)
  local warps = of.movers or of.threads // 32
  local one = alone + (cycles or instructions * nccl.cycles) * machine.cycle
  local issue = instructions * (1 + nccl.integers[of.protocol]) / nccl.schedulers * machine.cycle
  local function cycle(count) return kernel.cycle(count, one, { out / warps, issue }) end
  if trips <= 1 then return one + math.max(out, issue * warps) * trips end
  local rest = trips % 1
  return one + math.max(out, issue * warps) + (trips // 1 - 1) * cycle(warps) + (rest > 0 and cycle(rest * warps) or 0)
end

-- Time in s of a load behind a slice of `bytes`, from a list of `nccl.state`.
local function load_behind(of, machine, loads, bytes)
  local given = nccl.state
  local i, right = place_of(math.max(bytes, 1) / 1024 * of.channels / given.channels * given.cache / machine.cache, given.kib)
  return loads[i] + right * (loads[i + 1] - loads[i])
end

-- Time in s that a channel of Simple waits, behind a slice of `bytes`, for what it keeps in memory: the larger the slices of all channels,
-- the farther away it is by then. A plan's other operations have an all_reduce's loads, as its kernel can sum, too.
function kernel.state(of, machine, step, bytes)
  local given = nccl.state
  return (given.count[of.operation] or given.count.all_reduce) * load_behind(of, machine, step.sends and given.sent or given.taken, bytes)
end

-- Time in s of loads of what a peer has stored, which finds it in the L2, or in memory as far as a slice of `bytes` of each channel that was
-- sent since has driven it out.
function kernel.taken(of, machine, bytes)
  return math.max(machine.batch, of.channels and load_behind(of, machine, nccl.state.sent, bytes) or 0)
end

-- The rate that stores of Simple's slices by `blocks` blocks reach on the link, if these also store to their own memory or do not.
function kernel.slice_rate(machine, blocks, copies)
  local shares = nccl.slices
  return machine.link * (blocks % nccl.cluster == 0 and shares.clustered or copies and shares.single_copying or shares.single)
end

-- The rate that stores of `blocks` blocks reach on the link, interpolated between the measured numbers of blocks with four
-- accesses of a thread under way. On a link of twice the rate twice as many blocks have the same share.
function kernel.link_rate(machine, blocks, threads)
  local given, counts = nccl.few_blocks, {}
  for i, row in ipairs(given) do counts[i] = row[1] end
  local column, right = place_of(threads, given.threads)
  local row, down = place_of(blocks * machine.generation.link, counts)
  local function share(i) return given[i][column + 1] + right * (given[i][column + 2] - given[i][column + 1]) end
  return machine.link * (share(row) + down * (share(row + 1) - share(row)))
end

return kernel
