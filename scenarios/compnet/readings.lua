-- SPDX-License-Identifier: BSD-3-Clause
-- What the numbers of ComPNet18 say about what it did not print: its claims under every reading of its text that can be run
-- (claims/readings.lua, with the rule by which a default is chosen), in all combinations.
--
-- It is a fraction of the figures, fixed before the results were seen: gets of 8 B, 512 B and 1 MiB; 480 work-groups with 2 and 16
-- threads, of 4 operations each; 0 to 39 streams in five runs of 300 us; all sizes of Jacobi 2D; allreduces on 2 and 8 nodes; one run
-- each, with fixed phases. Designs are run under the readings listed here for them, and are otherwise as in the scenarios: Jacobi 2D of
-- apu and comp-net with overlapping looks, and allreduces with other rounds, took too long. Fig 11 rests on computing times that nobody
-- printed, and N-55 on 32 nodes: neither is here. The judges are those of the figures' scenarios.
--
--   gpunetsim run scenarios/compnet/readings.lua

local node = require "configs.gcn3_node"
local readings = require "claims.readings"
local judged = require "scenarios.compnet.parts.judged"

local by_name = {}
for _, reading in ipairs(readings) do by_name[reading.name] = reading end

-- Which readings act on which runs.
local parts = {
  { figure = "Fig 4", design = "dgpu-host-queue", by = { "service", "looks", "rounds" } },
  { figure = "Fig 4", design = "dgpu", by = { "service", "looks", "rounds", "polled" } },
  { figure = "Fig 7", design = "comp-net", by = { "platforms", "looks", "rounds", "kept", "queues" } },
  { figure = "Fig 7, locked", design = "comp-net", by = { "platforms", "looks", "rounds", "kept", "queues" } },
  { figure = "Fig 8", design = "dgpu", by = { "platforms", "looks", "rounds", "fetch", "library", "polled" } },
  { figure = "Fig 8", design = "apu", by = { "platforms", "looks", "rounds", "fetch", "library", "writes" } },
  { figure = "Fig 8", design = "comp-net", by = { "platforms", "looks", "rounds", "fetch", "library", "kept" } },
  { figure = "Fig 9", design = "cpu", by = { "arithmetic", "cpu_l2" } },
  { figure = "Fig 9", design = "inter-kernel", by = { "memory" } },
  { figure = "Fig 9", design = "dgpu", by = { "memory", "platforms", "looks", "rounds" } },
  { figure = "Fig 9", design = "apu", by = { "platforms", "rounds" } },
  { figure = "Fig 9", design = "comp-net", by = { "memory", "platforms", "rounds" } },
  { figure = "Fig 10", design = "inter-kernel", by = { "memory" } },
  { figure = "Fig 10", design = "dgpu", by = { "platforms", "chunk" } },
  { figure = "Fig 10", design = "apu", by = { "platforms", "chunk" } },
  { figure = "Fig 10", design = "comp-net", by = { "platforms", "chunk" } },
}

-- --- points ---------------------------------------------------------------------------------------

local run_names = {}
for _, reading in ipairs(readings) do
  if not reading.missing then run_names[#run_names + 1] = reading.name end
end

-- Calls `visit` with every combination of choices, by number, of the readings `names`.
local function combine(names, visit, chosen, from)
  chosen, from = chosen or {}, from or 1
  if from > #names then return visit(chosen) end
  for number in ipairs(by_name[names[from]].choices) do
    chosen[names[from]] = number
    combine(names, visit, chosen, from + 1)
  end
end

local function key_of(part, chosen)
  local key = { part.figure, part.design }
  for _, name in ipairs(part.by) do key[#key + 1] = name .. " " .. chosen[name] end
  return table.concat(key, ", ")
end

local keys, points = {}, {}
for _, part in ipairs(parts) do
  combine(part.by, function(chosen)
    local point = { part = part }
    for _, name in ipairs(part.by) do point[name] = by_name[name].choices[chosen[name]] end
    local key = key_of(part, chosen)
    keys[#keys + 1], points[key] = key, point
  end)
end

-- Puts the tables of `from` into those of `into`.
local function add(into, from)
  for name, value in pairs(from or {}) do
    if type(value) == "table" then
      into[name] = add(into[name] or {}, value)
    else
      into[name] = value
    end
  end
  return into
end

-- What a point's choices set: "machine", "design" or "argument".
local function set_by(point, what, into)
  for _, name in ipairs(point.part.by) do add(into, point[name][what]) end
  return into
end

-- A machine is told nothing that the point's design never reads.
local function machine(p)
  local point = points[p.run]
  local figure, design = point.part.figure, point.part.design
  local changes = set_by(point, "machine", {
    nodes = (figure == "Fig 9" or figure == "Fig 10") and 8 or 2, software = { phases = "fixed" } })
  if design == "comp-net" then changes.host = nil else changes.cp = nil end
  if design == "apu" or design == "dgpu-host-queue" then
    if changes.host then changes.host.device_loads_in_flight = nil end
  elseif design == "dgpu" and changes.host then
    changes.host.loads_in_flight = nil
  end
  if figure == "Fig 4" then add(changes, { gpu = { compute_units = 64 } }) end
  if figure:match("^Fig 7") then
    add(changes, { gpu = { compute_units = 1, l2_size = "85KiB", l2_locking = figure == "Fig 7, locked" } })
  end
  if figure == "Fig 8" and design == "comp-net" then add(changes, { cp = { cores = 16 } }) end
  return node(changes)
end

-- --- runs -----------------------------------------------------------------------------------------

local function us(text) return quantity(text) / 1e6 end

local function with_threads(of, threads) return design { from = of, service_threads = threads } end

local run = {}

run["Fig 4"] = function(_, of, arguments)
  local result = {}
  for _, groups in ipairs { 1, 16, 256 } do
    for _, threads in ipairs { 1, 16 } do
      result["t" .. threads .. "_" .. groups] = us(queue_service { design = with_threads(of, threads), bytes = "1B",
        operation = arguments.operation or "put", work_groups = groups, operations = 10 }.latency)
    end
  end
  return result
end

local function hit_rates(streams)
  return function(_, of, arguments)
    local result = {}
    for _, count in ipairs(streams) do
      local r = l2_hit_rate { design = of, networking = 40 - count, streaming = count, queues = arguments.queues or "grid",
                              warmup = "200us", duration = "300us" }
      result["hit_" .. count] = r.hit_rate
      result["lock_" .. count] = r.lock_mean and us(r.lock_mean)
    end
    return result
  end
end

run["Fig 7"] = hit_rates { 0, 8, 39 }
run["Fig 7, locked"] = hit_rates { 8, 39 }

run["Fig 8"] = function(_, of)
  local result = {}
  for _, bytes in ipairs { "8B", "512B", "1MiB" } do
    result["get_" .. bytes] = us(get_latency { design = of, bytes = bytes, repeats = 10 }.latency)
  end
  for _, threads in ipairs { 2, 16 } do
    local r = queue_service { design = with_threads(of, threads), operation = "get", bytes = "8B", work_groups = 480, operations = 4 }
    result["load_" .. threads] = us(r.duration)
    result["energy_" .. threads] = quantity(r.service_energy) / 1e9
  end
  return result
end

run["Fig 9"] = function(_, of)
  local result = {}
  for _, edge in ipairs(judged.edges) do
    result["edge_" .. edge] = us(jacobi2d { design = of, edge = edge, nodes = 8, iterations = 100, tolerance = 0.01 }.iteration)
  end
  return result
end

run["Fig 10"] = function(point, of, arguments)
  local result, in_kernel = {}, point.part.design ~= "inter-kernel"
  for _, nodes in ipairs { 2, 8 } do
    local chunk = arguments.chunk == "eighth" and (1024 // nodes) .. "KiB" or "64KiB"
    local r = allreduce { design = of, nodes = nodes, bytes = "64MiB", algorithm = "ring", rings = 8, chunk = chunk, warmup = 0,
                          tolerance = 0.02 }
    result["nodes_" .. nodes] = us(r.duration)
    result["energy_" .. nodes] = in_kernel and quantity(r.service_energy) / 1e9 or nil
  end
  return result
end

-- --- what comes of it -----------------------------------------------------------------------------

local function conclude(r)
  local rows = {}
  for _, row in ipairs(r.rows) do rows[row.run] = row end
  return judged.conclude { readings = readings, names = run_names, parts = parts, rows = rows, key_of = key_of, combine = combine }
end

return study {
  long = true,
  title = "ComPNet18: what its numbers say about what it did not print",
  machine = machine,
  vary = { { "run", keys } },
  run = function(p)
    local point = points[p.run]
    local of = design(set_by(point, "design", { from = point.part.design }))
    return run[point.part.figure](point, of, set_by(point, "argument", {}))
  end,
  conclude = conclude,
}
