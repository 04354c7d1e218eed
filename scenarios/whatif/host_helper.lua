-- SPDX-License-Identifier: BSD-3-Clause
-- What if helper threads on the host serve the GPU? Their number, where the queue lies and the generation of
-- PCIe between them. docs/learn/whatif.md reads the figure.

local node = require "configs.gcn3_node"

-- x16 links; the latency of a generation is that of the first, since it is set by logic and not by the rate.
local rates = { ["3.0"] = "15.754GB/s", ["4.0"] = "31.508GB/s", ["5.0"] = "63.015GB/s" }

local placements = { gpu_memory = "dgpu", host_memory = "dgpu-host-queue" }

local operations = 10

return study {
  title = "Host helper threads: queue placement and PCIe generation",
  machine = function(p) return node { nodes = 2, bus = { rate = rates[p.pcie] } } end,
  vary = {
    { "queue", { "gpu_memory", "host_memory" } },
    { "pcie", { "3.0", "4.0", "5.0" } },
    { "threads", { 1, 2, 4, 8 } },
    { "work_groups", { 1, 480 } },
  },
  run = function(p)
    local r = queue_service { design = design { from = placements[p.queue], service_threads = p.threads }, operation = "get",
                              bytes = "8B", work_groups = p.work_groups, operations = operations }
    return {
      latency = r.latency,
      energy_per_get = r.service_energy_uJ / (p.work_groups * operations),
      gets_per_us = r.operations_per_us,
    }
  end,
  plot = {
    { x = "threads", y = "latency_us", by = "queue", over = "pcie", panels = "work_groups", style = "loglog",
      x_label = "Helper threads", y_label = "Latency of a get",
      title = "Host helper threads (mean, least and most over PCIe 3.0, 4.0, 5.0)" },
    { x = "energy_per_get", y = "latency_us", by = "queue", panels = "work_groups", style = "pareto",
      x_label = "Energy of a get (µJ)", y_label = "Latency of a get",
      title = "Host helper threads: latency against energy" },
  },
}
