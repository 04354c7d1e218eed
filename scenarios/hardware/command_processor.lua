-- SPDX-License-Identifier: BSD-3-Clause
-- What would a command processor on such a GPU need to serve 480 queues as quickly as one host thread does? Its clock, its loads in
-- flight, whether it waits for its marks, and the number of command processors (docs/learn/whatif.md uses gpunetsim solve). The host thread
-- is one in its fast state, as in why_one_thread.
local h200x2 = require "configs.h200x2"

local function processor(marks)
  return design { from = "comp-net", poll_loop = "unrolled", nic_queue = { sharers = 1 }, marks = marks }
end
local ways = {
  ["host thread"] = design { from = "dgpu-host-queue", poll_loop = "ahead", nic_queue = { sharers = 1 } },
  ["command processor"] = processor("awaited"),
  ["asynchronous marks"] = processor("asynchronous"), -- a command processor whose marks nobody waits for
}

return study {
  title = "480 queues, a host thread or command processors",
  machine = function(p)
    return h200x2 { nodes = 2, cp = { cores = 8 }, host = p.server == "host thread" and { owned_at_once = 0 } or nil }
  end,
  vary = { { "server", { "host thread", "command processor", "asynchronous marks" } }, { "threads", { 1, 2, 4, 8 } } },
  where = function(p) return p.server ~= "host thread" or p.threads == 1 end,
  run = function(p)
    return queue_service { design = design { from = ways[p.server], service_threads = p.threads }, operation = "nop", work_groups = 480,
                           operations = 12, warmup = 4, post = "packed", threads = 32 }
  end,
  band = 8,
  plot = { x = "threads", y = "latency_us", by = "server", style = "lines" },
}
