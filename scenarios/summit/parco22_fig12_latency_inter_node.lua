-- SPDX-License-Identifier: BSD-3-Clause
-- ParCo22, Fig 12: latency between nodes of host-staging and GPU-aware designs on Summit: the OSU benchmark on GPU buffers.

local osu = require "parts.osu"

return osu.figure {
  title = "ParCo22, Fig 12: latency between nodes",
  benchmark = "latency",
  placement = "inter-node",
  charm = { "charm-h", "charm-messaging", "charm-channel" },
  improvements = {
    ["Charm++"] = { "P-T13", 6.8, "P-T10", 6.8 },
    AMPI = { "P-T14", 3.4, "P-T11", 3.5 },
    Charm4py = { "P-T15", 1.8, "P-T12", 3.4 },
  },
}
