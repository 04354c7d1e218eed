-- SPDX-License-Identifier: BSD-3-Clause
-- gpunetsim calibrate STUDY.lua: a machine's `fitted` values, searched for within their ranges so that what a study simulates
-- comes near what it has as measured; and how well that determines each of them.
--
-- The study is an ordinary one, a point for each measurement, whose measures are
--   simulated   a number or a quantity
--   target      what was measured, in the same unit
--   tolerance   by what fraction of it the simulated value may be off (0.1)
-- and perhaps `bound` = "above": the target is a bound, and any value below it is as good. Its machine names the values: all
-- that are `fitted(value, low, high, ...)`; of these a user may set some, which are not searched for then.
--
-- A residual is r = (simulated / target - 1) / tolerance: within tolerance from -1 to 1. The search takes the values on a scale
-- from 0 to 1 of their range (scale.lua), and minimises the sum of ln(1 + r^2) (Cauchy's loss: a measurement that no values
-- meet does not draw the others away) and, with a weight of PRIOR, of the values' squared distances from the middle of their
-- range: what the measurements leave open stays there. NLopt's BOBYQA; the same study gives the same values.
local claims = require "claims"
local scale = require "scale"
local terminal = require "terminal"
local study = {}

local PRIOR = 0.05
local DIFFERENCE = 0.05  -- step on the scale, for the linear model
local BISECTIONS = 5     -- towards an end of a span
local MODEL_STEPS = 2000 -- evaluations of the linear model, which are cheap

local function clamp(number, low, high) return math.max(low, math.min(number, high)) end
local function copy(list) return table.move(list, 1, #list, 1, {}) end

local function print_table(names, rows)
  core.print(terminal.whole(terminal.of_texts(names, rows, 0, 0))[1] .. "\n")
end

-- --- values --------------------------------------------------------------------------------------

local function find_values(given)
  local values = {}
  for _, section in ipairs(given.machine.sections()) do
    for _, entry in ipairs(section) do
      local is_fitted = entry.kind == "fitted"
      local parameter = is_fitted and section.outer and given.machine.parameter(entry.path)
      if is_fitted and not (parameter and parameter.is_number) then
        error { sentence = ("%s: %s is fitted, but is no quantity of a component"):format(given.path, entry.path) }
      end
      values[#values + 1] = parameter or nil
    end
  end
  if #values == 0 then
    error { sentence = given.path .. ": its machine has no fitted value; mark what is to be searched for as "
      .. "fitted(value, low, high, { claims }, why)" }
  end
  return values
end

-- A value at place `x` of its scale as a user writes it, rounded to three digits.
local function value_text(value, x)
  local number = tonumber(("%.2e"):format(scale.number(value.low, value.high, x)))
  number = clamp(number, value.low, value.high)
  return value.text_of(value.is_whole and core.round(number) or number)
end

local function overrides_at(values, x)
  local overrides = {}
  for i, value in ipairs(values) do overrides[i] = value.path .. "=" .. value_text(value, x[i]) end
  return overrides
end

-- --- targets -------------------------------------------------------------------------------------

local function residual_of(target)
  local residual = (target.simulated / target.target - 1) / target.tolerance
  return target.bound == "above" and math.max(0, residual) or residual
end

-- Runs the study at `x`; returns the residuals, and sets the targets.
local function evaluate(of, x)
  local residuals = {}
  of.targets = of.given.evaluate(overrides_at(of.values, x))
  for k, target in ipairs(of.targets) do
    for _, name in ipairs { "simulated", "target", "tolerance" } do
      if type(target[name]) ~= "number" or not (target[name] > 0) then
        error { sentence = ("%s: point %s needs the measures simulated, target and tolerance, all above 0"):format(of.given.path,
          target.name) }
      end
    end
    residuals[k] = residual_of(target)
  end
  return residuals
end

-- --- the search ----------------------------------------------------------------------------------

local function cost_of(residuals, x)
  local sum = 0
  for _, residual in ipairs(residuals) do sum = sum + core.log1p(residual * residual) end
  for _, place in ipairs(x) do sum = sum + PRIOR * (place - 0.5) * (place - 0.5) end
  return sum
end

-- The best place found from `x` on, with at most `evaluations` runs of the study. BOBYQA's quadratic model needs two values
-- at least.
local function search(of, x, evaluations)
  local best, least = x, math.huge
  nlopt.minimise {
    algorithm = #x > 1 and "bobyqa" or "cobyla", start = x, evaluations = evaluations, step = 0.15, tolerance = 0.003,
    objective = function(at)
      local cost = cost_of(evaluate(of, at), at)
      if cost < least then best, least = at, cost end
      return cost
    end,
  }
  return best
end

-- --- spans ---------------------------------------------------------------------------------------

-- Whether all targets that the fit meets are met at the place `at`, too.
local function holds(of, at)
  local tried = evaluate(of, at)
  for k, residual in ipairs(of.residuals) do
    if math.abs(residual) <= 1 and math.abs(tried[k]) > 1 then return false end
  end
  return true
end

-- The furthest place on the straight way from the fit to `target` that holds.
local function draw_back(of, target)
  local function towards(part)
    local at = {}
    for i, x in ipairs(of.x) do at[i] = x + part * (target[i] - x) end
    return at
  end
  if holds(of, target) then return target end
  local good, bad = 0, 1
  for _ = 1, BISECTIONS do
    local part = (good + bad) / 2
    if holds(of, towards(part)) then good = part else bad = part end
  end
  return towards(good)
end

-- The linear model: the residuals at the fit and their slopes.
local function set_model(of, x)
  of.x, of.residuals, of.slopes = x, evaluate(of, x), {}
  for k in ipairs(of.residuals) do of.slopes[k] = {} end
  for i in ipairs(x) do
    local at, step = copy(x), x[i] > 0.5 and -DIFFERENCE or DIFFERENCE
    at[i] = x[i] + step
    for k, residual in ipairs(evaluate(of, at)) do of.slopes[k][i] = (residual - of.residuals[k]) / step end
  end
end

-- Constraints: each target of the linear model is at most 0.98 off, either way. Targets that the fit misses are left out.
local function stay_within(of, at)
  local results = {}
  for k, here in ipairs(of.residuals) do
    local is_met, residual, limit = math.abs(here) <= 1, here, math.max(0.98, math.abs(here))
    for i, slope in ipairs(of.slopes[k]) do residual = residual + slope * (at[i] - of.x[i]) end
    results[2 * k - 1] = is_met and residual - limit or -1
    results[2 * k] = is_met and -residual - limit or -1
  end
  return results
end

-- The place where value `i` is as low (sign 1) or as high (-1) as the linear model permits.
local function extreme(of, i, sign)
  return nlopt.minimise {
    algorithm = "cobyla", start = of.x, evaluations = MODEL_STEPS, tolerance = 1e-5,
    objective = function(at) return sign * at[i] end,
    constraints = function(at) return stay_within(of, at) end,
    constraint_count = 2 * #of.residuals,
  }
end

-- The place that value `i` reaches towards `target` while the others stay as they are.
local function alone(of, i, target)
  local at = copy(of.x)
  at[i] = target
  return draw_back(of, at)[i]
end

-- Makes the end of value `i`'s span with all values at least as far out as the end that it reaches alone.
local function reach_alone(of, i, place, at)
  if math.abs(place - of.x[i]) <= math.abs(at[i] - of.x[i]) then return at end
  local own = copy(of.x)
  own[i] = place
  return own
end

-- How far value `i` can move from the fit while all targets that the fit meets stay within their tolerance: alone, with the
-- other values as they are; and together with them. The second is a lower bound, from a linear model of the residuals: each
-- end is then tried by the study and drawn back until it holds. at_low and at_high are the places of all values at these
-- ends.
local function span_of(of, i)
  local low, high = extreme(of, i, 1), extreme(of, i, -1)
  local span = { alone_low = alone(of, i, 0), alone_high = alone(of, i, 1) }
  span.at_low = reach_alone(of, i, span.alone_low, draw_back(of, low))
  span.at_high = reach_alone(of, i, span.alone_high, draw_back(of, high))
  return span
end

-- --- what is shown -------------------------------------------------------------------------------

local function print_targets(targets)
  local rows = {}
  for k, target in ipairs(targets) do
    local off, is_bound = target.simulated / target.target - 1, target.bound == "above"
    local is_met = off <= target.tolerance and (is_bound or off >= -target.tolerance)
    rows[k] = { target.name, ("%s%g"):format(is_bound and "below " or "", target.target), ("%.4g"):format(target.simulated),
                ("%+.1f"):format(100 * off), ("%g"):format(100 * target.tolerance), is_met and "yes" or "no" }
  end
  print_table({ "target", "measured", "simulated", "off_percent", "tolerance_percent", "met" }, rows)
end

local function print_values(of, spans)
  local rows = {}
  for i, value in ipairs(of.values) do
    local span = spans[i]
    local function range(low, high) return value_text(value, low) .. " to " .. value_text(value, high) end
    local low, high = span.at_low[i], span.at_high[i]
    rows[i] = { value.path, value_text(value, of.x[i]), range(0, 1), range(span.alone_low, span.alone_high), range(low, high),
                ("%.0f"):format(100 * (high - low)) }
  end
  print_table({ "value", "fitted", "range", "span_alone", "span_together", "range_left_percent" }, rows)
end

-- --- bands ---------------------------------------------------------------------------------------

-- The least and the most that a claim came to, and how often it held.
local function widen(bands, claim)
  local answer = claim.answer
  local least, most = answer.obtained_low or answer.obtained or 0, answer.obtained or 0
  local first = { id = claim.id, use = claim.use, tried = 0, held = 0, least = least, most = most }
  local band = bands[claim.number] or first
  bands[claim.number] = band
  band.tried, band.held = band.tried + 1, band.held + (claim.status == "reproduced" and 1 or 0)
  band.has_number = answer.has_number
  band.least, band.most = math.min(band.least, least), math.max(band.most, most)
end

-- Answers the claims of the studies at the fit and at all ends of the spans.
local function print_bands(of, spans, paths)
  local places, bands, rows = { of.x }, {}, {}
  for _, span in ipairs(spans) do table.move({ span.at_low, span.at_high }, 1, 2, #places + 1, places) end
  for _, path in ipairs(paths) do
    for _, x in ipairs(places) do
      for _, claim in ipairs(claims.those(of.given.claims(path, overrides_at(of.values, x)))) do widen(bands, claim) end
    end
  end
  local numbers = {}
  for number in pairs(bands) do numbers[#numbers + 1] = number end
  table.sort(numbers)
  for k, number in ipairs(numbers) do
    local band = bands[number]
    rows[k] = { band.id, band.use, band.has_number and ("%.3g"):format(band.least) or "",
                band.has_number and ("%.3g"):format(band.most) or "", tostring(100 * band.held // band.tried) }
  end
  print_table({ "claim", "use", "from", "to", "held_percent" }, rows)
end

-- --- the command ---------------------------------------------------------------------------------

-- Searches (unless `keep`), and prints the result.
--   path, machine             of the study; its machine
--   evaluate(overrides)       runs the study: a list of points with name, simulated, target, tolerance and bound (nil: none)
--   claims(path, overrides)   runs a study: what views/claims.lua is given, and the ids of the claims that it answers
--   evaluations, bands        how many runs it may take; paths of studies whose claims are answered at the ends of the spans
function study.answer(given)
  local of, x, spans = { given = given, values = find_values(given) }, {}, {}
  for i, value in ipairs(of.values) do x[i] = clamp(scale.place(value.low, value.high, value.now), 0, 1) end
  if not given.keep then x = search(of, x, given.evaluations) end
  set_model(of, x)
  for i in ipairs(of.values) do spans[i] = span_of(of, i) end
  evaluate(of, x) -- sets the targets at that place
  print_targets(of.targets)
  print_values(of, spans)
  if #given.bands > 0 then print_bands(of, spans, given.bands) end
  return {}
end

return study
