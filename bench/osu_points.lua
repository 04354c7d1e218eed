-- SPDX-License-Identifier: BSD-3-Clause
-- All OSU points of all designs on Summit: 23 sizes, 11 designs, two placements, latency and bandwidth.

local summit = require "configs.summit"

return study {
  title = "OSU points",
  machine = summit { nodes = 2 },
  vary = {
    { "design", { "charm-h", "charm-messaging", "charm-channel", "ampi-h", "ampi-d", "charm4py-h", "charm4py-d",
                  "openmpi-h", "openmpi-d", "spectrum-h", "spectrum-d" } },
    { "placement", { "intra-socket", "inter-node" } },
    { "bytes", pow2("1B", "4MiB") },
  },
  run = function(p)
    local arguments = { design = p.design, placement = p.placement, bytes = p.bytes }
    return { latency = osu_latency(arguments).latency, bandwidth = osu_bandwidth(arguments).bandwidth }
  end,
}
