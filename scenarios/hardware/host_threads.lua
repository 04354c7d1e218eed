-- SPDX-License-Identifier: BSD-3-Clause
-- Does one more host thread help, if a thread does nothing but see an operation and mark it? Its lines then move between GPU and cores
-- as fast as they can. Predicted before it was measured with the probe (experiment host_threads; probe/README.md has the outcome).
local h200x2 = require "configs.h200x2"
local queues = require "parts.queues"

return study {
  title = "Host threads without service time",
  machine = h200x2 { nodes = 2 },
  vary = queues.axes {
    variant = { "fenced", "packed" },
    wgs = { 16, 64, 256 },
    servers = { 1, 2, 3, 4, 5, 6, 7, 8 },
    service_ns = { 0 },
    window = { 1 },
  },
  measured = queues.measured "data/h200x2/host_threads.tsv",
  run = function(p) return queues.serve(queues.host_threads, p) end,
  plot = { x = "servers", y = "latency_us", by = "variant", panels = "wgs", style = "loglog" },
}
