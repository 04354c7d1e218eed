-- SPDX-License-Identifier: BSD-3-Clause
-- Dispatch and combine of tokens to experts on the GPUs of a node by DeepEP's low-latency kernels (configs/deepep.lua): what each block
-- does, how many messages there are, and when each part is done. Times of flags, fences, loads, atomics and links come from
-- operations that are simulated on the machine (collective.lua, machine); all GPUs do alike, but each has its own tokens.
local deepep = require "configs.deepep"
local kernel = require "benchmarks.parts.kernel"
local nccl = require "configs.nccl"

local experts = {}

-- --- what there is to do ---------------------------------------------------------------------------

local function ceil_div(a, b) return -(-a // b) end

-- The shape of the kernels, which is the same for both: { experts, gpus, multiprocessors }.
local function shape(of)
  local groups = ceil_div(of.experts, of.multiprocessors)
  local warps = deepep.most_warps // groups
  of.groups, of.warps, of.blocks, of.threads = groups, warps, ceil_div(of.experts, groups), groups * warps * deepep.lanes
  if of.operation == "combine" then
    local each = ceil_div(of.tokens, of.multiprocessors)
    of.blocks = math.max(of.blocks, ceil_div(of.tokens, each))
  end
end

-- The number of messages from each GPU to each expert: each token goes to `top_k` different experts, all equally likely, drawn by a
-- generator of its own (MINSTD), so that it is the same everywhere.
local function route(of)
  local state, counts = 1, {}
  local function draw(below)
    state = state * 48271 % 2147483647
    return state * below // 2147483647
  end
  for gpu = 0, of.gpus - 1 do
    local to = {}
    for expert = 0, of.experts - 1 do to[expert] = 0 end
    for _ = 1, of.tokens do
      local taken = {}
      for _ = 1, of.top_k do
        local expert = draw(of.experts)
        while taken[expert] do expert = draw(of.experts) end
        taken[expert] = true
        to[expert] = to[expert] + 1
      end
    end
    counts[gpu] = to
  end
  return counts
end

-- What GPU `me` receives in a dispatch and sends back in a combine: { messages of the fullest group of warps, of the fullest
-- block, of all, of all to or from other GPUs }. A group of warps has one expert of this GPU and one other GPU, in this order: all
-- experts of the first GPU, then of the next.
local function received(of, me)
  local own, most, fullest, all, far = of.experts // of.gpus, 0, 0, 0, 0
  for block = 0, ceil_div(of.experts, of.groups) - 1 do
    local here = 0
    for place = block * of.groups, math.min(of.experts, (block + 1) * of.groups) - 1 do
      local gpu, expert = place // own, place % own
      local count = of.counts[gpu][me * own + expert]
      most, here, all = math.max(most, count), here + count, all + count
      far = far + (gpu ~= me and count or 0)
    end
    fullest = math.max(fullest, here)
  end
  return { group = most, block = fullest, all = all, far = far }
end

-- The most of any GPU: a combine ends once the answers of all GPUs are there, and a GPU to which more is sent than to others keeps
-- all that send to it.
local function received_at_most(of)
  local most = {}
  for gpu = 0, of.gpus - 1 do
    for name, count in pairs(received(of, gpu)) do most[name] = math.max(most[name] or 0, count) end
  end
  return most
end

-- What DeepEP does for { operation = dispatch or combine, gpus, tokens of each, hidden, top_k, experts, type = fp8 or bf16 }; a combine
-- is always of bf16.
function experts.plan(asked)
  local of = { multiprocessors = 132 }
  for key, value in pairs(asked) do of[key] = value end
  shape(of)
  local is_small = of.operation == "dispatch" and of.type == "fp8"
  of.data = of.hidden * (is_small and 1 or 2)
  of.message = of.operation == "combine" and of.data
    or deepep.head + of.data + (is_small and of.hidden // deepep.scaled * deepep.scale or 0)
  of.counts = route(of)
  of.received, of.at_most = received(of, 0), received_at_most(of)
  of.sent = { all = of.tokens * of.top_k, far = 0 }
  for expert = of.experts // of.gpus, of.experts - 1 do of.sent.far = of.sent.far + of.counts[0][expert] end
  of.protocol = "Simple" -- the share of instructions that work on integers (kernel.lua)
  return of
end

-- --- when it is done -------------------------------------------------------------------------------

-- Adds to collective.machine's values those of atomics and of the fences behind which all groups of warps tell another GPU at once.
function experts.machine(base, of)
  local function operation(what, memory, scope, count)
    return quantity(gpu_operation { operation = what, memory = memory, scope = scope, work_groups = count }.time) / 1e12
  end
  base.atomic = operation("atomic", "gpu", nil, 1)
  base.fence = operation("store_fence", "peer", "system", of.experts)
  base.acquired = operation("load_acquire", "gpu", nil, 1)
  return base
end

-- Time of the instructions of a way (configs/deepep.lua), each of which waits for the previous one.
local function walk(of, machine, ...)
  local count = 0
  for _, name in ipairs { ... } do count = count + deepep.instructions[of.operation][name] end
  return count * deepep.counted * nccl.cycles * machine.cycle
end

-- What a kernel of this size takes longer by for its first exchange.
local function first_exchange(of, machine)
  return kernel.loads({ channels = of.blocks, threads = of.threads, gpus = of.gpus }, machine, 0)
end

-- Time until the last block has sent its tokens: each makes a token small, takes a place at each expert, and eight warps copy it; all
-- blocks together no faster than the link.
local function put(of, machine)
  local rounds = ceil_div(of.tokens, of.blocks)
  local loads = ceil_div(of.message // deepep.pack, deepep.lanes * deepep.under_way.put)
  local at_once = (of.threads // deepep.lanes - 1) * deepep.lanes * deepep.pack
  local made = of.type == "fp8" and deepep.cast * ceil_div(of.hidden * 2, at_once) or machine.batch + of.data / nccl.port.own
  local before = made + nccl.load + walk(of, machine, "load", "place") -- and the place of the other GPU's memory
  local copied = deepep.put + (loads - deepep.put_loads) * machine.batch
  local port = of.top_k * of.message / nccl.port.peer
  local wire = math.max(of.sent.far, of.at_most.far) * of.message / kernel.link_rate(machine, of.blocks, of.top_k * deepep.lanes)
  return walk(of, machine, "begin") + math.max(rounds * (before + copied + port), before + copied + wire)
end

-- Time until the first block's last warp has cleaned the next buffer, told all counters, 32 words at a time, and counted the tokens of
-- its own experts.
local function count(of, machine)
  local ids = ceil_div(ceil_div(of.tokens * of.top_k, deepep.lanes), deepep.ids)
  local told = ceil_div(of.experts, deepep.counters) * deepep.released
  return walk(of, machine, "begin", "clean", "count") + told + ids * (nccl.load + walk(of, machine, "ids"))
    + of.groups * (deepep.released + walk(of, machine, "expert"))
end

-- The time of received messages that warps copy to the experts' arrays.
local function unpack(of, machine)
  local got = of.received
  local loads = ceil_div(of.data // deepep.pack, deepep.lanes * deepep.under_way.unpack) + 1 -- and the index
    + (of.type == "fp8" and ceil_div(of.hidden // deepep.scaled, deepep.lanes) or 0)
  local chain = ceil_div(got.group, of.warps) * (loads * machine.batch + walk(of, machine, "unpack"))
  local is_near = of.sent.all * (of.message + of.data) < machine.cache / 2
  local rates = of.type == "fp8" and deepep.unpack.scaled or deepep.unpack.plain
  return math.max(chain, got.block * of.data / rates.each, got.all * of.data / (is_near and rates.near or rates.far))
end

-- Parts in s, in their order.
local function dispatch(of, machine)
  local sent, counted = put(of, machine), count(of, machine)
  return { { "begins", first_exchange(of, machine) }, { "sends", sent }, { "counts", math.max(0, counted - sent) },
           { "tells", machine.acquired + machine.fence + walk(of, machine, "tell") }, { "meets", math.max(deepep.meet, machine.way) },
           { "takes counts", machine.acquired + machine.atomic + walk(of, machine, "look", "take") }, { "unpacks", unpack(of, machine) } }
end

-- The time in which warps copy the messages of experts back to where their tokens come from.
local function send_back(of, machine)
  local got = of.at_most
  local pieces = ceil_div(of.message, deepep.bulk.piece)
  local slower = (pieces + 1) / 2 * walk(of, machine, "piece") -- a load of the engine is under way beside each piece
  local chain = (deepep.bulk_first + (ceil_div(got.group, of.warps) - 1) * deepep.bulk_each) * pieces / deepep.bulk.pieces
    + ceil_div(got.group, of.warps) * (slower + nccl.load)
  local wire = got.far * of.message / (machine.link * deepep.bulk_share)
  local before = walk(of, machine, "begin") + nccl.load
  return before + math.max(chain, got.block * of.message / deepep.bulk_rate, wire + deepep.bulk_first / deepep.bulk.pieces)
end

local function sum(of, machine)
  local each = ceil_div(of.tokens, of.blocks)
  local bytes = of.top_k * of.message
  local is_near = of.sent.all * of.message * 2 < machine.cache / 2
  local alone = deepep.sum_first * bytes / deepep.sum_bytes + (each - 1) * bytes / deepep.sum_rate
  return nccl.load + walk(of, machine, "sum", "ends") + math.max(alone, is_near and 0 or of.tokens * bytes / deepep.summed)
end

local function combine(of, machine)
  return { { "begins", first_exchange(of, machine) }, { "sends", send_back(of, machine) },
           { "tells", machine.acquired + machine.fence + walk(of, machine, "tell") }, { "waits", machine.way },
           { "meets", deepep.meet }, { "sums", sum(of, machine) } }
end

-- The time of one operation in s, as a profiler tells a kernel's, and its parts.
function experts.time(of, machine)
  local parts = (of.operation == "dispatch" and dispatch or combine)(of, machine)
  local total = deepep.kernel
  for _, part in ipairs(parts) do total = total + part[2] end
  return total, parts
end

-- The least and most total, as collective.band.
function experts.band(of, machine)
  local base, below, above = experts.time(of, machine), 0, 0
  for _, one in ipairs(deepep.estimated) do
    local kept, least, most = deepep[one[1]], base, base
    for i = 2, 3 do
      deepep[one[1]] = one[i]
      local total = experts.time(of, machine)
      least, most = math.min(least, total), math.max(most, total)
    end
    deepep[one[1]] = kept
    below, above = below + (base - least) ^ 2, above + (most - base) ^ 2
  end
  return base - math.sqrt(below), base + math.sqrt(above)
end

return experts
