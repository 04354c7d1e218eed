-- SPDX-License-Identifier: BSD-3-Clause
-- The points of ComPNet18's Fig 8a: gets of one work-group. The figure adds bands and claims; bench/ times the points alone.
local node = require "configs.gcn3_node"

return {
  machine = node { nodes = 2 },
  vary = {
    { "design", { "dgpu", "dgpu-host-queue", "apu", "comp-net" } },
    { "bytes", pow2("8B", "1MiB") },
  },
  run = function(p)
    return get_latency { design = p.design, bytes = p.bytes, repeats = 100 }
  end,
}
