-- SPDX-License-Identifier: BSD-3-Clause
-- How far models that gpunetsim derive makes are off: collectives and a training step of 8, 64 and 512 GPUs, whose ranks begin together or
-- apart, an iteration in detail and at the model's costs, which come from runs of messages alone.
local points = require "benchmarks.parts.derive_points"
local fit = require "benchmarks.parts.derive_fit"

local machines = { h200_cluster = require "configs.h200_cluster", summit = require "configs.summit" }
local NODES = 86

local patterns = { -- G: GPUs of a node; N: nodes
  ring = "ring:%{ranks},bytes=64KiB",
  allreduce = "hierarchical:%{G}x%{N},bytes=512KiB",
  experts = "moe:%{G}x%{N},bytes=512KiB",
  all_to_all = "moe:%{near}x%{far},bytes=1MiB",
  training = "train:1x%{G}x%{N}x1,bytes=64KiB,calc=20000",
}

local function pattern_of(p, per_node, nodes)
  local near = math.min(nodes, 8) * per_node
  local words = { ranks = nodes * per_node, G = per_node, N = nodes, near = near, far = nodes * per_node // near }
  return (patterns[p.pattern]:gsub("%%{(%a+)}", function(name) return tostring(words[name]) end))
end

-- As derive makes it, of sizes up to 256 KiB. A rehearsal has no results to make it of.
local function model_of(shape, design)
  local by = {}
  for _, distance in ipairs(points.distances(shape, points.nodes(shape))) do
    by[distance] = {}
    for _, bytes in ipairs(points.sizes(1024, 1 << 18)) do
      local sample = points.run { design = design, shape = shape, bytes = bytes, distance = distance, nodes = points.nodes(shape) }
      if not sample.waits then return nil, sample.arrive end
      sample.bytes = bytes
      table.insert(by[distance], sample)
    end
  end
  return fit.numbers(points.model(shape, by))
end

-- Ranks that begin apart calculate first, for a time drawn for each of them: up to APART_NS.
local APART_NS, SEED = 50000, 1

local function begin_apart(g, ranks)
  local state = SEED
  for rank = 0, ranks - 1 do
    state = (state * 6364136223846793005 + 1442695040888963407) & (1 << 63) - 1
    g:calc { rank = rank, time = (state >> 33) % APART_NS + 1 .. "ns" }
  end
end

-- What an iteration takes behind the first ones, which register memory.
local function iteration(ranks, pattern, start, how)
  local function span(iterations)
    local g = schedule { ranks = ranks, device = "gpu" }
    if start == "apart" then begin_apart(g, ranks) end
    g:generate(pattern .. ",iterations=" .. iterations)
    return (how and g:run { model = how } or g:run()).makespan
  end
  return (span(4) - span(2)) / 2
end

return study {
  long = true,
  title = "Derived models beside the detailed runs",
  machine = function(p) return machines[p.machine] { nodes = NODES } end,
  vary = { { "machine", { "h200_cluster", "summit" } }, { "nodes", { 1, 8, 64 } }, { "pattern", { "ring", "allreduce", "experts", "all_to_all", "training" } },
           { "start", { "together", "apart" } } },
  run = function(p)
    local shape = points.shape(machines[p.machine])
    local ranks = p.nodes * shape.per_node
    local pattern = pattern_of(p, shape.per_node, p.nodes)
    local model, unknown = model_of(shape, "openmpi-d")
    if not model then return { detailed = unknown } end
    local detailed, derived = iteration(ranks, pattern, p.start), iteration(ranks, pattern, p.start, model)
    return { gpus = ranks, detailed = detailed, derived = derived, error = 100 * math.abs(derived / detailed - 1) }
  end,
  conclude = function(r)
    local rows, all = {}, {}
    local function add(name, errors)
      table.sort(errors)
      if #errors > 0 then rows[#rows + 1] = { name, string.format("%.1f", errors[(#errors + 1) // 2]), string.format("%.1f", errors[#errors]) } end
    end
    for _, nodes in ipairs { 1, 8, 64 } do
      for _, start in ipairs { "together", "apart" } do
        local errors = {}
        for _, row in ipairs(r.rows) do
          if row.nodes == nodes and row.start == start then
            errors[#errors + 1] = row.error
            all[#all + 1] = row.error
          end
        end
        add(nodes .. " nodes, ranks begin " .. start, errors)
      end
    end
    add("all", all)
    return { { title = "What derived models are off, an iteration of each pattern", columns = { "", "median (%)", "worst (%)" }, rows = rows } }
  end,
}
