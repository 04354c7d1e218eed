-- SPDX-License-Identifier: BSD-3-Clause
-- ParCo22, Fig 11: latency within a node of host-staging and GPU-aware designs on Summit: the OSU benchmark on GPU buffers.

local osu = require "parts.osu"

return osu.figure {
  title = "ParCo22, Fig 11: latency within a node",
  benchmark = "latency",
  placement = "intra-socket",
  charm = { "charm-h", "charm-messaging", "charm-channel" },
}
