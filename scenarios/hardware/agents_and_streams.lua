-- SPDX-License-Identifier: BSD-3-Clause
-- One thread or warp of the GPU as agent, alone and beside 8 work-groups that stream through the L2. A prediction: the tables that
-- are here have no streams.
local h200x2 = require "configs.h200x2"
local queues = require "parts.queues"

return study {
  title = "Agents of the GPU beside streams",
  machine = h200x2 { nodes = 2 },
  vary = { { "variant", { "thread", "warp" } }, { "wgs", { 1, 4, 16, 64 } }, { "streaming", { 0, 8 } } },
  run = function(p)
    return queues.serve(p.variant == "warp" and queues.gpu_warp or queues.gpu_thread,
                        { variant = p.variant, wgs = p.wgs, servers = 1, service_ns = 0, window = 1 }, p.streaming)
  end,
  plot = { x = "wgs", y = "latency_us", by = "variant", panels = "streaming", style = "loglog" },
}
