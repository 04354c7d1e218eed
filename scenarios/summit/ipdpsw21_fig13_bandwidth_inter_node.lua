-- SPDX-License-Identifier: BSD-3-Clause
-- IPDPSW21, Fig 13: bandwidth between nodes of host-staging and GPU-aware designs on Summit: the OSU benchmark on GPU buffers.

local osu = require "parts.osu"

return osu.figure {
  title = "IPDPSW21, Fig 13: bandwidth between nodes",
  benchmark = "bandwidth",
  placement = "inter-node",
  charm = { "charm-h", "charm-messaging" },
  published = osu.peaks({ "I-B02", "I-B04", "I-B06" }, "charm-messaging"),
}
