-- SPDX-License-Identifier: BSD-3-Clause
-- Allreduce of the GPUs of one node inside kernels: by their own stores over NVLink (rocSHMEM's IPC), and by NIC queues.
-- The machine is that of the library scenarios, with an H200's NVLink: 18 links of 25 GB/s a direction (data sheet), of
-- which a peer copy has 87.4 % (probe/tables/h200x2/peercopy.tsv). probe/tables/h200x2/allreduce.tsv has what two H200
-- took; nothing is fitted to it (docs/trust/applications.md).

local h200 = require "configs.h200_cx7"

return study {
  title = "Allreduce within a node",
  machine = function(p)
    local machine = { nodes = 1, node = { gpus_per_socket = p.gpus, peer_link = "node" } }
    if p.design == "rocshmem-ipc" then
      machine.nvlink = { rate = "450GB/s", efficiency = 0.874, latency = "87ns" }
    end
    return h200(machine)
  end,
  vary = {
    { "gpus", { 2, 4, 8 } },
    { "design", { "rocshmem-ipc", "gpu-verbs" } },
    { "bytes", { "8B", "4KiB", "32KiB", "256KiB", "2MiB" } },
  },
  run = function(p)
    local r = allreduce { design = p.design, nodes = 1, gpus_per_node = p.gpus, bytes = p.bytes, rings = 64, chunk = "16KiB" }
    return { duration = r.duration, bus_bandwidth = r.bus_bandwidth }
  end,
  plot = { x = "bytes", y = "duration_us", by = "design", panels = "gpus", style = "loglog" },
}
