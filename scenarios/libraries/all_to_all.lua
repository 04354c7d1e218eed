-- SPDX-License-Identifier: BSD-3-Clause
-- All to all between 8 GPUs with a NIC each: one message to each peer from one work-group, as in a library's small
-- collective; and many messages from many work-groups, in the shape of a dispatch. Published numbers for 16 and 128
-- GPUs are in pplx_kernels.lua: dispatch 102.7 and 125.9 us by IBGDA, 290.5 and 488.4 us by IBRC (V-126 to V-133); all
-- to all on 16 GPUs 71.7 us by IBGDA, 55.4 us by IBRC (V-142, V-146). Signals are added to words, which NICs do
-- themselves. Left out: NVLink within a node; here every GPU is a node of its own.

local h200 = require "configs.h200_cx7"

local shapes = {
  ["all to all"] = { groups = 1, messages = 1 },
  ["dispatch"] = { groups = 64, messages = 2 },
}

return study {
  title = "All to all and dispatch by a proxy and by the kernel",
  machine = h200 { nodes = 8 },
  vary = {
    { "shape", { "all to all", "dispatch" } },
    { "library", { "nvshmem-ibrc", "nvshmem-ibgda" } },
  },
  run = function(p)
    local shape = shapes[p.shape]
    local r = all_to_all { design = design { from = p.library, signal_by = "atomic" }, nodes = 8, groups = shape.groups, messages = shape.messages, repeats = 1 }
    return { round = r.round }
  end,
}
