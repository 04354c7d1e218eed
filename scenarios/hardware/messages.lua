-- SPDX-License-Identifier: BSD-3-Clause
-- Ping-pong and windows of messages between the two GPUs, as the OSU micro-benchmarks measure them: GPU data that go directly or
-- staged through host memory. A prediction: no table of this host has them.
local h200x2 = require "configs.h200x2"

return study {
  title = "Messages between two GPUs of a host",
  machine = h200x2,
  vary = { { "design", { "openmpi-d", "openmpi-h" } }, { "bytes", pow2("8B", "16MiB") } },
  where = function(p) return math.log(quantity(p.bytes) // 8, 4) % 1 == 0 end,
  run = function(p)
    local call = { design = p.design, placement = "intra-socket", bytes = p.bytes }
    return { latency = osu_latency(call).latency, bandwidth = osu_bandwidth(call).bandwidth }
  end,
  band = 8,
  plot = { { x = "bytes", y = "latency_us", by = "design", style = "loglog" },
           { x = "bytes", y = "bandwidth_GBps", by = "design", style = "semilogx" } },
}
