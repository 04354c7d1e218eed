-- SPDX-License-Identifier: BSD-3-Clause
-- What the scenarios of Async22 share: the four versions of Jacobi3D, each Charm++ version with several overdecomposition
-- factors (ODF: blocks a GPU), of which the best is shown (M-052).

local jacobi = require "parts.jacobi3d"

local async = {}

async.host, async.direct = "charm-h", "charm-channel"
async.labels = { ["charm-h"] = "Charm-H", ["charm-channel"] = "Charm-D", ["spectrum-h"] = "MPI-H", ["spectrum-d"] = "MPI-D" }

-- The paper's node counts and overdecomposition factors, powers of two, up to these; `-s study.nodes=8 -s study.odf=4` leaves out
-- the rest.
function async.most(most_nodes, most_odf)
  local most = settings { nodes = most_nodes, odf = most_odf }
  local nodes, odfs = {}, {}
  for n = 0, 9 do
    if 2 ^ n <= most.nodes then nodes[#nodes + 1] = 1 << n end
    if n <= 4 and 2 ^ n <= most.odf then odfs[#odfs + 1] = 1 << n end
  end
  return nodes, odfs
end

-- What the paper's figures say instead of designs and numbers.
local function labels(odfs)
  local told = {}
  for design, name in pairs(async.labels) do told[design] = name end
  for _, odf in ipairs(odfs) do told[tostring(odf)] = "ODF-" .. odf end
  return told
end

-- The paper's figure, in which each version of Charm++ stands with its best ODF at each node count, and one of all ODFs.
local function plots(f)
  local common = { x = "nodes", y = "iteration_us", style = "loglog", x_label = "Number of nodes", y_label = "Time per iteration" }
  local paper = { by = "design", least = "odf", order = { "spectrum-h", "spectrum-d", async.host, async.direct },
                  labels = async.labels, published = f.published }
  local all = { by = "odf", panels = "design", labels = labels(f.odfs), published = f.published_by_odf,
                title = f.title .. ", by blocks a GPU (ODF)" }
  for key, value in pairs(common) do paper[key], all[key] = value, value end
  return { paper, all }
end

-- Versions by design and ODF, as a list to be zipped.
function async.versions(odfs)
  local design, odf = { "spectrum-h", "spectrum-d" }, { 1, 1 }
  for _, d in ipairs { async.host, async.direct } do
    for _, o in ipairs(odfs) do design[#design + 1], odf[#odf + 1] = d, o end
  end
  return zip { design = design, odf = odf }
end

function async.time(r, design, nodes, odf)
  return r:value { design = design, nodes = nodes, odf = odf or 1 }.iteration_us
end

-- The least time over the ODFs, and the ODF.
function async.best(r, design, nodes, odfs)
  local least, best = math.huge, 0
  for _, odf in ipairs(odfs) do
    local time = async.time(r, design, nodes, odf)
    if time < least then least, best = time, odf end
  end
  return least, best
end

-- Which ODF is best at each node count, as text; and at how many of them it is `odf`.
function async.best_odfs(r, design, nodes, odfs, odf)
  local texts, count = {}, 0
  for _, n in ipairs(nodes) do
    local _, best = async.best(r, design, n, odfs)
    texts[#texts + 1] = string.format("%d: %d", n, best)
    if best == odf then count = count + 1 end
  end
  return count, table.concat(texts, ", ")
end

-- The answer to "ODF is the best one": at more than half of the node counts. Fixed before the first run.
function async.odf_claim(design, nodes, odfs, odf)
  return function(r)
    local count, text = async.best_odfs(r, design, nodes, odfs, odf)
    return { obtained = count / #nodes, holds = count > #nodes / 2,
             note = string.format("share of node counts at which ODF-%d is best, more than half; best by nodes %s", odf, text) }
  end
end

-- A figure: the versions over node counts.
function async.figure(f)
  return study {
    title = f.title,
    long = f.long,
    machine = function(p) return jacobi.machine(p.nodes, f.grid > 1000 and jacobi.large or jacobi.small, p.design == async.direct, p.odf) end,
    vary = { { "nodes", f.nodes }, async.versions(f.odfs) },
    run = function(p)
      local r = jacobi.run { design = p.design, nodes = p.nodes, odf = p.odf, grid = f.grid, scaling = f.scaling }
      return { iteration = r.iteration, exposed = r.exposed, gpu_busy = r.gpu_busy, pe_utilisation = r.pe_utilisation,
               pe_cuda = r.pe_cuda, iterations_run = r.iterations_run }
    end,
    plot = plots(f),
    claims = f.claims,
  }
end

return async
