-- SPDX-License-Identifier: BSD-3-Clause
-- What the machine that N-39 to N-47 infer (configs/gem5_node.lua) predicts of claims that set nothing: ComPNet18's Figs 9 and 10, a
-- fraction of their sizes. Beside it is the node of the other scenarios.

local old, new = require "configs.gcn3_node", require "configs.gem5_node"

return study {
  long = true,
  title = "ComPNet18, Figs 9 and 10 on the inferred node",
  machine = function(p)
    local changes = { nodes = 8, software = { phases = "fixed" } }
    return p.node == "inferred" and new(changes) or old(changes)
  end,
  vary = {
    { "node", { "as in the scenarios", "inferred" } },
    { "what", { "64 x 64", "256 x 256", "1024 x 1024", "allreduce, 2 nodes" } },
    { "design", { "cpu", "inter-kernel", "dgpu", "apu", "comp-net" } },
  },
  run = function(p)
    local is_new = p.node == "inferred" and p.design ~= "cpu" and p.design ~= "inter-kernel"
    local of = is_new and design { from = p.design, poll_loop = "unrolled", nic_queue = { sharers = 1 } } or design { from = p.design }
    local edge = p.what:match("^(%d+) x")
    local r = edge and jacobi2d { design = of, edge = math.tointeger(tonumber(edge)), nodes = 8, iterations = 20, tolerance = 0.02 }
      or allreduce { design = of, nodes = 2, bytes = "64MiB", algorithm = "ring", rings = 8, chunk = "64KiB", warmup = 0,
                     tolerance = 0.02 }
    return { time = edge and r.iteration or r.duration, energy = not edge and r.service_energy or nil }
  end,
  plot = { x = "what", y = "time_us", by = "design", panels = "node", style = "bars", x_label = "Application", y_label = "Time" },
}
