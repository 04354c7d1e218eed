-- SPDX-License-Identifier: BSD-3-Clause
-- Allreduce of 4 B among all GPUs of some nodes of Summit, with GPU buffers and staged through the host, as BenchPress
-- measured it under Spectrum MPI: 47.7 us on 2 nodes, 96.2 on 8, 80.3 on 16 (CUDA-aware, in place). direct: messages of GPU
-- buffers and a kernel a reduction; staged: each message; copied: once to the host, an allreduce there, and back. Nothing is
-- fitted.

local summit = require "configs.summit"

return study {
  title = "Small allreduce on Summit",
  machine = summit { nodes = 16 },
  vary = {
    { "nodes", { 2, 8, 16 } },
    { "way", { "direct", "staged", "copied" } },
    { "bytes", { "4B", "4KiB" } },
  },
  run = function(p)
    local r = allreduce { design = p.way == "staged" and "spectrum-h" or "spectrum-d",
                          memory = p.way == "copied" and "copied" or "design", nodes = p.nodes, gpus_per_node = 6,
                          bytes = p.bytes, algorithm = "doubling", repeats = 4 }
    return { duration = r.duration }
  end,
  plot = { x = "nodes", y = "duration_us", by = "way", panels = "bytes", style = "semilogx" },
}
