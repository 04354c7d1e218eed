-- SPDX-License-Identifier: BSD-3-Clause
-- The rate at which a kernel's own loads and stores move data, by the number of blocks, their threads and the total bytes: stores into
-- the other GPU's memory, loads from it, stores of both GPUs at once, copies within one GPU. Two events time a series of passes, as
-- many as take 0.4 ms, or 2 ms where both GPUs store.
local h200x2 = require "configs.h200x2"

local ways = { store = { to = "peer" }, store_bidir = { to = "peer" }, load = { from = "peer" }, ["local"] = {} }

local function copy(p, passes)
  local way = ways[p.what]
  return kernel_copy { from = way.from, to = way.to, work_groups = p.blocks, threads = p.threads, bytes = p.bytes .. "B", passes = passes }
end

-- How many passes fit into `us`, if each takes as long as one pass with the events' cost.
local function passes_in(us, p)
  return math.max(1, math.floor(us / (quantity(copy(p, 1).timed) * 1e-6) + 0.5))
end

-- More passes would not change the time of a pass.
local most = 64

return study {
  title = "Copies by the loads and stores of a kernel",
  machine = h200x2,
  vary = {
    { "what", { "store", "load", "store_bidir", "local" } },
    { "blocks", { 1, 2, 4, 8, 16, 32, 132 } },
    { "threads", { 256, 1024 } },
    { "bytes", { 4096, 65536, 262144, 1048576, 4194304, 16777216, 67108864 } },
  },
  measured = { file = "data/h200x2/inkernel_bw.tsv", what = "what", blocks = "blocks", threads = "threads", bytes = "bytes",
               GBps = "GBps" },
  run = function(p)
    local both = p.what == "store_bidir"
    local passes = passes_in(both and 2000 or 400, p)
    local r = copy(p, math.min(passes, most))
    local timed = quantity(r.timed) - (quantity(r.timed) - quantity(r.time)) * (1 - math.min(passes, most) / passes)
    return { GBps = p.bytes * 1e3 / timed * (both and 2 or 1) }
  end,
  plot = { x = "bytes", x_label = "Size of a copy", y = "GBps", y_label = "Bandwidth (GB/s)", by = "blocks", panels = "what", style = "loglog" },
}
