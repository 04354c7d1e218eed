-- SPDX-License-Identifier: BSD-3-Clause
-- Search over several parameters: the least change that reaches the target.
local search = require "solve/search"

local SAMPLES_EACH = 10 -- of the ranges, for each parameter
local MOST_EACH = 40    -- evaluations of NLopt, for each parameter

local function clamp(number, low, high) return math.max(low, math.min(number, high)) end

-- The places of the present values; of values outside of their range the range's end.
local function present_places(of)
  local places = {}
  for k, knob in ipairs(of.knobs) do
    places[k] = search.place(knob, clamp(knob.parameter.now, knob.low, knob.high))
  end
  return places
end

local function values_at(of, places)
  local values = {}
  for k, knob in ipairs(of.knobs) do values[k] = search.value(knob, places[k]) end
  return values
end

local function places_of(of, try)
  local places = {}
  for k, knob in ipairs(of.knobs) do places[k] = search.place(knob, try.values[k]) end
  return places
end

local function distance(places, others)
  local sum = 0
  for k, place in ipairs(places) do sum = sum + (place - others[k]) * (place - others[k]) end
  return sum
end

-- The try at these places.
local function try_at(of, places)
  local inside = {}
  for k, place in ipairs(places) do inside[k] = clamp(place, 0, 1) end
  return of:try_values({ values_at(of, inside) })[1]
end

-- --- samples -------------------------------------------------------------------------------------

-- Places of a Latin hypercube, from one end of each range to the other.
local function sample_places(of, count)
  local samples = {}
  for i = 1, count do samples[i] = {} end
  for k, knob in ipairs(of.knobs) do
    for i, place in ipairs(vary.places(of.seed, knob.parameter.path, count, "even")) do samples[i][k] = place end
  end
  return samples
end

-- Tries samples of the ranges, and the ends of each range with the other parameters as they are.
local function try_samples(of, present)
  local sets = {}
  for i, places in ipairs(sample_places(of, SAMPLES_EACH * #of.knobs)) do sets[i] = values_at(of, places) end
  for k in ipairs(of.knobs) do
    for corner = 0, 1 do
      local places = table.move(present, 1, #present, 1, {})
      places[k] = corner
      sets[#sets + 1] = values_at(of, places)
    end
  end
  of:try_values(sets)
end

-- Whether a try has reached the other side of the target, and keeps the constraints. `sign` is 1 if the measure is above
-- the target now, else -1.
local function is_reached(try, sign) return sign * try.off <= 0 and try.violation <= 0 end

-- The try, other than the first, that reaches the target with the least change; nil: none does.
local function least_change(of, present, sign)
  local best, least = nil, math.huge
  for i = 2, #of.tries do
    local far = distance(places_of(of, of.tries[i]), present)
    if is_reached(of.tries[i], sign) and far < least then best, least = of.tries[i], far end
  end
  return best
end

-- The try to begin at if no sample reaches the target: the nearest one, constraints included.
local function least_miss(of, sign)
  local best, least = of.tries[1], math.huge
  for i = 2, #of.tries do
    local try = of.tries[i]
    local off = try.off == try.off and math.max(sign * try.off, try.violation) or math.huge
    if off < least then best, least = try, off end
  end
  return best
end

-- --- NLopt ---------------------------------------------------------------------------------------

-- Finds tries nearer to the present values by COBYLA, beginning at `start`. Its constraints: the measure is on the other
-- side of the target, and the user's constraints hold.
local function draw_near(of, present, sign, start)
  local places = places_of(of, start)
  for k, place in ipairs(places) do places[k] = clamp(place, 0, 1) end
  nlopt.minimise {
    algorithm = "cobyla", start = places, evaluations = MOST_EACH * #of.knobs, step = 0.1, tolerance = 0.001,
    objective = function(x) return distance(x, present) end,
    constraint_count = 2,
    constraints = function(x)
      local try = try_at(of, x)
      if try.off ~= try.off then return { 1, 1 } end
      return { sign * try.off, try.violation }
    end,
  }
end

-- --- the whole -----------------------------------------------------------------------------------

-- Whether any try passes the target, whatever the constraints.
local function is_passed(of, sign)
  for i = 2, #of.tries do
    if sign * of.tries[i].off <= 0 then return true end
  end
  return false
end

-- Cuts the way from the present values (or the nearest within the ranges) to `reached`. The answer is the end that is nearer
-- to the target and keeps the constraints.
local function finish(of, present, sign, reached)
  of.below, of.above, of.best = reached, reached, reached
  local start = try_at(of, present)
  if sign * start.off > 0 then of:cut(start, reached) end
  if not of:take_end() then of.ending = "jumps" end -- `reached` keeps the constraints
end

return function(of)
  local present, start = present_places(of), of.tries[1]
  if not of:is_within(start) then start = try_at(of, present) end
  local sign = start.off > 0 and 1 or -1
  try_samples(of, present)
  draw_near(of, present, sign, least_change(of, present, sign) or least_miss(of, sign))
  local reached = least_change(of, present, sign)
  if reached then
    finish(of, present, sign, reached)
  else
    of.ending = is_passed(of, sign) and "constrained" or "unreached"
  end
end
