-- SPDX-License-Identifier: BSD-3-Clause
-- Which number of rings and which chunk are best for an allreduce inside kernels (ComPNet18 section 5.4: it is a function
-- of message size, chunk and bandwidth), for a large and a small buffer.

local node = require "configs.gcn3_node"

return study {
  title = "Rings and chunks of an allreduce on 8 nodes",
  machine = node { nodes = 8 },
  vary = {
    { "bytes", { "64KiB", "16MiB" } },
    { "design", { "dgpu", "comp-net" } },
    { "rings", { 1, 4, 8, 16 } },
    { "chunk", { "8KiB", "64KiB", "512KiB" } },
  },
  run = function(p)
    local r = allreduce { design = p.design, bytes = p.bytes, rings = p.rings, chunk = p.chunk, algorithm = "ring",
                          warmup = 0, tolerance = 0.01 }
    return { duration = r.duration, bus_bandwidth = r.bus_bandwidth }
  end,
  plot = {
    { x = "rings", y = "duration_us", by = "chunk", panels = "design", only = { bytes = "64KiB" }, style = "semilogx",
      title = "Rings and chunks of an allreduce of 64 KiB on 8 nodes" },
    { x = "rings", y = "duration_us", by = "chunk", panels = "design", only = { bytes = "16MiB" }, style = "semilogx",
      title = "Rings and chunks of an allreduce of 16 MiB on 8 nodes" },
  },
}
