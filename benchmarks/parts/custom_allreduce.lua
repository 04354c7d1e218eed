-- SPDX-License-Identifier: BSD-3-Clause
-- The allreduces of TensorRT-LLM and vLLM within a node (configs/custom_allreduce.lua): which kernel they take, and when each of its
-- phases is done. Times of flags, fences, loads, ports, links and kernels are those of benchmarks/parts/collective.lua.
--
--   lamport    one-shot of TensorRT-LLM: each GPU stores its array to all, clears the buffer that it used before, and looks into its own
--              buffer until no word is a negative zero; no flags, no fence
--   sync       two-shot of TensorRT-LLM: a copy into the shared buffer, a barrier, sums of a part that are stored to all, a barrier, a copy
--   1stage     one-shot of vLLM: a barrier, sums of all arrays, a barrier; no fence
--   2stage     two-shot of vLLM: a barrier, sums of a part, a barrier with a fence, loads of all parts
--   symm_mem   two-shot of PyTorch: as sync, but in place, and copies that are nodes or calls of their own
--   multimem   the same with multicast: the switch adds and spreads
local cuda = require "benchmarks.parts.cuda"
local given = require "configs.custom_allreduce"
local kernel = require "benchmarks.parts.kernel"
local nccl = require "configs.nccl"

local custom = { given = given }

local PACK = 16 -- bytes of an access of a thread

local function divided_up(number, parts) return math.max(math.ceil(number / parts), 1) end

-- --- what a library takes ---------------------------------------------------------------------------

-- Blocks, threads and clusters of TensorRT-LLM's kernels for `tokens` of a GPU, each with `packs` (allreduce_fusion_kernel_launcher).
local function grid_of(library, tokens, packs, units)
  local cluster = library.cluster
  while packs % cluster ~= 0 and cluster > 1 do cluster = cluster // 2 end
  local threads = packs // cluster
  while threads < library.least_threads and cluster >= 2 do threads, cluster = threads * 2, cluster // 2 end
  while tokens * cluster > units and cluster > 1 and threads <= library.most_threads do threads, cluster = threads * 2, cluster // 2 end
  local blocks = math.min(units, tokens * cluster) // cluster * cluster
  return blocks, threads, blocks // cluster
end

local function plan_trtllm(of, units)
  local library, elements = given.trtllm, of.bytes // of.element
  if elements < library.least or of.bytes > library.workspace[of.gpus] then return end
  local tokens, row = 1, elements
  if elements > library.row then tokens, row = elements // library.row, library.row end
  local choice = tokens == 1 and "1" or library.choice[of.gpus]:sub(math.log(tokens, 2) // 1 + 1, math.log(tokens, 2) // 1 + 1)
  if choice == "" then return end
  local mine = choice == "1" and tokens or divided_up(tokens, of.gpus) -- tokens that a GPU adds up
  of.algorithm, of.protocol = choice == "1" and "one-shot" or "two-shot", choice == "1" and "lamport" or "sync"
  local clusters
  of.channels, of.threads, clusters = grid_of(library, mine, divided_up(row * of.element, PACK), units)
  of.trips = divided_up(mine, clusters)
  return true
end

-- Blocks and threads for `packs`: all threads of a block, and as many blocks as are needed, up to `most`.
local function deal(of, packs, most, threads)
  of.channels, of.threads = math.min(most, divided_up(packs, threads)), threads
  of.trips = divided_up(packs, of.channels * threads)
end

local function plan_vllm(of)
  local library, n = given.vllm, of.gpus
  local packs = of.bytes / PACK
  if of.bytes % PACK == 0 and of.bytes < library.most[n] then
    local is_two = n > 2 and of.bytes >= library.two_stages[n]
    of.algorithm, of.protocol = is_two and "two-shot" or "one-shot", is_two and "2stage" or "1stage"
    of.channels, of.threads = math.min(library.blocks, divided_up(packs, library.threads)), library.threads
    of.trips = divided_up(is_two and packs / n or packs, of.channels * of.threads)
    return true
  elseif of.type == library.symmetric_type and of.bytes <= library.symmetric_most[n] then
    of.algorithm, of.protocol = "two-shot", n == 2 and "symm_mem" or "multimem"
    deal(of, divided_up(packs, n), library.symmetric_blocks, library.symmetric_threads)
    return true
  end
end

-- The multiprocessors of a GPU.
function custom.units(machine) return math.tointeger(tonumber(machine:value "gpu.compute_units")) end

-- Adds to `of` what the library takes; false: it calls NCCL.
function custom.plan(of, machine)
  of.custom = of.library == "trtllm" and plan_trtllm(of, custom.units(machine)) or of.library == "vllm" and plan_vllm(of) or false
  return of.custom
end

-- Bytes that enter each GPU by its links, and as many leave it: one-shot the arrays of all others, two-shot parts of them and the sums of
-- the others' parts.
function custom.wire_bytes(of)
  local n, bytes = of.gpus, of.bytes
  if of.protocol == "multimem" then return bytes * (1 + 1 / n) end
  return of.algorithm == "one-shot" and (n - 1) * bytes or 2 * (n - 1) * bytes // n
end

-- --- the machine ------------------------------------------------------------------------------------

-- Adds to the times of collective.machine those that only these kernels need. If `in_row` is given, graphs of so many kernels are
-- launched one behind the other, so that only what lies between two graphs counts.
function custom.machine(own, machine, in_row)
  local function graph(kernels)
    return quantity(cuda.launch { measured = "back_to_back", kernels = kernels, launches = 16, spin = "5us" }.time) / 1e12
  end
  if in_row then own.graph_ends = 2 * graph(in_row) - graph(2 * in_row) end
  own.fence = quantity(machine:value "gpu.system_fence") / 1e12
  own.copies = quantity(machine:value "cuda.local_rate")
  own.local_call = quantity(machine:value "cuda.local_call") / 1e12
  own.traffic = function() -- bytes/s loaded and stored, of arrays that do not fit the L2
    local copied = kernel_copy { bytes = "128MiB", work_groups = custom.units(machine), threads = 512 }.time
    return 2 * (128 << 20) * 1e12 / quantity(copied)
  end
  return own
end

-- --- phases -----------------------------------------------------------------------------------------

local function instructions(kind, gpus)
  local count = given.trip[kind]
  local factor = (kind == "adds" or kind == "copies") and 1 or given.counted
  return factor * (count[1] + (gpus - 2) * count[2])
end

-- Time of `trips` of all threads of all blocks over one pack each: `arrays` are loaded and stored, `moved` bytes cross the links each way.
local function phase(of, machine, kind, trips, arrays, alone, moved, is_far)
  local out = kernel.out(arrays, of.threads * PACK)
  local own = of.channels * of.threads * PACK * trips * (arrays.loads + arrays.own - (is_far and of.gpus - 1 or 0))
  local took = kernel.trips({ threads = of.threads, protocol = "Simple" }, machine, trips, alone, instructions(kind, of.gpus), out)
  local wire = moved / kernel.link_rate(machine, of.channels, of.threads)
  return math.max(took, wire, of.traffic and own / of.traffic or 0)
end

-- Latencies of a load from its own GPU and from another one.
local function near(of, machine) return nccl.load + (of.traffic and machine.memory or 0) end
local function far(of, machine) return machine.far_load + (of.traffic and nccl.symmetric.far_memory or 0) end

local kernels = {}

function kernels.lamport(of, machine)
  local n, word, look = of.gpus, kernel.word(machine), near(of, machine)
  local push = phase(of, machine, "pushes", of.trips, { loads = 1, own = 1, peer = n - 1 }, look, custom.wire_bytes(of))
  local clear = of.trips * n * of.threads * PACK / nccl.port.own
  if of.traffic then clear = math.max(clear, n * of.bytes / of.traffic) end
  local take = phase(of, machine, "takes", of.trips, { loads = n, own = 1, peer = 0 }, look, 0)
  local waited = math.max(word - clear - look, 0)
  return push + clear + waited + take, waited
end

-- A barrier of TensorRT-LLM: a block sets its share of all flags of a peer, each with a fence of its own, before it looks at its own.
local function release_all(of, machine, first)
  local each = (machine.put - machine.way) * given.chained
  local rest = (divided_up(given.trtllm.flags, of.channels) - 1) * each
  return first + math.max(machine.way, rest + machine.load)
end

function kernels.sync(of, machine)
  local n, look = of.gpus, near(of, machine)
  local copy = phase(of, machine, "copies", n * of.trips, { loads = 1, own = 1, peer = 0 }, look, 0)
  local add = phase(of, machine, "adds", of.trips, { loads = n, own = 1, peer = n - 1 }, far(of, machine), custom.wire_bytes(of), true)
  local first, second = release_all(of, machine, machine.fence), release_all(of, machine, machine.put - machine.way)
  return copy + first + add + second + copy, first + second
end

kernels["1stage"] = function(of, machine)
  local n = of.gpus
  local add = phase(of, machine, "adds", of.trips, { loads = n, own = 1, peer = 0 }, far(of, machine), custom.wire_bytes(of), true)
  return machine.way + add + nccl.load + machine.way, 2 * machine.way
end

kernels["2stage"] = function(of, machine)
  local n = of.gpus
  local half = custom.wire_bytes(of) / 2
  local add = phase(of, machine, "adds", of.trips, { loads = n, own = 1, peer = 0 }, far(of, machine), half, true)
  local get = phase(of, machine, "copies", of.trips, { loads = n, own = n, peer = 0 }, far(of, machine), half, true)
  return machine.way + add + nccl.load + machine.put + get, machine.way + machine.put
end

-- Barriers of symmetric memory set a flag by an atomic operation, whose answer comes back before a thread looks at its own one.
function kernels.symm_mem(of, machine)
  local n, meet = of.gpus, machine.far_load + machine.load
  local add = phase(of, machine, "adds", of.trips, { loads = n, own = 1, peer = n - 1 }, far(of, machine), custom.wire_bytes(of), true)
  return meet + add + machine.put - machine.way + meet, 2 * meet
end

function kernels.multimem(of, machine)
  local meet = machine.far_load + machine.load
  local moved = custom.wire_bytes(of) / given.multicast
  local add = phase(of, machine, "copies", of.trips, { loads = 1, own = 0, peer = 1 }, far(of, machine), moved, true)
  return meet + add + machine.put - machine.way + meet, 2 * meet
end

-- Arrays of the buffer's size that a kernel uses: input and output, and what is between them.
local function used_arrays(of)
  local between = { lamport = given.trtllm.buffers * of.gpus, sync = 2, ["1stage"] = 0, ["2stage"] = 1 / of.gpus, symm_mem = 1, multimem = 1 }
  return 2 + between[of.protocol]
end

-- The time, in s, of the parts of one allreduce: copies that are nodes or calls of their own, the kernel's start, its work.
function custom.time(of, machine)
  local each = of.launched and machine.behind or machine.node
  local ends = of.launched and machine.ends - each or machine.graph_ends
  local node = each + nccl.ended + ends / (of.in_row or nccl.in_row) - (of.library == "trtllm" and given.early or 0)
  local copies = (of.protocol == "symm_mem" or of.protocol == "multimem") and 2 or of.library == "vllm" and of.launched and 1 or 0
  of.traffic = used_arrays(of) * of.bytes > machine.cache and (of.traffic or machine.traffic()) or nil -- of memory, if it is the limit
  local setup = kernel.loads(of, machine, given.loads[of.protocol])
    + kernel.instructions({ threads = of.threads, kernel = {}, protocol = "Simple" }, machine, given.counted * given.once)
  local moved, waited = kernels[of.protocol](of, machine)
  local copied = copies * (each + of.bytes / machine.copies)
  local called = of.launched and given.framework + machine.called + copies * machine.local_call or 0
  return { total = math.max(node + setup + moved + copied, called), node = node, setup = setup, moved = moved + copied, waited = waited }
end

return custom
