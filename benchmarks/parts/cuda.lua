-- SPDX-License-Identifier: BSD-3-Clause
-- Micro-benchmarks of CUDA's calls by processes of one node: copies, copies on several streams at once, launches and graphs.
-- Each function takes a table of options and returns { time }, the mean over all repeats after a warm-up.
local cuda = {}

-- The options with their defaults; "" means that it must be given.
local function options(call, defaults)
  local all = {}
  for name, value in pairs(call) do
    if defaults[name] == nil then error("there is no option " .. name, 3) end
    all[name] = value
  end
  for name, value in pairs(defaults) do
    if all[name] == nil then all[name] = value end
    if all[name] == "" then error("the option " .. name .. " is missing", 3) end
  end
  return all
end

-- A node with `gpus`. Its processes send no messages, so the design does not matter.
local function node(gpus) return program { design = "openmpi-d", nodes = 1, gpus_per_node = gpus, once = true } end

local function since(me, start) return quantity(me:now() - start) end

local function mean(total_ps, count)
  return { time = string.format("%.0fps", (total_ps + count // 2) // count) }
end

-- cudaMemcpyAsync and cudaStreamSynchronize. `processes` share GPU 0. `other`: the GPU whose memory, or whose socket's, is
-- the other end. `window` copies before each synchronisation. measured = "call": of the calls alone. `resident`: a kernel is
-- on the GPU all the time.
function cuda.copy(call)
  local is_between = call.direction == "device-to-device"
  local o = options(call, { measured = "total", direction = "host-to-device", other = is_between and 1 or 0, memory = "pinned", bytes = "",
                            window = 1, resident = false, repeats = 10, processes = 1 })
  local w, took = node(o.other + 1), 0
  local device, host = w:buffer(o.bytes), w:buffer(o.bytes, o.memory == "pinned" and "pinned" or "host")
  local ways = {
    ["host-to-device"] = { to = device, from = host, from_rank = o.other },
    ["device-to-host"] = { to = host, to_rank = o.other, from = device },
    ["device-to-device"] = { to = device, to_rank = o.other, from = device },
  }
  local way = ways[o.direction] or error("there is no direction " .. o.direction, 2)
  w:parties { work_groups = o.processes, program = function(me)
    if me.rank > 0 then return end
    local stream, mine = me:stream(), {}
    for name, value in pairs(way) do mine[name] = value end
    mine.stream = stream
    if o.resident then me:launch { threads = 32, time = "1s", stream = me:stream() } end
    me:copy(mine)
    me:synchronise(stream)
    for _ = 1, o.repeats do
      me:begin_iteration()
      local start = me:now()
      for _ = 1, o.window do me:copy(mine) end
      if o.measured == "call" then took = took + since(me, start) end
      me:synchronise(stream)
      if o.measured == "total" then took = took + since(me, start) end
      me:end_iteration()
    end
  end }
  w:run()
  return mean(took, o.repeats * o.processes * o.window)
end

-- Windows of pinned copies by one thread on a stream for each of the first `to_host` GPUs to the host, and of the first
-- `to_device` GPUs (apart: of those behind) from it. Returns also their bandwidth.
function cuda.copies(call)
  local o = options(call, { to_host = 1, to_device = 1, apart = false, bytes = "", window = 16, repeats = 4 })
  local count = o.to_host + o.to_device
  local w, took = node(o.apart and count or math.max(o.to_host, o.to_device)), 0
  local device, host = w:buffer(o.bytes), w:buffer(o.bytes, "pinned")
  w:host(0):process(function(me)
    local lanes = {}
    for i = 0, o.to_host - 1 do lanes[#lanes + 1] = { to = host, from = device, from_rank = i, stream = me:stream(0, i) } end
    for i = 0, o.to_device - 1 do
      local gpu = (o.apart and o.to_host or 0) + i
      lanes[#lanes + 1] = { to = device, to_rank = gpu, from = host, stream = me:stream(0, gpu) }
    end
    local function window()
      for _ = 1, o.window do
        for _, lane in ipairs(lanes) do me:copy(lane) end
      end
      for _, lane in ipairs(lanes) do me:synchronise(lane.stream) end
    end
    window()
    local start = me:now()
    for _ = 1, o.repeats do window() end
    took = since(me, start)
  end)
  w:run()
  local copies = o.repeats * o.window * count
  local result = mean(took, copies)
  result.bandwidth = string.format("%.0fB/s", (copies * quantity(o.bytes) * 1e12 / math.max(took, 1) + 0.5) // 1)
  return result
end

-- Longer than the calls of a measurement take.
local LONG_PS = 100000000

local function kernel(o, stream, spin_ps)
  return { work_groups = o.work_groups, threads = o.threads, time = string.format("%.0fps", spin_ps or quantity(o.spin)), stream = stream }
end

-- `count` graphs of `kernels` each, or nothing if kernels are launched one by one.
local function graphs(me, o, stream, kernels, count)
  if o.kernels == 0 then return end
  local made, branches = {}, o.branches and kernels or 1
  local node = kernel(o)
  node.work_groups = o.work_groups * branches
  for i = 1, count do
    made[i] = me:graph(function()
      for _ = 1, kernels // branches do me:launch(node) end
    end, stream, branches)
  end
  return made
end

local function launch_row(me, o, stream, made, count)
  for i = 1, count do me:launch(made and { graph = made[i] } or kernel(o, stream)) end
end

-- Launches to both streams in turn, each kernel after an event behind the one before; returns the stream of the last one.
local function launch_in_turn(me, o, streams, count)
  local before
  for i = 1, count do
    local stream = streams[2 - i % 2]
    if before then me:wait_event(before, stream) end
    me:launch(kernel(o, stream))
    before = me:event(stream)
  end
  return streams[2 - count % 2]
end

-- The time from the end of a long kernel until the process knows that `count` kernels behind it have ended.
local function behind_long_one(me, o, streams, made, count)
  local long_ps, start = (count + 1) * LONG_PS, me:now()
  me:launch { threads = o.threads, time = string.format("%.0fps", long_ps), stream = streams[1] }
  local last = streams[1]
  if #streams > 1 then last = launch_in_turn(me, o, streams, count) else launch_row(me, o, last, made, made and 1 or count) end
  me:synchronise(last)
  return since(me, start) - long_ps
end

-- The cost of a launch: the call (measured = "call"), the call and the synchronisation behind it ("synchronize"), a launch
-- of `launches` in a row with one synchronisation ("back_to_back"), or the time from one kernel to the next where all were
-- launched before ("period"), also of two `streams` in turn. With `kernels` a graph is launched, a chain of so many, or all
-- side by side (`branches`).
function cuda.launch(call)
  local o = options(call, { measured = "synchronize", launches = 16, kernels = 0, branches = false, spin = "0ns", work_groups = 1,
                            threads = 32, processes = 1, streams = 1, sleeps = false, repeats = 4 })
  local w, took = node(1), 0
  local launches = o.measured == "back_to_back" and o.launches or 1
  local row = o.kernels > 0 and o.kernels or o.launches
  w:parties { work_groups = o.processes, program = function(me)
    local streams = { me:stream(), o.streams > 1 and me:stream() or nil }
    if o.sleeps then me:sleeps(streams[1]) end
    local is_period = o.measured == "period"
    local made, one = graphs(me, o, streams[1], o.kernels, launches), is_period and graphs(me, o, streams[1], 1, 1)
    local function measure()
      if is_period then
        local all_ps = behind_long_one(me, o, streams, made, row)
        return (all_ps - behind_long_one(me, o, streams, one, 1)) // math.max(1, row - 1)
      end
      local start = me:now()
      launch_row(me, o, streams[1], made, launches)
      local called_ps = since(me, start)
      me:synchronise(streams[1])
      return (o.measured == "call" and called_ps or since(me, start)) // launches
    end
    measure()
    for _ = 1, o.repeats do
      local one_ps = measure() -- other processes add to it meanwhile
      took = took + one_ps
    end
  end }
  w:run()
  return mean(took, o.repeats * o.processes)
end

return cuda
