-- SPDX-License-Identifier: BSD-3-Clause
-- The stencil of Fig 9 on other hardware: a NIC of 400 Gbit/s, PCIe 5, 64 CUs, 4 GPUs a node.

local node = require "configs.gcn3_node"

local four = "4 GPUs a node"
local machines = {
  ["Table 1"] = {},
  ["400 Gbit/s"] = { network = { rate = "400Gbit/s" } },
  ["PCIe 5"] = { bus = { rate = "63GB/s" } },
  ["64 CUs"] = { gpu = { compute_units = 64 } },
  [four] = { node = { gpus_per_socket = 4 } },
}

return study {
  title = "Jacobi 2D and allreduce on other hardware",
  machine = function(p)
    local changes = { nodes = 8 }
    for part, values in pairs(machines[p.hardware]) do changes[part] = values end
    return node(changes)
  end,
  vary = {
    { "hardware", { "Table 1", "400 Gbit/s", "PCIe 5", "64 CUs", four } },
    { "design", { "inter-kernel", "dgpu", "comp-net" } },
  },
  run = function(p)
    local stencil = jacobi2d { design = p.design, edge = 1024, iterations = 100, tolerance = 0.01 }
    local sum = allreduce { design = p.design, bytes = "16MiB", algorithm = "ring", nodes = p.hardware == four and 2 or 8,
                            gpus_per_node = p.hardware == four and 4 or 1, warmup = 0, tolerance = 0.01 }
    return { iteration = stencil.iteration, allreduce = sum.duration }
  end,
  plot = { x = "hardware", y = "allreduce_us", by = "design", style = "bars" },
}
