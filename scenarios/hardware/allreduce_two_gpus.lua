-- SPDX-License-Identifier: BSD-3-Clause
-- A ring allreduce between the two GPUs: within a kernel, whose work-groups store into the other GPU's memory; and, as a prediction, by
-- processes that pass messages and launch kernels that add.
local h200x2 = require "configs.h200x2"
local two_gpus = require "parts.two_gpus"

-- The ring's steps by two processes: a message, a kernel that adds, a message.
local function by_processes(bytes)
  local half = quantity(bytes) // 2
  local w = program { design = "openmpi-d", nodes = 1, gpus_per_node = 2, channels = true }
  local data = w:buffer(half .. "B")
  w:parties { program = function(me)
    local other, start = 1 - me.rank, nil
    for turn = 1, 2 do
      start = me:now()
      for step = 0, 1 do
        local coming = me:receive { from = other, buffer = data }
        me:wait(coming, me:send { to = other, buffer = data })
        if step == 0 then
          me:launch { work_groups = math.max(half // 16384, 1), threads = 256, bytes = math.min(half, 16384) * 3 .. "B" }
          me:synchronise()
        end
      end
      if turn == 2 then me:record("duration", me:now() - start) end
    end
  end }
  return w:run().duration_max
end

return study {
  title = "Ring allreduce between two H200",
  machine = h200x2,
  vary = { { "threads", { 256, 1024 } }, { "rings", { 1, 4, 16, 64 } }, { "bytes", { 512, 4096, 32768, 262144, 2097152 } } },
  measured = { file = "data/h200x2/allreduce.tsv", threads = "threads", rings = "rings", bytes = "bytes", time = "median_us" },
  run = function(p)
    return { time = two_gpus.ring_round(p.bytes .. "B", p.rings, p.threads), by_processes = by_processes(p.bytes .. "B") }
  end,
  plot = { x = "bytes", x_label = "Buffer", y = "time_us", by = "rings", panels = "threads", style = "loglog" },
}
