-- SPDX-License-Identifier: BSD-3-Clause
-- What the scenarios of Jacobi3D share: machines, node counts, runs, and how claims are answered. ParCo22 and IPDPSW21 used
-- UCX of December 2020, which stages GPU data between nodes; Async22 UCX 1.11.1, which always uses GPUDirect RDMA.
--
-- Iterations that repeat are counted on; where they never do exactly, they are taken to be steady when two windows of four
-- agree within half a percent (`gpunetsim help jacobi3d`). The papers' 10 iterations of warm-up and 100 that count.

local paper = require "parts.paper"
local summit = require "configs.summit"

local jacobi = {}

-- Fixed before the first run: a published end of a range holds within 15 %, as in the tables of the OSU benchmarks; a
-- published ratio at one point within 10 %.
jacobi.range_tolerance, jacobi.point_tolerance = 0.15, 0.10

-- The papers' node counts.
jacobi.weak_nodes = { 1, 2, 4, 8, 16, 32, 64, 128, 256 }
jacobi.strong_nodes = { 8, 16, 32, 64, 128, 256 }

-- Smallest segments of messages, by the size of a grid's faces: 12 KiB to 150 KiB, or up to 9 MiB. With 64 KiB the last of large faces
-- comes 0.4 % later than in segments of 4 KiB (tests fabric/growing_segments, workloads/jacobi3d).
jacobi.small, jacobi.large = "4KiB", "64KiB"

-- Interruptions of cores begin beyond any node count: a point of many nodes is one run of few iterations, which they move by up to a
-- tenth either way, and their source is another host.
local noise = { nodes = 65536 }

-- `is_direct`: GPUDirect RDMA, for designs with GPU data on UCX: between nodes, and in the loop by which a block sends to another one of its
-- process (`odf` of them).
function jacobi.machine(nodes, segment, is_direct, odf)
  local transport = { kind = "segment", segment = segment }
  if is_direct and (nodes > 1 or (odf or 1) > 1) then
    return summit { nodes = nodes, transport = transport, ucx = { gpu_direct = "1TiB" }, noise = noise }
  end
  return summit { nodes = nodes, transport = transport, noise = noise }
end

-- From this many blocks on, 12 iterations behind the papers' 10 of warm-up stand for their 100: blocks drift apart for as long as one
-- looks, all are simulated, and a point would take minutes. docs/trust/jacobi3d.md says what that changes.
local many_blocks, few_iterations, all_iterations = 768, 12, 100

-- What a run is asked for: these, with how it is measured.
function jacobi.settings(arguments)
  local has_many = arguments.nodes * 6 * (arguments.odf or 1) >= many_blocks
  local asked = { warmup = 10, tolerance = 0.005, iterations = has_many and few_iterations or all_iterations }
  for name, value in pairs(arguments) do asked[name] = value end
  return asked
end

function jacobi.run(arguments) return jacobi3d(jacobi.settings(arguments)) end

-- --- ParCo22 and IPDPSW21 -----------------------------------------------------------------------------

local function parco_points()
  local scaling, nodes = {}, {}
  for _, n in ipairs(jacobi.weak_nodes) do scaling[#scaling + 1], nodes[#nodes + 1] = "weak", n end
  for _, n in ipairs(jacobi.strong_nodes) do scaling[#scaling + 1], nodes[#nodes + 1] = "strong", n end
  return zip { scaling = scaling, nodes = nodes }
end

-- The published ranges of a measure's speedup, as marks.
local function marks(f, measure)
  local list = {}
  for id, range in pairs(f.ranges or {}) do
    if range[2] == measure then list[#list + 1] = { id, by = f.direct, panel = range[1], y = { range[3] or range[4], range[4] } } end
  end
  table.sort(list, function(a, b) return a[1] < b[1] end)
  return list
end

-- What the papers' figures show, an iteration and its communication in time, weak and strong scaling; and the speedup of each, for which
-- ranges are stated.
local function figures_of(f)
  local common = { x = "nodes", by = "design", panels = "scaling", style = "loglog", x_label = "Number of nodes", labels = paper.labels(f.designs) }
  local function figure(given)
    for key, value in pairs(common) do given[key] = value end
    return given
  end
  local function gain(measure, title)
    return figure { y = measure, speedup = { design = f.host }, only = { design = f.direct }, published = marks(f, measure),
                    y_label = "Speedup by GPU-aware communication", title = f.title .. ": " .. title .. ", speedup" }
  end
  return { figure { y = { "iteration_us", "communication_us" }, y_label = "Time per iteration", title = f.title },
           gain("iteration_us", "iteration"), gain("communication_us", "communication, as the papers' timer has it") }
end

-- Figs 15 to 17 of ParCo22, 14 to 16 of IPDPSW21: a block a GPU, time per iteration and the papers' timer of communication. `ranges` has
-- what is stated of the speedup of design `direct` over `host`, as arguments of range_claim behind these two.
function jacobi.parco_figure(f)
  local claims = f.claims or {}
  for id, range in pairs(f.ranges or {}) do claims[id] = jacobi.range_claim(f.host, f.direct, table.unpack(range, 1, 5)) end
  return study {
    title = f.title,
    long = true,
    machine = function(p) return jacobi.machine(p.nodes, jacobi.large) end,
    vary = { parco_points(), { "design", f.designs } },
    run = function(p)
      local r = jacobi.run {
        design = p.design, nodes = p.nodes, scaling = p.scaling, grid = p.scaling == "weak" and 1536 or 3072,
        oversized_halo = p.design:find("charm4py") ~= nil,
      }
      return { iteration = r.iteration, communication = r.communication, exchange = r.exchange,
               kernels = r.kernel_time, pe_busy = r.pe_busy, iterations_run = r.iterations_run }
    end,
    plot = figures_of(f),
    claims = claims,
  }
end

function jacobi.nodes_of(scaling)
  return scaling == "weak" and jacobi.weak_nodes or jacobi.strong_nodes
end

-- Host-staging over GPU-aware of a measure.
function jacobi.speedup(r, host, direct, scaling, nodes, measure)
  return r:value { design = host, scaling = scaling, nodes = nodes }[measure]
    / r:value { design = direct, scaling = scaling, nodes = nodes }[measure]
end

local function speedups(r, host, direct, scaling, measure)
  local low, high, texts = math.huge, -math.huge, {}
  for _, nodes in ipairs(jacobi.nodes_of(scaling)) do
    local value = jacobi.speedup(r, host, direct, scaling, nodes, measure)
    low, high = math.min(low, value), math.max(high, value)
    texts[#texts + 1] = string.format("%d: %.2f", nodes, value)
  end
  return low, high, table.concat(texts, ", ")
end

local function near(value, published, tolerance)
  return math.abs(value - published) <= tolerance * published
end
jacobi.near = near

local function limits(stated) return { stated * (1 - jacobi.range_tolerance), stated * (1 + jacobi.range_tolerance) } end

-- The answer to "improved by LOW to HIGH": both ends within 15 %; `low` nil: "by up to HIGH". `top` says where the largest is.
function jacobi.range_claim(host, direct, scaling, measure, low, high, top)
  return function(r)
    local obtained_low, obtained_high, text = speedups(r, host, direct, scaling, measure)
    local at_top = top == nil or jacobi.speedup(r, host, direct, scaling, top, measure) >= obtained_high - 1e-9
    return {
      obtained = low and { obtained_low, obtained_high } or obtained_high,
      limits = low and { limits(low), limits(high) } or limits(high),
      holds = (low == nil or near(obtained_low, low, jacobi.range_tolerance))
        and near(obtained_high, high, jacobi.range_tolerance) and at_top,
      note = string.format("%.2fx to %.2fx, published %sx to %.2fx; both ends within 15 %%%s; by nodes %s", obtained_low,
        obtained_high, low and string.format("%.2f", low) or "", high,
        top and string.format(", the largest at %d nodes", top) or "", text),
    }
  end
end

return jacobi
