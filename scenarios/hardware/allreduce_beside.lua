-- SPDX-License-Identifier: BSD-3-Clause
-- Ring allreduces in a resident kernel of two GPUs beside a kernel that copies through memory, or only computes: how long does a round take,
-- and how fast is the kernel, each alone and together? Predicted before it was measured (probe/predicted_overlap.md).
local h200x2 = require "configs.h200x2"
local beside = require "parts.beside"

return study {
  title = "Allreduce beside a kernel",
  machine = h200x2,
  vary = {
    { "beside", { "memory", "compute" } },
    { "blocks", { 32, 132 } },
    { "rings", { 1, 32 } },
    { "bytes", { 65536, 1048576, 16777216 } },
  },
  measured = { file = "data/h200x2/allreduce_beside.tsv", beside = "beside", blocks = "blocks", rings = "rings", bytes = "bytes",
               alone = "alone_us", time = "beside_us", rate = "rate" },
  run = function(p) return beside.rings_beside(p.beside, p.blocks, p.bytes .. "B", p.rings) end,
  plot = { x = "bytes", x_label = "Buffer", y = "time_us", by = "rings", panels = "blocks", only = { beside = "memory" }, style = "loglog" },
}
