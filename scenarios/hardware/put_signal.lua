-- SPDX-License-Identifier: BSD-3-Clause
-- A put with a signal behind it between two GPUs, by the loads and stores of one block: ping-pong, half of a round trip.
local h200x2 = require "configs.h200x2"

local copies = design { from = "rocshmem-ipc", copy_unroll = 4 } -- four loads of 16 B a thread under way

local WARMUP, TURNS = 1, 2

local function one_way(bytes, threads)
  local w = program { design = copies, nodes = 1, gpus_per_node = 2 }
  local ball, bell = w:buffer(bytes), w:signals(2)
  w:parties { threads = threads, program = function(me)
    local other = 1 - me.rank
    for turn = 1, WARMUP + TURNS do
      local word = { buffer = ball, signal = bell, index = turn % 2, value = turn }
      local hit = { to = other, buffer = ball, signal = bell, index = turn % 2, value = turn }
      word.from = other
      local start = me:now()
      if me.rank == 0 then me:put_signal(hit) end
      me:wait_until(word)
      if me.rank == 1 then me:put_signal(hit) end
      if me.rank == 0 and turn > WARMUP then me:record("one_way", (me:now() - start) / 2) end
    end
  end }
  return w:run().one_way
end

return study {
  title = "A put with signal over NVLink",
  machine = h200x2,
  vary = {
    { "threads", { 64, 256, 1024 } },
    { "bytes", { "8B", "32B", "128B", "512B", "2KiB", "8KiB", "32KiB", "64KiB", "128KiB", "256KiB", "512KiB", "1MiB" } },
  },
  measured = { file = "data/h200x2/put_signal.tsv", threads = "threads", bytes = "bytes", time = "one_way_median_us" },
  run = function(p) return { time = one_way(p.bytes, p.threads) } end,
  band = 8,
  plot = { x = "bytes", y = "time_us", by = "threads", style = "loglog" },
}
