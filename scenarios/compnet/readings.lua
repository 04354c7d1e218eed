-- SPDX-License-Identifier: BSD-3-Clause
-- What the numbers of ComPNet18 say about what it did not print: its claims under every reading of its text that can be run
-- (claims/readings.lua, with the rule by which a default is chosen), in all combinations.
--
-- It is a fraction of the figures (parts/fractions.lua). Designs are run under the readings listed here for them, and are otherwise as in
-- the scenarios: Jacobi 2D of apu and comp-net with overlapping looks, and allreduces with other rounds, took too long. Fig 11 rests on
-- computing times that nobody printed, and N-55 on 32 nodes: neither is here. The judges are those of the figures' scenarios.
--
--   gpunetsim run scenarios/compnet/readings.lua

local node = require "configs.gcn3_node"
local readings = require "claims.readings"
local fractions = require "parts.fractions"
local judged = require "parts.judged"

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
  local changes = fractions.machine(figure, design, set_by(point, "machine", {}))
  if design == "comp-net" then changes.host = nil else changes.cp = nil end
  if design == "apu" or design == "dgpu-host-queue" then
    if changes.host then changes.host.device_loads_in_flight = nil end
  elseif design == "dgpu" and changes.host then
    changes.host.loads_in_flight = nil
  end
  return node(changes)
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
    return fractions.run[point.part.figure](point.part.design, of, set_by(point, "argument", {}))
  end,
  conclude = conclude,
}
