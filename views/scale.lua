-- SPDX-License-Identifier: BSD-3-Clause
-- Ranges of numbers as scales from 0 to 1: by the logarithm where they do not begin at 0.
local scale = {}

function scale.number(low, high, place)
  return low > 0 and low * (high / low) ^ place or low + place * (high - low)
end

function scale.place(low, high, number)
  return low > 0 and math.log(number / low) / math.log(high / low) or (number - low) / (high - low)
end

return scale
