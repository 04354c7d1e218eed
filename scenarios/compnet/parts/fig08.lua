-- SPDX-License-Identifier: BSD-3-Clause
-- What the claims of Fig 8 are judged by, for its scenarios and for the readings.
local fig08 = {}

-- The smallest and the largest ratio of dgpu's times to those of another design, or of the worst of several: `time(design, key)` for some keys.
function fig08.ratios(time, keys, others)
  local low, high = math.huge, 0
  for _, key in ipairs(keys) do
    for _, other in ipairs(others) do
      local ratio = time("dgpu", key) / time(other, key)
      low, high = math.min(low, ratio), math.max(high, ratio)
    end
  end
  return low, high
end

-- N-40: dgpu over the faster of the others, with a large payload; alike below 1.15.
function fig08.spread(dgpu, apu, compnet)
  local spread = dgpu / math.min(apu, compnet)
  return spread, spread < 1.15
end

-- N-42: particularly poor, a factor that the paper does not print.
fig08.poor = 2

-- N-44 to N-46: a ratio of energies, within 10 %.
function fig08.near(value, stated) return value > 0.9 * stated and value < 1.1 * stated end
function fig08.limits(stated) return { 0.9 * stated, 1.1 * stated } end

-- N-47: in how many of the results comp-net takes 0.8 to 1.25 times as long as apu, and whether these are most; the least and the most ratio.
function fig08.alike(time, keys)
  local alike, low, high = 0, math.huge, 0
  for _, key in ipairs(keys) do
    local ratio = time("comp-net", key) / time("apu", key)
    alike = alike + (ratio > 0.8 and ratio < 1.25 and 1 or 0)
    low, high = math.min(low, ratio), math.max(high, ratio)
  end
  return alike, alike > #keys / 2, low, high
end

return fig08
