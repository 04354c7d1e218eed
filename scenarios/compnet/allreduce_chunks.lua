-- SPDX-License-Identifier: BSD-3-Clause
-- What the pieces of a ring decide (ComPNet18 section 5.4 names neither rings nor chunks): 64 MB in chunks of 64 KiB
-- whatever the nodes, or a node's block of a ring always in eight.

local node = require "configs.gcn3_node"

return study {
  title = "Allreduce of 64 MB by the size of its chunks",
  long = true,
  machine = node { nodes = 32 },
  vary = {
    { "pieces", { "64 KiB", "eighths" } },
    { "nodes", { 2, 8, 32 } },
    { "design", { "dgpu", "apu", "comp-net" } },
  },
  run = function(p)
    local chunk = p.pieces == "eighths" and string.format("%dKiB", 1024 // p.nodes) or "64KiB"
    local r = allreduce { design = p.design, bytes = "64MiB", algorithm = "ring", nodes = p.nodes, chunk = chunk, warmup = 0, tolerance = 0.02 }
    return { duration = r.duration, energy = r.service_energy }
  end,
  plot = { x = "nodes", y = "duration_us", by = "design", panels = "pieces", style = "semilogx" },
}
