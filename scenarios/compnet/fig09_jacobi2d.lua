-- SPDX-License-Identifier: BSD-3-Clause
-- ComPNet18, Fig 9: Jacobi relaxation in two dimensions on 8 nodes, an iteration by elements a node, for each way of
-- networking (docs/trust/applications.md explains the regions by stages).

local fig09 = require "parts.fig09"
local paper = require "parts.paper"
local node = require "configs.gcn3_node"

local edges = fig09.edges
local function iteration(r, design, edge)
  return r:value { design = design, edge = edge }.iteration_us
end

local function times_of(r)
  return function(design, edge) return iteration(r, design, edge) end
end

local function gains(r)
  local texts = {}
  for _, edge in ipairs(edges) do
    texts[#texts + 1] = string.format("%d: comp-net %.0f %% over dgpu, %.0f %% over inter-kernel", edge,
      100 * (iteration(r, "dgpu", edge) / iteration(r, "comp-net", edge) - 1),
      100 * (iteration(r, "inter-kernel", edge) / iteration(r, "comp-net", edge) - 1))
  end
  return table.concat(texts, "; ")
end

return study {
  title = "ComPNet18, Fig 9: an iteration of Jacobi 2D on 8 nodes",
  machine = node { nodes = 8 },
  vary = {
    zip { edge = edges, kibi_elements = fig09.kibi_elements },
    { "design", { "cpu", "inter-kernel", "dgpu", "apu", "comp-net" } },
  },
  run = function(p)
    local r = jacobi2d { design = p.design, edge = p.edge, nodes = 8, iterations = 100, tolerance = 0.01 }
    return { iteration = r.iteration, compute = r.compute, halo = r.halo, residual = r.residual }
  end,
  plot = {
    { x = "kibi_elements", y = "iteration_us", by = "design", speedup = { design = "dgpu" }, style = "loglog", order = paper.order,
      labels = paper.labels, x_label = "Elements of a node (Ki)", y_label = "Speedup over dGPU",
      title = "ComPNet18, Fig 9: Jacobi 2D on 8 nodes", published = { { "N-49", by = "comp-net", y = { 1.1, 1.2 } } } },
    { x = "edge", y = "iteration_us", by = "design", style = "loglog", order = paper.order, labels = paper.labels,
      x_label = "Rows and columns of a node", y_label = "An iteration" },
  },
  claims = {
    ["N-03"] = function(r)
      local most, where = 0, nil
      for _, edge in ipairs(edges) do
        local value = 100 * (iteration(r, "dgpu", edge) / iteration(r, "comp-net", edge) - 1)
        if value > most then most, where = value, edge end
      end
      return { obtained = most, limits = { 18, 22 }, holds = most >= 18 and most <= 22,
               note = string.format("percent, the most that comp-net is better than dgpu at any size, here %d; holds within 10 %% of 20, and if "
                 .. "no allreduce and no training is better by more than 22", where) }
    end,
    ["N-48"] = function(r)
      local value = fig09.fastest_on_gpu(times_of(r), 64) / iteration(r, "cpu", 64)
      return { obtained = value, limits = { 1 }, holds = value > 1, note = "fastest GPU design over cpu at 64 x 64" }
    end,
    ["N-49"] = function(r)
      local mean, count = fig09.gain(times_of(r))
      return { obtained = mean, limits = { 10, 20 }, holds = mean >= 10 and mean <= 20,
               note = "mean over Region 2 (" .. count .. " sizes) of the slower of comp-net and apu over the better of the others; "
                 .. gains(r) }
    end,
    ["N-50"] = function(r)
      local value = fig09.spread(times_of(r), 4096)
      local others = math.max(iteration(r, "dgpu", 4096), iteration(r, "inter-kernel", 4096)) / iteration(r, "comp-net", 4096)
      return { obtained = value, limits = { 1.10 }, holds = value < 1.10,
               note = string.format("slowest over fastest GPU design at 4096 x 4096; without apu, whose memory is the host's, %.3f", others) }
    end,
    ["N-51"] = function(r)
      local first, third = fig09.regions(times_of(r))
      return { obtained = first, holds = first >= 1 and third > first + 1 and third <= #edges,
               note = string.format("sizes of Region 1, of Region 2 %d, of Region 3 %d", third - first - 1, #edges - third + 1) }
    end,
  },
}
