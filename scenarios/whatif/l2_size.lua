-- SPDX-License-Identifier: BSD-3-Clause
-- What if the GPU's L2 were smaller or larger? gpu.l2_size 128 KiB to 16 MiB beside 20 streaming work-groups
-- on one compute unit, with 20 others that put and get, with locked queue lines and without
-- (gpu.l2_locking). docs/learn/whatif.md reads the figures.

local node = require "configs.gcn3_node"

local function machine(p)
  return node {
    nodes = 2,
    gpu = { compute_units = 1, l2_size = p.l2_size, l2_locking = p.locking == "on" },
  }
end

return study {
  title = "Size of the L2",
  machine = machine,
  vary = {
    { "locking", { "off", "on" } },
    { "l2_size", pow2("128KiB", "16MiB") },
  },
  run = function()
    return l2_hit_rate { design = "comp-net", networking = 20, streaming = 20, warmup = "500us", duration = "500us" }
  end,
  plot = {
    { x = "l2_size", y = "hit_rate", by = "locking", style = "semilogx",
      x_label = "Size of the L2", y_label = "L2 hit rate of the CP",
      title = "Hit rate beside 20 streaming work-groups" },
    { x = "l2_size", y = "latency_us", by = "locking", style = "semilogx",
      x_label = "Size of the L2", y_label = "Latency of a put or get",
      title = "Latency beside 20 streaming work-groups" },
  },
}
