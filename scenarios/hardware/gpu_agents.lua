-- SPDX-License-Identifier: BSD-3-Clause
-- The queues of host_queues.lua in GPU memory, served by agents of the same GPU through its L2: a thread that looks at its queues one
-- after the other, or a warp whose 32 lanes look at 32 queues at once and which then serves them one by one.
local h200x2 = require "configs.h200x2"
local queues = require "parts.queues"

return study {
  title = "Queues in GPU memory, served by threads and warps of the GPU",
  machine = h200x2 { nodes = 2 },
  vary = queues.axes {
    variant = { "thread", "warp", "packed_thread", "packed_warp" },
    wgs = { 1, 2, 4, 8, 16 },
    servers = { 1 },
    service_ns = { 0 },
    window = { 1 },
  },
  measured = queues.measured "data/h200x2/gpu_agent.tsv",
  run = function(p) return queues.serve(p.variant:find "warp" and queues.gpu_warp or queues.gpu_thread, p) end,
  band = 8,
  plot = { x = "wgs", y = "latency_us", by = "variant", style = "loglog" },
}
