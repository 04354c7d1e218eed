-- SPDX-License-Identifier: BSD-3-Clause
-- BenchPress's copies between pinned host memory and a GPU on Summit: cudaMemcpyAsync and cudaStreamSynchronize,
-- simulated beside measured, with the memory on the GPU's socket and on the other one. The measured times are the
-- same in both directions.

local cuda = require "benchmarks.parts.cuda"
local summit = require "configs.summit"
local benchpress = require "parts.benchpress"

return study {
  title = "BenchPress: cudaMemcpyAsync and synchronize, simulated and measured",
  machine = summit { nodes = 1 },
  vary = {
    { "direction", { "host-to-device", "device-to-host" } },
    { "distance", { "same-socket", "cross-socket" } },
    { "bytes", benchpress.sizes },
    { "origin", { "simulated", "measured" } },
  },
  where = function(p) return p.origin == "simulated" or benchpress.copies[p.distance][p.bytes] ~= nil end,
  run = function(p)
    local measured = benchpress.copies[p.distance][p.bytes]
    if p.origin == "measured" then
      return { time = measured .. "us", deviation_percent = 0 }
    end
    local r = cuda.copy { direction = p.direction, other = p.distance == "cross-socket" and 3 or 0, bytes = p.bytes }
    if not measured then return { time = r.time } end
    return { time = r.time, deviation_percent = benchpress.deviation(r.time:us(), measured) }
  end,
  plot = { x = "bytes", y = "time_us", by = "origin", panels = "distance", over = "direction", style = "loglog", marks = { "measured" },
           x_label = "Size", y_label = "Time" },
}
