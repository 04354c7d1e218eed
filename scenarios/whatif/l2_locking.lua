-- SPDX-License-Identifier: BSD-3-Clause
-- What are locked queue lines worth? Hit rate of what command processor and work-groups share, and the latency
-- of puts and gets, with gpu.l2_locking and without, by how many of a compute unit's 40 work-groups stream beside
-- 8 that put and get. The machine is that of Fig 7. docs/learn/whatif.md reads the figures.

local node = require "configs.gcn3_node"

local networking = 8

return study {
  title = "Locked queue lines",
  machine = function(p)
    return node {
      nodes = 2,
      gpu = { compute_units = 1, l2_size = "85KiB", l2_locking = p.locking == "on" },
    }
  end,
  vary = {
    { "locking", { "off", "on" } },
    { "streaming", { 0, 1, 2, 4, 8, 16, 32 } },
  },
  run = function(p)
    return l2_hit_rate { design = "comp-net", networking = networking, streaming = p.streaming, warmup = "500us",
                         duration = "1ms" }
  end,
  plot = {
    { x = "streaming", y = "hit_rate_shared", by = "locking", x_label = "Streaming work-groups",
      y_label = "L2 hit rate of shared lines", title = "Queue lines in the L2 beside streams" },
    { x = "streaming", y = "latency_us", by = "locking", x_label = "Streaming work-groups",
      y_label = "Latency of a put or get", title = "Operations beside streams" },
  },
}
