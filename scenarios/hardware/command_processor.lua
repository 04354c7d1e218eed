-- SPDX-License-Identifier: BSD-3-Clause
-- What would a command processor on such a GPU need to serve 480 queues as quickly as one host thread does? Its clock, its loads in
-- flight, whether it waits for its marks, and the number of command processors (docs/hardware.md uses gpunetsim solve).
local h200x2 = require "configs.h200x2"

local function processor(marks)
  return design { from = "comp-net", poll_loop = "unrolled", network_library = "per_thread", marks = marks }
end
local ways = {
  ["host thread"] = design { from = "dgpu-host-queue", poll_loop = "ahead", network_library = "per_thread" },
  ["command processor"] = processor("awaited"),
  ["asynchronous marks"] = processor("asynchronous"), -- a command processor whose marks nobody waits for
}

return study {
  title = "480 queues, a host thread or command processors",
  machine = h200x2 { nodes = 2, cp = { cores = 8 } },
  vary = { { "server", { "host thread", "command processor", "asynchronous marks" } }, { "threads", { 1, 2, 4, 8 } } },
  where = function(p) return p.server ~= "host thread" or p.threads == 1 end,
  run = function(p)
    return queue_service { design = ways[p.server], operation = "nop", work_groups = 480, service_threads = p.threads,
                           operations = 12, warmup = 4, post = "packed", threads = 32 }
  end,
  band = 8,
  plot = { x = "threads", y = "latency_us", by = "server", style = "lines" },
}
