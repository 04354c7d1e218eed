-- SPDX-License-Identifier: BSD-3-Clause
-- The least value of a measure, and the set of values that do about as well: samples of the ranges, then NLopt's COBYLA from
-- the best of them. The answer is the whole set, not one point: how far a parameter may move while the measure stays about
-- as good, and what other measures (--predict) are in that set.
local search = require "solve/search"
local terminal = require "terminal"
local written = require "written"
local least = {}

local SAMPLES_EACH = 16 -- of the ranges, for each parameter
local STARTS = 3        -- of NLopt
local MOST_EACH = 10    -- evaluations of NLopt from a start, for each parameter
local WORST = 1e3     -- stands for a try that failed or misses a constraint
local AS_GOOD = 0.05    -- how far above the least value is as good: a part of that value, or of 1 if it is below 1

-- Whether a try counts: it did not fail, and keeps the constraints.
local function is_good(try) return try.off == try.off and try.violation <= 0 end

local function places_of(of, try)
  local places = {}
  for k, knob in ipairs(of.knobs) do places[k] = math.max(0, math.min(1, search.place(knob, try.values[k]))) end
  return places
end

local function values_at(of, places)
  local values = {}
  for k, knob in ipairs(of.knobs) do values[k] = search.value(knob, math.max(0, math.min(1, places[k]))) end
  return values
end

-- A Latin hypercube, from one end of each range to the other.
local function try_samples(of)
  local count, sets = SAMPLES_EACH * #of.knobs, {}
  local places = {}
  for i = 1, count do places[i] = {} end
  for k, knob in ipairs(of.knobs) do
    for i, place in ipairs(vary.places(of.seed, knob.parameter.path, count, "even")) do places[i][k] = place end
  end
  for i, of_sample in ipairs(places) do sets[i] = values_at(of, of_sample) end
  of:try_values(sets)
end

-- Tries within the ranges that count, the best first.
local function ranked(of)
  local list = {}
  for i, try in ipairs(of.tries) do
    if is_good(try) and of:is_within(try) then list[#list + 1] = { try = try, number = i } end
  end
  table.sort(list, function(a, b)
    return a.try.number < b.try.number or a.try.number == b.try.number and a.number < b.number
  end)
  for i, entry in ipairs(list) do list[i] = entry.try end
  return list
end

local function descend(of, start)
  nlopt.minimise {
    algorithm = "cobyla", start = places_of(of, start), evaluations = MOST_EACH * #of.knobs, step = 0.1, tolerance = 0.002,
    constraint_count = 0,
    objective = function(places)
      local try = of:try_values({ values_at(of, places) })[1]
      return is_good(try) and try.number or WORST
    end,
  }
end

function least.find(of)
  try_samples(of)
  local starts = ranked(of)
  for i = 1, math.min(STARTS, #starts) do descend(of, starts[i]) end
  local list = ranked(of)
  if #list == 0 then
    error { sentence = "every set of values that was tried fails or breaks a constraint", code = core.ERROR_RUN }
  end
  of.best, of.ending = list[1], "found"
  of.set = {}
  local limit = of.best.number + AS_GOOD * math.max(1, math.abs(of.best.number))
  for _, try in ipairs(list) do
    if try.number <= limit then of.set[#of.set + 1] = try end
    try.off = try.number - of.best.number
  end
end

-- --- what is told ---------------------------------------------------------------------------------

local function extent(set, number_of)
  local low, high = math.huge, -math.huge
  for _, try in ipairs(set) do low, high = math.min(low, number_of(try)), math.max(high, number_of(try)) end
  return low, high
end

local function knob_table(of)
  local rows = {}
  for k, knob in ipairs(of.knobs) do
    local text_of = knob.parameter.text_of
    local low, high = extent(of.set, function(try) return try.values[k] end)
    rows[k] = { knob.parameter.path, knob.parameter.text, text_of(of.best.values[k]), text_of(low), text_of(high),
                text_of(knob.low), text_of(knob.high) }
  end
  return terminal.of_texts({ "parameter", "now", "best", "as good from", "to", "range from", "range to" }, rows, 0, 0)
end

local function predicted_table(of)
  local rows = {}
  for i, name in ipairs(of.predicted) do
    local low, high = extent(of.set, function(try) return try.predicted[i] end)
    rows[i] = { name, ("%.4g"):format(of.best.predicted[i]), ("%.4g"):format(low), ("%.4g"):format(high) }
  end
  return terminal.of_texts({ "measure", "best", "as good from", "to" }, rows, 1, 3)
end

function least.text(of)
  local unit = of.shown.unit
  local function text(number) return terminal.quantity(written.text(unit, number)) end
  local sentence = ("%s: %s is %s now, at least %s; %d of %d sets of values that were tried do as well.\n"):format(
    of.variants.label(of.point), of.shown.name, text(of.shown.number), text(of.best.number), #of.set, #of.tries)
  local predicted = #of.predicted > 0 and "\n" .. terminal.whole(predicted_table(of))[1] or ""
  return terminal.whole(knob_table(of))[1] .. "\n" .. sentence .. predicted
end

return least
