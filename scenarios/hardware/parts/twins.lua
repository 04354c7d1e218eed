-- The simulated twin of each row of a probe's table (docs/hardware.md): its name, what was measured, and the workload
-- that gives the same number. A row whose twin is nil has none, and is left out.

local us, ns = 1e-6, 1e-9

-- Of a GPU thread's operations, by their names in the tables.
local operations = {
  load = { operation = "load" },
  load_acquire_sys = { operation = "load_acquire" },
  store_plus_fence_sys = { operation = "store_fence" },
  store_release_sys = { operation = "store_release" },
  fence_sys_alone = { operation = "fence" },
  atomic_add_return = { operation = "atomic" },
  atomic_cas_return = { operation = "atomic" },
  atomic_exch_return = { operation = "atomic" },
  load_sys = { operation = "load" },
  fence_sys = { operation = "fence" },
  atomic_add_sys = { operation = "atomic" },
  load_gpu = { operation = "load" },
  store_release_gpu = { operation = "store_release", scope = "device" },
  fence_gpu = { operation = "fence", scope = "device" },
  atomic_add_gpu = { operation = "atomic" },
}
local memories = { host = "host", host_op = "host", dev_op = "gpu", device = "gpu", peer = "peer" }

local function operation(memory, what, more)
  local call = operations[what]
  if call == nil or memories[memory] == nil then return nil end
  local arguments = { memory = memories[memory] }
  for key, value in pairs(call) do arguments[key] = value end
  for key, value in pairs(more or {}) do arguments[key] = value end
  return function() return gpu_operation(arguments).time_us * us end
end

local tables = {}

function tables.signal(row)
  local pairs_, order = string.match(row.param, "^pairs=(%d+)_(%a+)")
  if row.what == "rtt_gpu" and order ~= nil then
    return row.median_ns * ns, function()
      return flag_round_trip { pairs = tonumber(pairs_), ordered = order == "release" }.time_us * us
    end
  end
  return row.median_ns * ns, operation(row.what, row.param)
end

function tables.scaling(row)
  return row.mean_ns_per_op_median * ns, operation(row.memory, row.what, {
    work_groups = row.blocks, same_line = string.match(row.address, "^same") ~= nil })
end

function tables.flags(row)
  local polled, order = string.match(row.what, "^rtt_poll_(%a+)_(%a+)")
  if polled ~= nil then
    return row.median_ns * ns, function()
      return flag_round_trip { partner = "peer", polled = polled, ordered = order == "release" }.time_us * us
    end
  end
  local place, what = string.match(row.what, "^(%a+)_(.*)$")
  local names = { store_plus_fence_sys = what, dependent_load = "load", atomic_return = "atomic_add_return",
                  fence_sys_alone = what }
  return row.median_ns * ns, operation(place == "remote" and "peer" or "device", names[what] or "")
end

-- "1056x256": work-groups and work-items.
local function grid(text)
  local groups, threads = string.match(text, "^(%d+)x(%d+)$")
  return { work_groups = tonumber(groups), threads = tonumber(threads) }
end

local function launch(arguments)
  return function() return kernel_launch(arguments).time_us * us end
end

local launches = {}

function launches.launch_enqueue(param)
  local call = grid(string.match(param, "^grid=(.*)$"))
  call.measured = "call"
  return launch(call)
end

function launches.launch_plus_sync(param) return launch(grid(string.match(param, "^grid=(.*)$"))) end

function launches.back_to_back_total_per_launch(param)
  return launch { measured = "back_to_back", launches = math.min(tonumber(string.match(param, "^N=(%d+)$")), 256) }
end

function launches.multi_thread_total_per_launch_per_thread(param)
  local threads = string.match(param, "^(%d)threads_1gpu")
  return threads and launch { measured = "back_to_back", launches = 64, processes = tonumber(threads) }
end

local function spin(param) return string.match(param, "^spin=(%d+)us$") .. "us" end
function launches.stream_chain_period_grid1(param) return launch { measured = "period", spin = spin(param) } end
function launches.graph_chain_period_grid1(param)
  return launch { measured = "period", kernels = 20, spin = spin(param) }
end

local function graph(param, more)
  local nodes, kind = string.match(param, "^nodes=(%d+)_(%a+)$")
  more.kernels, more.branches = tonumber(nodes), kind == "parallel"
  return launch(more)
end

function launches.graph_launch_call(param) return graph(param, { measured = "call" }) end
function launches.graph_launch_plus_sync(param) return graph(param, {}) end
function launches.graph_back_to_back_per_graph(param)
  return graph(param, { measured = "back_to_back", launches = 16 })
end
function launches.stream_k_launches_plus_sync(param)
  local kernels = tonumber(string.match(param, "^kernels=(%d+)$"))
  return function()
    return kernel_launch { measured = "back_to_back", launches = kernels }.time_us * us * kernels
  end
end

function tables.launch(row)
  local twin = launches[row.what]
  return row.median_us * us, twin and twin(row.param)
end

local directions = { D2H = "device-to-host", H2D = "host-to-device" }

-- A copy by itself and, where there is one, a window of them.
local function copies(arguments, bytes, single_us, GBps, window)
  arguments.bytes = string.format("%dB", bytes)
  return single_us * us, function() return cuda_copy(arguments).time_us * us end,
    GBps and bytes / (GBps * 1e9), GBps and function()
      local many = { window = math.min(window, 16), repeats = 2 }
      for key, value in pairs(arguments) do many[key] = value end
      return cuda_copy(many).time_us * us
    end
end

function tables.copies(row)
  if directions[row.dir] == nil then return nil end
  return copies({ direction = directions[row.dir], memory = row.mem }, row.bytes, row.total_median_us, row.GBps_window,
                row.window)
end

function tables.peercopy(row)
  return copies({ direction = "device-to-device" }, row.bytes, row.total_median_us, row.GBps_window, row.window)
end

-- Queues of work-groups, served by host threads or by threads of the GPU. What a row says of 1,056 looks is left out.
local function queues(design_of)
  return function(row)
    local post = string.match(row.variant, "^packed") and "packed" or row.variant == "line" and "line" or "fenced"
    local operations = math.max(math.min(row.ops_per_wg, 4000 // row.wgs), 10)
    local arguments = {
      design = design_of(row), operation = "nop", work_groups = row.wgs, service_threads = row.servers,
      operations = operations // row.window * row.window, posts = row.window, post = post, threads = 32,
      service_time = string.format("%dns", row.service_ns),
    }
    return row.lat_mean_us * us, function() return queue_service(arguments).latency_us * us end
  end
end

tables.host_queues = queues(function()
  return design { from = "dgpu-host-queue", poll_loop = "ahead", network_library = "per_thread" }
end)
tables.gpu_agent = queues(function(row)
  return design { from = string.match(row.variant, "warp") and "gpu-warp" or "gpu-thread", queue = "gpu",
                  network_library = "per_thread" }
end)

-- OSU benchmarks between two nodes, by Open MPI: microseconds, and megabytes a second.
function tables.osu_latency(row)
  return row.value * us, function()
    return osu_latency { design = "openmpi-d", placement = "inter-node", bytes = string.format("%dB", row.bytes) }.latency_us * us
  end
end
function tables.osu_bandwidth(row)
  return 1 / (row.value * 1e6), function()
    return 1e-9 / osu_bandwidth { design = "openmpi-d", placement = "inter-node",
      bytes = string.format("%dB", row.bytes) }.bandwidth_GBps
  end
end

-- Columns that say what was measured, and not how it came out.
local keys = {
  signal = { "what", "param" }, scaling = { "memory", "what", "address", "blocks" }, flags = { "what" },
  osu_latency = { "bytes" }, osu_bandwidth = { "bytes" },
  host_queues = { "wgs", "servers", "service_ns", "window", "variant" },
  gpu_agent = { "wgs", "servers", "service_ns", "window", "variant" },
  launch = { "what", "param" }, copies = { "dir", "mem", "bytes" }, peercopy = { "bytes" },
}

local function median(values)
  table.sort(values)
  local half = #values // 2
  return #values % 2 == 1 and values[half + 1] or (values[half] + values[half + 1]) / 2
end

local function add(names, twins, name, table_name, measured, simulate)
  if simulate == nil or measured == nil or measured <= 0 then return end
  if twins[name] == nil then
    names[#names + 1] = name
    twins[name] = { table = table_name, values = {}, simulate = simulate }
  end
  table.insert(twins[name].values, measured)
end

-- The twins of all rows: { name, table, measured, simulate }, by name; of several runs the median.
local function twins_of(data, is_meant)
  local names, twins = {}, {}
  for _, part in ipairs(data) do
    for _, row in ipairs(part.rows) do
      local words = { part.table }
      for _, key in ipairs(keys[part.table] or {}) do words[#words + 1] = tostring(row[key]) end
      local name = table.concat(words, " ")
      if tables[part.table] ~= nil and is_meant(part.table, row) then
        local measured, simulate, measured_window, simulate_window = tables[part.table](row)
        add(names, twins, name, part.table, measured, simulate)
        add(names, twins, name .. " window", part.table, measured_window, simulate_window)
      end
    end
  end
  return names, twins
end

-- The split, stated before any run: costs of primitives by themselves are for calibration; what many do at a time, what copies in
-- windows, and all that is served by somebody are tests.
local function always() return true end
local by_itself = {
  osu_latency = always, osu_bandwidth = always,
  signal = function(row) return row.what ~= "rtt_gpu" or string.match(row.param, "^pairs=1_") end,
  scaling = function(row)
    return row.blocks == 1 or row.blocks == 480 and row.what == "store_release_sys" and row.memory ~= "peer"
      or row.blocks == 256 and string.match(row.address, "^same")
  end,
  flags = function(row) return not string.match(row.what, "^rtt") end,
  launch = function(row)
    return row.param == "grid=1x32" or row.param == "N=128" or row.param == "4threads_1gpu" or row.param == "spin=5us"
      or row.param == "nodes=1_chain" or row.param == "nodes=16_chain" or row.param == "nodes=16_parallel"
  end,
  copies = function(row) return row.bytes == 8 or row.bytes == 8192 or row.bytes == 131072 or row.bytes == 8388608 end,
  peercopy = function(row) return row.bytes == 8 or row.bytes == 524288 or row.bytes == 134217728 end,
  host_queues = function(row)
    return row.servers == 1 and row.wgs == 16 and row.variant == "packed"
  end,
  gpu_agent = function(row)
    return row.servers == 1 and (row.wgs == 1 or row.wgs == 16) and row.variant == "thread" and row.service_ns == 0
  end,
}

-- A study with a point for each row of `data`, { { table = "signal", rows = { ... } }, ... }, on `machine`: those for
-- `use` = "calibrate" or "test", or all.
local function study_of(title, machine, data, use)
  local names, twins = twins_of(data, function(name, row)
    local fit = by_itself[name] ~= nil and by_itself[name](row) and true or false
    return use == nil or fit == (use == "calibrate")
  end)
  if #names == 0 then error("no row of these tables has a simulated twin; docs/hardware.md lists those that have") end
  if type(machine) == "function" then machine = machine() end
  return study {
    title = title,
    machine = machine,
    vary = { { "row", names } },
    run = function(p)
      local twin = twins[p.row]
      local target = median({ table.unpack(twin.values) })
      return { simulated = twin.simulate(), target = target, tolerance = 0.08 }
    end,
  }
end

return { study = study_of }
