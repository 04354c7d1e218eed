-- SPDX-License-Identifier: BSD-3-Clause
-- gpunetsim solve: finds values of parameters that bring a measure to a target.
--
-- Of one parameter its range is looked at in steps, and where the measure passes the target the step is cut into four again
-- and again. Of several the values are wanted that reach the target with the least change, each on the scale of its range:
-- samples of the ranges find where it is reached, NLopt's COBYLA (Powell 1994) draws that near, and the way from the
-- present values to there is cut as for one parameter. All in the same order whatever the number of workers.
--
-- The target may also be `least`: then the smallest value of the measure is wanted, and all sets of values that do about as well
-- (solve/least.lua).
local export = require "export"
local parameters = require "parameter"
local points = require "points"
local search = require "solve/search"
local solve_one = require "solve/one"
local solve_several = require "solve/several"
local solve_least = require "solve/least"
local terminal = require "terminal"
local written = require "written"
local solve = {}

local USUAL_FACTOR = 10 -- reach, as a factor of the present value, of a parameter without a range

local function fail(...) error({ sentence = string.format(...) }, 0) end

-- --- parameters ----------------------------------------------------------------------------------

-- LOW..HIGH as a range of the parameter.
local function given_range(parameter, text)
  local vary_text = "--vary " .. parameter.path .. "=" .. text
  local low_text, high_text = text:match("^(.-)%.%.(.*)$")
  if not low_text then fail("%s: write LOW..HIGH", vary_text) end
  local function parse(number)
    local is_good, value = pcall(parameter.parse, number)
    return is_good and value or fail("%s: %s", vary_text, value.sentence)
  end
  local low, high = parse(low_text), parse(high_text)
  if not (low < high) then fail("%s: the low end has to be below the high one", vary_text) end
  if low < parameter.least or high > parameter.most then
    fail("%s: out of range; accepted: %s to %s", vary_text, parameter.least_text or "any", parameter.most_text or "any")
  end
  return low, high, "as given"
end

local function usual_range(parameter)
  if parameter.low and parameter.low < parameter.high then
    return parameter.low, parameter.high, parameter.source .. " within"
  elseif not (parameter.now > 0) then
    fail("--vary %s: nothing says how far it may change; write %s=LOW..HIGH", parameter.path, parameter.path)
  end
  local low = math.max(parameters.nearest(parameter, parameter.now / USUAL_FACTOR), parameter.least)
  local high = math.min(parameters.nearest(parameter, parameter.now * USUAL_FACTOR), parameter.most)
  return parameter.is_whole and math.max(low, 1) or low, high, "a tenth to ten times"
end

-- Adds "cp.clock" or "cp.clock=1GHz..4GHz". The range is as given; else that of an estimated or fitted value; else a tenth of
-- the present value to ten times it.
local function add_knob(of, text)
  local path, range = text:match("^([^=]*)=?(.*)$")
  local parameter, fault = of.machine.parameter(path)
  if not parameter then fail("--vary %s: %s", text, fault) end
  if not parameter.is_number then fail("--vary %s: it has no numbers to be searched through", path) end
  for _, knob in ipairs(of.knobs) do
    if knob.parameter.path == path then fail("--vary %s: it is there twice", path) end
  end
  local knob = { parameter = parameter }
  if text:find("=", 1, true) then
    knob.low, knob.high, knob.range = given_range(parameter, range)
  else
    knob.low, knob.high, knob.range = usual_range(parameter)
  end
  of.knobs[#of.knobs + 1] = knob
end

-- --- constraints and the target ------------------------------------------------------------------

-- Adds "energy<=2uJ" or "rate>=1GB/s". Its limit is known once the measure is.
local function add_constraint(of, text)
  local measure, sign, value = text:match("^([^<>]+)([<>])=(.+)$")
  if not measure then fail("--constraint %s: write MEASURE<=VALUE or MEASURE>=VALUE", text) end
  of.constraints[#of.constraints + 1] = {
    measure = measure:match("^%s*(.-)%s*$"), text = value:match("^%s*(.-)%s*$"), is_least = sign == ">",
  }
end

-- Whether two points agree on all axes that a text such as "design=apu,bytes=8" does not name.
local function is_beside(variants, text, one, other)
  for _, axis in ipairs(variants.axes) do
    local is_named = (","  .. text):find("," .. axis .. "=", 1, true)
    local is_same = is_named or points.value(variants.study, axis, one) == points.value(variants.study, axis, other)
    if not is_same then return false end
  end
  return true
end

-- The target: a value, "2us", or the same measure at another point, "design=apu", whose other axes are those of the point,
-- under the same changes.
local function set_target(of, text)
  of.is_least = text == "least"
  if of.is_least then return end
  if not text:find("=", 1, true) then
    if not text:find("^-?[%d.]") then
      fail("--target %s: write a value, such as 2us, or AXIS=VALUE for the measure at another point, or least", text)
    end
    of.target_text = text
    return
  end
  local is_good, points = pcall(of.variants.select, text)
  if not is_good then fail("--target %s: %s", text, points.sentence) end
  for _, point in ipairs(points) do
    if is_beside(of.variants, text, of.point, point) then of.other = point end
  end
  if of.other == of.point then fail("--target %s: that is the point itself", text) end
  if not of.other then fail("--target %s: the study has no such point with the other axes as asked", text) end
end

-- --- tables --------------------------------------------------------------------------------------

local function is_answered(of) return of.ending == "found" or of.ending == "jumps" end

-- A value of a knob as text; nil of an axis whose value is not known.
local function text_of(knob, value) return value == value and knob.parameter.text_of(value) or nil end

-- A row a knob.
local function knob_table(of)
  local rows = {}
  for k, knob in ipairs(of.knobs) do
    local parameter = knob.parameter
    rows[k] = { parameter.path, parameter.text, text_of(knob, of.best.values[k]), parameter.text_of(knob.low),
                parameter.text_of(knob.high), knob.range }
  end
  return terminal.of_texts({ "parameter", "now", is_answered(of) and "found" or "nearest", "low", "high", "range" }, rows, 0, 0)
end

-- A table with a row for each try: a column for each parameter, then the measure and the outcome.
local function try_table(of)
  local names, rows, knobs, unit = {}, {}, #of.knobs, of.shown.unit
  for k, knob in ipairs(of.knobs) do names[k] = knob.parameter.path end
  table.move({ of.shown.column, "target", "off_percent", "holds", "failure" }, 1, 5, knobs + 1, names)
  for i, try in ipairs(of.tries) do
    local row = {}
    for k, knob in ipairs(of.knobs) do row[k] = text_of(knob, try.values[k]) end
    if not try.failure then
      row[knobs + 1] = written.column_text(unit, try.number)
      row[knobs + 2] = written.column_text(unit, try.target)
      row[knobs + 4] = try.violation <= 0 and "yes" or "no"
    end
    row[knobs + 3] = try.off == try.off and ("%.4f"):format(100 * try.off) or nil
    row[knobs + 5] = try.failure
    rows[i] = row
  end
  return terminal.of_texts(names, rows, knobs + 1, knobs + 3)
end

-- --- sentences -----------------------------------------------------------------------------------

-- "cp.clock=2GHz, cp.cores=4".
local function values_text(of, try) return table.concat(of:overrides(try.values), ", ") end

local function base_words(of)
  local other = of.other and (", that of %s, which sees the same changes"):format(of.variants.label(of.other)) or ""
  return ("%s: %s is %s now; its target is %s%s.\n"):format(of.variants.label(of.point), of.shown.name,
    terminal.quantity(of.shown.text), terminal.quantity(written.text(of.shown.unit, of.tries[1].target)), other)
end

-- On which side of its target the measure is.
local function side_of(try) return try.off > 0 and "above" or try.off < 0 and "below" or "at" end

local function best_words(of)
  local best, unit = of.best, of.shown.unit
  local spread = best.spread > 0 and (", with a spread of ±%.3f %%"):format(100 * best.spread) or ""
  return ("There %s is %s, and its target %s (%+.3f %%%s).\n"):format(of.shown.name,
    terminal.quantity(written.text(unit, best.number)), terminal.quantity(written.text(unit, best.target)), 100 * best.off, spread)
end

-- Where the measure passes its target.
local function side_words(of)
  local below, above = of.below, of.above
  if below == above then return "" end
  return ("With %s it is %s the target, with %s %s it%s.\n"):format(values_text(of, below), side_of(below),
    values_text(of, above), side_of(above),
    of.ending == "jumps" and ": it jumps, and no value between gives the target itself" or "")
    .. (of.between and "Values between these are within their spread of the target, so the step was not made smaller.\n" or "")
end

local ENDINGS = {
  constrained = "Within these ranges it is reached, but not where the constraints hold; this comes nearest.\n",
  unreached = "Nothing within these ranges reaches it; this comes nearest.\n",
}

-- What is to be known if nothing reached the target: that no tried value moved the measure.
local function unmoved_words(of)
  if of.ending ~= "unreached" or #of.tries < 2 then return "" end
  for _, try in ipairs(of.tries) do
    if try.failure or try.number ~= of.tries[1].number then return "" end
  end
  return ("%s was the same at each of them: these parameters do not change it here.\n"):format(of.shown.name)
end

-- What came of it.
local function words(of)
  local is_there = of.ending == "found" and of.best == of.tries[1] and #of.tries == 1
  return base_words(of) .. (is_there and "It is there already.\n" or ENDINGS[of.ending] or "") .. best_words(of)
    .. (is_answered(of) and side_words(of) or "") .. ("%d sets of values were tried.\n"):format(#of.tries) .. unmoved_words(of)
end

-- {"solved": true, "parameters": [...], "tries": [...]}.
local function json_of(of, tries)
  local function part(of_texts) return (export.json(of_texts):gsub("%s+$", "")) end
  return ('{"solved": %s,\n"parameters": %s,\n"tries": %s}\n'):format(is_answered(of), part(knob_table(of)), part(tries))
end

-- --- the command ---------------------------------------------------------------------------------

local function find(of)
  local base = of:try_base()
  if of.is_least then return solve_least.find(of) end
  if search.is_met(base) and of:is_within(base) then
    of.ending, of.best = "found", base
    return
  end
  if #of.knobs == 1 then solve_one(of) else solve_several(of) end
  if not is_answered(of) then of:take_nearest() end
end

-- Searches. `asked` has target, constraints and lists of knobs, separated by commas, as texts, perhaps the measure, the
-- point's number and the seed.
-- Returns what is shown, all tries as CSV, the answer as JSON, and, if nothing reaches the target, that as a sentence.
function solve.answer(variants, asked)
  local of = setmetatable({ variants = variants, point = asked.point, seed = asked.seed, measure = asked.measure, knobs = {},
                            predicted = asked.predicted, constraints = {}, tries = {}, ending = "unreached" }, search)
  set_target(of, asked.target)
  of.machine = variants.machine(of.point)
  for _, list in ipairs(asked.knobs) do
    for text in (list ~= "" and list .. "," or ""):gmatch("([^,]*),") do add_knob(of, text) end
  end
  for _, text in ipairs(asked.constraints) do add_constraint(of, text) end
  find(of)
  local tries = try_table(of)
  if of.is_least then return { solve_least.text(of), export.csv(tries), json_of(of, tries) } end
  local shown = terminal.whole(knob_table(of))[1] .. "\n" .. words(of)
  local failure = not is_answered(of) and "nothing within the ranges reaches the target"
    .. (of.ending == "constrained" and " and keeps the constraints" or "")
  return { shown, export.csv(tries), json_of(of, tries), failure or nil }
end

return solve
