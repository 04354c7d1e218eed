-- SPDX-License-Identifier: BSD-3-Clause
-- Points between those of all tables: other sizes, numbers of blocks, threads and queues, service times and windows, in two sets
-- (gpunetsim-probe --between 1 and 2). No value of the machine file comes from them. The name of a point is its row's columns, joined by
-- slashes.
local cuda = require "benchmarks.parts.cuda"
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

local function powers_of_4(first, count)
  local list = {}
  for i = 1, count do list[i] = first * 4 ^ (i - 1) // 1 | 0 end
  return list
end

-- What differs between the sets.
local sets = {
  {
    blocks = { 3, 12, 24, 48, 96, 132, 200, 330, 700 }, pairs = { 3, 6, 12 },
    grids = { "8x64", "66x128", "528x512", "4224x128" }, launches = { 4, 16, 64, 300 }, host_threads = { 3, 6 }, spins = { 4, 7, 15, 30 },
    nodes = { 3, 6, 12, 24, 48, 96 }, copies_from = 16, peer_sizes = 13, put_sizes = 9, window = 6, peer_window = 12,
    at_once = { 16384, 262144, 4194304, 33554432 },
    kernel_blocks = { 3, 6, 12, 24, 66, 100 }, kernel_threads = { 128, 512 }, kernel_bytes = { 8192, 65536, 524288, 4194304, 33554432 },
    put_threads = { 128, 512 }, delays = { 1, 3, 7, 15, 30, 70, 200 },
    allreduce_bytes = { 1024, 8192, 65536, 524288, 4194304 }, rings = { 2, 8, 32 }, ring_threads = { 128, 512 },
    queues = { 3, 6, 12, 24, 48, 96, 192, 320 }, windows = { 1, 4, 20 }, queues_of_services = { 3, 12, 48, 96 }, services = { 200, 1000 },
    few_servers = { 1, 3 }, queues_of_servers = { 6, 24, 96, 320 }, servers = { 3, 5 },
    agents = { 1, 3 }, agent_services = { 250, 1000 }, agent_queues = { 3, 24, 96 },
  },
  {
    blocks = { 6, 18, 36, 72, 160, 264, 400, 850 }, pairs = { 5, 7, 10 },
    grids = { "4x96", "40x256", "264x128", "2112x512" }, launches = { 6, 24, 100, 500 }, host_threads = { 5, 8 }, spins = { 3, 8, 12, 40 },
    nodes = { 5, 7, 10, 20, 40, 80 }, copies_from = 32, peer_sizes = 12, put_sizes = 8, window = 10, peer_window = 24,
    at_once = { 32768, 524288, 2097152, 16777216 },
    kernel_blocks = { 5, 10, 20, 40, 80, 120 }, kernel_threads = { 256, 768 }, kernel_bytes = { 16384, 131072, 1048576, 8388608, 67108864 },
    put_threads = { 192, 768 }, delays = { 4, 8, 12, 25, 40, 150, 300 },
    allreduce_bytes = { 2048, 16384, 131072, 1048576, 8388608 }, rings = { 2, 8, 32 }, ring_threads = { 192, 768 },
    queues = { 5, 10, 20, 40, 80, 160, 240, 400 }, windows = { 1, 2, 10 }, queues_of_services = { 5, 20, 80, 160 }, services = { 100, 2000 },
    few_servers = { 1, 2 }, queues_of_servers = { 10, 40, 160, 400 }, servers = { 2, 6 },
    agents = { 1, 2 }, agent_services = { 100, 700 }, agent_queues = { 5, 40, 160 },
  },
}

local function add_all(set)
  for _, memory in ipairs { "host", "device", "peer" } do
    for _, scope in ipairs(memory == "device" and { "sys", "gpu" } or { "sys" }) do
      add("scaling", { memory }, { "load_" .. scope, "store_release_" .. scope, "atomic_add_" .. scope }, { "own_line" }, set.blocks)
      add("scaling", { memory }, { "atomic_add_" .. scope }, { "same" }, set.blocks)
    end
  end
  add("flags", { "rtt_gpu" }, with("pairs=", set.pairs, "_release_acquire"))
  add("flags", { "rtt_gpu" }, with("pairs=", set.pairs, "_relaxed"))
  add("launch", { "launch_enqueue", "launch_plus_sync" }, with("grid=", set.grids))
  add("launch", { "back_to_back_total_per_launch" }, with("N=", set.launches))
  add("launch", { "multi_thread_total_per_launch_per_thread" }, with("", set.host_threads, "threads_1gpu"))
  add("launch", { "stream_chain_period_grid1", "stream_chain_period_grid1056x256" }, with("spin=", set.spins, "us"))
  for _, kind in ipairs { "_chain", "_parallel" } do
    add("graphs", { "graph_launch_call", "graph_launch_plus_sync", "graph_back_to_back_per_graph" }, with("nodes=", set.nodes, kind))
  end
  local sizes, peer_sizes = powers_of_4(set.copies_from, 11), powers_of_4(set.copies_from, set.peer_sizes)
  add("copies", { "D2H", "H2D" }, { "pinned", "pageable" }, sizes)
  add("copies in a window", { "D2H", "H2D" }, { "pinned", "pageable" }, sizes)
  add("peer copies", peer_sizes)
  add("peer copies in a window", peer_sizes)
  add("copies at once", { "D2H_gpu0", "H2D_gpu0", "D2H+H2D_gpu0" }, set.at_once)
  add("copies by kernels", { "store", "load", "local" }, set.kernel_blocks, set.kernel_threads, set.kernel_bytes)
  add("put with signal", powers_of_4(set.copies_from, set.put_sizes), set.put_threads)
  add("front end", { "device", "host" }, set.delays)
  add("allreduce", set.allreduce_bytes, set.rings, set.ring_threads)
  local posts = { "fenced", "packed" }
  add("host queues", posts, set.queues, { 1 }, { 0 }, set.windows)
  add("host queues", posts, set.queues_of_services, set.few_servers, set.services, { 1 })
  add("host queues", posts, set.queues_of_servers, set.servers, { 0 }, { 1 })
  add("GPU agents", { "thread", "warp", "packed_thread", "packed_warp" }, set.queues, set.agents, { 0 }, { 1 })
  add("GPU agents", { "thread", "warp" }, set.agent_queues, { 1 }, set.agent_services, { 1 })
end

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
    return cuda.copy { direction = directions[direction], memory = memory, bytes = bytes .. "B", window = window, repeats = 2 }.time
  end
end
local function peer_copy(window)
  return function(bytes)
    return cuda.copy { direction = "device-to-device", bytes = bytes .. "B", window = window, repeats = 2 }.time
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
  return cuda.launch(call).time
end

local operations = { load = "load", store = "store_release", atomic = "atomic" }
local memories = { host = "host", device = "gpu", peer = "peer" }
local ways = { store = { to = "peer" }, load = { from = "peer" }, ["local"] = {} }
local streams = { ["D2H_gpu0"] = { 1, 0 }, ["H2D_gpu0"] = { 0, 1 }, ["D2H+H2D_gpu0"] = { 1, 1 } }
local most_passes = 64 -- more would not change the time of a pass

local function runs_of(set)
  return {
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
    copies = copy(1), ["copies in a window"] = copy(set.window),
    ["peer copies"] = peer_copy(1), ["peer copies in a window"] = peer_copy(set.peer_window),
    ["copies at once"] = function(what, bytes)
      local s = streams[what]
      return { us = bytes / 1e3 / cuda.copies { to_host = s[1], to_device = s[2], bytes = bytes .. "B" }.bandwidth:GBps() }
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
end

local function parts_of(name)
  local parts = {}
  for part in name:gmatch "[^/]+" do parts[#parts + 1] = part end
  return table.unpack(parts)
end

-- The study of a set, 1 or 2, beside what was measured (`file`).
return function(number, title, file)
  local set = sets[number]
  local run = runs_of(set)
  add_all(set)
  return study {
    title = title,
    long = true,
    machine = function(p) return (p.experiment == "host queues" or p.experiment == "GPU agents") and h200x2 { nodes = 2 } or h200x2 end,
    vary = zip { experiment = experiments, point = points },
    measured = file,
    run = function(p)
      local time = run[p.experiment](parts_of(p.point))
      return { time = type(time) == "table" and string.format("%.6fus", time.us) or time }
    end,
    plot = file and { x = "time_measured_us", x_label = "Measured", y = "time_us", y_label = "Simulated", by = "experiment", style = "points" },
  }
end
