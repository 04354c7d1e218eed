-- SPDX-License-Identifier: BSD-3-Clause
-- How much of a blocking get's latency is the service thread's waiting before it completes operations?
--
-- ComPNet18 section 4.2.1 completes blocking operations after a predefined number of polling rounds and does
-- not say how many. A round over PCIe takes far longer than one behind the L2, so the number weighs on dgpu.
--
-- The rounds also gather what is completed together. On a faster GPU or command processor they are shorter and gather less, so that with
-- several work-groups a faster clock can be slower at the same number: twice the clock goes with twice the rounds.

local node = require "configs.gcn3_node"

return study {
  title = "Get of 8 B by polling rounds before completion",
  machine = node,
  vary = {
    { "design", { "dgpu", "dgpu-host-queue", "apu", "comp-net" } },
    { "polling_rounds", { 1, 2, 4, 6, 8, 16, 32, 64 } },
  },
  run = function(p)
    return get_latency {
      design = design { from = p.design, polling_rounds = p.polling_rounds },
      bytes = "8B", repeats = 100,
    }
  end,
  plot = { x = "polling_rounds", y = "latency_us", by = "design", style = "loglog",
           x_label = "Polling rounds before completion", y_label = "Latency of a get" },
}
