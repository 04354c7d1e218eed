-- SPDX-License-Identifier: BSD-3-Clause
-- NVSHMEM's operations in kernels of two GPUs, by a thread, a warp or a block of 256 threads; from 1 to 32 blocks at a time, each on memory
-- of its own. Predicted before it was measured (probe/predicted_nvshmem.md).
local h200x2 = require "configs.h200x2"

-- The loop of NVSHMEM's copies has one load of 16 B and one store (cuobjdump of version 3.4.5).
local nvshmem = design { from = "nvshmem-ibgda" }
local threads = { thread = 1, warp = 32, block = 256 }
local WARMUP, TURNS = 2, 4

local function turns(me, name, halves, operation)
  for turn = 1, WARMUP + TURNS do
    local start = me:now()
    operation(turn)
    if turn > WARMUP then me:record(name, (me:now() - start) / halves) end
  end
end

-- What a work-group of GPU 0 does; those of GPU 1 take part only in what both sides wait for.
local operations = {
  put_quiet = function(me, data) if me.rank == 0 then turns(me, "time", 1, function() me:put { to = 1, buffer = data } end) end end,
  get = function(me, data) if me.rank == 0 then turns(me, "time", 1, function() me:get { from = 1, buffer = data } end) end end,
  put_signal_one_way = function(me, data, bell)
    local other = 1 - me.rank
    local function round(turn)
      local hit = { to = other, buffer = data, signal = bell, value = turn }
      if me.rank == 0 then me:put_signal(hit) end
      me:wait_until { from = other, buffer = data, signal = bell, value = turn }
      if me.rank == 1 then me:put_signal(hit) end
    end
    turns(me, me.rank == 0 and "time" or "answer", 2, round)
  end,
  atomic_fetch_add = function(me, _, bell)
    if me.rank == 0 then turns(me, "time", 1, function() me:atomic { to = 1, signal = bell, op = "add", value = 1 } end) end
  end,
  barrier_all = function(me) turns(me, me.rank == 0 and "time" or "other", 1, function() me:barrier() end) end,
}
operations.p_quiet = operations.put_quiet

local sizes = { put_quiet = true, get = true, put_signal_one_way = true }

return study {
  title = "NVSHMEM's operations between two GPUs",
  machine = h200x2,
  vary = {
    { "what", { "put_quiet", "get", "put_signal_one_way", "p_quiet", "atomic_fetch_add", "barrier_all" } },
    { "scope", { "thread", "warp", "block" } },
    { "blocks", { 1, 8, 32 } },
    { "bytes", { "8B", "64B", "512B", "4KiB", "32KiB", "256KiB" } },
  },
  where = function(p)
    if p.what == "barrier_all" then return p.bytes == "8B" and p.blocks == 1 end
    if not sizes[p.what] then return p.scope == "thread" and p.bytes == "8B" end
    return p.scope ~= "thread" or quantity(p.bytes) <= 8192
  end,
  measured = { file = "data/h200x2/nvshmem.tsv", what = "what", scope = "scope", blocks = "blocks", bytes = "bytes", time = "median_ns" },
  run = function(p)
    local w = program { design = nvshmem, nodes = 1, gpus_per_node = 2, barrier = p.what == "barrier_all" }
    local data, bell = w:buffer(p.bytes), w:signals(1)
    w:parties { work_groups = p.blocks, threads = threads[p.scope], program = function(me) operations[p.what](me, data, bell) end }
    return { time = w:run().time }
  end,
  band = 8,
  plot = {
    { title = "NVSHMEM's operations between two GPUs, one block", only = { blocks = 1 },
      x = "bytes", y = "time_us", by = "what", panels = "scope", style = "loglog" },
    { title = "NVSHMEM's operations of whole blocks, 32 at a time", only = { blocks = 32, scope = "block" },
      x = "bytes", y = "time_us", by = "what", style = "loglog" },
  },
}
