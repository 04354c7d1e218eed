-- SPDX-License-Identifier: BSD-3-Clause
-- Collectives of NCCL within a node and over several nodes (rails.lua): which algorithm NCCL chooses, what each GPU's
-- channel then does, and when each part of this is done. Times come from operations that are simulated on the machine first
-- (primitives.lua). All GPUs of a node are alike, as behind a switch.
local custom = require "benchmarks.parts.custom_allreduce"
local kernel = require "benchmarks.parts.kernel"
local nccl = require "configs.nccl"
local primitives = require "benchmarks.parts.primitives"
local rails = require "benchmarks.parts.rails"
local slices = require "benchmarks.parts.slices"
local symmetric = require "benchmarks.parts.symmetric"

local collective = { machine = primitives.machine }

-- Per operation (`bytes` as nccl-tests counts them): the number of steps as NCCL's table counts them; the factor of bus
-- bandwidth; and whether it sums.
local operations = {
  all_reduce = { steps = function(n) return 2 * (n - 1) end, factor = function(n) return 2 * (n - 1) / n end, adds = true },
  all_gather = { steps = function(n) return n - 1 end, factor = function(n) return (n - 1) / n end },
  reduce_scatter = { steps = function(n) return n - 1 end, factor = function(n) return (n - 1) / n end, adds = true },
  broadcast = { steps = function(n) return n end, factor = function() return 1 end },
  alltoall = { steps = function(n) return n - 1 end, factor = function(n) return (n - 1) / n end },
}
collective.operations = operations

-- --- NCCL's choice ---------------------------------------------------------------------------------

-- The place in NCCL's lists, which have values for one, two, and more nodes.
local function width(of) return math.min(of.nodes, 3) end

local function ring_rate(protocol, of)
  local all, most = of.channels * of.channel_rate, of.generation
  if protocol == "LL" then return math.min(most.most_LL[width(of)], all / 2) end
  if protocol == "LL128" then return math.min(all * nccl.costs.LL128_share, of.channels * most.ring.LL128[width(of)]) end
  return all
end

local function tree_rate(protocol, of)
  local costs, i, most = nccl.costs, width(of), of.generation
  local each = of.nodes > 1 and of.channel_rate or most.tree_rate[of.gpus == 2 and "two" or "more"]
  local all = math.min(of.channels * each * costs.tree_share, of.channels * most.tree.Simple[i])
  if protocol == "LL" then return math.min(all * costs.tree_LL_share, most.most_LL[i]) end
  if protocol == "LL128" then return math.min(all * costs.tree_LL128_share[math.min(i, 2)], of.channels * most.tree.LL128[i]) end
  return all
end

local function estimate(algorithm, protocol, of)
  local costs, operation = nccl.costs, operations[of.operation]
  local steps, latency = operation.steps(of.gpus), costs.base[algorithm][protocol]
  local step = costs.step.node[algorithm][protocol]
  if algorithm == "tree" then
    local place = math.max(1, math.min(24, math.floor(math.log(math.max(of.bytes >> 6, 1), 2)) + 1))
    local us = of.bytes / (1e3 * tree_rate(protocol, of) / 2 * costs.tree_correction[protocol][place])
    if of.nodes > 1 then return rails.estimate(algorithm, protocol, of, step, us) end
    return latency + 2 * (of.gpus - 1) * step + us
  end
  local us = of.bytes / (1e3 * ring_rate(protocol, of) * of.gpus / steps)
  if of.nodes > 1 then return rails.estimate(algorithm, protocol, of, step, us) end
  local hops = of.operation == "broadcast" and 1 or steps
  return latency + hops * step + us
end

-- The algorithm and protocol that are cheapest by NCCL's table; `protocol` may be given, as by NCCL_PROTO.
local function choose(of)
  local best
  for _, algorithm in ipairs(of.operation == "all_reduce" and { "tree", "ring" } or { "ring" }) do
    for _, protocol in ipairs { "LL", "LL128", "Simple" } do
      local us = estimate(algorithm, protocol, of)
      if (not of.protocol or of.protocol == protocol) and (not best or us < best.us) then
        best = { algorithm = algorithm, protocol = protocol, us = us }
      end
    end
  end
  return best
end

-- The number of channels, and the number of threads of each.
local function divide(of, algorithm, protocol)
  local most = 640 -- threads of a tree, which takes all: include/device.h, NCCL_MAX_NTHREADS
  local limits = nccl.protocols[protocol]
  local channels, threads = of.channels, limits.threads
  local least = limits.least * (limits.per_gpu and algorithm == "ring" and of.gpus or 1)
  while channels > 1 and of.bytes < channels * threads * least do channels = channels - 1 end
  while of.bytes < channels * threads * least and threads % 128 == 0 do threads = threads // 2 end
  return channels, algorithm == "tree" and most or math.max(threads + (limits.sync_threads or 0), 128)
end

-- Deals whole cells out to channels: how many channels get any, and the bytes of one channel.
local function deal(of)
  local bytes = of.bytes // (of.operation == "all_reduce" and 1 or of.operation == "broadcast" and 1 or of.gpus)
  local each = of.operation == "all_reduce" and 2 or of.operation == "broadcast" and 1 or of.gpus -- moved of a byte
  if of.protocol == "LL" then each = each * 4 end
  local least = nccl.traffic[of.version or "2.29"]
  local cell = (least // each + 15) // 16 * 16
  local cells, per_channel = -(-bytes // cell), math.max(least, bytes * each // of.channels)
  local own = math.min(cells, -(-per_channel // (cell * each)))
  return math.min(of.channels, -(-cells // own)), math.min(bytes, math.max(own, -(-cells // of.channels)) * cell)
end

-- Plans sends and receives: the protocol (LL or Simple) of each peer's part, and its number of channels.
local function plan_direct(of)
  local given, most = nccl.send_receive, nccl.send_receive.channels
  local bytes = math.max(of.bytes // of.gpus, 1)
  while most * of.gpus > given.channels and most > 1 do most = most // 2 end
  local is_old = of.version == "2.27" or of.version == "2.28"
  local asked = of.protocol
  local protocol = asked or is_old and bytes <= given.channels * given.LL and "LL" or "Simple"
  local least = given.part[is_old and protocol or "Simple"]
  local channels = math.min(most, -(-bytes // least))
  while math.max(least, -(-bytes // channels)) > given.most_part and channels <= given.channels // 2 do channels = channels * 2 end
  if not asked and not is_old and bytes <= channels * given.LL then protocol = "LL" end
  of.algorithm, of.protocol, of.channels, of.threads = "direct", protocol == "Simple" and "Simple" or "LL", channels, given.threads
  return of
end

-- What NCCL chooses for { operation, gpus, bytes, element } and, if given, protocol and version ("2.27" to "2.30"; else
-- 2.29). gpus counts those of all `nodes`, each of which has per_node; their channels are found for `machine` (nil: a Hopper's).
-- With `library` what that takes instead, if it does not call NCCL.
function collective.plan(asked, machine)
  local of = { nodes = 1, per_node = asked.gpus, generation = primitives.generation(machine, asked.version) }
  of.channels, of.channel_rate, of.all_channels = of.generation.rings, of.generation.rate, 2 * of.generation.rings
  for key, value in pairs(asked) do of[key] = value end
  if of.library and custom.plan(of, machine) then return of end
  if of.operation == "all_gather" or of.operation == "broadcast" then of.element = 1 end -- enqueue.cc: without sums it counts bytes
  if of.nodes > 1 then
    local found, all = rails.channels(machine, of.per_node, of.generation)
    of.channels, of.channel_rate, of.port, of.all_channels = found.count, found.rate, found.port, all
    of.nics = rails.nics(machine, of.per_node)
    if of.operation == "alltoall" then return rails.plan_direct(of) end
  end
  if of.symmetric and symmetric.has(of) then return symmetric.plan(of) end
  if of.operation == "alltoall" then return plan_direct(of) end
  local best = choose(of)
  of.algorithm, of.protocol = best.algorithm, best.protocol
  of.channels = of.all_channels
  of.channels, of.threads = divide(of, of.algorithm, of.protocol)
  of.channels, of.part = deal(of)
  return of
end

-- --- a channel's work ------------------------------------------------------------------------------

-- The operations of one GPU: whether it gets and sends, and how often it loads and stores its own buffers, beside data sent
-- and received.
local SEND = { sends = true, loads = 1, stores = 0 }
local COPY_SEND = { sends = true, loads = 1, stores = 1 }
local ADD_SEND = { gets = true, sends = true, loads = 1, stores = 0 }
local ADD_COPY_SEND = { gets = true, sends = true, loads = 1, stores = 1 }
local ADD = { gets = true, loads = 1, stores = 1 }
local PASS = { gets = true, sends = true, loads = 0, stores = 1 }
local GET = { gets = true, loads = 0, stores = 1 }

-- The number of stages of the pipeline, and a function that says whether a stage sends over the network. The tree within a
-- node is a chain of all GPUs, up and down, by different warps of each.
local function stages_of(of)
  if of.nodes > 1 then return rails.stages(of) end
  return of.algorithm == "tree" and 2 * of.gpus - 1 or of.gpus, function() return false end
end

-- The operations of each loop over a channel's part, in order, for GPU `rank`, or for a stage of the tree.
local function loop_of(of, rank)
  local list, n = {}, of.algorithm == "tree" and (stages_of(of) + 1) // 2 or of.gpus
  local function add(step, count) for _ = 1, count do list[#list + 1] = step end end
  if of.algorithm == "tree" then
    local up = rank == 0 and SEND or rank < n - 1 and ADD_SEND or ADD_COPY_SEND
    add(rank < n and up or rank < 2 * n - 2 and PASS or GET, 1)
  elseif of.operation == "broadcast" then
    add(rank == 0 and (of.in_place and SEND or COPY_SEND) or rank == n - 1 and GET or PASS, 1)
  elseif of.operation == "all_reduce" then
    add(SEND, 1) add(ADD_SEND, n - 2) add(ADD_COPY_SEND, 1) add(PASS, n - 2) add(GET, 1)
  elseif of.operation == "all_gather" then
    add(of.in_place and SEND or COPY_SEND, 1) add(PASS, n - 2) add(GET, 1)
  else
    add(SEND, 1) add(ADD_SEND, n - 2) add(ADD, 1)
  end
  return list
end

local function kind_of(of) return of.operation == "broadcast" and "broadcast" or "other" end

-- The most bytes that go over a connection in one chunk.
function collective.chunk_bytes(of)
  local limits = nccl.protocols[of.protocol]
  return limits.buffer // nccl.steps * (of.protocol == "Simple" and nccl.chunk_steps[kind_of(of)] or 1) * limits.payload // 1
end

-- The chunks of a channel's part: the bytes of each loop's operations.
local function chunks_of(of)
  local limits, most = nccl.protocols[of.protocol], collective.chunk_bytes(of)
  local parts = of.operation == "all_reduce" and of.algorithm ~= "tree" and of.gpus or 1
  if of.algorithm == "tree" then
    most = limits.buffer // nccl.steps * limits.payload // 1
    local steps = of.protocol == "LL128" and 1 + math.log(of.nodes, 2) // 1 + 0.1 * of.per_node or 0 -- enqueue.cc, calcCollChunking
    while of.bytes // (of.channels * most) < steps * 64 / of.per_node and most > 131072 do most = most // 2 end
    while of.bytes // (of.channels * most) < steps * 16 / of.per_node and most > 32768 do most = most // 2 end
  end
  local left = of.part
  local list = {}
  while left > 0 do
    local chunk = math.min(most, math.max(left / parts, 16))
    list[#list + 1] = chunk
    left = left - chunk * parts
  end
  return list
end

-- The units of a chunk, each of which has one flag: trips of all threads (LL, LL128), or slices (Simple). A chunk of Simple
-- always has all its slices, even if the last ones are empty: each waits for its flag and sets one.
local function units_of(of, chunk)
  if of.protocol == "Simple" then
    local kind = kind_of(of)
    if of.algorithm == "tree" and of.nodes > 1 then return { chunk } end -- device/all_reduce.h
    local slices = nccl.chunk_steps[kind] // nccl.slice_steps[kind]
    local step = nccl.protocols.Simple.buffer // nccl.steps * nccl.slice_steps[kind]
    local list, most = {}, math.max(chunk / slices, step / 32) -- device/prims_simple.h
    for _ = 1, slices do
      list[#list + 1] = math.min(chunk, most)
      chunk = chunk - list[#list]
    end
    return list
  end
  local list, most = {}, of.threads * 8
  if of.protocol == "LL128" then most = of.threads // 32 * 1920 end -- of a warp: 8 times 8 B a lane, 120 of each 128 B are data
  while chunk > 0.5 do
    list[#list + 1] = math.min(chunk, most)
    chunk = chunk - list[#list]
  end
  return list
end

-- How long a batch of loads waits: for the L2, in whose far partition data that a peer has just stored may lie; also for
-- memory, if a GPU's arrays do not fit the L2.
local function latency(of, machine, step, bytes)
  local arrays = of.bytes * (of.in_place and 1 or 2)
  local own = (step.gets and machine.batch or nccl.load) + (step.loads > 0 and arrays > machine.cache and machine.memory or 0)
  return step.gets and of.protocol == "Simple" and math.max(own, kernel.taken(of, machine, bytes)) or own
end

-- The port's time for one unit: for the data sent to the peer, and for all data.
local function out_of(of, step, bytes)
  local lines = bytes / nccl.protocols[of.protocol].payload
  local sends = step.sends and 1 or 0
  local loads = step.loads + (step.gets and lines / bytes or 0)
  local sent = kernel.out({ loads = loads, own = 0, peer = sends * lines / bytes }, bytes)
  if of.protocol == "LL" then return sent, sent + step.stores * kernel.out_by_elements(of, bytes) end
  return sent, kernel.out({ loads = loads, own = step.stores, peer = sends * lines / bytes }, bytes)
end

-- What the instructions of a step of LL or LL128 are counted as.
local function parts_of(of, step)
  return nccl.parts[of.protocol][not step.gets and "send" or step.sends and "pass" or "get"]
end

-- The same for a trip of Simple.
local function trip_of(step)
  if step.gets and step.loads > 0 then return nccl.trip[not step.sends and "add" or step.stores > 0 and "add_copy_send" or "add_send"] end
  return nccl.trip[not step.sends and "get" or step.stores > 0 and "copy_send" or "send"]
end

-- Time of a channel's multiprocessor for one unit. For LL and LL128 also its parts: the time until its stores begin, then
-- the port's time for the stores to the peer, which come first, and for all stores, the time from the peer's words until its
-- stores begin, and the time behind its stores. Threads of LL go on while the port takes their stores; threads of Simple
-- begin a slice together.
local function work(of, machine, step, bytes)
  if bytes == 0 then return step.gets and machine.batch or 0 end -- an empty slice: its flag is polled
  local sent, all = out_of(of, step, bytes)
  local alone = latency(of, machine, step, bytes)
  if of.protocol == "Simple" then
    local movers = of.threads // 32 - nccl.protocols.Simple.sync_threads // 32
    local rounds = math.max(bytes / (movers * 32 * nccl.unroll * 16), 1)
    local count = trip_of(step)
    alone = alone + (count.turns - 1) * kernel.taken(of, machine, bytes)
    return nccl.slice * nccl.trip_cycles * machine.cycle
      + kernel.trips({ movers = movers, protocol = of.protocol }, machine, rounds, alone, count[1], all / rounds, count[2])
  end
  local parts = parts_of(of, step)
  local after = kernel.instructions(of, machine, parts[2], nccl.trip_cycles)
  if of.protocol == "LL128" and step.gets then after = after + machine.batch end -- the data are loaded once more after their flags
  alone = alone + kernel.instructions(of, machine, parts[1], nccl.trip_cycles) + after
  return alone + all, alone, sent, all, after, kernel.instructions(of, machine, parts[3], nccl.trip_cycles)
end

-- Time of an operation's instructions before and behind its units, and by how much its first trip takes longer than the others, as its
-- instructions are fetched.
local function around(of, machine, step)
  if of.protocol == "Simple" then return 0, 0, 0 end
  local parts = parts_of(of, step)
  local trip = parts[1] + parts[2] + parts[3]
  return kernel.instructions(of, machine, parts[4]), kernel.instructions(of, machine, parts[5]),
    kernel.instructions(of, machine, trip) - kernel.instructions(of, machine, trip, nccl.trip_cycles)
end

-- Whether a kernel's instructions were counted; otherwise they are estimated (configs/nccl.lua).
local function is_counted(of)
  return of.operation == "all_gather" or of.protocol == "LL" and of.operation ~= "broadcast"
end

-- The time of a kernel that moves no data: the slowest channel of all GPUs.
local function once(of, machine)
  local what, loads = nccl.once, nccl.once.loads[of.protocol]
  local kept = what.kept_stores[of.protocol][of.operation] * of.threads // 32 * 128 * nccl.written_back
  return kernel.loads(of, machine, loads)
    + kernel.instructions(of, machine, what.instructions[of.protocol][of.operation] * (is_counted(of) and 1 or nccl.counted)) + what.kept[of.protocol][of.operation] * machine.near + kept / nccl.port.own
end

-- The bytes of the next slice whose stores a fence waits for, too: at most what a block's threads have under way.
local function following_of(of, bytes) return math.min(bytes or 0, of.threads * 16 * nccl.unroll) end

local SOME, LAST = 8, 4 -- chunks simulated one by one; and how many of them give the mean for the skipped ones

-- Runs all channels of Simple in a ring within a node, in which all GPUs do the same at the same time, so that each gets its own slices.
local STEPS <const> = 48 -- slices of a channel
local function run_slices(of, machine)
  local list, chunks, fence, loop = {}, chunks_of(of), machine.put - machine.way, loop_of(of, 0)
  local copies = false
  local function add(chunk)
    local units = units_of(of, chunk)
    for _, step in ipairs(loop) do
      copies = copies or step.sends and step.stores > 0
      for i, bytes in ipairs(units) do
        local before = list[#list]
        list[#list + 1] = { step = step, bytes = bytes, took = work(of, machine, step, bytes), way = machine.way,
                            held = before and kernel.state(of, machine, before.step, before.bytes) or 0,
                            following = following_of(of, units[i + 1]) }
      end
    end
    return list[#list]
  end
  -- Channels fall out of step slice by slice; chunks are simulated one by one until they have, and the last third of these gives the mean.
  local last_third = math.max(1, math.ceil(STEPS / 3 / #loop / #units_of(of, chunks[1])))
  local some = 3 * last_third
  local skipped, from, to = math.max(#chunks - some - 1, 0), nil, nil
  for i, chunk in ipairs(chunks) do
    if i <= some or i == #chunks then
      local last = add(chunk)
      if i == some - last_third then from = last elseif i == some then to = last end
    end
  end
  local rate = kernel.slice_rate(machine, of.channels, copies)
  for _, slice in ipairs(list) do
    slice.posting = slice.bytes > 0 and fence + slice.following * of.channels / rate or 0
  end
  local ends, waited = slices.run(list, of.channels, rate)
  return ends + (skipped > 0 and skipped * (to.ended - from.ended) / last_third / of.channels or 0), waited
end

-- Runs all GPUs through one channel, as the others are alike: when each unit is done, sent and received. Behind a slice of
-- Simple a separate warp fences and sets the flag, and all warps meet it again at the end of the next slice.
local function run_ring(of, machine, between)
  local n, crosses = stages_of(of)
  if of.protocol == "Simple" and of.nodes == 1 and of.algorithm == "ring" and of.operation ~= "broadcast" then return run_slices(of, machine) end
  -- In a ring within a node all GPUs do the same at the same time, except of broadcast: one is followed, which gets its own.
  if of.nodes == 1 and of.algorithm == "ring" and of.operation ~= "broadcast" then n = 1 end
  local is_simple = of.protocol == "Simple"
  local net = of.nodes > 1 and rails.messages(of, machine, is_simple and of.algorithm == "ring" and nccl.slice_steps[of.operation == "broadcast" and "broadcast" or "other"] or 1)
  local fence = is_simple and machine.put - machine.way or 0
  local ways = of.algorithm == "tree" and of.per_node > 2 and 2 or 1 -- up and down share a link, except at the ends of the chain
  local share = of.nodes > 1 and of.algorithm ~= "tree" and (of.per_node - 1) / of.per_node or 1 -- share of channels within a node
  local function wire_of(step)
    local rate = is_simple and kernel.slice_rate(machine, of.channels, step.stores > 0) or kernel.link_rate(machine, of.channels, of.threads)
    return share * ways * of.channels / rate / nccl.protocols[of.protocol].payload
  end
  local free, posted, link, port, came, got, waited, known = {}, {}, {}, {}, {}, {}, 0, {}
  local way = is_simple and machine.way or kernel.word(machine)
  for r = 0, n - 1 do free[r], posted[r], link[r], port[r], came[r], got[r] = 0, 0, 0, 0, {}, 0 end
  local wires = {}
  local function work_of(step, bytes)
    known[step] = known[step] or {}
    known[step][bytes] = known[step][bytes] or { work(of, machine, step, bytes) }
    return table.unpack(known[step][bytes])
  end
  -- Sends over the network: a chunk of LL or LL128 goes as one `message` after the last of its `count` units; of Simple each
  -- slice is a message.
  local function send_abroad(r, next, done, bytes, message, count)
    local is_message = is_simple or message
    if is_message then
      local seen = net.send(r, done, is_simple and bytes or message)
      for _ = 1, is_simple and 1 or count do came[next][#came[next] + 1] = seen end
    end
    posted[r] = is_message and done + (is_simple and bytes > 0 and machine.net.fence or 0) or 0
  end
  -- `following`: the bytes of the next slice.
  local function unit(r, step, bytes, message, count, following)
    local wire, start, next = wires[step], free[r], (r + 1) % n
    local is_abroad = net and step.sends and crosses(r)
    if is_abroad then start = math.max(start, net.room(r)) end
    local took, alone, sent, all, after, rest = work_of(step, bytes)
    took = alone or took
    local done = start + took
    if step.gets then
      got[r] = got[r] + 1
      local at = came[r][got[r]]
      local behind = at + (after or took)
      if behind > done then
        if r == 0 then waited = waited + behind - done end
        done = behind
      end
    end
    done = math.max(done, posted[r], port[r])
    local left = done + (sent or 0)
    port[r] = done + (all or 0)
    if net and step.gets and crosses((r - 1) % n) and (is_simple or message) then net.took((r - 1) % n, done) end
    if is_abroad then
      send_abroad(r, next, left, bytes, message, count)
    elseif step.sends then
      if alone then -- the link has taken the earlier data
        done = math.max(done, link[r])
        link[r] = done + bytes * wire
        left, port[r] = math.max(done + sent, link[r]), done + all
      else
        link[r] = math.max(link[r], start) + bytes * wire
        done = math.max(done, link[r])
        left, link[r] = done, done
      end
      posted[r] = is_simple and done + (bytes > 0 and fence + following_of(of, following) * wire or 0) or 0
      came[next][#came[next] + 1] = math.max(left, posted[r]) + way
    end
    free[r] = done + (rest or 0)
  end
  local loops, ahead, behind, cold = {}, {}, {}, {}
  for r = 0, n - 1 do
    loops[r] = loop_of(of, r)
    for _, step in ipairs(loops[r]) do
      ahead[step], behind[step], cold[step] = around(of, machine, step)
      wires[step] = wire_of(step)
    end
  end
  local chunks, is_warm = chunks_of(of), {}
  local function loop(chunk)
    local units = units_of(of, chunk)
    for k = 1, #loops[0] do
      for r = 0, n - 1 do
        local step = loops[r][k]
        free[r] = free[r] + ahead[step] + (is_warm[r][step] and 0 or cold[step])
        is_warm[r][step] = true
        for i, bytes in ipairs(units) do unit(r, step, bytes, i == #units and chunk, #units, units[i + 1]) end
        free[r] = free[r] + behind[step]
      end
    end
  end
  -- Skips `count` chunks, each of which takes `each`, the mean of the last simulated ones.
  local function skip(count, each, each_waited)
    for r = 0, n - 1 do
      free[r], posted[r], link[r], port[r] = free[r] + count * each, posted[r] + count * each, link[r] + count * each, port[r] + count * each
    end
    if net then net.skip(count * each) end
    waited = waited + count * each_waited
  end
  local function once_around()
    local i = 1
    for r = 0, n - 1 do is_warm[r] = {} end
    while i <= #chunks do
      if i == SOME and #chunks > SOME + 1 then
        local from, waited_before = free[n - 1], waited
        for _ = 1, LAST do loop(chunks[i]) end
        local left = #chunks - SOME - LAST
        skip(left, (free[n - 1] - from) / LAST, (waited - waited_before) / LAST)
        i = #chunks
      end
      loop(chunks[i])
      i = i + 1
    end
    return math.max(free[n - 1], posted[n - 1], port[n - 1])
  end
  local last = once_around()
  if of.operation ~= "broadcast" then return last, waited end
  for _ = 2, nccl.in_row do -- the root begins the next operation while others are in the previous one
    for r = 0, n - 1 do free[r] = math.max(free[r], posted[r], port[r]) + between end
    last = once_around()
  end
  return (last - (nccl.in_row - 1) * between) / nccl.in_row, waited / nccl.in_row
end

-- Sends and receives of all pairs. A channel has the part of one peer, of more than 32 GPUs those of several, among which it
-- divides its warps: some send, the others receive. The GPU's own part is copied by separate channels.
local function run_direct(of, machine)
  local is_simple, given = of.protocol == "Simple", nccl.send_receive
  local together = of.nodes == 1 and math.min(given.together, math.max(1, math.ceil(of.gpus / given.channels))) or 1
  local getters = (of.threads // 32 // together - 1) // 2
  local part = of.bytes / of.gpus / of.channels
  local function side(step, warps)
    local busy = math.min(of.threads, 2 * together * math.ceil(part / (32 * 8)) * 32) -- of warps that have words to send or get
    local mine = { protocol = of.protocol, threads = warps * 32, all_threads = busy, bytes = of.bytes, element = 1 }
    local most = is_simple and given.chunk or mine.threads * 8
    local whole, rest = part // most, part % most
    local last, _, _, all, after, behind = work(mine, machine, step, math.min(part, most))
    if not is_simple then
      local before, later, cold = around(mine, machine, step)
      local _, alone, _, all_of_most = work(mine, machine, step, most)
      local trips = whole + (rest > 0.5 and 1 or 0)
      return before + cold + math.max((trips - 1) * (alone + behind) + alone, alone + part / most * all_of_most), after + all + behind + later
    end
    return whole * work(mine, machine, step, most) + (rest > 0.5 and work(mine, machine, step, rest) or 0), last
  end
  local sent = side(SEND, getters + 1)
  local got, last = side(GET, getters + (is_simple and 1 or 0))
  local payload = nccl.protocols[of.protocol].payload
  local wire = of.bytes * (of.gpus - 1) / of.gpus / kernel.link_rate(machine, of.channels * (of.gpus - 1), (getters + 1) * 32) / payload
  local port = kernel.out({ loads = 1 + 1 / payload, own = 1, peer = 1 / payload }, part * together)
  if of.nodes > 1 then
    local within = of.bytes * (of.per_node - 1) / of.per_node / kernel.link_rate(machine, of.channels * (of.gpus - 1), (getters + 1) * 32)
    return math.max(sent, got, within, port, rails.direct(of, machine)) + last, 0
  end
  return math.max(sent, got, wire, port) + (is_simple and machine.put or kernel.word(machine)) + last, 0
end

-- The time of a kernel's start and end, in s, as a node of a graph of many, behind which an event is recorded, or launched
-- behind another one, for which NCCL's own stream waits, and the kernel's stream for that (enqueue.cc, ncclLaunchPrepare,
-- ncclLaunchFinish); with its share of the first call and the last synchronisation of the operations that are measured
-- together.
function collective.node(of, machine)
  local each = of.launched and machine.behind + 2 * machine.edge or machine.node + nccl.recorded
  local ends = of.launched and machine.ends - each or machine.graph_ends
  return each + nccl.ended + ends / (of.in_row or nccl.in_row)
end

-- The total time, but no less than the host's calls take.
function collective.called(of, machine, total) return of.launched and math.max(total, machine.called > 0 and machine.called + nccl.call or 0) or total end

-- Functions that plans use, too (benchmarks/parts/plan.lua).
collective.units_of, collective.work, collective.around, collective.once, collective.following = units_of, work, around, once, following_of

-- The time of one operation, in s.
function collective.time(of, machine)
  if of.custom then return custom.time(of, machine) end
  local node = collective.node(of, machine)
  local setup, moved, waited
  if of.kernel then
    setup, moved, waited = symmetric.time(of, machine)
  else
    setup = once(of, machine) + (machine.net and machine.net.first or 0)
    moved, waited = (of.algorithm == "direct" and run_direct or run_ring)(of, machine, setup + node)
  end
  return { total = collective.called(of, machine, node + setup + moved), node = node, setup = setup, moved = moved, waited = waited }
end

-- The total with the machine's operations as `changed` has them, in s.
local function changed_total(of, machine, changed)
  local other = {}
  for key, value in pairs(machine) do other[key] = value end
  for key, value in pairs(changed) do other[key] = value end
  return collective.time(of, other).total
end

-- The totals of `of` with each estimated value at both ends of its range, one at a time: a list of pairs.
local function totals_at_ends(of, machine)
  local given = of.custom and custom.given or nccl
  local list, lists = {}, { given.estimated, given == nccl and machine.generation.link ~= 1 and nccl.elsewhere or {} }
  for _, estimated in ipairs(lists) do
    for _, one in ipairs(estimated) do
      local place, name = given, one[1]
      if #one == 4 then place, name = nccl[one[1]], one[2] end
      local kept, totals = place[name], {}
      for i = 1, 2 do
        place[name] = one[#one - 2 + i]
        totals[i] = collective.time(of, machine).total
      end
      place[name] = kept
      list[#list + 1] = totals
    end
  end
  for _, pair in ipairs(machine.changes) do
    list[#list + 1] = { changed_total(of, machine, pair[1]), changed_total(of, machine, pair[2]) }
  end
  return list
end

-- The least and most total, in s: the root of the sum of the squared differences that the ends of ranges make.
function collective.band(of, machine)
  local base, below, above = collective.time(of, machine).total, 0, 0
  for _, totals in ipairs(totals_at_ends(of, machine)) do
    below = below + (base - math.min(base, totals[1], totals[2])) ^ 2
    above = above + (math.max(base, totals[1], totals[2]) - base) ^ 2
  end
  return base - math.sqrt(below), base + math.sqrt(above)
end

return collective
