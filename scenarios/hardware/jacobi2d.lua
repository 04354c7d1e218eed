-- SPDX-License-Identifier: BSD-3-Clause
-- Jacobi 2D on both GPUs, half of the square on each: two host threads that launch a kernel for each iteration and copy the halo's row, or
-- one resident kernel on each GPU that stores the row into its neighbour's memory. The measured program is probe/jacobi2d.cu.
local h200x2 = require "configs.h200x2"

local copies = design { from = "rocshmem-ipc", copy_unroll = 4 } -- four loads of 16 B a thread under way

local ITERATIONS, GROUPS = 4, 132
local IN_FLIGHT = "1KiB" -- of a warp: it loads 16 B a thread of the next row, the only one that no cache has, and stores as much

local function launched(edge)
  local w = program { design = "openmpi-d", nodes = 1, gpus_per_node = 2 }
  local row = w:buffer(4 * edge .. "B")
  local cells = edge * edge // 2
  w:parties { program = function(me)
    local other, start = 1 - me.rank, nil
    for turn = 0, ITERATIONS do
      if turn == 1 then start = me:now() end
      me:launch { work_groups = cells // 1024, threads = 256, flops = 4 * 1024, bytes = 2 * 4 * 1024 .. "B",
                  in_flight = IN_FLIGHT, mixed = true }
      me:synchronise()
      me:copy { to = row, to_rank = other, from = row }
      me:synchronise()
      me:tell(other)
      me:wait_told(other)
    end
    me:record("iteration", (me:now() - start) / ITERATIONS)
  end }
  return w:run().iteration
end

-- The first work-group begins with the row of the halo, which goes while all work on their shares of the rest.
local function persistent(edge)
  local w = program { design = copies, nodes = 1, gpus_per_node = 2, cooperative = true }
  local row, bell = w:buffer(4 * edge .. "B"), w:signals(2)
  local cells = edge * edge // 2
  local share = (cells - edge) // GROUPS
  w:parties { work_groups = GROUPS, threads = 1024, program = function(me)
    local other, start = 1 - me.rank, nil
    local function update(elements)
      me:compute { elements = elements, flops = 4, bytes = "8B", working_set = 8 * cells .. "B",
                   in_flight = IN_FLIGHT, mixed = true }
      me:finish()
    end
    for turn = 0, ITERATIONS do
      if turn == 1 then start = me:now() end
      local word = { buffer = row, signal = bell, index = turn % 2, value = turn + 1 }
      if me.group == 0 then
        update(edge)
        word.to = other
        me:put_signal(word)
      end
      update(share)
      if me.group == 0 then
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
  vary = { { "way", { "launched", "persistent" } }, { "edge", { 256, 512, 1024, 2048, 4096, 8192, 16384 } } },
  measured = { file = "data/h200x2/jacobi2d.tsv", way = "way", edge = "edge", iteration = "median_us" },
  run = function(p) return { iteration = (p.way == "launched" and launched or persistent)(p.edge) } end,
  band = 8,
  plot = { x = "edge", y = "iteration_us", by = "way", style = "loglog" },
}
