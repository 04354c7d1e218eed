-- SPDX-License-Identifier: BSD-3-Clause
-- What if the bus were faster? The rate of PCIe 3.0, 4.0 and 5.0 x16 (bus.rate) by the latency of a link
-- (bus.latency): a generation raises the first, logic and distance set the second. A small and a large get in
-- each design. docs/learn/whatif.md reads the figure.

local node = require "configs.gcn3_node"

local rates = { ["3.0"] = "15.754GB/s", ["4.0"] = "31.508GB/s", ["5.0"] = "63.015GB/s" }

-- Of both sizes in one figure the large one is a line along the upper edge.
local function plot_of(bytes, size)
  return { x = "link_latency", y = "latency_us", by = "design", over = "pcie", only = { bytes = bytes },
           x_label = "Latency of a link", y_label = "Latency", title = "A get of " .. size .. " over PCIe 3.0, 4.0 and 5.0" }
end

return study {
  title = "Latency and generation of PCIe",
  machine = function(p)
    return node { nodes = 2, bus = { rate = rates[p.pcie], latency = p.link_latency } }
  end,
  vary = {
    { "design", { "dgpu", "dgpu-host-queue", "apu", "comp-net" } },
    { "bytes", { "8B", "1MiB" } },
    { "pcie", { "3.0", "4.0", "5.0" } },
    { "link_latency", { "25ns", "50ns", "90ns", "150ns", "200ns" } },
  },
  run = function(p)
    return get_latency { design = p.design, bytes = p.bytes, repeats = 10 }
  end,
  plot = { plot_of("8B", "8 B"), plot_of("1MiB", "1 MiB") },
}
