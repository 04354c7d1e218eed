-- SPDX-License-Identifier: BSD-3-Clause
-- Jacobi3D on both GPUs of the host: faces go by peer copies or staged through host memory; kernels fused or not, in graphs or not, one or
-- eight blocks a GPU. No table has these: docs/hardware.md says what its parts are measured to be.
local h200x2 = require "configs.h200x2"

local ways = { peer = "charm-channel", staged = "charm-h" }

return study {
  title = "Jacobi3D on two H200",
  machine = h200x2,
  vary = {
    { "way", { "peer", "staged" } },
    { "fusion", { "none", "A", "B", "C" } },
    { "graph", { false, true } },
    { "odf", { 1, 8 } },
    { "grid", { 96, 384, 1536 } },
  },
  where = function(p) return p.way == "peer" or not p.graph and p.fusion == "none" end,
  run = function(p)
    local r = jacobi3d { design = ways[p.way], nodes = 1, grid = p.grid, odf = p.odf, fusion = p.fusion, graph = p.graph,
                         iterations = 12, warmup = 2, tolerance = 0.01 }
    return { iteration = r.iteration }
  end,
  plot = { x = "grid", x_label = "Cells along an edge", y = "iteration_us", by = "fusion", panels = "odf", style = "loglog", only = { way = "peer", graph = false } },
}
