-- SPDX-License-Identifier: BSD-3-Clause
-- Allreduce of 8 B to 64 KiB on 8 nodes: by rings, by recursive doubling and by a tree.

local node = require "configs.gcn3_node"

return study {
  title = "Small allreduces on 8 nodes",
  machine = node { nodes = 8 },
  vary = {
    { "bytes", { "8B", "512B", "8KiB", "64KiB" } },
    { "algorithm", { "ring", "doubling", "tree" } },
    { "design", { "cpu", "inter-kernel", "dgpu", "apu", "comp-net" } },
  },
  run = function(p)
    local r = allreduce { design = p.design, bytes = p.bytes, algorithm = p.algorithm, repeats = 4 }
    return { duration = r.duration }
  end,
  plot = { x = "bytes", y = "duration_us", by = "design", panels = "algorithm", style = "loglog" },
}
