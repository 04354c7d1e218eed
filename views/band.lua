-- SPDX-License-Identifier: BSD-3-Clause
-- What a measure may be, given what is only estimated: over samples of a point (study/vary/band.h).
local band = {}

local NONE = -(0 / 0) -- not a number

-- Between neighbours by their distance.
local function quantile(sorted, share)
  if #sorted == 0 then return NONE end
  local place = share * (#sorted - 1)
  local below = math.floor(place)
  local above = math.min(below + 1, #sorted - 1)
  return sorted[below + 1] + (place - below) * (sorted[above + 1] - sorted[below + 1])
end

-- Runs `count` samples of a point with other values of the parameters in `paths`, separated by commas. The numbers of the measure over
-- those that went well, in base units, and the first failure.
function band.of(variants, point, paths, count, measure)
  local varied, numbers, failure = variants.draw(point, paths, count), {}, nil
  for _, row in ipairs(variants.run()) do
    local is_there, found = pcall(row.measure, measure, "a sample")
    if is_there then numbers[#numbers + 1] = found.number else failure = failure or row.failure or found.sentence end
  end
  table.sort(numbers)
  return { failure = failure, samples = count, failed = count - #numbers, varied = varied, least = numbers[1] or NONE,
           p5 = quantile(numbers, 0.05), median = quantile(numbers, 0.5), p95 = quantile(numbers, 0.95),
           most = numbers[#numbers] or NONE }
end

return band
