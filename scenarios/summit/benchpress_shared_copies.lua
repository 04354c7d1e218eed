-- SPDX-License-Identifier: BSD-3-Clause
-- BenchPress's memcpy_mult on Summit: cudaMemcpyAsync from a GPU to pinned memory and cudaStreamSynchronize, by several processes
-- that share the GPU. Simulated; beside it what was measured, as far as it is printed. The rows of 1 and 2 processes gave
-- cuda.shared_setup and cuda.shared_rate; those of more are predicted.

local cuda = require "benchmarks.parts.cuda"
local summit = require "configs.summit"
local benchpress = require "parts.benchpress"

local function measured(p)
  return benchpress.shared_copies[p.processes] and benchpress.shared_copies[p.processes][p.bytes]
end

return study {
  title = "Copies by processes that share a GPU, simulated and measured",
  machine = summit { nodes = 1 },
  vary = { { "processes", { 1, 2, 3, 4, 5, 6 } }, { "bytes", { "4B", "4KiB", "64KiB", "512KiB" } } },
  run = function(p)
    local r = cuda.copy { direction = "device-to-host", bytes = p.bytes, processes = p.processes }
    local was = measured(p)
    if not was then return { time = r.time } end
    return { time = r.time, measured = was .. "us", deviation_percent = benchpress.deviation(r.time:us(), was) }
  end,
  plot = { x = "bytes", y = "time_us", by = "processes", style = "loglog", x_label = "Size", y_label = "Time",
           published = function(r) return benchpress.marks(r, measured) end },
}
