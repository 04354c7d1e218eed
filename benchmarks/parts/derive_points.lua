-- SPDX-License-Identifier: BSD-3-Clause
-- The detailed runs from which `gpunetsim derive` makes a model: messages of one size between GPUs at one distance.
-- sim/fabric/loggp/loggp_model.h says what each measure means to the model.
local fit = require "benchmarks.parts.derive_fit"
local points = {}

local TURNS = 6  -- messages, of which the first one, which registers memory and opens handles, is left out of the mean
local BURST = 6  -- messages of a sender, one after the other
local SHARED = 1.1 -- a server whose time grows by more than this factor with more GPUs is shared
local PEERS = 4  -- senders to one, and receivers from one

local function ps(time) return quantity(time) end

-- The number of ranks of a node, of nodes below a leaf switch (0: all), and of GPUs on a socket.
function points.shape(machine)
  local function whole(name) return math.tointeger(tonumber(machine:value(name))) end
  local per_socket = whole "node.gpus_per_socket"
  local has_leaves = machine:value "network.topology" == "fat-tree"
  return { per_socket = per_socket, per_node = per_socket * whole "node.sockets", per_leaf = has_leaves and whole "network.radix" or 0 }
end

-- The k-th partner of rank 0 at a distance, or nil.
local function partner(shape, distance, k)
  local n = shape.per_node
  if distance == "same_socket" then return k < shape.per_socket and k or nil end
  if distance == "same_node" then return k <= n - shape.per_socket and shape.per_socket + k - 1 or nil end
  local is_below = shape.per_leaf == 0 or k < shape.per_leaf
  if distance == "same_rail" then return is_below and k * n or nil end
  if distance == "same_leaf" then return is_below and n > 1 and k * n + 1 or nil end
  if distance == "across" then return shape.per_leaf > 0 and (shape.per_leaf + k - 1) * n or nil end
end

-- The distances that a machine of `nodes` nodes has.
function points.distances(shape, nodes)
  local list = {}
  for _, distance in ipairs { "same_socket", "same_node", "same_rail", "same_leaf", "across" } do
    local first = partner(shape, distance, 1)
    if first and first < nodes * shape.per_node then list[#list + 1] = distance end
  end
  return list
end

-- --- what two or more ranks do ------------------------------------------------------------------

local function wait(time_ps) return string.format("%dps", math.ceil(time_ps)) end

local function make(of, ranks, program_of)
  local most = 0
  for _, rank in ipairs(ranks) do most = math.max(most, rank) end
  local w = program { design = of.design, nodes = math.max(most // of.shape.per_node + 1, 2), gpus_per_node = of.shape.per_node,
                      channels = true, once = true }
  local data, token = w:buffer(of.bytes .. "B"), w:buffer "8B"
  local place = {}
  for i, rank in ipairs(ranks) do place[rank] = i end
  w:parties { program = function(me) if place[me.rank] then program_of(me, data, token) end end }
  return w:run()
end

local function tell(me, to, token) me:wait(me:send { to = to, buffer = token, channel = 1 }) end
local function hear(me, from, token) me:wait(me:receive { from = from, buffer = token, channel = 1 }) end

-- The time that a kernel takes in addition to running: its launch, and the notice of its end. Work-groups launch no kernels.
local function kernel_extra(me)
  local extra = 0
  pcall(function()
    for _ = 1, 3 do
      local start = ps(me:now())
      me:launch { time = "20us", work_groups = 1, threads = 64 }
      me:synchronise()
      extra = ps(me:now()) - start - 20e6
    end
  end)
  return extra
end

-- One message at a time, whose receiver waits already (prompt), computes while it comes (busy), or posts its receive only when it
-- has come (late). In each turn the sender begins a little later, so that the polls lie at different times.
local function pair(of, peer)
  local seen, pause = {}, 50e6
  local bytes = of.bytes .. "B"
  local function add(how, measures)
    local sums = seen[how]
    for name, value in pairs(measures) do sums[name] = (sums[name] or 0) + value / (TURNS - 1) end
  end
  local function send(me, data, token, how, turn)
    hear(me, peer, token)
    me:compute(wait(pause + turn * 137e3))
    local start = ps(me:now())
    seen[how].begun = start
    local message = me:send { to = peer, buffer = data, bytes = bytes }
    local called = ps(me:now())
    me:wait(message)
    local done = ps(me:now())
    if turn > 1 then add(how, { send = called - start, sent = done - start, done = done, arrive = -start }) end
    hear(me, peer, token)
  end
  local function receive(me, data, token, how, turn)
    local called = ps(me:now())
    local posted = how ~= "late" and me:receive { from = 0, buffer = data, bytes = bytes }
    local post = ps(me:now()) - called
    tell(me, 0, token)
    if how ~= "prompt" then me:compute(wait(3 * pause + 4 * seen.prompt.arrive)) end
    local free = ps(me:now())
    me:wait(posted or me:receive { from = 0, buffer = data, bytes = bytes })
    local now = ps(me:now())
    seen[how].turns = seen[how].turns or {}
    seen[how].turns[turn] = now - seen[how].begun
    if turn > 1 then add(how, { post = post, took = now - free, free = free, arrive = now }) end
    tell(me, 0, token)
  end
  local ran = make(of, { 0, peer }, function(me, data, token)
    for _, how in ipairs { "prompt", "busy", "late" } do
      seen[how] = seen[how] or {}
      for turn = 1, TURNS do
        if me.rank == 0 then send(me, data, token, how, turn) else receive(me, data, token, how, turn) end
      end
    end
    if me.rank == 0 then seen.kernel = kernel_extra(me) end
  end)
  return seen, ran
end

-- All `senders` at once send a burst of `count` messages to their receivers in turn. Returns the time from the start (if the receivers compute
-- for `busy_ps` meanwhile: from the end of that) until the last message has arrived.
local function burst(of, senders, receivers_of, count, busy_ps)
  local ranks, from, start, last, begins = {}, {}, math.huge, 0, {}
  for _, sender in ipairs(senders) do
    ranks[#ranks + 1] = sender
    for _, receiver in ipairs(receivers_of(sender)) do
      if not from[receiver] then
        from[receiver] = {}
        ranks[#ranks + 1] = receiver
      end
      table.insert(from[receiver], sender)
    end
  end
  make(of, ranks, function(me, data, token)
    local bytes = of.bytes .. "B"
    for turn = 1, 2 do
      local messages = {}
      if from[me.rank] then
        for _ = 1, count do
          for _, sender in ipairs(from[me.rank]) do messages[#messages + 1] = me:receive { from = sender, buffer = data, bytes = bytes } end
        end
        begins[turn] = math.max(begins[turn] or 0, ps(me:now()) + 100e6 + 20e6 * #from[me.rank])
        for _, sender in ipairs(from[me.rank]) do tell(me, sender, token) end
        if busy_ps then me:compute(wait(busy_ps)) end
        if busy_ps and turn == 2 then start = ps(me:now()) end
        me:wait(table.unpack(messages))
        if turn == 2 then last = math.max(last, ps(me:now())) end
        for _, sender in ipairs(from[me.rank]) do tell(me, sender, token) end
      else
        local receivers = receivers_of(me.rank)
        for _, receiver in ipairs(receivers) do hear(me, receiver, token) end
        me:compute(wait(math.max(begins[turn] - ps(me:now()), 1000)))
        if not busy_ps and turn == 2 then start = math.min(start, ps(me:now())) end
        for _ = 1, count do
          for _, receiver in ipairs(receivers) do messages[#messages + 1] = me:send { to = receiver, buffer = data, bytes = bytes } end
        end
        me:wait(table.unpack(messages))
        for _, receiver in ipairs(receivers) do hear(me, receiver, token) end
      end
    end
  end)
  return last - start
end

-- How much longer the first message took than the others, if this exceeds the differences among the others; else 0.
local function first_of(seen)
  local least, most = math.huge, 0
  for turn = 2, TURNS do least, most = math.min(least, seen.turns[turn]), math.max(most, seen.turns[turn]) end
  return seen.turns[1] > most + 2 * (most - least) and seen.turns[1] - seen.arrive or 0
end

-- --- one point ------------------------------------------------------------------------------------

-- The time that each message of a sample takes of a server that `sharing` GPUs of a node share: how much later the last one of as many
-- that begin at once arrives than one alone, by each of the others. 0 if they share none. (A burst of each would also have what CPUs
-- take to agree on each message.)
function points.shared(sample, sharing)
  local last = sharing > 1 and sample["last_" .. sharing]
  return last and math.max(0, last - sample.last_1) / (sharing - 1) or 0
end

-- How many GPUs of a node share their way out: the largest number up to which the load still grows.
function points.sharing(sample, shape)
  local sharing, before = 1, sample.load_1
  for k = 2, before and shape.per_node or 1 do
    local total = sample["load_" .. k]
    if total and total > SHARED * before then sharing, before = k, total end
  end
  return sharing
end

-- Measures for the model what messages of `bytes` take at a distance: times in ps. `of`: design, shape, bytes, distance, nodes.
function points.run(of)
  local shape, peers = of.shape, {}
  for k = 1, PEERS do
    local peer = partner(shape, of.distance, k)
    if peer and peer < of.nodes * shape.per_node then peers[#peers + 1] = peer end
  end
  local peer = peers[1]
  local seen, ran = pair(of, peer)
  if not seen.prompt then return { arrive = ran.time } end -- a rehearsal, which does not simulate
  local result = { send = seen.prompt.send, sent = seen.prompt.sent, arrive = seen.prompt.arrive, busy = seen.busy.took,
                   late = math.max(0, seen.late.took - seen.prompt.post), post = seen.prompt.post, kernel = seen.kernel, first = first_of(seen.prompt),
                   waits = seen.late.done > seen.late.free and 1 or 0 }
  local function gap(count, total) return math.max(0, (total - result.arrive) / (count - 1)) end
  result.out = gap(BURST * #peers, burst(of, { 0 }, function() return peers end, BURST))
  result.into = gap(BURST * #peers, burst(of, peers, function() return { 0 } end, BURST))
  local crowd = burst(of, peers, function() return { 0 } end, BURST, 400e6 + 2 * BURST * #peers * result.arrive)
  result.receive = math.min(result.busy, result.into, math.max(0, crowd - result.busy) / (BURST * #peers - 1))
  local senders = { 0 }
  for gpu = 1, peer >= shape.per_node and shape.per_node or 0 do
    if shape.per_node % #senders == 0 then
      local offset = peer % shape.per_node
      local function receiver_of(rank) return { peer - offset + (rank + offset) % shape.per_node } end
      result["load_" .. #senders] = burst(of, senders, receiver_of, BURST)
      result["last_" .. #senders] = burst(of, senders, receiver_of, 1)
    end
    senders[#senders + 1] = gpu
  end
  return result
end

-- Sizes from `from` to `to`, in bytes: at and just above each power of two, where protocols change, and between two powers.
function points.sizes(from, to)
  local list, seen = {}, {}
  local function add(size)
    if size >= from and size <= to and not seen[size] then
      seen[size] = true
      list[#list + 1] = size
    end
  end
  add(from)
  for k = 0, 30 do
    add(1 << k)
    if k >= 8 then add((1 << k) + 1) end
    add(3 << k >> 1)
  end
  add(to)
  table.sort(list)
  return list
end

-- How many nodes the runs need.
function points.nodes(shape) return shape.per_leaf > 0 and shape.per_leaf + PEERS or PEERS + 1 end

-- The model made from samples, of which `by` has a list for each distance.
function points.model(shape, by)
  local model = { shape = shape, sharing = 1, kernel = 0, pieces = {} }
  for _, samples in pairs(by) do
    table.sort(samples, function(a, b) return a.bytes < b.bytes end)
    model.sharing = math.max(model.sharing, points.sharing(samples[#samples], shape))
  end
  for distance, samples in pairs(by) do
    for _, sample in ipairs(samples) do sample.shared = points.shared(sample, model.sharing) end
    model.pieces[distance] = fit.pieces(samples)
    model.kernel = math.max(model.kernel, math.floor(samples[1].kernel + 0.5))
  end
  return model
end

return points
