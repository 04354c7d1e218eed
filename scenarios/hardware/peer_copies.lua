-- SPDX-License-Identifier: BSD-3-Clause
-- Copies from one GPU to the other by the copy engine: one at a time with its synchronisation, and in a window.
local cuda = require "benchmarks.parts.cuda"
local h200x2 = require "configs.h200x2"

return study {
  title = "Copies between two GPUs",
  machine = h200x2,
  vary = { bytes = { "8B", "32B", "128B", "512B", "2KiB", "8KiB", "32KiB", "128KiB", "512KiB", "2MiB", "8MiB", "32MiB", "128MiB",
                     "256MiB" } },
  measured = { file = "data/h200x2/peercopy.tsv", bytes = "bytes", time = "total_median_us", window_GBps = "GBps_window" },
  run = function(p)
    local call = { direction = "device-to-device", bytes = p.bytes, repeats = 2 }
    local alone = cuda.copy(call)
    call.window = p.bytes <= "8MiB" and 64 or p.bytes <= "32MiB" and 32 or p.bytes <= "128MiB" and 8 or 4
    return { time = alone.time, window_GBps = (quantity(p.bytes) * 1e3) / quantity(cuda.copy(call).time) }
  end,
  plot = { x = "bytes", y = "time_us", style = "loglog" },
}
