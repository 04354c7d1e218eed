-- SPDX-License-Identifier: BSD-3-Clause
-- Jacobi 2D on both GPUs, half of the square on each: by kernels of host processes that pass the row of the halo as a message, or by
-- one resident kernel that stores the row into its neighbour's memory. A prediction: no table of this host has it.
local h200x2 = require "configs.h200x2"

local copies = design { from = "rocshmem-ipc", copy_unroll = 4 } -- four loads of 16 B a thread under way

local ITERATIONS, GROUPS = 4, 132

local function launched(edge)
  local w = program { design = "openmpi-d", nodes = 1, gpus_per_node = 2, channels = true }
  local row = w:buffer(4 * edge .. "B")
  local cells = edge * edge // 2
  w:parties { program = function(me)
    local other, start = 1 - me.rank, nil
    for turn = 0, ITERATIONS do
      if turn == 1 then start = me:now() end
      me:launch { work_groups = cells // 1024, threads = 256, flops = 5 * 1024, bytes = 2 * 4 * 1024 .. "B" }
      me:synchronise()
      me:wait(me:receive { from = other, buffer = row }, me:send { to = other, buffer = row })
    end
    me:record("iteration", (me:now() - start) / ITERATIONS)
  end }
  return w:run().iteration
end

local function persistent(edge)
  local w = program { design = copies, nodes = 1, gpus_per_node = 2, cooperative = true }
  local row, bell = w:buffer(4 * edge .. "B"), w:signals(2)
  local cells = edge * edge // 2 // GROUPS
  w:parties { work_groups = GROUPS, threads = 1024, program = function(me)
    local other, start = 1 - me.rank, nil
    for turn = 0, ITERATIONS do
      if turn == 1 then start = me:now() end
      me:compute { elements = cells, flops = 5, bytes = "8B", working_set = 8 * cells * GROUPS .. "B" }
      me:finish()
      me:group_barrier()
      local word = { buffer = row, signal = bell, index = turn % 2, value = turn + 1 }
      if me.group == 0 then
        word.to = other
        me:put_signal(word)
        word.to, word.from = nil, other
        me:wait_until(word)
      end
      me:group_barrier()
    end
    if me.group == 0 then me:record("iteration", (me:now() - start) / ITERATIONS) end
  end }
  return w:run().iteration
end

return study {
  title = "Jacobi 2D on two H200, driven by the host and in a resident kernel",
  machine = h200x2,
  vary = { { "way", { "launched", "persistent" } }, { "edge", { 1024, 4096, 16384 } } },
  run = function(p) return { iteration = (p.way == "launched" and launched or persistent)(p.edge) } end,
  band = 8,
  plot = { x = "edge", y = "iteration_us", by = "way", style = "loglog" },
}
