-- SPDX-License-Identifier: BSD-3-Clause
-- Tries sets of values. Each set is one variant of the point, and of the other point if that is the target.
--
-- A knob is a parameter that may change: `parameter`, `low` and `high` of its range, and `range`, where that comes from in
-- words. A try has `values`, one a knob; `number` and `target`, the measure and what it should be; `off`, number / target -
-- 1, NaN if it failed; `spread` of `off`, from the spreads of both, 0 if neither has one; `violation` of the constraints,
-- the largest, as a fraction, 0 if they hold; `failure`.
local outcome = require "outcome"
local parameters = require "parameter"
local scale = require "scale"
local search = {}
search.__index = search

local TOLERANCE = 0.001 -- of the target: a measure that is nearer counts as equal
local NARROW = 1e-4     -- of a knob's scale: narrower steps are not cut
local PARTS = 4         -- parts into which a step is cut at a time
local NAN = 0 / 0

local function is_nan(number) return number ~= number end
local function clamp(number, low, high) return math.max(low, math.min(number, high)) end

-- --- scales --------------------------------------------------------------------------------------

-- The nearest value of the knob's range that the parameter can take.
local function within(knob, value) return parameters.nearest(knob.parameter, clamp(value, knob.low, knob.high)) end

-- A knob's value at `place` of its range, from 0 to 1; and back.
function search.value(knob, place) return within(knob, scale.number(knob.low, knob.high, place)) end
function search.place(knob, value) return scale.place(knob.low, knob.high, value) end

-- Whether the try's values are in their ranges. The point's present values may be outside.
function search:is_within(try)
  for k, knob in ipairs(self.knobs) do
    if try.values[k] < knob.low or try.values[k] > knob.high then return false end
  end
  return true
end

-- --- one try -------------------------------------------------------------------------------------

local function is_same(one, other) return not (one < other) and not (one > other) end

-- The try with these values; nil: there is none.
function search:known(values)
  for _, try in ipairs(self.tries) do
    local same = 0
    while same < #values and is_same(try.values[same + 1], values[same + 1]) do same = same + 1 end
    if same == #values then return try end
  end
end

function search:overrides(values)
  local overrides = {}
  for k, knob in ipairs(self.knobs) do overrides[k] = knob.parameter.path .. "=" .. knob.parameter.text_of(values[k]) end
  return overrides
end

-- By how much the constraints are missed.
function search:violation(row)
  local most = 0
  for _, constraint in ipairs(self.constraints) do
    local number = outcome.find(row, constraint.measure, "a constraint").number
    local over = constraint.is_least and constraint.limit - number or number - constraint.limit
    most = math.max(most, over / math.max(math.abs(constraint.limit), 1e-300))
  end
  return most
end

-- Fills in a try from its rows; raises a sentence if a row lacks the measure.
function search:read(try, row, other)
  local measure = outcome.find(row, self.measure, "there")
  if self.is_least then return self:read_least(try, row, measure) end
  local wanted = other and outcome.find(other, self.measure, "at the other point")
  try.number, try.target = measure.number, wanted and wanted.number or self.target
  try.off = try.target > 0 and try.number / try.target - 1 or NAN
  try.spread = core.hypot(outcome.spread(row, measure), (wanted and outcome.spread(other, wanted) or 0) * (1 + try.off)) / try.target
  try.violation = math.huge
  try.violation = self:violation(row)
end

-- For a search of the least value: until that is known, `off` is the try's own number.
function search:read_least(try, row, measure)
  try.number, try.target, try.off = measure.number, measure.number, measure.number
  try.spread = outcome.spread(row, measure)
  try.violation = math.huge
  try.violation = self:violation(row)
  try.predicted = {}
  for i, name in ipairs(self.predicted) do try.predicted[i] = outcome.find(row, name, "--predict").number end
end

function search:judge(try, row, other)
  local is_good, fault = pcall(self.read, self, try, row, other)
  if is_good then return end
  if type(fault) ~= "table" then error(fault, 0) end -- none of a row
  try.failure = row.failure or fault.sentence
end

-- --- the first one -------------------------------------------------------------------------------

local function lists(read, path) return ("," .. (read or "") .. ","):find("," .. path .. ",", 1, true) ~= nil end

-- Whether a row's list of read axes has this axis; if so, the axis gets the value from the list.
local function settle(axis, read)
  for path, value in (read or ""):gmatch("([^,=]+)=([^,]*)") do
    if path == axis.path then
      axis.now, axis.text = axis.parse(value), value
      return true
    end
  end
end

local function is_read(parameter, base, other)
  if parameter.is_axis then return settle(parameter, base.read) or other and settle(parameter, other.read) end
  return lists(base.read, parameter.path) or other and lists(other.read, parameter.path)
end

-- The number of a text in the measure's unit; `option` begins the sentence if it is no such number.
local function parse_like(measure, text, option)
  local is_good, number = pcall(vary.parse, measure.unit, text)
  if not is_good then error { sentence = option .. ": " .. number.sentence } end
  return number
end

-- Reads the numbers of targets and constraints in the units of their measures.
function search:read_numbers()
  if self.target_text then
    self.target = parse_like(self.shown, self.target_text, "--target " .. self.target_text)
    if self.target <= 0 then
      error { sentence = ("--target %s: accepted is what is above 0"):format(self.target_text) }
    end
  end
  for _, constraint in ipairs(self.constraints) do
    local measure = outcome.find(self.base, constraint.measure, "--constraint")
    constraint.limit = parse_like(measure, constraint.text, "--constraint " .. constraint.measure)
  end
end

-- The other point's row, if its run reads none of the knobs, so that it stays the same for all tries.
local function row_that_stays(knobs, other)
  for _, knob in ipairs(knobs) do
    if not other or knob.parameter.is_axis or lists(other.read, knob.parameter.path) then return nil end
  end
  return other
end

-- Tries the point as it is, with the present values, which may be outside of their ranges.
function search:try_base()
  self.variants.add(self.point)
  if self.other then self.variants.add(self.other) end
  local rows, values = self.variants.run(), {}
  local other = self.other and rows[2]
  self.base = rows[1]
  self.shown = outcome.find(self.base, self.measure, "the point as it is")
  self:read_numbers()
  for k, knob in ipairs(self.knobs) do
    if not is_read(knob.parameter, self.base, other) then
      error { sentence = knob.parameter.path .. ": nothing at this point reads it, so it changes nothing" }
    end
    values[k] = knob.parameter.now
  end
  local try = { values = values, number = NAN, target = NAN, off = NAN, spread = 0, violation = 0 }
  self.other_row = row_that_stays(self.knobs, other)
  self:judge(try, self.base, other)
  self.tries[1] = try
  if try.failure then error { sentence = "the point as it is: " .. try.failure, code = core.ERROR_RUN } end
  if is_nan(try.off) then error { sentence = "the target is not above 0", code = core.ERROR_RUN } end
  return try
end

-- --- tries ---------------------------------------------------------------------------------------

-- Runs the tries from number `first` on, whose values have been set.
function search:run_new(first)
  local runs_other = self.other and not self.other_row
  local each = runs_other and 2 or 1
  for i = first, #self.tries do
    local overrides = self:overrides(self.tries[i].values)
    self.variants.add(self.point, overrides)
    if runs_other then self.variants.add(self.other, overrides) end
  end
  local rows = self.variants.run()
  for i = first, #self.tries do
    local row = (i - first) * each + 1
    self:judge(self.tries[i], rows[row], runs_other and rows[row + 1] or self.other_row)
  end
end

-- A knob's value rounded to about a thousandth of itself or of its range.
local function rounded(knob, value)
  local least = math.min(math.abs(value), knob.high - knob.low)
  local step = least > 0 and 10 ^ math.floor(math.log(least * 1e-3, 10)) or 1
  return within(knob, core.round(value / step) * step)
end

-- Tries sets of values, rounded to what the knobs can take; those not tried before run together. Returns the tries.
function search:try_values(sets)
  local first, tries = #self.tries + 1, {}
  for i, set in ipairs(sets) do
    local near = {}
    for k, knob in ipairs(self.knobs) do near[k] = within(knob, parameters.taken(knob.parameter, rounded(knob, set[k]))) end
    tries[i] = self:known(near)
    if not tries[i] then
      tries[i] = { values = near, number = NAN, target = NAN, off = NAN, spread = 0, violation = 0 }
      self.tries[#self.tries + 1] = tries[i]
    end
  end
  self:run_new(first)
  return tries
end

local function is_nearer(one, other)
  if is_same(one.violation, other.violation) then return math.abs(one.off) < math.abs(other.off) end
  return one.violation < other.violation
end

-- --- cutting -------------------------------------------------------------------------------------

function search:width(one, other)
  local most = 0
  for k, knob in ipairs(self.knobs) do
    most = math.max(most, math.abs(search.place(knob, one.values[k]) - search.place(knob, other.values[k])))
  end
  return most
end

-- The values at the fraction `part` of the way from one try to another.
function search:part_way(from, to, part)
  local values = {}
  for k, knob in ipairs(self.knobs) do
    local a, b = search.place(knob, from.values[k]), search.place(knob, to.values[k])
    values[k] = search.value(knob, a + part * (b - a))
  end
  return values
end

-- 1 or -1: the try is above or below its target; 0: it failed, or its spread reaches the target, so that its side is unknown.
function search.side(try)
  local is_at = try.spread > 0 and math.abs(try.off) <= try.spread
  if is_nan(try.off) or is_at then return 0 end
  return try.off > 0 and 1 or -1
end

-- Cuts the way between two tries once. Returns the new ends, and whether anything new was tried.
function search:cut_once(below, above)
  local sets, side, far, is_cut = {}, search.side(below), above, false
  for i = 1, PARTS - 1 do sets[i] = self:part_way(below, above, i / PARTS) end
  for _, try in ipairs(self:try_values(sets)) do
    local of = search.side(try)
    if try == below or try == far or is_nan(try.off) then
      -- nothing new
    elseif of == 0 then
      if not self.between or is_nearer(try, self.between) then self.between = try end
    elseif of ~= side then
      return below, try, true
    else
      below, is_cut = try, true
    end
  end
  return below, above, is_cut
end

-- Between two tries, one on each side of the target, cuts the way until nothing is left to cut; sets `below` and `above`, the
-- first one on the present side, and `between`, of the tries between these whose spread reaches the target the nearest to it.
-- Where results are means with a spread, the ends stay so far apart that each is on its side for certain.
function search:cut(below, above)
  local is_cut = true
  self.between = nil
  while is_cut and self:width(below, above) > NARROW do below, above, is_cut = self:cut_once(below, above) end
  self.below, self.above = below, above
end

-- --- ends ----------------------------------------------------------------------------------------

-- Whether the try is at its target and keeps the constraints.
function search.is_met(try)
  return math.abs(try.off) <= math.max(TOLERANCE, try.spread) and try.violation <= 0
end

-- Ends the search after a cut: the best is the one of below, above and between that is nearest to the target and keeps the
-- constraints. False if none keeps them.
function search:take_end()
  local best
  for _, try in ipairs { self.above, self.below, self.between } do
    if try.violation <= 0 and (not best or is_nearer(try, best)) then best = try end
  end
  self.ending = "constrained"
  if not best then return false end
  self.best = best
  self.ending = search.is_met(best) and "found" or "jumps"
  return true
end

-- Takes the try within the ranges that is nearest to the target, among those that keep the constraints if there are any.
function search:take_nearest()
  local best, failure
  for _, try in ipairs(self.tries) do
    failure = failure or try.failure
    local is_good = not is_nan(try.off) and self:is_within(try)
    if is_good and (not best or is_nearer(try, best)) then best = try end
  end
  if not best then
    error { sentence = "every value that was tried within the ranges fails; the first: "
      .. (failure or "its target is not above 0"), code = core.ERROR_RUN }
  end
  self.best = best
  if search.is_met(best) then self.ending = "found" end
end

return search
