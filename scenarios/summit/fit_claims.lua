-- SPDX-License-Identifier: BSD-3-Clause
-- What the fitted values of configs/ac922.lua are fitted to: the claims of ParCo22 and IPDPSW21 marked `fit`, simulated
-- beside published, within the tolerance by which the tables judge them. For "gpunetsim calibrate".

local osu = require "parts.osu"

local host = { ["charm-channel"] = "charm-h", ["charm-messaging"] = "charm-h", ["ampi-d"] = "ampi-h",
               ["charm4py-d"] = "charm4py-h" }

-- The best of the eager sizes: GPU-aware over host-staging.
local function eager(design, published)
  return { target = published, tolerance = 0.1, simulated = function()
    local best = 0
    for _, bytes in ipairs(osu.eager_sizes) do
      local function latency(d)
        return osu_latency { design = d, placement = "intra-socket", bytes = bytes }.latency_us
      end
      best = math.max(best, latency(host[design]) / latency(design))
    end
    return best
  end }
end

local function peak(design, placement, published)
  return { target = published, tolerance = 0.05, simulated = function()
    local best = 0
    for _, bytes in ipairs(pow2("512KiB", "4MiB")) do
      best = math.max(best, osu.bandwidth(design, placement, bytes).bandwidth_GBps)
    end
    return best
  end }
end

-- AMPI at 8 B without device transfers; and what they add.
local function outside() return { target = 8, tolerance = 0.1, machine = { charm = { device_transfers = false } },
  simulated = function()
    return osu_latency { design = "ampi-d", placement = "intra-socket", bytes = "8B" }.latency_us
  end }
end

local claims = {
  ["P-T04"] = eager("charm-channel", 9.1),
  ["I-T04"] = eager("charm-messaging", 4.4),
  ["P-T05"] = eager("ampi-d", 3.6),
  ["P-T06"] = eager("charm4py-d", 1.9),
  ["P-L01"] = outside(),
  ["P-L02"] = { target = 2, tolerance = 0.001, bound = "above", simulated = function()
    return osu_latency { design = "openmpi-d", placement = "intra-socket", bytes = "8B" }.latency_us
  end },
  ["P-B01"] = peak("charm-channel", "intra-socket", 44.7),
  ["P-B02"] = peak("charm-channel", "inter-node", 10),
  ["P-B03"] = peak("ampi-d", "intra-socket", 45.4),
  ["P-B04"] = peak("ampi-d", "inter-node", 10),
  ["P-B05"] = peak("charm4py-d", "intra-socket", 35.5),
  ["P-B06"] = peak("charm4py-d", "inter-node", 6.0),
}

return study {
  title = "ParCo22 and IPDPSW21: the claims that values are fitted to",
  machine = function(p) return osu.machine(claims[p.claim].machine or {}) end,
  vary = { { "claim", { "P-T04", "I-T04", "P-T05", "P-T06", "P-L01", "P-L02", "P-B01", "P-B02", "P-B03", "P-B04", "P-B05",
                        "P-B06" } } },
  run = function(p)
    local claim = claims[p.claim]
    return { simulated = claim.simulated(), target = claim.target, tolerance = claim.tolerance,
             bound = claim.bound or "near" }
  end,
}
