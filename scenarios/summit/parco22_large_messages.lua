-- SPDX-License-Identifier: BSD-3-Clause
-- ParCo22, section 4.2.2: the bandwidth of Charm4py beyond the sizes of Figs 13 and 14.

local osu = require "parts.osu"

return study {
  title = "ParCo22, section 4.2.2: Charm4py beyond 4 MiB",
  machine = osu.machine,
  vary = { { "placement", osu.placements }, { "bytes", pow2("1MiB", "64MiB") } },
  run = function(p)
    return osu_bandwidth { design = "charm4py-d", placement = p.placement, bytes = p.bytes }
  end,
  plot = { x = "bytes", y = "bandwidth_GBps", by = "placement", style = "loglog", x_label = "Message size",
           y_label = "Bandwidth" },
  claims = {
    ["P-B07"] = function(r)
      local holds, note = true, ""
      for _, placement in ipairs(osu.placements) do
        local function rate(bytes) return r:value { placement = placement, bytes = bytes }.bandwidth_GBps end
        holds = holds and rate "16MiB" > rate "4MiB"
        note = note .. string.format("%s: %.1f GB/s at 4 MiB, %.1f at 16, %.1f at 64. ", placement, rate "4MiB",
          rate "16MiB", rate "64MiB")
      end
      return { holds = holds, note = note }
    end,
  },
}
