-- SPDX-License-Identifier: BSD-3-Clause
-- Copies between host and GPU: one at a time with its synchronisation, and in a window of 16.
local cuda = require "benchmarks.parts.cuda"
local h200x2 = require "configs.h200x2"

local directions = { D2H = "device-to-host", H2D = "host-to-device" }

return study {
  title = "Copies between host and GPU",
  machine = h200x2,
  vary = {
    { "dir", { "D2H", "H2D" } },
    { "mem", { "pinned", "pageable" } },
    { "bytes", { "8B", "32B", "128B", "512B", "2KiB", "8KiB", "32KiB", "128KiB", "512KiB", "2MiB", "8MiB", "32MiB", "64MiB" } },
  },
  measured = { file = "data/h200x2/copies.tsv", dir = "dir", mem = "mem", bytes = "bytes", time = "total_median_us",
               window_GBps = "GBps_window" },
  run = function(p)
    local call = { direction = directions[p.dir], memory = p.mem, bytes = p.bytes, repeats = 2 }
    local alone = cuda.copy(call)
    call.window = 16
    return { time = alone.time, window_GBps = (quantity(p.bytes) * 1e3) / quantity(cuda.copy(call).time) }
  end,
  band = 8,
  plot = { x = "bytes", y = "time_us", by = "dir", panels = "mem", style = "loglog" },
}
