-- SPDX-License-Identifier: BSD-3-Clause
-- What the machine that N-39 to N-47 infer (configs/gem5_node.lua) predicts of claims that set nothing: ComPNet18's Figs 7, 9 and 10, a
-- fraction of their sizes. Beside it is the node of the other scenarios.

local old, new = require "configs.gcn3_node", require "configs.gem5_node"

return study {
  long = true,
  title = "ComPNet18, Figs 7, 9 and 10 on the inferred node",
  machine = function(p)
    local changes = { nodes = 8, software = { phases = "fixed" } }
    if p.what:match("streams") then
      changes.gpu = { compute_units = 1, l2_size = "85KiB", l2_locking = p.what:match("locked") ~= nil }
    end
    return p.node == "inferred" and new(changes) or old(changes)
  end,
  vary = {
    { "node", { "as in the scenarios", "inferred" } },
    { "what", { "64 x 64", "256 x 256", "1024 x 1024", "allreduce, 2 nodes", "no streams", "39 streams", "39 streams, locked" } },
    { "design", { "cpu", "inter-kernel", "dgpu", "apu", "comp-net" } },
  },
  where = function(p) return p.design == "comp-net" or not p.what:match("streams") end,
  run = function(p)
    local is_new = p.node == "inferred" and p.design ~= "cpu" and p.design ~= "inter-kernel"
    local of = is_new and design { from = p.design, poll_loop = "unrolled", nic_queue = { sharers = 1 } } or design { from = p.design }
    local streams = p.what:match("streams") and (p.what:match("^39") and 39 or 0)
    if streams then
      local r = l2_hit_rate { design = of, networking = 40 - streams, streaming = streams, warmup = "200us", duration = "300us" }
      return { hit_rate = r.hit_rate, lock_mean = r.lock_mean }
    end
    local edge = p.what:match("^(%d+) x")
    local r = edge and jacobi2d { design = of, edge = math.tointeger(tonumber(edge)), nodes = 8, iterations = 20, tolerance = 0.02 }
      or allreduce { design = of, nodes = 2, bytes = "64MiB", algorithm = "ring", rings = 8, chunk = "64KiB", warmup = 0,
                     tolerance = 0.02 }
    return { time = edge and r.iteration or r.duration, energy = not edge and r.service_energy or nil }
  end,
  plot = { x = "what", y = "time_us", by = "design", panels = "node", style = "bars", x_label = "Application", y_label = "Time" },
}
