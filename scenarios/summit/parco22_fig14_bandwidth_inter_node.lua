-- ParCo22, Fig 14: bandwidth between nodes of host-staging and GPU-aware designs on Summit: the OSU benchmark on GPU buffers.

local osu = require "parts.osu"

return osu.figure {
  title = "ParCo22, Fig 14: bandwidth between nodes",
  benchmark = "bandwidth",
  placement = "inter-node",
  charm = { "charm-h", "charm-messaging", "charm-channel" },
}
