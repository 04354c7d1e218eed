-- SPDX-License-Identifier: BSD-3-Clause
-- Queues in GPU memory that a host thread serves by calls of the runtime, each of them a copy and its synchronisation. mailbox: one
-- copy of all entries and one of all completions. ring: one copy of the write indices, one of each new entry and one of all
-- completions.
local cuda = require "benchmarks.parts.cuda"
local h200x2 = require "configs.h200x2"

local by_calls = design { from = "dgpu", queue = { polling = "runtime_call" }, nic_queue = { sharers = 1 } }

local function copy(direction, bytes, window)
  return quantity(cuda.copy { direction = direction, bytes = bytes .. "B", window = window, repeats = 2 }.time) * window
end

-- All work-groups have progressed equally far, so each round of the thread serves all of them.
local function ring(wgs)
  return (copy("device-to-host", 4 * wgs, 1) + copy("device-to-host", 64, wgs) + copy("host-to-device", 4 * wgs, 1)) // 1 .. "ps"
end

local function mailbox(wgs)
  return queue_service { design = by_calls, operation = "nop", work_groups = wgs, operations = 40, warmup = 4, threads = 32 }.latency
end

return study {
  title = "Queues in GPU memory, worked by a host thread's runtime calls",
  machine = h200x2 { nodes = 2 },
  vary = { { "variant", { "ring", "mailbox" } }, { "wgs", { 1, 2, 4, 8, 16 } } },
  measured = { file = "data/h200x2/runtime_polled.tsv", variant = "variant", wgs = "wgs", latency = "lat_mean_us" },
  run = function(p) return { latency = p.variant == "ring" and ring(p.wgs) or mailbox(p.wgs) } end,
  band = 8,
  plot = { x = "wgs", y = "latency_us", by = "variant", style = "semilogx" },
}
