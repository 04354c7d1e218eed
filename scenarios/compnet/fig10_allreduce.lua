-- SPDX-License-Identifier: BSD-3-Clause
-- ComPNet18, Figs 10a and 10b: allreduce of 64 MB on 2 to 32 nodes, strong scaling. Kernels by several rings, a work-group each;
-- cpu and inter-kernel by Baidu's ring. 10b is the energy of the network service threads. Rings and chunk are those of scenarios/compnet/allreduce_rings.lua.

local fig10 = require "parts.fig10"
local paper = require "parts.paper"
local node = require "configs.gcn3_node"

local counts = pow2(2, 32)
local wire_us_per_byte = 1e6 / 12.5e9

local function duration(r, design, nodes)
  return r:value { design = design, nodes = nodes }.duration_us
end

local function time_of(r)
  return function(design, nodes) return duration(r, design, nodes) end
end

local function energy_of(r)
  return function(design, nodes) return r:value { design = design, nodes = nodes }.service_energy_uJ end
end

return study {
  title = "ComPNet18, Fig 10: allreduce of 64 MB",
  machine = node { nodes = 32 },
  vary = {
    { "nodes", counts },
    { "design", { "cpu", "inter-kernel", "dgpu", "apu", "comp-net" } },
  },
  run = function(p)
    local r = allreduce { design = p.design, nodes = p.nodes, bytes = "64MiB", algorithm = "ring", rings = 8, chunk = "64KiB",
                          warmup = 0, tolerance = 0.01 }
    return { duration = r.duration, bus_bandwidth = r.bus_bandwidth, service_energy = r.service_energy }
  end,
  plot = {
    { x = "nodes", y = "duration_us", by = "design", speedup = { design = "dgpu" }, style = "semilogx", order = paper.order,
      labels = paper.labels, x_label = "Number of nodes", y_label = "Speedup over dGPU", title = "ComPNet18, Fig 10a: allreduce of 64 MB" },
    { x = "nodes", y = "service_energy_uJ", by = "design", share = { design = "dgpu" }, style = "semilogx", order = paper.order,
      labels = paper.labels, x_label = "Number of nodes", y_label = "Energy over dGPU's",
      title = "ComPNet18, Fig 10b: energy of the service threads", published = { { "N-56", by = "comp-net", y = 0.5 } } },
    { x = "nodes", y = "duration_us", by = "design", style = "semilogx", order = paper.order, labels = paper.labels,
      x_label = "Number of nodes", y_label = "Allreduce" },
  },
  claims = {
    ["N-03"] = function(r)
      local most = 0
      for _, nodes in ipairs(counts) do
        most = math.max(most, 100 * (duration(r, "dgpu", nodes) / duration(r, "comp-net", nodes) - 1))
      end
      return { obtained = most, limits = { 22 }, holds = most <= 22, note = "percent, the most that comp-net is better than dgpu at any number of nodes; holds up to 22" }
    end,
    ["N-04"] = function(r)
      local most = 0
      for _, nodes in ipairs(counts) do
        for _, other in ipairs { "dgpu", "apu" } do
          most = math.max(most, 100 * (1 - r:value { design = "comp-net", nodes = nodes }.service_energy_uJ
                                         / r:value { design = other, nodes = nodes }.service_energy_uJ))
        end
      end
      return { obtained = most, limits = { 45, 55 }, holds = most >= 45 and most <= 55,
               note = "percent, the most that comp-net's threads need less energy than dgpu's or apu's in an allreduce; holds within 10 % of 50. "
                 .. "Fig 8c, which is no application, has two thirds (N-44)" }
    end,
    ["N-53"] = function(r)
      local value, holds = fig10.spread(time_of(r), 2)
      return { obtained = value, limits = { 1.10 }, holds = holds, note = "slowest over fastest GPU design on 2 nodes; alike below 1.10" }
    end,
    ["N-54"] = function(r)
      local few, many, holds = fig10.gaps(time_of(r), 2, 32)
      return { obtained = many, limits = { few, 1.02 }, holds = holds,
               note = string.format("the better of dgpu and inter-kernel over comp-net on 32 nodes, on 2 %.3f; inter-kernel alone %.3f and %.3f",
                 few, duration(r, "inter-kernel", 32) / duration(r, "comp-net", 32),
                 duration(r, "inter-kernel", 2) / duration(r, "comp-net", 2)) }
    end,
    ["N-55"] = function(r)
      local best = math.huge
      for _, design in ipairs(fig10.on_gpu) do best = math.min(best, duration(r, design, 32)) end
      local value = best / duration(r, "cpu", 32)
      return { obtained = value, limits = { 1 }, holds = value > 1, note = "fastest GPU design over cpu on 32 nodes" }
    end,
    ["N-56"] = function(r)
      local dgpu, apu = fig10.lower(energy_of(r), "dgpu", counts), fig10.lower(energy_of(r), "apu", counts)
      return { obtained = dgpu, limits = { 45, 55 }, holds = fig10.is_half(dgpu) and fig10.is_half(apu),
               note = string.format("percent lower than dgpu, mean over nodes; than apu %.0f; holds within 10 %% for both. "
                 .. "A CP core draws a tenth of a CPU core (estimated), and both poll all the time", apu) }
    end,
    ["D-19"] = function(r)
      local holds = true
      for _, nodes in ipairs(counts) do
        local bound = 2 * (nodes - 1) / nodes * 64 * 1024 * 1024 * wire_us_per_byte
        for _, design in ipairs { "cpu", "inter-kernel", "dgpu", "apu", "comp-net" } do
          holds = holds and duration(r, design, nodes) >= bound
        end
      end
      return { obtained = duration(r, "comp-net", 2) / 1000, holds = holds,
               note = "comp-net on 2 nodes, in ms; holds if no design is faster than 2 (N - 1) / N of the buffer at 100 Gbit/s" }
    end,
  },
}
