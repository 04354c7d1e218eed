-- SPDX-License-Identifier: BSD-3-Clause
-- One operation of one GPU thread: a load, a store with its fence, a fence alone, an atomic, on memory of the host and of its GPU.
local h200x2 = require "configs.h200x2"

local operations = {
  load = { operation = "load" },
  load_acquire_sys = { operation = "load_acquire" },
  store_plus_fence_sys = { operation = "store_fence" },
  store_release_sys = { operation = "store_release" },
  fence_sys_alone = { operation = "fence" },
  atomic_add_return = { operation = "atomic" },
  atomic_cas_return = { operation = "atomic" },
  atomic_exch_return = { operation = "atomic" },
}
local memories = { host_op = "host", dev_op = "gpu" }

return study {
  title = "One operation of one GPU thread",
  machine = h200x2,
  vary = {
    { "memory", { "host_op", "dev_op" } },
    { "param", { "load", "load_acquire_sys", "store_plus_fence_sys", "store_release_sys", "fence_sys_alone",
                 "atomic_add_return", "atomic_cas_return", "atomic_exch_return" } },
  },
  measured = { file = "data/h200x2/signal.tsv", memory = "what", param = "param", time = "median_ns" },
  run = function(p)
    local call = operations[p.param]
    return { time = gpu_operation { operation = call.operation, memory = memories[p.memory] }.time }
  end,
  band = 8,
  plot = { x = "param", x_label = "Operation", y = "time_us", by = "memory", style = "bars" },
}
