-- SPDX-License-Identifier: BSD-3-Clause
-- A halo exchange as a program: places in a row, each puts its edge into its neighbours and waits for theirs, in pairs:
-- 0 with 1 beside 2 with 3, then 1 with 2; then computes. The same for kernels, where each work-group has its part of
-- the edge, and for processes.
--
-- With two places and nothing to compute it is what neighbour_exchange does (`workload`): with fixed
-- phases to the picosecond.

local node = require "configs.gcn3_node"

local WARMUP, TURNS = 4, 10

local function halo_exchange(design, places, work_groups, bytes, work)
  local w = program { design = design, nodes = places }
  local halo, come = w:buffer(bytes), w:signals(4) -- of each side two, in turn
  w:parties { work_groups = work_groups, program = function(me)
    local sides = {}
    for _, step in ipairs(me.rank % 2 == 0 and { 1, -1 } or { -1, 1 }) do
      local other = me.rank + step
      if other >= 0 and other < me.ranks then sides[#sides + 1] = { to = other, own = step > 0 and 0 or 2 } end
    end
    for turn = 1, WARMUP + TURNS do
      local start = me:now()
      for _, side in ipairs(sides) do -- the neighbour sees it on its other side
        me:put_signal { to = side.to, buffer = halo, signal = come, index = 2 - side.own + turn % 2, value = turn }
        me:wait_until { from = side.to, buffer = halo, signal = come, index = side.own + turn % 2, value = turn }
      end
      if work then
        me:compute { elements = work, flops = 5, bytes = "8B", working_set = "1GiB" }
        me:finish()
      end
      if me.rank == 0 and turn > WARMUP then me:record("turn", me:now() - start) end
    end
  end }
  return w:run()
end

return study {
  title = "Halo exchange as a program in Lua",
  machine = node { nodes = 4 },
  vary = {
    { "design", { "dgpu", "comp-net", "charm-channel" } },
    { "work_groups", { 1, 16 } },
    { "bytes", { "64B", "16KiB" } },
  },
  where = function(p) return p.work_groups == 1 or p.design ~= "charm-channel" end, -- one process a GPU
  run = function(p)
    local r = halo_exchange(p.design, 2, p.work_groups, p.bytes)
    local c = neighbour_exchange { design = p.design, bytes = p.bytes, work_groups = p.work_groups, iterations = TURNS }
    local row = halo_exchange(p.design, 4, p.work_groups, p.bytes, 4096)
    return { turn = r.turn, workload = c.turn, row = row.turn }
  end,
  plot = { x = "bytes", y = "row_us", by = "design", panels = "work_groups", style = "loglog" },
}
