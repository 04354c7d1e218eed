-- SPDX-License-Identifier: BSD-3-Clause
-- Points between those of all tables: other sizes, numbers of blocks, threads and queues, service times and windows. The predictions
-- were committed before the probe measured the points (gpunetsim-probe --between), and no value of the machine file comes from them.
-- The name of a point is its row's columns, joined by slashes.
local h200x2 = require "configs.h200x2"
local queues = require "parts.queues"
local two_gpus = require "parts.two_gpus"

local experiments, points = {}, {}
-- Adds all combinations of the lists, in order, as points of the experiment.
local function add(experiment, list, ...)
  local names = { "" }
  for i, values in ipairs { list, ... } do
    local longer = {}
    for _, name in ipairs(names) do
      for _, value in ipairs(values) do longer[#longer + 1] = name .. (i > 1 and "/" or "") .. value end
    end
    names = longer
  end
  for _, name in ipairs(names) do
    experiments[#experiments + 1], points[#points + 1] = experiment, name
  end
end

local function with(name, numbers, tail)
  local list = {}
  for i, number in ipairs(numbers) do list[i] = name .. number .. (tail or "") end
  return list
end

local blocks = { 3, 12, 24, 48, 96, 132, 200, 330, 700 }
for _, memory in ipairs { "host", "device", "peer" } do
  for _, scope in ipairs(memory == "device" and { "sys", "gpu" } or { "sys" }) do
    add("scaling", { memory }, { "load_" .. scope, "store_release_" .. scope, "atomic_add_" .. scope }, { "own_line" }, blocks)
    add("scaling", { memory }, { "atomic_add_" .. scope }, { "same" }, blocks)
  end
end
add("flags", { "rtt_gpu" }, with("pairs=", { 3, 6, 12 }, "_release_acquire"))
add("flags", { "rtt_gpu" }, with("pairs=", { 3, 6, 12 }, "_relaxed"))
add("launch", { "launch_enqueue", "launch_plus_sync" }, { "grid=8x64", "grid=66x128", "grid=528x512", "grid=4224x128" })
add("launch", { "back_to_back_total_per_launch" }, with("N=", { 4, 16, 64, 300 }))
add("launch", { "multi_thread_total_per_launch_per_thread" }, { "3threads_1gpu", "6threads_1gpu" })
add("launch", { "stream_chain_period_grid1", "stream_chain_period_grid1056x256" }, with("spin=", { 4, 7, 15, 30 }, "us"))
for _, kind in ipairs { "_chain", "_parallel" } do
  add("graphs", { "graph_launch_call", "graph_launch_plus_sync", "graph_back_to_back_per_graph" },
      with("nodes=", { 3, 6, 12, 24, 48, 96 }, kind))
end
local sizes = { 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216 }
local peer_sizes = { 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864, 268435456 }
add("copies", { "D2H", "H2D" }, { "pinned", "pageable" }, sizes)
add("copies in a window", { "D2H", "H2D" }, { "pinned", "pageable" }, sizes)
add("peer copies", peer_sizes)
add("peer copies in a window", peer_sizes)
add("copies at once", { "D2H_gpu0", "H2D_gpu0", "D2H+H2D_gpu0" }, { 16384, 262144, 4194304, 33554432 })
add("copies by kernels", { "store", "load", "local" }, { 3, 6, 12, 24, 66, 100 }, { 128, 512 }, { 8192, 65536, 524288, 4194304, 33554432 })
add("put with signal", { 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576 }, { 128, 512 })
add("front end", { "device", "host" }, { 1, 3, 7, 15, 30, 70, 200 })
add("allreduce", { 1024, 8192, 65536, 524288, 4194304 }, { 2, 8, 32 }, { 128, 512 })
local work_groups = { 3, 6, 12, 24, 48, 96, 192, 320 }
add("host queues", { "fenced", "packed" }, work_groups, { 1 }, { 0 }, { 1, 4, 20 })
add("host queues", { "fenced", "packed" }, { 3, 12, 48, 96 }, { 1, 3 }, { 200, 1000 }, { 1 })
add("host queues", { "fenced", "packed" }, { 6, 24, 96, 320 }, { 3, 5 }, { 0 }, { 1 })
add("GPU agents", { "thread", "warp", "packed_thread", "packed_warp" }, work_groups, { 1, 3 }, { 0 }, { 1 })
add("GPU agents", { "thread", "warp" }, { 3, 24, 96 }, { 1 }, { 250, 1000 }, { 1 })

local function of_queues(server)
  return function(variant, groups, servers, service_ns, window)
    local p = { variant = variant, wgs = tonumber(groups), servers = tonumber(servers), service_ns = tonumber(service_ns),
                window = tonumber(window) }
    return queues.serve(server(variant), p).latency
  end
end

local directions = { D2H = "device-to-host", H2D = "host-to-device" }
local function copy(window)
  return function(direction, memory, bytes)
    return cuda_copy { direction = directions[direction], memory = memory, bytes = bytes .. "B", window = window, repeats = 2 }.time
  end
end
local function peer_copy(window)
  return function(bytes)
    return cuda_copy { direction = "device-to-device", bytes = bytes .. "B", window = window, repeats = 2 }.time
  end
end

local measured = {
  launch_enqueue = "call", launch_plus_sync = "synchronize", back_to_back_total_per_launch = "back_to_back",
  multi_thread_total_per_launch_per_thread = "back_to_back", graph_launch_call = "call", graph_launch_plus_sync = "synchronize",
  graph_back_to_back_per_graph = "back_to_back", stream_chain_period_grid1 = "period", stream_chain_period_grid1056x256 = "period",
}
local function launch(what, param)
  local call, number = { measured = measured[what] }, tonumber(param:match "%d+")
  local groups, threads = (param .. " " .. what):match "grid=?(%d+)x(%d+)"
  if groups then call.work_groups, call.threads = groups + 0, threads + 0 end
  if what:find "graph" then
    call.kernels, call.branches, call.launches = number, param:find "parallel" ~= nil, 16
  elseif what:find "period" then
    call.spin = number .. "us"
  elseif what:find "back_to_back" then
    call.launches, call.repeats = number, 1
  elseif what:find "threads?_" or what:find "multi" then
    call.launches, call.processes = 64, number
  end
  return kernel_launch(call).time
end

local operations = { load = "load", store = "store_release", atomic = "atomic" }
local memories = { host = "host", device = "gpu", peer = "peer" }
local ways = { store = { to = "peer" }, load = { from = "peer" }, ["local"] = {} }
local streams = { ["D2H_gpu0"] = { 1, 0 }, ["H2D_gpu0"] = { 0, 1 }, ["D2H+H2D_gpu0"] = { 1, 1 } }
local most_passes = 64 -- more would not change the time of a pass

local run = {
  scaling = function(memory, what, address, groups)
    return gpu_operation {
      operation = operations[what:match "%a+"], memory = memories[memory], scope = what:find "_gpu" and "device" or "system",
      work_groups = groups + 0, same_line = address == "same", repeats = 10,
    }.time
  end,
  flags = function(_, param)
    return flag_round_trip { pairs = tonumber(param:match "%d+"), ordered = param:find "acquire" ~= nil }.time
  end,
  launch = launch, graphs = launch,
  copies = copy(1), ["copies in a window"] = copy(6),
  ["peer copies"] = peer_copy(1), ["peer copies in a window"] = peer_copy(12),
  ["copies at once"] = function(what, bytes)
    local s = streams[what]
    return { us = bytes / 1e3 / cuda_copies { to_host = s[1], to_device = s[2], bytes = bytes .. "B" }.bandwidth_GBps }
  end,
  ["copies by kernels"] = function(what, groups, threads, bytes)
    local way, size = ways[what], tonumber(bytes)
    local passes = size <= 65536 and 100 or size <= 1048576 and 20 or 4
    local some = math.min(passes, most_passes)
    local r = kernel_copy { from = way.from, to = way.to, work_groups = groups + 0, threads = threads + 0, bytes = bytes .. "B", passes = some,
                            remainder = "together" }
    return { us = (quantity(r.time) + (quantity(r.timed) - quantity(r.time)) * some / passes) * 1e-6 }
  end,
  ["put with signal"] = function(bytes, threads) return two_gpus.put_one_way(bytes .. "B", threads + 0) end,
  ["front end"] = function(place, delay)
    return flag_round_trip { partner = "stream", place = memories[place], delay = delay .. "us" }.time_median
  end,
  allreduce = function(bytes, rings, threads) return two_gpus.ring_round(bytes .. "B", rings + 0, threads + 0) end,
  ["host queues"] = of_queues(function() return queues.host_threads end),
  ["GPU agents"] = of_queues(function(variant) return variant:find "warp" and queues.gpu_warp or queues.gpu_thread end),
}

local function parts_of(name)
  local parts = {}
  for part in name:gmatch "[^/]+" do parts[#parts + 1] = part end
  return table.unpack(parts)
end

return study {
  title = "Points between the tables' points, predicted before they were measured",
  long = true,
  machine = function(p) return (p.experiment == "host queues" or p.experiment == "GPU agents") and h200x2 { nodes = 2 } or h200x2 end,
  vary = zip { experiment = experiments, point = points },
  measured = "data/h200x2/between.tsv",
  run = function(p)
    local time = run[p.experiment](parts_of(p.point))
    return { time = type(time) == "table" and string.format("%.6fus", time.us) or time }
  end,
  plot = { x = "time_measured_us", x_label = "Measured", y = "time_us", y_label = "Simulated", by = "experiment", style = "points" },
}
