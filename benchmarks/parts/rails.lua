-- SPDX-License-Identifier: BSD-3-Clause
-- NCCL between nodes, by NICs of the same number on each (rails). A GPU fills a step of a send buffer and sets the buffer's
-- tail in host memory; the sender's proxy thread sees the tail and posts a write with immediate data; the receiver's proxy
-- sees the write's completion, and sets the tail that the receiving kernel polls. Receivers of LL and LL128 poll the flags
-- among the data instead. There is no flush: src/graph/paths.cc needs none from compute capability 9.0 on. Each part is
-- first simulated by itself on the machine.
local nccl = require "configs.nccl"
local rails = {}

local function seconds(time) return quantity(time) / 1e12 end

-- Fails with one sentence if the machine has fewer than `nodes` with `gpus` each.
function rails.check(nodes, gpus)
  local w = program { design = "openmpi-d", nodes = nodes, gpus_per_node = gpus, once = true }
  w:parties { program = function() end }
  local is_there, why = pcall(w.run, w)
  if not is_there then error((tostring(why):gsub("^.-:%d+: ", ""):gsub("^the program", "the collective")), 0) end
end

-- The number of NICs that serve `gpus` of a node.
function rails.nics(machine, gpus)
  local function count(name) return tonumber(machine:value("node." .. name)) end
  return math.max(1, math.ceil(gpus * count "nics_per_socket" / count "gpus_per_socket"))
end

-- The rings that graph/search.cc finds, { count, rate, port }, and the number of channels that connect.cc makes of them: one
-- channel for each NIC, at the speed of NCCL's list that NIC and bus reach; with up to four NICs two channels of half that
-- speed; all are doubled, and once more if they are few and fast.
function rails.channels(machine, gpus, generation)
  local given, wire = nccl.network, quantity(machine:value "network.rate") / 1e9
  local port = given.ports[#given.ports]
  for i = #given.ports, 1, -1 do
    if given.ports[i] >= wire then port = given.ports[i] end
  end
  local most, rate = math.min(port, quantity(machine:value "bus.rate") / 1e9 * given.bus_share), 0
  for _, speed in ipairs(generation.speeds) do
    if speed <= most then rate = math.max(rate, speed) end
  end
  local count = rails.nics(machine, gpus)
  if rate >= 25 and (rate >= 50 or count <= 4) then count, rate = 2 * count, rate / 2 end
  local all = math.min(2 * count, given.most_channels)
  if rate > 45 and all < 16 then all = 2 * all end
  return { count = count, rate = rate, port = most }, all
end

-- The times and rates of a step's parts, in s and bytes/s.
function rails.machine(machine)
  local function latency(memory, inline)
    return seconds(perftest { operation = "send_lat", bytes = "8B", memory = memory, inline = inline, iterations = 20 }.latency)
  end
  local function load(memory) return seconds(gpu_operation { operation = "load", memory = memory }.time) end
  local function posted(count)
    return count / perftest { operation = "send_bw", memory = "gpu", iterations = count, tx_depth = 4096 }.messages_per_us
  end
  return {
    tail = seconds(flag_round_trip { partner = "host", ordered = false, rounds = 8 }.time) / 2, -- from GPU to host thread, or back
    fence = seconds(gpu_operation { operation = "store_fence" }.time),
    sent = latency "gpu", sent_from_host = latency("host", "0B"),
    first = load "host" - load "gpu", -- a kernel begins with a load of its connection's head, which lies in host memory
    post = (posted(800) - posted(400)) / 400 * 1e-6,
    rate = quantity(perftest { operation = "send_bw", bytes = "1MiB", memory = "gpu", iterations = 400 }.bandwidth),
    -- A proxy polls the flags of all lines of LL, whose buffer is in host memory. A core has several of these loads under
    -- way at once.
    look = seconds(machine:value "host.memory_latency") / tonumber(machine:value "host.loads_in_flight") / 64,
  }
end

-- The number of steps over the network on the longest way of a byte. With several GPUs a node the ring also brings the data
-- of a node's last GPU to its first one.
function rails.hops(of)
  if of.algorithm == "tree" then return 2 * rails.depth(of.nodes) end
  if of.algorithm == "direct" then return 1 end
  if of.operation == "all_reduce" then return 2 * of.nodes - math.max(0, 3 - of.per_node) end
  return of.per_node > 1 and of.nodes or of.nodes - 1
end

-- The number of levels below the root of NCCL's binary tree (graph/trees.cc): a node's parent has its lowest set bit cleared
-- and the next one set, or only cleared if there is no such node.
function rails.depth(nodes)
  local deepest = 0
  for node = 1, nodes - 1 do
    local at, levels = node, 0
    while at > 0 do
      local bit = at & -at
      local up = (at ~ bit) | (bit << 1)
      at, levels = up < nodes and up or at ~ bit, levels + 1
    end
    deepest = math.max(deepest, levels)
  end
  return deepest
end

-- The stages of a channel's pipeline, and a function that says whether the step from a stage to the next crosses the
-- network. A ring goes through all GPUs of a node, then to the next node; the root of a broadcast is not the first of its
-- node in most channels. The stages of a tree are its longest way: up through the GPUs of a leaf and from node to node, and
-- down again.
function rails.stages(of)
  if of.algorithm ~= "tree" then
    local g = of.per_node
    return of.gpus, function(stage) return (stage + (g > 1 and 1 or 0)) % g == g - 1 end
  end
  local within, levels = of.per_node - 1, rails.depth(of.nodes)
  return 2 * (within + levels) + 1, function(stage) return stage >= within and stage < within + 2 * levels end
end

-- How many bytes a NIC sends for each byte of a channel's part: nodes of a tree with children send up once and down twice,
-- but only in one of the two trees.
local function load_of(of) return of.algorithm == "tree" and of.nodes > 2 and 2 or 1 end

-- The parts of a step of `bytes` of data, from the last store to its buffer until the receiving kernel has its flag.
function rails.step(of, machine, bytes)
  local net, sent = machine.net, bytes / nccl.protocols[of.protocol].payload
  local is_LL = of.protocol == "LL"
  return {
    fence = is_LL and 0 or net.fence,
    seen = net.tail + (is_LL and sent * net.look or 0),
    wire = sent * load_of(of) * of.channels / of.nics / net.rate, alone = sent / net.rate,
    way = is_LL and net.sent_from_host or net.sent,
    told = of.protocol == "Simple" and net.tail or machine.load, -- missed by half a poll, and half of the next one is its way back
  }
end

-- The messages of one channel, the one whose messages a NIC sends last. Its first message waits for those of the NIC's other
-- channels. These have then begun their next messages, so that the NIC is never idle while a message waits. send(stage, at,
-- bytes) returns the time at which the receiver's kernel sees the message; room(stage) the time from which the next one may
-- be written; took(stage, at) says that the kernel has consumed one. A buffer has NCCL_STEPS steps, each message takes
-- `each` of them.
function rails.messages(of, machine, each)
  local net, depth = machine.net, nccl.steps // each
  local own_channels = of.channels / of.per_node -- channels that end in this GPU, which its proxy serves
  local proxy, nic, count, done, used = {}, {}, {}, {}, {}
  local all = { proxy, nic }
  local self = {}
  local function start(stage)
    if not count[stage] then proxy[stage], nic[stage], count[stage], done[stage], used[stage] = 0, 0, 0, {}, {} end
  end
  function self.room(stage)
    start(stage)
    local before = done[stage][count[stage] + 1 - depth]
    return before and before + net.tail or 0
  end
  function self.send(stage, at, bytes)
    start(stage)
    local m, step = count[stage] + 1, rails.step(of, machine, bytes)
    count[stage] = m
    proxy[stage] = math.max(proxy[stage], at + step.fence + step.seen)
    local begin = proxy[stage]
    proxy[stage] = begin + math.max(own_channels, 1) * net.post
    local free = used[stage][m - depth] -- told to the sender by a write of the receiver's proxy
    begin = math.max(begin, nic[stage], free and free + net.tail + net.sent_from_host or 0)
    nic[stage] = math.max((m > 1 and nic[stage] or begin) + step.wire, begin + step.alone)
    done[stage][m] = nic[stage] + step.way
    return done[stage][m] + step.told
  end
  function self.took(stage, at)
    start(stage)
    used[stage][#used[stage] + 1] = at
  end
  function self.skip(time)
    for _, list in ipairs(all) do
      for stage, at in pairs(list) do list[stage] = at + time end
    end
    for stage in pairs(count) do
      for _, list in ipairs { done[stage], used[stage] } do
        for m = math.max(1, #list - depth), #list do list[m] = list[m] + time end
      end
    end
  end
  return self
end

-- NCCL's own estimate in us (graph/tuning.cc), given the caller's time for the bandwidth, `us`. `step`: the time of a step
-- within a node.
function rails.estimate(algorithm, protocol, of, step, us)
  local costs, given = nccl.costs, nccl.network
  local between = costs.step.network[of.per_node == 1 and "tree" or algorithm][protocol]
  local latency = costs.base[algorithm][protocol]
  if algorithm == "tree" then
    return latency + 2 * ((of.per_node - 1) * step + math.floor(math.log(of.nodes, 2)) * between) + us
  end
  if of.operation == "broadcast" then return latency + costs.step.network.ring[protocol] + us end
  local times = of.operation == "all_reduce" and 2 or 1
  local steps, over = times * (of.gpus - 1), times * (of.nodes - 1)
  latency = latency + (steps - over) * math.max(step, given.overhead * (protocol == "Simple" and 3 or 1)) + over * between
  local is_long = protocol == "Simple" and of.operation == "all_reduce" and of.bytes // (of.all_channels * of.gpus) >= 64
  return latency * (is_long and given.plateau or 1) + us
end

-- Plans sends and receives of all pairs. Data to other nodes go over the NIC of the receiver's rail, through the GPU beside
-- that NIC (PXN).
function rails.plan_direct(of)
  local given = nccl.network
  local each = 1
  while each < math.max(of.nics / of.per_node, of.port / given.channel_rate) do each = each * 2 end
  local most = 1
  while most < of.all_channels do most = most * 2 end
  while each * -(-of.gpus // 8) > most and each > 1 do each = each // 2 end
  local part, channels = math.max(of.bytes // of.gpus, 1), each
  while channels * of.gpus > most and channels > 1 do channels = channels // 2 end
  channels = math.min(channels, -(-part // (given.chunk // 2)))
  while -(-part // channels) > given.chunk and channels <= each // 2 do channels = channels * 2 end
  of.algorithm, of.protocol, of.channels, of.threads = "direct", "Simple", channels, nccl.send_receive.threads
  return of
end

-- The network's time of sends and receives: for all messages of a GPU, which its proxy posts one after the other.
function rails.direct(of, machine)
  local net, chunk = machine.net, nccl.network.chunk
  local part, abroad = of.bytes // of.gpus, of.gpus - of.per_node
  local share = math.max(part / of.channels, 1)
  local messages = abroad * of.channels * math.ceil(share / (part < chunk and chunk / 4 or part < 8 * chunk and chunk / 2 or chunk))
  local one = { algorithm = "direct", protocol = "Simple", channels = 1, nics = 1, nodes = of.nodes }
  local step = rails.step(one, machine, 0)
  local wire = part * abroad * of.per_node / of.nics / net.rate
  return math.max(wire, messages * net.post) + step.fence + step.seen + step.way + step.told
end

return rails
