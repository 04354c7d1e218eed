-- SPDX-License-Identifier: BSD-3-Clause
-- Dispatch of a mixture of experts, started by the GPU or by a proxy thread of the host: packed, a message for each GPU that
-- a token goes to, against a message a token. Held against orderings of published measurements on other machines
-- (NVSHMEM's IBGDA and host proxy, loom-motivation-experiments; pplx-kernels' README): 16 tokens of 1 KiB, 8 of 256
-- experts; and 1 token on 16 to 128 GPUs. docs/trust/applications.md has both.

local node = require "configs.gcn3_node"

return study {
  long = true,
  title = "Dispatch of a mixture of experts",
  machine = node { nodes = 128, network = { rate = "200Gbit/s" } },
  vary = {
    { "case", { "16 tokens, 8 GPUs", "1 token, 16 GPUs", "1 token, 128 GPUs", "64 tokens, 32 GPUs" } },
    { "design", { "gpu-verbs", "dgpu-host-queue", "comp-net", "dgpu" } },
    { "packing", { "packed", "token" } },
  },
  run = function(p)
    local cases = { ["16 tokens, 8 GPUs"] = { 16, 8 }, ["1 token, 16 GPUs"] = { 1, 16 },
                    ["1 token, 128 GPUs"] = { 1, 128 }, ["64 tokens, 32 GPUs"] = { 64, 32 } }
    local r = moe { design = p.design, nodes = cases[p.case][2], tokens = cases[p.case][1], packing = p.packing,
                    repeats = 2 }
    return { dispatch = r.dispatch, both = r.duration, messages = r.messages }
  end,
  plot = { x = "design", y = "dispatch_us", by = "packing", panels = "case", style = "bars" },
}
