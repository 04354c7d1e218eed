-- SPDX-License-Identifier: BSD-3-Clause
-- ParCo22, Fig 13: bandwidth within a node of host-staging and GPU-aware designs on Summit: the OSU benchmark on GPU buffers.

local osu = require "parts.osu"

return osu.figure {
  title = "ParCo22, Fig 13: bandwidth within a node",
  benchmark = "bandwidth",
  placement = "intra-socket",
  charm = { "charm-h", "charm-messaging", "charm-channel" },
  published = osu.peaks({ "P-B01", "P-B03", "P-B05" }, "charm-channel"),
}
