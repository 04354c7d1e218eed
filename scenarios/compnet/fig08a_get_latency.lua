-- SPDX-License-Identifier: BSD-3-Clause
-- ComPNet18, Fig 8a: a remote get by one work-group, by payload, for each way of intra-kernel networking.
--
-- dgpu has its queues in GPU memory: section 5.2 says that its service threads poll over PCIe.
-- dgpu-host-queue is the other placement of section 3.1.

local points = require "scenarios.compnet.parts.get_points"
local fig08 = require "parts.fig08"

local function latency(r, design, bytes)
  return r:value { design = design, bytes = bytes }.latency_us
end

return study {
  title = "ComPNet18, Fig 8a: remote get, one work-group",
  machine = points.machine,
  vary = points.vary,
  run = points.run,
  band = 8,
  plot = { x = "bytes", y = "latency_us", by = "design", style = "loglog",
           order = { "dgpu", "apu", "comp-net" }, x_label = "Payload", y_label = "Latency of a get",
           published = function(r)
             return { { "N-39", by = "dgpu", x = "8B", y = 2 * math.max(latency(r, "apu", "8B"), latency(r, "comp-net", "8B")) } }
           end },
  claims = {
    ["N-02"] = function(r)
      local apu = r:value { design = "apu", bytes = "8B" }
      local one_way = (apu.on_wire_us + apu.delivered_us) / 2
      return { obtained = one_way, limits = { 0.35, 1.4 }, holds = one_way > 0.35 and one_way < 1.4,
               note = "half of a get between host memories, NIC to NIC; holds within a factor of 2" }
    end,
    ["N-11"] = function(r)
      local gpu_cycles_per_us = 1500
      local cycles = r:value { design = "comp-net", bytes = "8B" }.seen_us * gpu_cycles_per_us
      local over_pcie = r:value { design = "dgpu", bytes = "8B" }.seen_us * gpu_cycles_per_us
      return { obtained = cycles, holds = cycles >= 100 and cycles < 1000 and over_pcie > 3 * cycles,
               note = string.format("GPU cycles from post to CP; over PCIe %.0f", over_pcie) }
    end,
    ["N-39"] = function(r)
      local function time(design, bytes) return latency(r, design, bytes) end
      return { obtained = (fig08.ratios(time, pow2("8B", "512B"), { "comp-net", "apu" })),
               note = "smallest ratio of dgpu to comp-net and apu, 8 B to 512 B" }
    end,
    ["N-40"] = function(r)
      local spread, holds = fig08.spread(latency(r, "dgpu", "1MiB"), latency(r, "apu", "1MiB"), latency(r, "comp-net", "1MiB"))
      return { obtained = spread, limits = { 1.15 }, holds = holds,
               note = "slowest over fastest of dgpu, apu, comp-net at 1 MiB; alike below 1.15" }
    end,
  },
}
