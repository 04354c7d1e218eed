-- SPDX-License-Identifier: BSD-3-Clause
-- Copies in both directions at once and with both GPUs, in windows of 16 on each stream: which parts of the paths to the host are
-- shared?
local cuda = require "benchmarks.parts.cuda"
local h200x2 = require "configs.h200x2"
local streams = require "parts.streams"

return study {
  title = "Copies on several streams at once",
  machine = h200x2,
  vary = {
    { "what", { "D2H_gpu0", "H2D_gpu0", "D2H+H2D_gpu0", "D2H_gpu0+D2H_gpu1", "H2D_gpu0+H2D_gpu1", "D2H_gpu0+H2D_gpu1",
                "D2H+H2D_both_gpus" } },
    { "bytes", { "4KiB", "64KiB", "1MiB", "8MiB", "64MiB" } },
  },
  measured = { file = "data/h200x2/concurrent.tsv", what = "what", bytes = "bytes", GBps = "GBps_median" },
  run = function(p)
    local call = { bytes = p.bytes }
    for name, value in pairs(streams[p.what]) do call[name] = value end
    return { GBps = cuda.copies(call).bandwidth:GBps() }
  end,
  band = 8,
  plot = { x = "bytes", y = "GBps", y_label = "Bandwidth (GB/s)", by = "what", style = "loglog" },
}
