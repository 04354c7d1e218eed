-- SPDX-License-Identifier: BSD-3-Clause
-- A coarse model of a design on a machine, from detailed runs of messages by size, distance, peers and load. gpunetsim
-- derive MACHINE DESIGN -o model.lua is run benchmarks/derive.lua -o lua:model.lua --no-plot -s study.machine=MACHINE -s
-- study.design=DESIGN.
local fit = require "benchmarks.parts.derive_fit"
local points = require "benchmarks.parts.derive_points"

local set = settings {
  machine = require "configs.h200_cluster",
  design = "openmpi-d",
  from = "8B", to = "16MiB", -- the sizes for which the model holds
  folds = 5, -- parts of the cross-validation
}

if not set.machine.alike then error("a model is of nodes that are alike, and this machine has kinds of nodes that differ", 0) end
local shape = points.shape(set.machine)
local nodes = points.nodes(shape)
local distances = points.distances(shape, nodes)
local from, to = math.tointeger(quantity(set.from)), math.tointeger(quantity(set.to))
if not from or from < 1 or to < 2 * from or to > 1 << 30 then
  error("from and to are sizes from 1 B to 1 GiB, to at least twice from", 0)
end
if set.folds < 2 or set.folds > 10 then error("folds are 2 to 10", 0) end

local sizes = points.sizes(from, to)
for i, size in ipairs(sizes) do sizes[i] = size .. "B" end

-- --- from the results ---------------------------------------------------------------------------

local function read(r)
  local by = {}
  for _, row in ipairs(r.rows) do
    local sample = { bytes = math.tointeger(quantity(row.bytes)) }
    for name, value in pairs(row) do
      if name ~= "bytes" and name ~= "distance" then sample[name] = tonumber(value) end
    end
    by[row.distance] = by[row.distance] or {}
    table.insert(by[row.distance], sample)
  end
  return by
end

local function percent(part) return string.format("%.2f", 100 * part) end

local function error_rows(distance, errors, rows)
  for _, name in ipairs(fit.measures) do
    local list = errors[name]
    if list then rows[#rows + 1] = { distance, name, percent(list[(#list + 1) // 2]), percent(list[#list]) } end
  end
end

local function piece_line(piece)
  local words = { string.format("from = %d, to = %d, waits = %s", piece.from, piece.to, piece.waits) }
  for _, name in ipairs(fit.measures) do words[#words + 1] = string.format("%s = { %d, %d }", name, piece[name][1], piece[name][2]) end
  return "      { " .. table.concat(words, ", ") .. " },"
end

local function conclude(r)
  local by, rows = read(r), {}
  for _, distance in ipairs(distances) do
    if #(by[distance] or {}) < #sizes then error("points of " .. distance .. " have failed, and a model needs them all", 0) end
  end
  local model = points.model(shape, by)
  local lines = {
    "-- Each cost: { picoseconds, attoseconds for each byte }; sim/fabric/loggp/loggp_model.h says what they are.",
    "return {",
    string.format("  machine = %q, design = %q,", set.machine.name, tostring(set.design)),
    string.format("  gpus_per_node = %d, gpus_per_socket = %d, nodes_per_leaf = %d, gpus_sharing = %d, kernel = %d,", shape.per_node, shape.per_socket,
      shape.per_leaf, model.sharing, model.kernel),
    "  distances = {",
  }
  for _, distance in ipairs(distances) do
    local samples = by[distance]
    if samples then
      lines[#lines + 1] = "    " .. distance .. " = {"
      for _, piece in ipairs(model.pieces[distance]) do lines[#lines + 1] = piece_line(piece) end
      lines[#lines + 1] = "    },"
      error_rows(distance, fit.errors(samples, set.folds), rows)
    end
  end
  lines[#lines + 1] = "  },"
  lines[#lines + 1] = "  -- By cross-validation: how far costs are off at sizes that were left out, in percent, the median and the worst."
  lines[#lines + 1] = "  errors = {"
  for _, row in ipairs(rows) do lines[#lines + 1] = string.format("    { %q, %q, %s, %s },", row[1], row[2], row[3], row[4]) end
  lines[#lines + 1] = "  },"
  lines[#lines + 1] = "}"
  for i, line in ipairs(lines) do lines[i] = { line } end
  return {
    { title = string.format("What the model is off at sizes left out, in %d folds", set.folds), columns = { "distance", "cost", "median (%)", "worst (%)" },
      rows = rows },
    { title = "-- A model that gpunetsim derive made; gpunetsim goal --model takes it.", columns = { "-- SPDX-License-Identifier: BSD-3-Clause" }, rows = lines },
  }
end

return study {
  title = "Messages of " .. tostring(set.design) .. " on " .. set.machine.name,
  machine = set.machine { nodes = nodes },
  vary = { { "distance", distances }, { "bytes", sizes } },
  run = function(p)
    return points.run { design = set.design, shape = shape, bytes = math.tointeger(quantity(p.bytes)), distance = p.distance, nodes = nodes }
  end,
  conclude = conclude,
}
