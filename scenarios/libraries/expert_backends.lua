-- SPDX-License-Identifier: BSD-3-Clause
-- Who posts the tokens of a mixture of experts over a network: the kernel (DeepEP: a queue of its own for each work-group, one fence a post,
-- counts by atomics of the NIC), four host threads that put messages in order at the receiver (UCCL-EP), one host thread on ordered
-- queues (NVSHMEM's IBRC), or one that waits before each signal, since its network keeps no order (NVSHMEM's libfabric, as pplx-kernels runs on
-- EFA). One GPU a node, eight experts each; tokens of 7,168 B with their factors, answers of 14,336 B. On the unordered network packets arrive up to
-- 2 us late, which stands for no product. Nothing here was measured: only orders are meant.
local cluster = require "configs.h200_cluster"

local backends = {
  ["DeepEP"] = design { from = "nccl-gin-gdaki" }, -- whose instructions of a post were measured with DeepEP's own (V-040)
  ["UCCL-EP"] = design { from = "uccl-ep" },
  ["IBRC"] = design { from = "nvshmem-ibrc", signal_by = "atomic" },
  ["libfabric"] = design { from = "nvshmem-libfabric" },
}

return study {
  title = "Tokens over a network, by who posts them",
  machine = function(p) return cluster { nodes = 4, nic = { packet_spread = p.network == "unordered" and "2us" or "0ns" } } end,
  vary = {
    { "network", { "ordered", "unordered" } },
    { "tokens", { 1, 8 } },
    { "backend", { "DeepEP", "UCCL-EP", "IBRC", "libfabric" } },
  },
  run = function(p)
    local r = moe { design = backends[p.backend], nodes = 4, tokens = p.tokens, experts = 32, token = "7408B", combine = "14336B", packing = "token",
                    posting = "choice", work_groups = 16, repeats = 1, warmup = 0 }
    return { dispatch = r.dispatch, both = r.duration, messages = r.messages }
  end,
  plot = { x = "backend", y = "dispatch_us", by = "tokens", panels = "network", style = "bars" },
}
