-- SPDX-License-Identifier: BSD-3-Clause
-- IPDPSW21, Table I: improvement in latency and bandwidth by GPU-aware communication. Charm++ is its GPU
-- Messaging API here; AMPI and Charm4py are those of ParCo22's Table 1 (scenarios/summit/parco22_table1.lua).

local osu = require "parts.osu"

return osu.table {
  title = "IPDPSW21, Table I: improvement by GPU-aware communication",
  title_start = "IPDPSW21, Table I: ", prefix = "I-T",
  charm = "charm-messaging",
  claims = {
    ["I-T01"] = osu.range_claim("Charm++", "intra-socket", "latency_improvement", 2.1, 10.2),
    ["I-T04"] = osu.eager_claim("Charm++", "intra-socket", 4.4),
    ["I-T07"] = osu.range_claim("Charm++", "intra-socket", "bandwidth_improvement", 1.4, 9.6),
    ["I-T10"] = osu.range_claim("Charm++", "inter-node", "latency_improvement", 1.2, 4.1),
    ["I-T13"] = osu.eager_claim("Charm++", "inter-node", 4.1),
    ["I-T16"] = osu.range_claim("Charm++", "inter-node", "bandwidth_improvement", 1.2, 2.7),
  },
}
