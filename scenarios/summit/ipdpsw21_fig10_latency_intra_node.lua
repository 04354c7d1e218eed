-- SPDX-License-Identifier: BSD-3-Clause
-- IPDPSW21, Fig 10: latency within a node of host-staging and GPU-aware designs on Summit: the OSU benchmark on GPU buffers.

local osu = require "parts.osu"

return osu.figure {
  title = "IPDPSW21, Fig 10: latency within a node",
  benchmark = "latency",
  placement = "intra-socket",
  charm = { "charm-h", "charm-messaging" },
}
