-- SPDX-License-Identifier: BSD-3-Clause
-- The simulated twin of each row of a micro-benchmark's table: what was measured, in seconds, and the workload that gives
-- the same number. `gpunetsim calibrate MACHINE DATA...` makes a study of them. docs/use/calibrate.md is the page about it.
local cuda = require "benchmarks.parts.cuda"
local streams = require "scenarios.hardware.parts.streams"
local jacobi3d = require "scenarios.hardware.parts.jacobi3d"
local texts = require "scenarios.calibration.parts.texts"
local facts = require "scenarios.calibration.parts.facts"

-- --- cells ---------------------------------------------------------------------------------------

local scales = { ns = 1e-9, us = 1e-6, ms = 1e-3, s = 1 }
local missing = { [""] = true, ["-"] = true, nan = true, NaN = true, NA = true, ["n/a"] = true }
local reading -- the file whose rows are read

-- What was measured, in `column`: nil where the table has none of it. Its row has its line at place 0.
local function measured(row, column)
  local value = row[column]
  if value == nil or missing[value] then return nil end
  if type(value) ~= "number" or not (value > 0 and value < math.huge) then
    error(string.format("%s:%d: %s is %s, no number above 0; what was not measured is -", reading, row[0], column, value), 0)
  end
  return value
end

-- What was measured, in the one of these columns that has it, by the column's scale. Two that have it would be two answers.
local function scaled(row, columns)
  local found, from
  for column, scale in pairs(columns) do
    local value = measured(row, column)
    if value and found then
      if column < from then column, from = from, column end
      error(string.format("%s:%d: two columns have one measure: %s and %s", reading, row[0], from, column), 0)
    end
    if value then found, from = value * scale, column end
  end
  return found
end

-- The time in column NAME_ns, NAME_us, NAME_ms or NAME_s.
local function seconds(row, name)
  local columns = {}
  for unit, scale in pairs(scales) do columns[name .. "_" .. unit] = scale end
  return scaled(row, columns)
end

-- What `bytes` take at the rate in column GBps... or MBps...
local function seconds_at(row, name, bytes)
  local rate = scaled(row, { ["GBps" .. name] = 1e9, ["MBps" .. name] = 1e6 })
  return rate and bytes / rate
end

-- A cell as text, "" where there is none; as a whole number from `low` to `high`, nil where it is none.
local function text(row, name) return row[name] ~= nil and tostring(row[name]) or "" end
local function count(value, low, high)
  local number = (type(value) == "number" or string.match(value or "", "^%d+$")) and tonumber(value)
  if number and number == math.floor(number) and number >= low and number <= high then return math.floor(number) end
end

-- A set of the texts of these lists; and the texts of one, in order.
local function set(...)
  local all = {}
  for _, list in ipairs { ... } do
    for _, item in ipairs(list) do all[item] = true end
  end
  return all
end
local function sorted(all)
  local list = {}
  for item in pairs(all) do list[#list + 1] = item end
  table.sort(list)
  return list
end

local function with(first, more)
  local all = {}
  for key, value in pairs(first) do all[key] = value end
  for key, value in pairs(more) do all[key] = value end
  return all
end

-- --- kinds of tables -----------------------------------------------------------------------------

-- Of each kind: `columns` that its rows need, by which a table of another name is known too; `keys`, those that say what was measured;
-- `also`, others that are no results and may be there; `group` and `number`, see below; twin(row, add), which calls add(suffix, seconds, simulate) for each twin.
local kinds = {}

-- Operations of a GPU thread, by their names in the tables.
local operations = {
  load = { operation = "load" },
  load_sys = { operation = "load" },
  load_gpu = { operation = "load" },
  dependent_load = { operation = "load" },
  load_acquire_sys = { operation = "load_acquire" },
  store_plus_fence_sys = { operation = "store_fence" },
  store_release_sys = { operation = "store_release" },
  store_release_gpu = { operation = "store_release", scope = "device" },
  fence_sys_alone = { operation = "fence" },
  fence_sys = { operation = "fence" },
  fence_gpu = { operation = "fence", scope = "device" },
  atomic_return = { operation = "atomic" },
  atomic_add_return = { operation = "atomic" },
  atomic_cas_return = { operation = "atomic" },
  atomic_exch_return = { operation = "atomic" },
  atomic_add_sys = { operation = "atomic" },
  atomic_add_gpu = { operation = "atomic" },
}
local memories = { host = "host", host_op = "host", dev_op = "gpu", device = "gpu", ["local"] = "gpu",
                   peer = "peer", remote = "peer" }

local function operation(memory, what, more)
  if operations[what] == nil or memories[memory] == nil then return nil end
  local arguments = with(with(operations[what], { memory = memories[memory] }), more or {})
  return function() return gpu_operation(arguments).time_us * 1e-6 end
end

kinds.signal = {
  columns = { "what", "param", "median_ns" }, keys = { "what", "param" },
  twin = function(row, add)
    local pairs_, order = string.match(text(row, "param"), "^pairs=(%d+)_(%a+)")
    local time = seconds(row, "median")
    if text(row, "what") == "rtt_gpu" and count(pairs_, 1, 32) then
      add("", time, function()
        return flag_round_trip { pairs = tonumber(pairs_), ordered = order == "release" }.time_us * 1e-6
      end)
    else
      add("", time, operation(text(row, "what"), text(row, "param")))
    end
  end,
  is_fit = function(row) return text(row, "what") ~= "rtt_gpu" or string.match(text(row, "param"), "^pairs=1_") end,
}

kinds.scaling = {
  columns = { "memory", "what", "address", "blocks", "mean_ns_per_op_median" },
  keys = { "memory", "what", "address", "blocks" }, also = { "n_blocks" },
  group = { "memory", "what", "address" },
  number = function(row) return count(row.blocks, 1, 4096) end,
  fit_at = { 1, 480, 4096 },
  twin = function(row, add)
    local blocks, time_ns = count(row.blocks, 1, 4096), measured(row, "mean_ns_per_op_median")
    add("", time_ns and time_ns * 1e-9, blocks and operation(
      text(row, "memory"), text(row, "what"),
      { work_groups = blocks, repeats = blocks > 100 and 8 or 20, same_line = string.match(text(row, "address"), "^same") ~= nil }))
  end,
}

kinds.flags = {
  columns = { "what", "median_ns" }, keys = { "what" },
  twin = function(row, add)
    local what, time = text(row, "what"), seconds(row, "median")
    local polled, order = string.match(what, "^rtt_poll_(%a+)_(%a+)")
    if polled == "local" or polled == "remote" then
      add("", time, function()
        return flag_round_trip { partner = "peer", polled = polled, ordered = order == "release" }.time_us * 1e-6
      end)
    else
      local place, name = string.match(what, "^(%a+)_(.*)$")
      add("", time, operation(place or "", name or ""))
    end
  end,
  is_fit = function(row) return not string.match(text(row, "what"), "^rtt") end,
}

local function launch(arguments)
  return function() return cuda.launch(arguments).time:us() * 1e-6 end
end

-- "grid=1056x256": work-groups and work-items.
local function grid(param, more)
  local groups, threads = string.match(param, "^grid=(%d+)x(%d+)$")
  if not count(groups, 1, 1000000) or not count(threads, 1, 1024) then return nil end
  return launch(with({ work_groups = tonumber(groups), threads = tonumber(threads) }, more))
end

local function graph(param, more)
  local number, kind = string.match(param, "^nodes=(%d+)_(%a+)$")
  local nodes = count(number, 1, 1000)
  if nodes == nil or kind ~= "chain" and kind ~= "parallel" then return nil end
  return launch(with({ kernels = nodes, branches = kind == "parallel" and nodes > 1 }, more))
end

-- In microseconds: "spin=5us".
local function spin(param, more)
  local time = string.match(param, "^spin=(%d+)us")
  return time and launch(with({ measured = "period", spin = time .. "us" }, more))
end

local launches = {
  launch_enqueue = function(param) return grid(param, { measured = "call" }) end,
  launch_plus_sync = function(param) return grid(param, {}) end,
  back_to_back_total_per_launch = function(param)
    local launched = count(string.match(param, "^N=(%d+)$"), 1, 10000)
    return launched and launch { measured = "back_to_back", launches = math.min(launched, 256) }
  end,
  multi_thread_total_per_launch_per_thread = function(param)
    local threads = count(string.match(param, "^(%d+)threads_1gpu"), 1, 16)
    return threads and launch { measured = "back_to_back", launches = 64, processes = threads }
  end,
  stream_chain_period_grid1 = function(param) return spin(param, {}) end,
  stream_chain_period_grid1056x256 = function(param) return spin(param, { work_groups = 1056, threads = 256 }) end,
  cross_stream_event_chain_period = function(param) return spin(param, { streams = 2 }) end,
  graph_chain_period_grid1 = function(param) return spin(param, { kernels = 20 }) end,
  graph_launch_call = function(param) return graph(param, { measured = "call" }) end,
  graph_launch_plus_sync = function(param) return graph(param, {}) end,
  graph_back_to_back_per_graph = function(param) return graph(param, { measured = "back_to_back", launches = 16 }) end,
  stream_k_launches_plus_sync = function(param)
    local kernels = count(string.match(param, "^kernels=(%d+)$"), 1, 10000)
    local each = kernels and launch { measured = "back_to_back", launches = kernels }
    return each and function() return each() * kernels end
  end,
}

kinds.launch = {
  columns = { "what", "param", "median_us" }, keys = { "what", "param" },
  group = { "what" },
  number = function(row) return tonumber(string.match(text(row, "param"), "%d+")) end,
  fit_at = { 1, 16, 128 },
  twin = function(row, add)
    local twin = launches[text(row, "what")]
    add("", seconds(row, "median"), twin and twin(text(row, "param")))
  end,
}

-- Launches by a thread that sleeps while it waits.
local function sleeping(measured)
  return function(param)
    local time = string.match(param, "^spin=(%d+)us")
    if time then return launch { measured = measured, spin = time .. "us", sleeps = true } end
    return grid(param, { measured = measured, sleeps = true })
  end
end
local sleeping_launches = { launch_enqueue = sleeping("call"), launch_plus_sync = sleeping("synchronize") }

kinds.launch_blockingsync = {
  columns = { "what", "param", "median_us" }, keys = { "what", "param" },
  twin = function(row, add)
    local twin = sleeping_launches[text(row, "what")]
    add("", seconds(row, "median"), twin and twin(text(row, "param")))
  end,
  is_fit = function(row) return text(row, "param") == "grid=1x32" or text(row, "param") == "spin=0us" end,
}

-- A copy by itself, the call alone, and a window of them.
local function copies(row, arguments, add)
  local bytes = count(row.bytes, 0, 1 << 30)
  if bytes == nil then return end
  arguments.bytes = string.format("%dB", bytes)
  local window = count(row.window, 1, 1000)
  add("", seconds(row, "total_median"), function() return cuda.copy(arguments).time:us() * 1e-6 end)
  if arguments.memory ~= "pageable" then
    add(" call", seconds(row, "enqueue_median"), function()
      return cuda.copy(with(arguments, { measured = "call" })).time:us() * 1e-6
    end)
  end
  add(" window", window and seconds_at(row, "_window", bytes), function()
    return cuda.copy(with(arguments, { window = math.min(window, 16), repeats = 2 })).time:us() * 1e-6
  end)
end

kinds.front_end = {
  columns = { "flags_in", "delay_us", "median_ns" }, keys = { "flags_in", "delay_us" },
  twin = function(row, add)
    local places, delay = { device = "gpu", host = "host" }, count(row.delay_us, 0, 1000000)
    local place = places[text(row, "flags_in")]
    add("", seconds(row, "median"), place and delay and function()
      return flag_round_trip { partner = "stream", place = place, delay = delay .. "us" }.time_us * 1e-6
    end)
  end,
  is_fit = function() return false end, -- when a flag is seen depends on where in its rounds the front end is: no slope tells it
}

local directions = { D2H = "device-to-host", H2D = "host-to-device", D2D = "device-to-device" }
local host_memories = { pinned = "pinned", pageable = "pageable" }

kinds.copies = {
  columns = { "dir", "mem", "bytes", "total_median_us" }, keys = { "dir", "mem", "bytes" }, also = { "window" },
  group = { "dir", "mem" },
  number = function(row) return tonumber(row.bytes) end,
  fit_at = { 8, 8192, 131072, 8388608 },
  twin = function(row, add)
    local direction, memory = directions[text(row, "dir")], host_memories[text(row, "mem")]
    if direction and memory then copies(row, { direction = direction, memory = memory }, add) end
  end,
}

kinds.peercopy = {
  columns = { "bytes", "total_median_us" }, keys = { "bytes" }, also = { "window", "event_us_per_copy_in_window" },
  group = {},
  number = function(row) return tonumber(row.bytes) end,
  fit_at = { 8, 524288, 134217728 },
  twin = function(row, add) copies(row, { direction = "device-to-device" }, add) end,
}

-- Queues of work-groups, served by host threads or by threads of the GPU; posts[variant] is how operations are posted.
local function served_by(posts, design_of)
  return function(row, add)
    local work_groups, servers = count(row.wgs, 1, 65536), count(row.servers, 1, 64)
    local window, service_ns = count(row.window or 1, 1, 64), count(row.service_ns or 0, 0, 1000000)
    local served = count(row.ops_per_wg or 100, 1, 1000000)
    local variant = text(row, "variant")
    local post = posts[variant]
    if not (work_groups and servers and window and service_ns and served and post) then return end
    local operations_ = math.max(math.min(served, 2000 // work_groups), 6, window) // window * window
    local arguments = {
      design = design { from = design_of(variant), service_threads = servers }, operation = "nop", work_groups = work_groups,
      operations = operations_, posts = window, post = post, threads = 32,
      service_time = string.format("%dns", service_ns),
    }
    add("", seconds(row, "lat_mean"), function() return queue_service(arguments).latency_us * 1e-6 end)
  end
end

local queue_also = { "ops_per_wg", "sweep_mean_us" }
local queue_keys = { "wgs", "servers", "service_ns", "window", "variant" }
local function is_small(row) return row.servers == 1 and (row.wgs == 1 or row.wgs == 16) and (row.window or 1) == 1 end

kinds.host_queues = {
  columns = { "wgs", "servers", "variant", "lat_mean_us" }, keys = queue_keys, also = queue_also,
  twin = served_by({ fenced = "fenced", packed = "packed", line = "line" }, function()
    return design { from = "dgpu-host-queue", poll_loop = "ahead", nic_queue = { sharers = 1 } }
  end),
  is_fit = function(row) return is_small(row) and row.variant == "packed" end,
}

kinds.gpu_agent = {
  columns = { "wgs", "servers", "variant", "lat_mean_us" }, keys = queue_keys, also = queue_also,
  twin = served_by({ thread = "fenced", warp = "fenced", packed_thread = "packed", packed_warp = "packed" }, function(variant)
    local kind = string.match(variant, "warp") and "gpu-warp" or "gpu-thread"
    return design { from = kind, queue = { memory = "gpu" }, nic_queue = { sharers = 1 } }
  end),
  is_fit = function(row) return is_small(row) and row.variant == "thread" and (row.service_ns or 0) == 0 end,
}

-- Queues in GPU memory that a host thread serves by calls of the runtime: one copy of all entries and one of all completions (mailbox),
-- or one copy of the write indices, one of each new entry and one of all completions (ring).
local function runtime_copy(direction, bytes, window)
  return cuda.copy { direction = direction, bytes = bytes .. "B", window = window, repeats = 2 }.time:us() * 1e-6 * window
end

kinds.runtime_polled = {
  columns = { "wgs", "variant", "lat_mean_us", "polls" }, keys = { "wgs", "variant" }, also = { "ops_per_wg" },
  twin = function(row, add)
    local wgs, variant = count(row.wgs, 1, 4096), text(row, "variant")
    if wgs == nil or variant ~= "ring" and variant ~= "mailbox" then return end
    add("", seconds(row, "lat_mean"), function()
      if variant == "ring" then
        return runtime_copy("device-to-host", 4 * wgs, 1) + runtime_copy("device-to-host", 64, wgs) +
               runtime_copy("host-to-device", 4 * wgs, 1)
      end
      return queue_service { design = design { from = "dgpu", queue = { polling = "runtime_call" }, nic_queue = { sharers = 1 } },
                             operation = "nop", work_groups = wgs, operations = 40, warmup = 4, threads = 32 }.latency_us * 1e-6
    end)
  end,
  is_fit = function(row) return row.wgs == 1 and row.variant == "mailbox" end,
}

-- Pinned copies on several streams at once.
kinds.concurrent = {
  columns = { "what", "bytes", "GBps_median" }, keys = { "what", "bytes" },
  twin = function(row, add)
    local bytes, ways = count(row.bytes, 1, 1 << 30), streams[text(row, "what")]
    if bytes == nil or ways == nil then return end
    add("", seconds_at(row, "_median", bytes), function()
      return bytes * 1e-9 / cuda.copies(with(ways, { bytes = bytes .. "B" })).bandwidth:GBps()
    end)
  end,
  is_fit = function() return false end,
}

-- A put followed by a signal, by the loads and stores of one block: half of a round trip of a ping-pong.
local function put_signal(bytes, threads)
  local w = program { design = design { from = "rocshmem-ipc", copy_unroll = 4 }, nodes = 1, gpus_per_node = 2 }
  local ball, bell = w:buffer(bytes .. "B"), w:signals(2)
  w:parties { threads = threads, program = function(me)
    local other = 1 - me.rank
    for turn = 1, 3 do -- the first warms up
      local hit = { buffer = ball, signal = bell, index = turn % 2, value = turn }
      local start = me:now()
      if me.rank == 0 then me:put_signal(with(hit, { to = other })) end
      me:wait_until(with(hit, { from = other }))
      if me.rank == 1 then me:put_signal(with(hit, { to = other })) end
      if me.rank == 0 and turn > 1 then me:record("one_way", (me:now() - start) / 2) end
    end
  end }
  return w:run().one_way_us * 1e-6
end

kinds.put_signal = {
  columns = { "bytes", "threads", "one_way_median_us" }, keys = { "bytes", "threads" },
  twin = function(row, add)
    local bytes, threads = count(row.bytes, 1, 1 << 30), count(row.threads, 1, 1024)
    add("", seconds(row, "one_way_median"), bytes and threads and function() return put_signal(bytes, threads) end)
  end,
  is_fit = function() return false end,
}

-- Copies by the loads and stores of a kernel: the time between two events, divided by the number of passes.
local ways = { store = { to = "peer" }, store_bidir = { to = "peer" }, load = { from = "peer" }, ["local"] = {} }
local MOST_PASSES = 32 -- more would not change the time of a pass

kinds.inkernel_bw = {
  columns = { "what", "blocks", "threads", "bytes", "passes", "GBps" }, keys = { "what", "blocks", "threads", "bytes" },
  also = { "kernel_us_per_pass_median" },
  twin = function(row, add)
    local way, blocks, threads = ways[text(row, "what")], count(row.blocks, 1, 65536), count(row.threads, 1, 1024)
    local bytes, passes = count(row.bytes, 16, 1 << 30), count(row.passes, 1, 1000000)
    if not (way and blocks and threads and bytes and passes) then return end
    local simulated = math.min(passes, MOST_PASSES)
    add("", seconds_at(row, "", bytes * (row.what == "store_bidir" and 2 or 1)), function()
      local r = kernel_copy(with(way, { work_groups = blocks, threads = threads, bytes = bytes .. "B", passes = simulated,
                                        remainder = "together" }))
      return (r.time_us + (r.timed_us - r.time_us) * simulated / passes) * 1e-6
    end)
  end,
  is_fit = function(row)
    return row.threads == 1024 and (row.blocks == 1 and row.bytes == 16777216 and row.what ~= "store_bidir" or
                                    row.blocks == 1 and row.bytes == 4096 and row.what == "store" or
                                    row.blocks == 132 and row.bytes == 67108864 and row.what == "load")
  end,
}

kinds.jacobi3d_kernels = {
  columns = { "kernel", "n", "median_us" }, keys = { "kernel", "n" }, also = { "n_batches", "bytes" },
  twin = function(row, add)
    local n = count(row.n, 192, 2048) -- smaller ones end before the next is launched
    if n and row.kernel == "update" then add("", seconds(row, "median"), function() return jacobi3d.update(n).update_us * 1e-6 end) end
  end,
  is_fit = function(row) return row.n == 768 end,
}

local latency = {
  measured = function(row)
    local value = measured(row, "value")
    return value and value * 1e-6
  end,
  simulated = function(result) return result.latency_us * 1e-6 end,
}
-- A byte's time, so that a larger value is a slower machine everywhere.
local bandwidth = {
  measured = function(row)
    local value = measured(row, "value")
    return value and 1 / (value * 1e6)
  end,
  simulated = function(result) return 1e-9 / result.bandwidth_GBps end,
}

-- The cells that are whole numbers above 0, as arguments of a workload.
local function numbers(row, names)
  local arguments = {}
  for _, name in ipairs(names) do arguments[name] = count(row[name], 1, 65536) end
  return arguments
end

-- OSU benchmarks between two nodes, by Open MPI with the GPU's buffers or the host's: microseconds, and megabytes a second. `arguments` are
-- read from a row, and stand before those that are `fixed`.
local function osu(workload, measure, arguments, fixed)
  return {
    columns = { "bytes", "value" }, keys = { "buffers", "pairs", "bytes" }, is_fit = function() return true end,
    twin = function(row, add)
      local bytes, buffers = count(row.bytes, 1, 1 << 30), text(row, "buffers")
      if bytes == nil or buffers == "mixed" then return end
      local call = with(with(fixed, numbers(row, arguments)), { design = "openmpi-d", placement = "inter-node", bytes = bytes .. "B" })
      if buffers ~= "" then call.buffers = buffers end
      add("", measure.measured(row), function() return measure.simulated(workload(call)) end)
    end,
  }
end

kinds.osu_latency = osu(osu_latency, latency, {}, {})
kinds.osu_bandwidth = osu(osu_bandwidth, bandwidth, {}, {})
kinds.osu_bidirectional = osu(osu_bandwidth, bandwidth, {}, { both_ways = true })
kinds.osu_multi_latency = osu(osu_latency, latency, { "pairs" }, { pairs = 2 })
kinds.osu_multi_pair = osu(osu_bandwidth, bandwidth, { "pairs", "window" }, { pairs = 2 })

-- perftest between two nodes.
local function perftest_table(kind, measure, arguments, sizes)
  return {
    columns = { "bytes", "value" }, keys = { "operation", "memory", "queues", "bytes" },
    group = { "operation", "memory", "queues", "both_ways" },
    number = function(row) return text(row, "both_ways") == "" and count(row.bytes, 1, 1 << 30) or nil end,
    fit_at = sizes,
    twin = function(row, add)
      local bytes, operation, both_ways = count(row.bytes, 1, 1 << 30), text(row, "operation"), text(row, "both_ways") ~= ""
      local has_twin = operation ~= "" and (operation ~= "atomic" or kind == "_lat")
      if bytes == nil or not has_twin then return end
      local call = with(numbers(row, arguments), { operation = operation .. kind, bytes = bytes .. "B" })
      if row.memory then call.memory = row.memory end
      if row.inline then call.inline = row.inline .. "B" end
      if both_ways then call.both_ways = true end
      add(both_ways and " both_ways" or "", measure.measured(row), function() return measure.simulated(perftest(call)) end)
    end,
  }
end

kinds.perftest_latency = perftest_table("_lat", latency, {}, { 2, 4096, 1048576 })
kinds.perftest_bandwidth = perftest_table("_bw", bandwidth, { "queues", "tx_depth", "cq_mod", "outstanding_reads" },
                                          { 2, 8388608 })

-- --- which kind a table is -----------------------------------------------------------------------

local names = sorted(kinds)

local function has_columns(part, kind)
  local there = {}
  for _, column in ipairs(part.columns) do there[column] = true end
  for _, column in ipairs(kind.columns) do
    if not there[column] then return false, column end
  end
  return true
end

local function says(part, column, pattern)
  for _, row in ipairs(part.rows) do
    if string.match(text(row, column), pattern) then return true end
  end
  return false
end

-- By its columns: a table of another name. Queues tell by their variants who serves them.
local function kind_by_columns(part)
  if has_columns(part, kinds.host_queues) then
    return (says(part, "variant", "thread") or says(part, "variant", "warp")) and "gpu_agent" or "host_queues"
  end
  for _, name in ipairs { "scaling", "signal", "launch", "copies", "front_end", "concurrent", "put_signal", "inkernel_bw",
                          "runtime_polled", "jacobi3d_kernels" } do
    if has_columns(part, kinds[name]) then return name end
  end
  if has_columns(part, kinds.peercopy) and not says(part, "what", ".") then return "peercopy" end
  if has_columns(part, kinds.flags) and says(part, "what", "^rtt_poll") then return "flags" end
end

local function refuse_columns(part, name, missing)
  error(string.format("%s: a table of \"%s\" has a column \"%s\"; this one has: %s", part.file, name, missing,
                      table.concat(part.columns, ", ")), 0)
end

-- Whether there is a column whose name differs from this one only in the unit at its end.
local function has_other_unit(part, missing)
  local stem = string.match(missing, "^(.*)_%a+$") or missing
  for _, column in ipairs(part.columns) do
    if column == stem or string.match(column, "^(.*)_%a+$") == stem then return true end
  end
  return false
end

-- By its name; by a name with more before or after it ("e4_signal", "signal_2"; the longest that fits), if its columns are right; else
-- by its columns.
local function kind_of(part)
  local kind, by_columns = kinds[part.table], kind_by_columns(part)
  if kind then
    local good, missing = has_columns(part, kind)
    if good then return part.table end
    if by_columns == nil then refuse_columns(part, part.table, missing) end
  end
  local best
  for _, name in ipairs(names) do
    if string.match("_" .. part.table .. "_", "_" .. name .. "_") and #name > #(best or "") then best = name end
  end
  if best == nil then return by_columns end
  local good, missing = has_columns(part, kinds[best])
  if good then return best end
  if by_columns == nil and has_other_unit(part, missing) then refuse_columns(part, best, missing) end
  return by_columns
end

-- --- columns that no kind has -------------------------------------------------------------------

local units = set { "ns", "us", "ms", "s", "GBps", "MBps", "Mops" }
local statistics = set { "median", "mean", "min", "max", "std", "stddev", "single", "window" }
local notes = set { "run", "n", "note", "comment", "GBps", "MBps", "total_Mops_per_s" }

-- Whether a column is what was measured: by its name it ends with a statistic and a unit ("lat_p90_us", "GBps_median"), or is a rate or a
-- number of repetitions.
local function is_result(column)
  local words = {}
  for word in string.gmatch(column, "[^_]+") do words[#words + 1] = word end
  local last, before = words[#words], words[#words - 1]
  local function is_statistic(word) return word and (statistics[word] or string.match(word, "^p%d+$")) end
  return notes[column] or units[last] and (is_statistic(before) or last == "Mops") or units[words[1]] and is_statistic(last)
         or units[before] and is_statistic(last)
end

local function is_empty(part, column)
  for _, row in ipairs(part.rows) do
    if not missing[row[column]] then return false end
  end
  return true
end

-- What tells rows of a table apart, and is not simulated, would be taken for noise.
local function refuse_unknown(part, kind_name)
  local kind = kinds[kind_name]
  local known = set(kind.columns, kind.keys, kind.also or {})
  for _, column in ipairs(part.columns) do
    if not known[column] and not is_result(column) and not is_empty(part, column) then
      error(string.format("%s: a table of \"%s\" has no column \"%s\", which nothing simulates: leave it out if its rows do not depend on it; "
                          .. "known are %s, run, n, note, comment, and results such as p90_us", part.file, kind_name, column,
                          table.concat(sorted(known), ", ")), 0)
    end
  end
end

-- --- which rows are for calibration --------------------------------------------------------------

-- The split, stated before any run: rows that measure the cost of a single primitive are for calibration; rows with many at a time,
-- with copies in windows, and nearly all with served queues are for tests. Where something is measured by size or number of blocks, the
-- rows nearest to `fit_at` are for calibration, in each group.
local function group_of(kind, row)
  local words = {}
  for i, column in ipairs(kind.group) do words[i] = text(row, column) end
  return table.concat(words, " ")
end

local function nearest(kind, data_rows)
  local chosen = {} -- group -> number -> true
  local groups = {}
  for _, row in ipairs(data_rows) do
    local group, number = group_of(kind, row), kind.number(row)
    groups[group] = groups[group] or {}
    if number then table.insert(groups[group], number) end
  end
  for group, numbers in pairs(groups) do
    chosen[group] = {}
    table.sort(numbers)
    for _, wanted in ipairs(kind.fit_at) do
      local best
      for _, number in ipairs(numbers) do
        local off = math.abs(math.log((number + 1) / (wanted + 1)))
        if best == nil or off < math.abs(math.log((best + 1) / (wanted + 1))) then best = number end
      end
      if best then chosen[group][best] = true end
    end
  end
  return chosen
end

local function chooser(kind, data_rows)
  if kind.fit_at == nil then return kind.is_fit end
  local chosen = nearest(kind, data_rows)
  return function(row)
    local number = kind.number(row)
    return number ~= nil and chosen[group_of(kind, row)][number]
  end
end

-- --- the study -----------------------------------------------------------------------------------

local function median(values)
  values = { table.unpack(values) }
  table.sort(values)
  local half = #values // 2
  return #values % 2 == 1 and values[half + 1] or (values[half] + values[half + 1]) / 2
end

local function name_of(kind_name, kind, row)
  local words = { kind_name }
  for _, key in ipairs(kind.keys) do
    local word = text(row, key)
    if word ~= "" then words[#words + 1] = word end
  end
  return table.concat(words, " ")
end

-- Of the windows, those of small pinned copies are for calibration, and those of pageable copies that travel within their command: no other
-- row shows what is done ahead.
local function is_small_window(row)
  local most = text(row, "mem") ~= "pageable" and 262144 or text(row, "dir") == "H2D" and 8192 or 0
  return type(row.bytes) == "number" and row.bytes <= most
end

-- Adds the part's twins to `twins`, by name, and their names to `order`; returns how many rows have one, and the times by name.
local function add_part(part, kind_name, order, twins, is_catalogue)
  local kind, taken, names_here = kinds[kind_name], 0, {}
  reading = part.file
  local is_fit = chooser(kind, part.rows)
  for _, row in ipairs(part.rows) do
    local has_one = false
    kind.twin(row, function(suffix, time, simulate)
      if time == nil or simulate == nil then return end
      local name = name_of(kind_name, kind, row) .. suffix
      if twins[name] == nil then
        order[#order + 1] = name
        local fit = is_catalogue or is_fit(row) and (suffix ~= " window" or is_small_window(row)) and true or false
        twins[name] = { kind = kind_name, use = fit and "calibrate" or "test", values = {}, simulate = simulate }
      end
      table.insert(twins[name].values, time)
      names_here[name] = names_here[name] or {}
      table.insert(names_here[name], time)
      has_one = true
    end)
    taken = taken + (has_one and 1 or 0)
  end
  return taken, names_here
end

-- Files whose rows of the same name differ by this factor or more in the median come from two machines. Hosts of one kind, with the same
-- GPU, differ by more: see docs/use/calibrate.md.
local OF_TWO_MACHINES, OF_TWO_KINDS = 1.2, 2

local function median_of_names(by_name)
  local medians = {}
  for name, values in pairs(by_name) do medians[name] = median(values) end
  return medians
end

-- Refuses two files of one kind that come from different machines; `gpus_in` says which folders tell that their hosts have the same GPU.
local function compare_files(one, other, gpus_in)
  local ratios, most, worst = {}, 0, nil
  for name, value in pairs(other.medians) do
    local before = one.medians[name]
    local ratio = before and math.max(value / before, before / value)
    if ratio then ratios[#ratios + 1] = ratio end
    if ratio and (ratio > most or ratio == most and name < worst) then most, worst = ratio, name end
  end
  local are_two_hosts = one.folder ~= other.folder and gpus_in[one.folder] and gpus_in[other.folder]
  if #ratios > 0 and median(ratios) >= (are_two_hosts and OF_TWO_KINDS or OF_TWO_MACHINES) then
    error(string.format("%s: its rows differ from those of %s by a factor of %.3g in the median (\"%s\": %.3g us and %.3g us); give tables of "
                        .. "one machine, which may be of several runs%s", other.file, one.file, median(ratios), worst,
                        other.medians[worst] * 1e6, one.medians[worst] * 1e6,
                        are_two_hosts and "" or ", or of hosts with the same GPU as the table platform in the folder of each says"), 0)
  end
end

-- `files` is a list of { file, folder, medians = { row = time } }.
local function refuse_other_machine(files, gpus_in)
  for i = 2, #files do
    for k = 1, i - 1 do compare_files(files[k], files[i], gpus_in) end
  end
end

-- The tables and their columns, for a sentence that says that none of them is known.
local function shown(data)
  local list = {}
  for i = 1, math.min(#data, 3) do
    list[i] = string.format("%s has the columns %s", data[i].file, table.concat(data[i].columns, ", "))
  end
  return #list > 0 and table.concat(list, "; ") or "there is none beside those of facts"
end

-- A study with a point for each different row of `data`, files as `calibrate` reads them (texts.lua); for several runs, the median is
-- used. Its title says which rows have no simulated twin.
local function study_of(machine, data, is_catalogue)
  local order, twins, left, files, gpus_in, tables = {}, {}, {}, {}, {}, {}
  for _, part in ipairs(texts(data)) do
    if facts.is_platform(part) then gpus_in[part.folder] = true else tables[#tables + 1] = part end
  end
  for _, part in ipairs(tables) do
    local kind_name, taken, names_here = kind_of(part), 0, nil
    if kind_name then
      refuse_unknown(part, kind_name)
      taken, names_here = add_part(part, kind_name, order, twins, is_catalogue)
      files[kind_name] = files[kind_name] or {}
      table.insert(files[kind_name], { file = part.file, folder = part.folder, medians = median_of_names(names_here) })
    end
    if taken < #part.rows then left[#left + 1] = string.format("%s: %d of %d", part.file, #part.rows - taken, #part.rows) end
  end
  for _, name in ipairs(names) do refuse_other_machine(files[name] or {}, gpus_in) end
  if #order == 0 then
    error("no row of these tables has a simulated twin and a measured value above 0: " .. shown(tables) .. "; tables that have: "
          .. table.concat(names, ", ") .. " (docs/use/calibrate.md)", 0)
  end
  local uses = {}
  for i, name in ipairs(order) do uses[i] = twins[name].use end
  return study {
    title = #left > 0 and "rows without a simulated twin: " .. table.concat(left, ", ") or "rows",
    machine = machine,
    vary = { zip { { "row", order }, { "use", uses } } },
    run = function(p)
      local twin = twins[p.row]
      return { simulated = twin.simulate(), measured = median(twin.values), rows = #twin.values }
    end,
  }
end

-- --- what could be measured ----------------------------------------------------------------------

local function each(name, columns, lines)
  local data_rows = {}
  for _, line in ipairs(lines) do
    local row = {}
    for i, column in ipairs(columns) do row[column] = line[i] end
    for _, column in ipairs(kinds[name].columns) do row[column] = row[column] or 1 end
    data_rows[#data_rows + 1] = row
  end
  return { file = name, table = name, columns = kinds[name].columns, rows = data_rows }
end

-- A study of micro-benchmarks that the probe has, whatever their results: `calibrate` uses it to find one that would determine what the
-- others leave open.
local function catalogue(machine)
  return study_of(machine, {
    each("signal", { "what", "param" }, {
      { "host_op", "load" }, { "host_op", "store_release_sys" }, { "host_op", "store_plus_fence_sys" },
      { "host_op", "fence_sys_alone" }, { "host_op", "atomic_add_return" }, { "dev_op", "load" },
      { "dev_op", "fence_sys_alone" }, { "dev_op", "store_release_sys" }, { "dev_op", "atomic_add_return" },
      { "rtt_gpu", "pairs=1_release_acquire" }, { "rtt_gpu", "pairs=1_relaxed" } }),
    each("scaling", { "memory", "what", "address", "blocks" }, {
      { "host", "atomic_add_sys", "same", 256 }, { "device", "atomic_add_gpu", "same", 256 },
      { "host", "store_release_sys", "own_line", 256 }, { "device", "fence_gpu", "own_line", 1 },
      { "device", "store_release_gpu", "own_line", 1 }, { "peer", "load_sys", "own_line", 1 } }),
    each("flags", { "what" }, {
      { "remote_dependent_load" }, { "remote_store_plus_fence_sys" }, { "remote_atomic_return" },
      { "rtt_poll_local_relaxed" } }),
    each("launch", { "what", "param" }, {
      { "launch_enqueue", "grid=1x32" }, { "launch_plus_sync", "grid=1x32" },
      { "back_to_back_total_per_launch", "N=128" }, { "multi_thread_total_per_launch_per_thread", "4threads_1gpu" },
      { "stream_chain_period_grid1", "spin=5us" }, { "graph_chain_period_grid1", "spin=5us" },
      { "graph_launch_call", "nodes=1_chain" }, { "graph_launch_call", "nodes=64_chain" },
      { "graph_launch_call", "nodes=64_parallel" }, { "launch_plus_sync", "grid=16896x256" },
      { "graph_launch_plus_sync", "nodes=64_chain" } }),
    each("copies", { "dir", "mem", "bytes" }, {
      { "H2D", "pinned", 8 }, { "H2D", "pinned", 65536 }, { "H2D", "pinned", 16777216 }, { "D2H", "pinned", 8 },
      { "D2H", "pinned", 16777216 }, { "H2D", "pageable", 1048576 }, { "D2H", "pageable", 1048576 } }),
    each("peercopy", { "bytes" }, { { 8 }, { 134217728 } }),
    each("perftest_latency", { "operation", "bytes" }, {
      { "write", 2 }, { "send", 2 }, { "read", 2 }, { "write", 4096 }, { "write", 1048576 } }),
    each("perftest_bandwidth", { "operation", "bytes" }, { { "write", 2 }, { "write", 8388608 } }),
    each("host_queues", { "wgs", "servers", "service_ns", "variant", "ops_per_wg" }, {
      { 1, 1, 0, "packed", 50 }, { 16, 1, 0, "packed", 50 }, { 1, 1, 0, "fenced", 50 } }),
    each("gpu_agent", { "wgs", "servers", "service_ns", "variant", "ops_per_wg" }, {
      { 1, 1, 0, "thread", 50 }, { 16, 1, 0, "thread", 50 } }),
  }, true)
end

return { study = study_of, catalogue = catalogue }
