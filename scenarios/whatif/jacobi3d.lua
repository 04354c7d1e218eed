-- SPDX-License-Identifier: BSD-3-Clause
-- What if, for Jacobi3D with the Channel API on one node of Summit and on two, with a block a GPU and with eight: a faster NVLink, kernel
-- launches that cost twice as much, GPUs on PCIe only, CUDA graphs, or the PE on a command processor of its GPU. docs/learn/whatif.md reads
-- the figure.

local summit = require "configs.summit"

local transport = { kind = "segment", segment = "16KiB" }

-- A small core as in configs/gcn3_node.lua.
local command_processor = {
  clock = "2GHz", loads_in_flight = estimated(4, 1, 8, "miss registers of a small core's data cache"),
}

local cases = { "as it is", "NVLink 100 GB/s", "NVLink 200 GB/s", "launch twice as dear", "PCIe only", "graphs", "command processor" }

local machines = {
  ["NVLink 100 GB/s"] = { nvlink = { rate = "100GB/s" } },
  ["NVLink 200 GB/s"] = { nvlink = { rate = "200GB/s" } },
  ["launch twice as dear"] = { cuda = { kernel_launch = "12us" } },
  ["PCIe only"] = { node = { gpu_link = "pcie" } },
  ["command processor"] = { cp = command_processor },
}

return study {
  long = true,
  title = "Jacobi3D with the Channel API: what if",
  machine = function(p)
    local machine = { nodes = p.nodes, transport = transport }
    if p.case ~= "command processor" and p.nodes > 1 then machine.ucx = { gpu_direct = "1TiB" } end
    for component, values in pairs(machines[p.case] or {}) do machine[component] = values end
    return summit(machine)
  end,
  vary = { { "case", cases }, { "nodes", { 1, 2 } }, { "grid", { 192, 768 } }, { "odf", { 1, 8 } } },
  run = function(p)
    local r = jacobi3d {
      design = p.case == "command processor" and "cp-channel" or "charm-channel", nodes = p.nodes, grid = p.grid, odf = p.odf,
      graph = p.case == "graphs", warmup = 3, tolerance = 0.005,
    }
    return { iteration = r.iteration, exposed = r.exposed, gpu_busy = r.gpu_busy, exchange = r.exchange,
             pe_utilisation = r.pe_utilisation }
  end,
  plot = {
    { x = "case", y = "iteration_us", by = "odf", panels = "nodes", style = "bars", only = { grid = 192 }, y_label = "Time per iteration",
      title = "192³ cells a node" },
    { x = "case", y = "iteration_us", by = "odf", panels = "nodes", style = "bars", only = { grid = 768 }, y_label = "Time per iteration",
      title = "768³ cells a node" },
  },
}
