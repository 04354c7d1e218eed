-- SPDX-License-Identifier: BSD-3-Clause
-- Why does one host thread serve 480 work-groups in microseconds, while one thread of the GPU needs hundreds of them? When the host
-- thread looks at queues that have not changed, it hits in its own cache; of queues that have changed, it fetches many lines at a time.
-- Each of the two is turned off here: a cache of 48 lines, one load in flight. With `think`, work-groups pause between their
-- operations, so that few of the queues have anything new. Lines stay with the core here: what a thread at its limit loses as work-groups
-- read the lines that it is about to answer in is another matter (probe/README.md, "A host thread at its limit").
local h200x2 = require "configs.h200x2"
local queues = require "parts.queues"

local small_cache = { l1_size = "3KiB", l2_size = "4KiB" }
local one_load = { loads_in_flight = 1 }
local neither = { l1_size = "3KiB", l2_size = "4KiB", loads_in_flight = 1 }
for _, limits in ipairs { small_cache, one_load, neither } do limits.owned_at_once = 0 end
local hosts = { ["host thread"] = { owned_at_once = 0 }, ["no overlap"] = one_load, ["no cache"] = small_cache, ["neither"] = neither }

return study {
  title = "480 queues and one thread",
  -- Without pauses the thread finds something new in each queue: its latency differs by a thousandth between phases, so one run is enough.
  machine = function(p)
    return h200x2 { nodes = 2, host = hosts[p.server], software = { phases = quantity(p.think) == 0 and "fixed" or "drawn" } }
  end,
  vary = {
    { "server", { "host thread", "no overlap", "no cache", "neither", "GPU thread" } },
    { "wgs", { 480 } },
    { "think", { "0us", "200us" } },
  },
  run = function(p)
    local is_gpu = p.server == "GPU thread"
    return queues.serve(is_gpu and queues.gpu_thread or queues.host_threads,
                        { variant = is_gpu and "packed_thread" or "packed", wgs = p.wgs, servers = 1, service_ns = 0, window = 1 }, p.think)
  end,
  plot = { x = "server", x_label = "480 queues served by", y = "latency_us", panels = "think", style = "bars" },
}
