-- SPDX-License-Identifier: BSD-3-Clause
-- Jacobi3D on one GPU of the host and on both, with one host thread for each GPU. Faces are copied from GPU to GPU, or staged through
-- host memory; kernels are fused or not, in graphs or not, with one or eight blocks per GPU. The measured program is probe/jacobi3d.cu;
-- the costs of its kernels' instructions are the workload's defaults (probe/README.md).
local h200x2 = require "configs.h200x2"

return study {
  title = "Jacobi3D on two H200",
  machine = h200x2,
  vary = {
    { "gpus", { 1, 2 } },
    { "path", { "peer", "staged" } },
    { "fusion", { "none", "A", "B", "C" } },
    { "graph", { 0, 1 } },
    { "blocks", { 1, 8 } },
    { "n", { 96, 192, 384, 768, 1536 } },
  },
  where = function(p) return p.gpus * p.blocks > 1 or p.path == "peer" end,
  measured = { file = "data/h200x2/jacobi3d.tsv", gpus = "gpus", path = "path", fusion = "fusion", graph = "graph",
               blocks = "blocks", n = "n", time = "median_us" },
  run = function(p)
    local r = jacobi3d { exchange = p.path .. "_copies", nodes = 1, gpus = p.gpus, grid = p.n, odf = p.blocks, fusion = p.fusion,
                         graph = p.graph == 1, iterations = 12, warmup = 2, tolerance = 0.01 }
    return { time = r.iteration }
  end,
  plot = { x = "n", x_label = "Cells along an edge", y = "time_us", by = "fusion", panels = "blocks", style = "loglog",
           only = { gpus = 2, path = "peer", graph = 0 } },
}
