-- SPDX-License-Identifier: BSD-3-Clause
-- What a kernel's own loads and stores move between two GPUs, by its blocks and the bytes of all of them: stores into the other
-- GPU's memory, or loads from it.
local h200x2 = require "configs.h200x2"

local copies = design { from = "rocshmem-ipc", copy_unroll = 4 } -- four loads of 16 B a thread under way

-- One pass of a kernel that has run one already.
local function pass(what, blocks, threads, bytes)
  local w = program { design = copies, nodes = 1, gpus_per_node = 2, kernels = 1 }
  local data = w:buffer(bytes // blocks .. "B")
  w:gpu(0):kernel { work_groups = blocks, threads = threads, program = function(wg)
    for turn = 1, 2 do
      local start = wg:now()
      if what == "load" then wg:get { from = 1, buffer = data } else wg:put { to = 1, buffer = data } end
      if turn == 2 then wg:record("pass", wg:now() - start) end
    end
  end }
  return w:run().pass
end

return study {
  title = "Copies between GPUs by the loads and stores of a kernel",
  machine = h200x2,
  vary = {
    { "what", { "store", "load" } },
    { "blocks", { 1, 8, 32 } },
    { "threads", { 1024 } },
    { "bytes", { 262144, 1048576, 4194304 } },
  },
  measured = { file = "data/h200x2/inkernel_bw.tsv", what = "what", blocks = "blocks", threads = "threads", bytes = "bytes",
               GBps = "GBps" },
  run = function(p)
    return { GBps = p.bytes * 1e3 / quantity(pass(p.what, p.blocks, p.threads, p.bytes)) }
  end,
  plot = { x = "bytes", x_label = "Size of a copy", y = "GBps", y_label = "Bandwidth (GB/s)", by = "blocks", panels = "what", style = "semilogx" },
}
