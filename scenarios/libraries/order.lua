-- SPDX-License-Identifier: BSD-3-Clause
-- Litmus tests of order (gpunetsim help litmus): all designs in which kernels communicate, on networks whose packets do
-- or do not overtake each other, and designs that are made to break, with a fence or a signal that relies on an order
-- which nobody keeps. The results count outcomes that must not happen.
local machine_here = require "configs.h200_cx7"

local kept = { "dgpu", "dgpu-host-queue", "apu", "comp-net", "gpu-thread", "gpu-warp", "smart-nic", "gravel", "gpu-verbs", "triggered",
               "triggered-chain", "nvshmem-ibrc", "nvshmem-libfabric", "nvshmem-ibgda", "nccl-gin-proxy", "nccl-gin-gdaki", "rocshmem-ro", "rocshmem-ipc",
               "uccl-ep" }
local broken = {
  ["comp-net, fence by order"] = design { from = "comp-net", fence = "order" },
  ["gpu-verbs, fence by order"] = design { from = "gpu-verbs", fence = "order" },
  ["comp-net, signal after"] = design { from = "comp-net", signal = "after" },
  ["gpu-verbs, signal after"] = design { from = "gpu-verbs", signal = "after" },
  ["nvshmem-ibrc, unordered NIC"] = design { from = "nvshmem-ibrc", nic_queue = { order = "none" } },
  ["nvshmem-ibgda, unordered NIC"] = design { from = "nvshmem-ibgda", nic_queue = { order = "none" } },
}
-- The same, mended by a fence flag of the NIC, or by an issuer that waits.
local mended = {
  ["gpu-verbs, NIC fence flag"] = design { from = "gpu-verbs", fence = "nic_fence", signal = "nic_fence" },
  ["gpu-verbs, waits"] = design { from = "gpu-verbs", fence = "quiet", signal = "quiet" },
}

local names, designs = {}, {}
for _, name in ipairs(kept) do names[#names + 1], designs[name] = name, name end
for _, list in ipairs { broken, mended } do
  local more = {}
  for name, made in pairs(list) do more[#more + 1], designs[name] = name, made end
  table.sort(more)
  for _, name in ipairs(more) do names[#names + 1] = name end
end

return study {
  title = "Which designs let a flag overtake its data",
  machine = machine_here,
  vary = { { "design", names }, { "spread", { "0ns", "30us" } } },
  run = function(p)
    local r = litmus { design = designs[p.design], spread = p.spread, goes_on = true, rounds = 10 }
    return { message_passing = r.message_passing, signal = r.signal, peer_read = r.peer_read, store_buffering = r.store_buffering }
  end,
}
