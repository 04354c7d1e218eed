-- SPDX-License-Identifier: BSD-3-Clause
-- The update of a block of Jacobi3D as a kernel by itself: each work-group reads and writes its 8 x 8 x 8 cells once.
local h200x2 = require "configs.h200x2"

-- 20 launches in a row; the time of one of them.
local function update(n)
  local w = program { design = "openmpi-d", nodes = 1 }
  w:host(0):process(function(p)
    local start = p:now()
    for _ = 1, 20 do p:launch { work_groups = (n // 8) ^ 3 // 1 | 0, threads = 512, bytes = 512 * 16 .. "B" } end
    p:synchronise()
    p:record("update", (p:now() - start) / 20)
  end)
  return w:run().update
end

return study {
  title = "Jacobi3D's update as a kernel",
  machine = h200x2,
  vary = { n = { 192, 384, 768 } },
  measured = { file = "data/h200x2/jacobi3d_kernels.tsv", only = { kernel = "update" }, n = "n", time = "median_us" },
  run = function(p) return { time = update(p.n) } end,
  band = 8,
  plot = { x = "n", x_label = "Cells along an edge", y = "time_us", style = "loglog" },
}
