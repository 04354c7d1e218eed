-- SPDX-License-Identifier: BSD-3-Clause
-- Small puts per microsecond, by the number of blocks of 32 warps that share a queue of the NIC. With host threads
-- (IBRC, GIN's proxy), the rate remains that of one thread's posts; with kernels that post themselves, it grows with
-- their queues. Published rates were measured on an H200 NVL with a ConnectX-7 (V-047 to V-056), with 1, 4 and 16
-- blocks of 1,024 threads.

local h200 = require "configs.h200_cx7"

local published = {
  ["nvshmem-ibgda"] = { [1] = 12.7, [4] = 42.8, [16] = 87.2 }, -- V-047, V-051, V-055
  ["nvshmem-ibrc"] = { [1] = 2.6, [4] = 3.2, [16] = 3.2 },    -- V-048, V-052, V-056
}

return study {
  title = "Puts of 4 B per microsecond, by number of blocks",
  machine = h200 {},
  vary = {
    { "library", { "nvshmem-ibrc", "nccl-gin-proxy", "nvshmem-ibgda", "nccl-gin-gdaki" } },
    { "blocks", { 1, 2, 4, 8, 16 } },
  },
  run = function(p)
    local is_verbs = p.library == "nvshmem-ibgda" or p.library == "nccl-gin-gdaki"
    local d = is_verbs and design { from = p.library, nic_queue = { sharers = 32 } } or p.library
    local r = message_rate { design = d, blocks = p.blocks, messages = 32 }
    return { puts_per_us = r.puts_per_us, published = (published[p.library] or {})[p.blocks] }
  end,
  plot = { x = "blocks", y = "puts_per_us", by = "library", style = "loglog",
           x_label = "Blocks of 32 warps", y_label = "Puts a microsecond" },
}
