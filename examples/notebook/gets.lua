-- SPDX-License-Identifier: BSD-3-Clause
-- The study of gets.ipynb.
local node = require "configs.gcn3_node"

return study {
  title = "Gets of two designs",
  machine = node { nodes = 2 },
  vary = { { "design", { "dgpu", "comp-net" } }, { "bytes", { "8B", "1KiB", "64KiB" } } },
  run = function(p) return get_latency { design = p.design, bytes = p.bytes, repeats = 20 } end,
}
