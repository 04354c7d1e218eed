-- SPDX-License-Identifier: BSD-3-Clause
-- IPDPSW21, Fig 11: latency between nodes of host-staging and GPU-aware designs on Summit: the OSU benchmark on GPU buffers.

local osu = require "parts.osu"

return osu.figure {
  title = "IPDPSW21, Fig 11: latency between nodes",
  benchmark = "latency",
  placement = "inter-node",
  charm = { "charm-h", "charm-messaging" },
}
