-- SPDX-License-Identifier: BSD-3-Clause
-- The same operation by many GPU threads at a time, one in each block: each on a line of its own, or all on one line.
local h200x2 = require "configs.h200x2"

local operations = {
  load_sys = { operation = "load" },
  load_gpu = { operation = "load" },
  store_release_sys = { operation = "store_release" },
  store_release_gpu = { operation = "store_release", scope = "device" },
  atomic_add_sys = { operation = "atomic" },
  atomic_add_gpu = { operation = "atomic" },
}
local memories = { host = "host", device = "gpu", peer = "peer" }

return study {
  title = "One operation of many GPU threads at a time",
  machine = h200x2,
  vary = {
    { "memory", { "host", "device", "peer" } },
    { "what", { "load_sys", "load_gpu", "store_release_sys", "store_release_gpu", "atomic_add_sys", "atomic_add_gpu" } },
    { "address", { "own_line", "same" } },
    { "blocks", { 1, 2, 4, 8, 16, 32, 64, 128, 256, 480, 1056 } },
  },
  -- Operations that act within the GPU alone are on its own memory; all on one line are atomics.
  where = function(p)
    local is_gpu = p.what:find("_gpu") ~= nil
    local is_atomic = p.what:find("atomic") ~= nil
    return (not is_gpu or p.memory == "device") and (p.address == "own_line" or is_atomic)
  end,
  measured = { file = "data/h200x2/scaling.tsv", memory = "memory", what = "what", address = "address", blocks = "blocks",
               nanoseconds = "mean_ns_per_op_median" },
  run = function(p)
    local call = operations[p.what]
    local r = gpu_operation { operation = call.operation, memory = memories[p.memory], scope = call.scope or "system",
                                    work_groups = p.blocks, same_line = p.address ~= "own_line", repeats = 10 }
    return { nanoseconds = r.time:ns() }
  end,
  band = 8,
  plot = { x = "blocks", y = "nanoseconds", y_label = "Time (ns)", by = "what", panels = "memory", style = "loglog", only = { address = "own_line" } },
}
