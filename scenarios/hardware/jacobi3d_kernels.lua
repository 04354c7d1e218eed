-- SPDX-License-Identifier: BSD-3-Clause
-- The update of a block of Jacobi3D as a kernel by itself: each work-group reads and writes its 8 x 8 x 8 cells once.
local h200x2 = require "configs.h200x2"
local jacobi3d = require "parts.jacobi3d"

return study {
  title = "Jacobi3D's update as a kernel",
  machine = h200x2,
  vary = { n = { 192, 384, 768 } },
  measured = { file = "data/h200x2/jacobi3d_kernels.tsv", only = { kernel = "update" }, n = "n", time = "median_us" },
  run = function(p) return { time = jacobi3d.update(p.n).update } end,
  band = 8,
  plot = { x = "n", x_label = "Cells along an edge", y = "time_us", style = "loglog" },
}
