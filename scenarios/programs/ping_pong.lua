-- SPDX-License-Identifier: BSD-3-Clause
-- ComPNet18, Fig 5, written as a program: a ping-pong between two GPUs, from inside their kernels.
--
-- Rank 0 puts a value and behind it a signal into rank 1 and waits for the answer; rank 1 waits, then answers. The
-- same function runs as a work-group of a kernel or as a process that passes messages, as the design has it.
-- `workload` is what neighbour_exchange, written in C, takes for the same: with fixed phases
-- equal to the picosecond.

local node = require "configs.gcn3_node"

local WARMUP, TURNS = 4, 10

local function ping_pong(design, bytes)
  local w = program { design = design }
  local ball, bell = w:buffer(bytes), w:signals(2)
  w:parties { work_groups = 1, threads = 64, program = function(me)
    local other = 1 - me.rank
    local function hit(turn)
      me:put_signal { to = other, buffer = ball, signal = bell, index = turn % 2, value = turn }
    end
    for turn = 1, WARMUP + TURNS do
      local start = me:now()
      if me.rank == 0 then hit(turn) end
      me:wait_until { from = other, buffer = ball, signal = bell, index = turn % 2, value = turn }
      if me.rank == 1 then hit(turn) end
      if me.rank == 0 and turn > WARMUP then me:record("turn", me:now() - start) end
    end
  end }
  return w:run()
end

return study {
  title = "Ping-pong as a program in Lua",
  machine = node { nodes = 2 },
  vary = {
    { "design", { "dgpu", "apu", "comp-net", "charm-channel" } },
    { "bytes", { "8B", "4KiB", "256KiB" } },
  },
  run = function(p)
    local r = ping_pong(p.design, p.bytes)
    local c = neighbour_exchange { design = p.design, pattern = "ping_pong", bytes = p.bytes, iterations = TURNS }
    return { turn = r.turn, turn_max = r.turn_max, workload = c.turn, workload_max = c.turn_max }
  end,
  plot = { x = "bytes", y = "turn_us", by = "design", style = "loglog", y_label = "There and back" },
}
