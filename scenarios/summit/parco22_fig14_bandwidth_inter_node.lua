-- SPDX-License-Identifier: BSD-3-Clause
-- ParCo22, Fig 14: bandwidth between nodes of host-staging and GPU-aware designs on Summit: the OSU benchmark on GPU buffers.

local osu = require "parts.osu"

return osu.figure {
  title = "ParCo22, Fig 14: bandwidth between nodes",
  benchmark = "bandwidth",
  placement = "inter-node",
  charm = { "charm-h", "charm-messaging", "charm-channel" },
  published = osu.peaks({ "P-B02", "P-B04", "P-B06" }, "charm-channel"),
}
