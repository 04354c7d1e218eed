-- SPDX-License-Identifier: BSD-3-Clause
-- Channels that share a link, as NCCL's protocol Simple has them (benchmarks/parts/slices.lua), in the probe's own experiment without NCCL: kernels of
-- chunks of two slices sent to the other GPU and two taken, whose blocks wait between slices. While one waits, others have the link. Nothing but
-- the deviation of blocks' shares is set by these rows.
local collective = require "benchmarks.parts.collective"
local kernel = require "benchmarks.parts.kernel"
local slices = require "benchmarks.parts.slices"
local h200x2 = require "configs.h200x2"

return study {
  title = "Slices of blocks that wait between them",
  machine = h200x2,
  vary = {
    { "kind", { "copy", "pass" } }, -- whether what is sent is stored to its own memory, too
    { "blocks", { 4, 24 } },
    { "kib", { 44, 88, 352, 1024 } }, -- of a slice
    { "chunks", { 1, 6 } },
    { "wait", { 0, 1.3, 4.8 } }, -- us
  },
  measured = { file = "data/slices.tsv", kind = "what", blocks = "blocks", kib = "slice_kib", chunks = "chunks", wait = "wait_us", time = "each_us" },
  run = function(p)
    local machine, list = collective.machine(h200x2), {}
    local of = { operation = "all_gather", protocol = "Simple", gpus = 2, nodes = 1, channels = p.blocks, threads = 544, bytes = 1 << 20 }
    local send, take = { sends = true, loads = 1, stores = p.kind == "copy" and 1 or 0 }, { gets = true, loads = 0, stores = 1 }
    local rate, bytes = kernel.slice_rate(machine, p.blocks, p.kind == "copy"), p.kib << 10
    for i = 1, 4 * p.chunks do
      local step = (i - 1) % 4 < 2 and send or take
      local following = i % 4 == 1 and collective.following(of, bytes) or 0
      list[i] = { step = step, bytes = bytes, took = collective.work(of, machine, step, bytes), way = machine.way, held = p.wait / 1e6,
                  posting = machine.put - machine.way + following * p.blocks / rate }
    end
    return { time = (machine.behind + slices.run(list, p.blocks, rate)) * 1e12 // 1 .. "ps" }
  end,
  plot = { x = "kib", x_label = "Slice (KiB)", y = "time_us", by = "wait", panels = "chunks", style = "loglog",
           labels = { ["0"] = "no wait", ["1.3"] = "1.3 µs", ["4.8"] = "4.8 µs", ["1"] = "1 chunk", ["6"] = "6 chunks" },
           only = { kind = "copy", blocks = 24 } },
}
