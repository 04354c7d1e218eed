-- SPDX-License-Identifier: BSD-3-Clause
-- IPDPSW21, Fig 10: latency within a node of host-staging and GPU-aware designs on Summit: the OSU benchmark on GPU buffers.

local osu = require "parts.osu"

return osu.figure {
  title = "IPDPSW21, Fig 10: latency within a node",
  benchmark = "latency",
  placement = "intra-socket",
  charm = { "charm-h", "charm-messaging" },
  improvements = {
    ["Charm++"] = { "I-T04", 4.4, "I-T01", 10.2 },
    AMPI = { "I-T05", 3.6, "I-T02", 11.7 },
    Charm4py = { "I-T06", 1.9, "I-T03", 17.4 },
  },
}
