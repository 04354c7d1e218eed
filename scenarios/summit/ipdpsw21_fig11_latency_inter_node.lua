-- SPDX-License-Identifier: BSD-3-Clause
-- IPDPSW21, Fig 11: latency between nodes of host-staging and GPU-aware designs on Summit: the OSU benchmark on GPU buffers.

local osu = require "parts.osu"

return osu.figure {
  title = "IPDPSW21, Fig 11: latency between nodes",
  benchmark = "latency",
  placement = "inter-node",
  charm = { "charm-h", "charm-messaging" },
  improvements = {
    ["Charm++"] = { "I-T13", 4.1, "I-T10", 4.1 },
    AMPI = { "I-T14", 3.4, "I-T11", 3.5 },
    Charm4py = { "I-T15", 1.8, "I-T12", 3.4 },
  },
}
