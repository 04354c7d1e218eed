-- SPDX-License-Identifier: BSD-3-Clause
-- The points of ComPNet18's Fig 8a without its bands.

local node = require "configs.gcn3_node"

return study {
  title = "Gets of one work-group",
  machine = node { nodes = 2 },
  vary = {
    { "design", { "dgpu", "dgpu-host-queue", "apu", "comp-net" } },
    { "bytes", pow2("8B", "1MiB") },
  },
  run = function(p)
    return get_latency { design = p.design, bytes = p.bytes, repeats = 100 }
  end,
}
