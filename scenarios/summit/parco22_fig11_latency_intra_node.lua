-- SPDX-License-Identifier: BSD-3-Clause
-- ParCo22, Fig 11: latency within a node of host-staging and GPU-aware designs on Summit: the OSU benchmark on GPU buffers.

local osu = require "parts.osu"

return osu.figure {
  title = "ParCo22, Fig 11: latency within a node",
  benchmark = "latency",
  placement = "intra-socket",
  charm = { "charm-h", "charm-messaging", "charm-channel" },
  improvements = {
    ["Charm++"] = { "P-T04", 9.1, "P-T01", 10.1 },
    AMPI = { "P-T05", 3.6, "P-T02", 11.7 },
    Charm4py = { "P-T06", 1.9, "P-T03", 17.4 },
  },
}
