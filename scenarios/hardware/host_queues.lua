-- SPDX-License-Identifier: BSD-3-Clause
-- Queues in host memory, one for each work-group, served by host threads that look at their queues in turn. Varied are the numbers of
-- work-groups and threads, the time that a server spends on an operation, how many operations are posted together, and how a work-group
-- posts.
local h200x2 = require "configs.h200x2"
local queues = require "parts.queues"

return study {
  title = "Queues in host memory, served by host threads",
  machine = h200x2 { nodes = 2 },
  vary = queues.axes {
    variant = { "fenced", "packed" },
    wgs = { 1, 2, 4, 8, 16 },
    servers = { 1 },
    service_ns = { 0, 500 },
    window = { 1 },
  },
  measured = queues.measured "data/h200x2/host_queues.tsv",
  run = function(p) return queues.serve(queues.host_threads, p) end,
  band = 8,
  plot = { x = "wgs", y = "latency_us", by = "variant", panels = "service_ns", style = "loglog" },
}
