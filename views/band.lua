-- SPDX-License-Identifier: BSD-3-Clause
-- The range of a measure that the estimated values leave open: a point is simulated again and again, each time with other
-- values of all `estimated` parameters within their ranges. They are a Latin hypercube: of N samples, each N-th part of a
-- parameter's range has one. What is drawn for a parameter depends on its path, the seed and N alone, so points, designs and
-- runs have the same machines in sample k.
local outcome = require "outcome"
local band = {}

-- --- drawing -------------------------------------------------------------------------------------

-- The machine's estimated parameters that have a range, of those in `wanted` (nil: of all), in the order of its tables.
local function parameters_of(machine, wanted)
  local list = {}
  for _, section in ipairs(machine.sections()) do
    for _, entry in ipairs(section) do
      local is_drawn = entry.kind == "estimated" and (not wanted or wanted[entry.path])
      local parameter = is_drawn and machine.parameter(entry.path)
      if parameter and parameter.low and parameter.low < parameter.high then list[#list + 1] = parameter end
    end
  end
  return list
end

-- The value at `place` of the range, 0 <= place < 1. Whole numbers come equally often; a flag or choice is one end or the other.
local function value_at(parameter, place)
  local span = parameter.high - parameter.low
  if not parameter.is_number then return place < 0.5 and parameter.low or parameter.high end
  if not parameter.is_whole then return parameter.low + place * span end
  return math.min(parameter.low + math.floor(place * (span + 1)), parameter.high)
end

-- The machine may refuse a drawn number, since a cache has a whole number of sets. This is the next smaller multiple of a
-- power of two that it takes, or the number itself if it takes none.
local function taken_near(parameter, number)
  if parameter.is_taken(number) then return number end
  local step = 2.0
  while step <= number do
    local lower = math.floor(number / step) * step
    if lower >= parameter.low and parameter.is_taken(lower) then return lower end
    step = step * 2
  end
  return number
end

-- Lists `count` samples of a point as variants, over the estimated parameters in `wanted` (nil: all). Returns the number of
-- parameters.
function band.draw(variants, point, wanted, count)
  local machine, samples = variants.machine(point), {} -- kept, since its parameters need it
  local parameters = parameters_of(machine, wanted)
  for i = 1, count do samples[i] = {} end
  for _, parameter in ipairs(parameters) do
    local places = vary.places(variants.seed, parameter.path, count, "latin")
    for i, place in ipairs(places) do
      local number = taken_near(parameter, value_at(parameter, place))
      table.insert(samples[i], parameter.path .. "=" .. parameter.text_of(number))
    end
  end
  for _, overrides in ipairs(samples) do variants.add(point, overrides) end
  return #parameters
end

-- --- of a measure --------------------------------------------------------------------------------

local NONE = -(0 / 0) -- not a number

-- A quantile, interpolated between neighbours.
local function quantile(sorted, share)
  if #sorted == 0 then return NONE end
  local place = share * (#sorted - 1)
  local below = math.floor(place)
  local above = math.min(below + 1, #sorted - 1)
  return sorted[below + 1] + (place - below) * (sorted[above + 1] - sorted[below + 1])
end

-- Runs `count` samples of a point with other values of the parameters in `paths`, separated by commas. The numbers of the
-- measure over those that went well, in base units, and the first failure.
function band.of(variants, point, paths, count, measure)
  local wanted, numbers, failure = {}, {}, nil
  for path in paths:gmatch("[^,]+") do wanted[path] = true end
  local varied = band.draw(variants, point, wanted, count)
  for _, row in ipairs(variants.run()) do
    local is_there, found = pcall(outcome.find, row, measure, "a sample")
    if is_there then numbers[#numbers + 1] = found.number else failure = failure or row.failure or found.sentence end
  end
  table.sort(numbers)
  return { failure = failure, samples = count, failed = count - #numbers, varied = varied, least = numbers[1] or NONE,
           p5 = quantile(numbers, 0.05), median = quantile(numbers, 0.5), p95 = quantile(numbers, 0.95),
           most = numbers[#numbers] or NONE }
end

return band
