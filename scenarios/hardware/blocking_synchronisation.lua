-- SPDX-License-Identifier: BSD-3-Clause
-- Launches by a thread that sleeps while it waits (cudaDeviceScheduleBlockingSync): the call, and the call and its synchronisation.
local cuda = require "benchmarks.parts.cuda"
local h200x2 = require "configs.h200x2"

local measured = { launch_enqueue = "call", launch_plus_sync = "synchronize" }

return study {
  title = "Launches by a thread that sleeps while it waits",
  machine = h200x2,
  vary = {
    { "what", { "launch_enqueue", "launch_plus_sync" } },
    { "param", { "grid=1x32", "grid=132x256", "grid=1056x256", "grid=16896x256" } },
  },
  measured = { file = "data/h200x2/launch_blockingsync.tsv", what = "what", param = "param", time = "median_us" },
  run = function(p)
    local groups, threads = p.param:match "(%d+)x(%d+)"
    return { time = cuda.launch { measured = measured[p.what], work_groups = groups + 0, threads = threads + 0, sleeps = true }.time }
  end,
  plot = { x = "param", x_label = "Kernel launched", y = "time_us", by = "what", style = "bars" },
}
