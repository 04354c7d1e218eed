-- SPDX-License-Identifier: BSD-3-Clause
-- How much a measure depends on each parameter that a run read: each is changed alone, and the point is simulated again.
--
-- The elasticity is d ln(measure) / d ln(parameter): by how many percent the measure grows where the parameter grows by one.
-- It is taken from both sides, ln(m2 / m1) / ln(p2 / p1), so that a power law gives its exponent exactly; from one side where
-- the other is out of bounds.
--
-- What can only be whole moves by at least one; what the machine does not take is tried at half and twice its value; what is
-- 0 at the ends of its range; flags and choices take their other values. A result may move in steps: a number that moves
-- nothing is changed as far as to the ends of its range (of its table's, and at most a hundredth to a hundred times; a tenth
-- to ten times if it is a number of things or of bytes), and if that moves the measure, by less. So do the axes of the design
-- that the point's last workload took.
--
-- An entry is a parameter and what it does:
--   outcome      "moves", "fails", "below the spread" (it moves the measure by no more than what that itself spreads), "changes
--                nothing" (as far as it was changed), "not changed" (there is no other value to try), "not read"
--   shown        the nearest values that move the measure, or the farthest that were tried: a pair of tries, [1] below and [2]
--                above (of a flag or choice another value, [2] alone), with `effect`, the largest change as a fraction
--   wider        such pairs, by reach
--   elasticity   NaN: there is none
--   note         nil, or what is not as usual
-- A try has a value, the number of its run, and then the measure's number (NaN: it failed) and perhaps a failure.
local outcome = require "outcome"
local parameters = require "parameter"

local UNEVEN = 0.75       -- slopes on both sides are uneven if they differ by this part of the steeper one
local LEAST_CHANGE = 1e-9 -- of a measure; smaller changes are rounding in a script
local REACHES = { 100, 2, 10 } -- times its value. The farthest is tried first, since most parameters without effect there have none nearby
local FARTHEST = 1             -- there either
local NEAREST_FIRST = { 2, 3, FARTHEST }
local COUNT_REACH = 10    -- the farthest for numbers of things and bytes, which take memory
local GATHERED = { 8, 64 } -- tried numbers of puts in a message where none are gathered
local NAN = 0 / 0
local BY_RANGE = 0 -- a step to the ends of the range; a tenth of the value if it has no range
local WITHOUT_RANGE = 0.1

local function is_same(one, other) return not (one < other) and not (one > other) end
local function is_finite(number) return number == number and math.abs(number) < math.huge end

-- --- what is tried -------------------------------------------------------------------------------

-- The value below (side 1) or above (side 2) by the step, or by more where the machine does not take it; nil: none.
local function neighbour(parameter, side, step)
  local now, sign = parameter.now, side == 1 and -1 or 1
  for _, by in ipairs { step * math.abs(now), side == 1 and math.abs(now) / 2 or math.abs(now) } do
    local value = parameters.nearest(parameter, now + sign * (parameter.is_whole and math.max(1, core.round(by)) or by))
    if not is_same(value, now) and parameter.is_taken(value) then return value end
  end
end

local function add_try(variants, of, pair, parameter, side, value)
  local override = parameter.path .. "=" .. parameter.text_of(value)
  pair[side] = { value = value, variant = variants.add(of.point, { override }) }
end

local function new_entry(of, parameter)
  local entry = { parameter = parameter, shown = { effect = 0 }, wider = {} }
  for reach in ipairs(REACHES) do entry.wider[reach] = { effect = 0 } end
  of.entries[#of.entries + 1] = entry
  return entry
end

local function plan_number(variants, of, parameter, step)
  local entry, is_zero = new_entry(of, parameter), is_same(parameter.now, 0)
  local ends = { parameter.low, parameter.high }
  for side = 1, 2 do
    local value = ends[side]
    if not is_zero and not (value and step == BY_RANGE) then value = neighbour(parameter, side, step == BY_RANGE and WITHOUT_RANGE or step) end
    if value and is_finite(value) and not is_same(value, parameter.now) then
      add_try(variants, of, entry.shown, parameter, side, value)
    end
  end
  local below, above = entry.shown[1], entry.shown[2]
  if step == BY_RANGE and parameter.low then
    entry.is_whole_range = true
  elseif is_zero then
    entry.note = parameter.low and "0: the ends of its range" or "0: not changed"
  elseif not below and not above then
    entry.note = "the machine takes no other value near"
  elseif not below or not above then
    entry.note = "from one side"
  end
end

local function is_gathering(parameter) return parameter.path == "design.coalesce.count" and is_same(parameter.now, 0) end

local function plan_choices(variants, of, parameter)
  for choice = 0, parameter.choices - 1 do
    if not is_same(choice, parameter.now) then
      local entry = new_entry(of, parameter)
      entry.note = "another choice"
      add_try(variants, of, entry.shown, parameter, 2, choice)
    end
  end
end

-- The parameter of a path; if the machine has none: nil, or an error if it `must` have it.
local function parameter_of(of, path, must)
  local parameter, fault = of.machine.parameter(path)
  if not parameter and must then error({ sentence = fault }, 0) end
  return parameter
end

-- Lists the tries for all parameters that the point's row says were read; `only`: those with this source.
local function plan(variants, of, step, only)
  for path in (of.row.read or ""):gmatch("[^,]+") do
    local parameter = parameter_of(of, path, true)
    if only and parameter.source ~= only then goto next end
    if is_gathering(parameter) then
      for _, count in ipairs(GATHERED) do add_try(variants, of, new_entry(of, parameter).shown, parameter, 2, count) end
    elseif parameter.is_number then
      plan_number(variants, of, parameter, step)
    else
      plan_choices(variants, of, parameter)
    end
    ::next::
  end
end

-- --- what comes of it ----------------------------------------------------------------------------

local function judge_pair(of, rows, pair)
  for side = 1, 2 do
    local try = pair[side]
    if try then
      local is_good, measure = pcall(outcome.find, rows[try.variant], of.base.name, "there")
      local change = is_good and math.abs(measure.number / of.base.number - 1) or 0
      try.number = is_good and measure.number or NAN
      try.failure = not is_good and (rows[try.variant].failure or measure.sentence) or nil
      pair.effect = math.max(pair.effect, change > LEAST_CHANGE and change or 0)
    end
  end
end

local function fails(pair) return pair[1] and pair[1].failure or pair[2] and pair[2].failure end
local function moves(of, pair) return pair.effect > of.spread end

-- The elasticity between the outermost two of the values: below, as it is, above.
local function elasticity_of(entry, base)
  local places, numbers = { entry.parameter.now, entry.parameter.now }, { base, base }
  for side = 1, 2 do
    local try = entry.shown[side]
    if try and try.number == try.number then places[side], numbers[side] = try.value, try.number end
  end
  local has_one = numbers[1] > 0 and numbers[2] > 0 and places[1] > 0 and places[2] > places[1]
  return has_one and math.log(numbers[2] / numbers[1]) / math.log(places[2] / places[1]) or NAN
end

-- --- wider steps ---------------------------------------------------------------------------------

-- The end of the parameter's range on a side.
local function limit_of(parameter, side)
  if side == 1 then return parameter.low and math.min(parameter.low, parameter.now) or parameter.least end
  return parameter.high and math.max(parameter.high, parameter.now) or parameter.most
end

local function reach_of(parameter, reach)
  local is_count = parameter.is_whole and (parameter.unit == "count" or parameter.unit == "bytes")
  return is_count and math.min(REACHES[reach], COUNT_REACH) or REACHES[reach]
end

-- Whether the value was tried on this side already.
local function is_tried(entry, side, value)
  local is_known = is_same(entry.shown[side].value, value)
  for _, pair in ipairs(entry.wider) do is_known = is_known or pair[side] and is_same(pair[side].value, value) end
  return is_known
end

local function plan_wider(variants, of, entry, reach)
  local parameter, times = entry.parameter, reach_of(entry.parameter, reach)
  local now = parameter.now
  for side = 1, 2 do
    local limit, usual = limit_of(parameter, side), entry.shown[side]
    local value = parameters.taken(parameter, side == 1 and math.max(now / times, limit) or math.min(now * times, limit))
    local is_wider = usual and math.abs(value - now) > math.abs(usual.value - now)
    if is_wider and not is_tried(entry, side, value) and parameter.is_taken(value) then
      add_try(variants, of, entry.wider[reach], parameter, side, value)
    end
  end
end

-- Whether a step of this reach is still to be tried: nearer ones only if the farthest had an effect.
local function wants(of, entry, reach)
  local far, is_grown = entry.wider[FARTHEST], entry.parameter.is_number and entry.parameter.now > 0
  if entry.is_whole_range or not is_grown or fails(entry.shown) or moves(of, entry.shown) then return false end
  for nearer = 2, reach - 1 do
    if moves(of, entry.wider[nearer]) then return false end
  end
  return reach == FARTHEST or moves(of, far) or fails(far)
end

-- Takes the nearest step that moves the measure, or the widest that did not fail; the usual step if none is wider.
local function take_wider(of, entry)
  local taken
  for _, reach in ipairs(NEAREST_FIRST) do
    local pair = entry.wider[reach]
    local is_better = (pair[1] or pair[2]) and not (taken and moves(of, taken)) and (moves(of, pair) or not fails(pair))
    if is_better then taken = pair end
  end
  if not taken or moves(of, entry.shown) then return end
  entry.shown = taken
  entry.note = not moves(of, taken) and "as far as it was changed" or of.spread > 0 and "a smaller step stays within the spread"
    or "a smaller step changes nothing"
end

-- --- all of an entry -----------------------------------------------------------------------------

local function note_failure(entry)
  for side = 1, 2 do
    local try = entry.shown[side]
    if try and try.failure then
      entry.note = ("fails at %s: %s"):format(entry.parameter.text_of(try.value), try.failure)
    end
  end
end

-- Marks slopes that differ by far: the measure has steps there, or something else limits it on one side.
local function note_sides(entry, base)
  local pair, now, slopes = entry.shown, entry.parameter.now, {}
  if entry.note or not pair[1] or not pair[2] or now <= 0 or pair.effect <= 0 then return end
  for side = 1, 2 do slopes[side] = math.log(pair[side].number / base) / math.log(pair[side].value / now) end
  if math.abs(slopes[1] - slopes[2]) > UNEVEN * math.max(math.abs(slopes[1]), math.abs(slopes[2])) then
    entry.note = "uneven: in steps, or partly hidden behind something else"
  end
end

local function outcome_of(of, pair)
  return moves(of, pair) and "moves" or fails(pair) and "fails" or not pair[1] and not pair[2] and "not changed"
    or pair.effect > 0 and "below the spread" or "changes nothing"
end

local function judge(of, entry)
  local is_number = entry.parameter.is_number and not is_gathering(entry.parameter)
  take_wider(of, entry)
  note_failure(entry)
  if is_number then note_sides(entry, of.base.number) end
  entry.outcome = outcome_of(of, entry.shown)
  entry.elasticity = is_number and elasticity_of(entry, of.base.number) or NAN
  if entry.shown.effect <= 0 and is_finite(entry.elasticity) then entry.elasticity = 0 end
end

-- The most elastic first; those without elasticity behind them, by their effect; then by name, as they were tried.
local function sort(entries)
  for number, entry in ipairs(entries) do
    entry.number = number
    entry.weight = entry.elasticity == entry.elasticity and math.abs(entry.elasticity) or -1
  end
  table.sort(entries, function(a, b)
    if a.weight ~= b.weight then return a.weight > b.weight end
    if a.shown.effect ~= b.shown.effect then return a.shown.effect > b.shown.effect end
    if a.parameter.path ~= b.parameter.path then return a.parameter.path < b.parameter.path end
    return a.number < b.number
  end)
end

-- Appends parameters of the machine that nothing at the point read.
local function add_unread(of)
  for path in (of.row.unread or ""):gmatch("[^,]+") do
    local parameter = parameter_of(of, path)
    local entry = parameter and new_entry(of, parameter)
    if entry then entry.outcome, entry.elasticity = "not read", NAN end
  end
end

-- --- running -------------------------------------------------------------------------------------

-- The points as they are.
local function run_bases(variants, points, measure)
  local list = {}
  for _, point in ipairs(points) do variants.add(point) end
  for i, row in ipairs(variants.run()) do
    local name = variants.label(points[i])
    local of = { point = points[i], name = name, row = row, machine = variants.machine(points[i]), entries = {} }
    of.base = outcome.find(row, measure, name)
    of.spread = outcome.spread(row, of.base) / of.base.number
    if not (of.base.number > 0) then
      error({ sentence = ("%s: %s is %s, and elasticities are of what is above 0"):format(name, of.base.name, of.base.text),
              code = core.ERROR_RUN }, 0)
    end
    list[i] = of
  end
  return list
end

-- Runs the listed tries; `pair_of` gives the pair of tries of an entry to which one belongs.
local function run_pairs(variants, list, pair_of)
  local rows = variants.run()
  for _, of in ipairs(list) do
    for _, entry in ipairs(of.entries) do judge_pair(of, rows, pair_of(entry)) end
  end
end

-- Changes each parameter of some points of a study by `step` (0.1 is 10 %) up and down. Returns a list with, for each point,
-- its number, name, row and machine, the `base` measure, its spread as a fraction (0: it has none), and the entries, the
-- most sensitive first. With a step of 0 each parameter goes to the ends of its range; `only` names the source ("estimated")
-- of those that are changed, nil: all.
return function(variants, points, measure, step, only)
  local list = run_bases(variants, points, measure)
  for _, of in ipairs(list) do plan(variants, of, step, only) end
  run_pairs(variants, list, function(entry) return entry.shown end)
  for reach in ipairs(REACHES) do
    for _, of in ipairs(list) do
      for _, entry in ipairs(of.entries) do
        if wants(of, entry, reach) then plan_wider(variants, of, entry, reach) end
      end
    end
    run_pairs(variants, list, function(entry) return entry.wider[reach] end)
  end
  for _, of in ipairs(list) do
    for _, entry in ipairs(of.entries) do judge(of, entry) end
    sort(of.entries)
    if not only then add_unread(of) end
  end
  return list
end
