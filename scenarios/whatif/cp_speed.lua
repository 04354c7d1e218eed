-- SPDX-License-Identifier: BSD-3-Clause
-- What if the command processor had more cores, or faster ones? cp.cores 1 to 8 (a service thread each) by
-- cp.clock 1 to 4 GHz, with the 480 work-groups that fill the GPU; with a
-- network library that the threads share (the design's nic_queue.sharers), and with one for each. docs/learn/whatif.md reads the figure.

local node = require "configs.gcn3_node"

return study {
  title = "Cores and clock of the command processor",
  machine = function(p) return node { nodes = 2, cp = { cores = p.cores, clock = p.clock } } end,
  vary = {
    { "library", { "shared", "per_thread" } },
    { "clock", { "1GHz", "2GHz", "3GHz", "4GHz" } },
    { "cores", { 1, 2, 3, 4, 5, 6, 7, 8 } },
  },
  run = function(p)
    return queue_service {
      design = design { from = "comp-net", service_threads = p.cores, nic_queue = { sharers = p.library == "shared" and 0 or 1 } },
      operation = "get", bytes = "8B", work_groups = 480, operations = 10,
    }
  end,
  plot = { x = "cores", y = "latency_us", by = "clock", panels = "library", style = "loglog",
           x_label = "Cores of the command processor", y_label = "Latency of a get",
           title = "A get of 8 B among 480 work-groups by cores and clock of the command processor" },
}
