-- SPDX-License-Identifier: BSD-3-Clause
-- A put followed by a signal between two GPUs, by the loads and stores of one block: half of a round trip of a ping-pong.
local h200x2 = require "configs.h200x2"
local two_gpus = require "parts.two_gpus"

return study {
  title = "A put with signal over NVLink",
  machine = h200x2,
  vary = {
    { "threads", { 64, 256, 1024 } },
    { "bytes", { "8B", "32B", "128B", "512B", "2KiB", "8KiB", "32KiB", "64KiB", "128KiB", "256KiB", "512KiB", "1MiB" } },
  },
  measured = { file = "data/h200x2/put_signal.tsv", threads = "threads", bytes = "bytes", time = "one_way_median_us" },
  run = function(p) return { time = two_gpus.put_one_way(p.bytes, p.threads) } end,
  band = 8,
  plot = { x = "bytes", y = "time_us", by = "threads", style = "loglog" },
}
