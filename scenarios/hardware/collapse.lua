-- SPDX-License-Identifier: BSD-3-Clause
-- 480 queues in host memory, by the number of host threads. A post is one store, or two stores and, behind a fence, a third. With many
-- threads that look, stores find their line in a core's cache, and queues whose posts are several stores collapse.
local h200x2 = require "configs.h200x2"
local queues = require "parts.queues"

return study {
  title = "480 queues and several host threads",
  machine = h200x2 { nodes = 2 },
  vary = { { "variant", { "fenced", "packed", "line" } }, { "servers", { 1, 4, 6, 8 } } },
  where = function(p) return p.variant ~= "line" or p.servers > 4 end,
  run = function(p)
    return queues.serve(queues.host_threads,
                        { variant = p.variant, wgs = 480, servers = p.servers, service_ns = 0, window = 1 })
  end,
  plot = { x = "servers", x_label = "Host threads", y = "latency_us", by = "variant", style = "lines" },
}
