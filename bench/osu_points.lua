-- SPDX-License-Identifier: BSD-3-Clause
-- All OSU points of all designs on Summit: 23 sizes, 11 designs, two placements, latency and bandwidth.

local osu = require "scenarios.summit.parts.osu"

return study {
  title = "OSU points",
  machine = osu.machine,
  vary = {
    { "design", { "charm-h", "charm-messaging", "charm-channel", "ampi-h", "ampi-d", "charm4py-h", "charm4py-d",
                  "openmpi-h", "openmpi-d", "spectrum-h", "spectrum-d" } },
    { "placement", osu.placements },
    { "bytes", osu.sizes },
  },
  run = function(p)
    local arguments = { design = p.design, placement = p.placement, bytes = p.bytes }
    return { latency = osu_latency(arguments).latency, bandwidth = osu_bandwidth(arguments).bandwidth }
  end,
}
