-- SPDX-License-Identifier: BSD-3-Clause
-- ComPNet18, section 3.1: a queue in GPU memory is mapped and read by loads, or read by calls of the GPU's runtime.
-- Either is slow; which one is slower depends on how many queues a thread watches.

local node = require "configs.gcn3_node"

local ways = {
  ["loads"] = { design = "dgpu" },
  ["ten streaming loads"] = { design = "dgpu", host = { device_loads_in_flight = 10, uncached_load = "64B" } },
  ["runtime calls"] = { design = design { from = "dgpu", queue = { polling = "runtime_call" } } },
}

return study {
  title = "One host thread, queues in GPU memory",
  machine = function(p)
    return node { gpu = { compute_units = 64 }, host = ways[p.way].host }
  end,
  vary = {
    { "way", { "loads", "ten streaming loads", "runtime calls" } },
    { "work_groups", { 1, 2, 4, 8, 16, 32, 64, 128, 256 } },
  },
  run = function(p)
    return queue_service { design = ways[p.way].design, operation = "nop", work_groups = p.work_groups,
                           operations = 50 }
  end,
  plot = { x = "work_groups", y = "latency_us", by = "way", style = "loglog",
           x_label = "Work-groups", y_label = "Service time" },
}
