-- SPDX-License-Identifier: BSD-3-Clause
-- IPDPSW21, Fig 12: bandwidth within a node of host-staging and GPU-aware designs on Summit: the OSU benchmark on GPU buffers.

local osu = require "parts.osu"

return osu.figure {
  title = "IPDPSW21, Fig 12: bandwidth within a node",
  benchmark = "bandwidth",
  placement = "intra-socket",
  charm = { "charm-h", "charm-messaging" },
  published = osu.peaks({ "I-B01", "I-B03", "I-B05" }, "charm-messaging"),
}
