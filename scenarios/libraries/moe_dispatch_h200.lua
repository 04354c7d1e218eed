-- SPDX-License-Identifier: BSD-3-Clause
-- Dispatch of a mixture of experts to 8 GPUs, each token by itself or packed, posted by the kernel or by a proxy
-- thread. Published for an H200 whose NIC's two ports are cabled to each other (V-063 to V-066): 16 tokens of 1 KiB, 8
-- of 256 experts, 20 work-groups; by the kernel 43.1 us packed and 77.2 us by token, by a proxy 189.8 and 196.1 us. In
-- that program, a kernel posts a token as soon as its destination is known; for a proxy, all work-groups meet, and the
-- last one tells the proxy how many tokens there are (posting). Left out: routing, and that a token for several experts
-- of one GPU goes there only once.

local h200 = require "configs.h200_cx7"
local bare_proxy = require "scenarios.libraries.parts.bare_proxy"

local ways = {
  ["kernel"] = { design = "nvshmem-ibgda", posting = "each" },
  ["proxy"] = { design = bare_proxy, posting = "last" },
  ["proxy, a queue each"] = { design = bare_proxy, posting = "each" },
}

return study {
  title = "Dispatch of tokens by the kernel and by a proxy",
  machine = h200 { nodes = 8 },
  vary = {
    { "way", { "kernel", "proxy", "proxy, a queue each" } },
    { "packing", { "packed", "token" } },
    { "tokens", { 16, 32 } },
  },
  run = function(p)
    local way = ways[p.way]
    local r = moe { design = way.design, posting = way.posting, nodes = 8, tokens = p.tokens, packing = p.packing,
                    work_groups = 20, repeats = 2, phase = "dispatch", copies = true, timed_by = "events" }
    return { dispatch = r.dispatch, messages = r.messages }
  end,
  plot = { x = "way", y = "dispatch_us", by = "packing", panels = "tokens", style = "bars" },
}
