-- SPDX-License-Identifier: BSD-3-Clause
-- vary = { bytes = { "8B", "64B" } }, or a list of { "bytes", { "8B", "64B" } } where the order matters; and groups of axes,
-- which zip, random and latin make.
local shape = require "shape"
local axes = {}

-- The most axes of a study: enough for every parameter of a machine.
local MOST_AXES = 1000

local function check_pair(pair, word)
  if type(pair) ~= "table" or core.length(pair) ~= 2 or type(rawget(pair, 1)) ~= "string" then
    core.fail(word .. ": an entry without a name has to be { name, values }")
  end
  return { rawget(pair, 1), rawget(pair, 2) }
end

-- The entries of the list part, then pairs { name, values } of the named fields, sorted.
local function entries(given, word)
  if type(given) ~= "table" then
    core.fail(word .. ' needs a table of axes, such as { clock = { "1GHz", "2GHz" } }')
  end
  local named, list = shape.pairs(given), {}
  for i = 1, core.part(given) do list[i] = rawget(given, i) end
  return table.move(named, 1, #named, #list + 1, list)
end

-- --- groups -------------------------------------------------------------------------------------

-- The axes of zip, pairs { name, values }.
function axes.zip(given)
  local list, steps = entries(given, "zip"), nil
  for i, entry in ipairs(list) do
    local pair = check_pair(entry, "zip")
    local length = type(pair[2]) == "table" and core.length(pair[2]) or 0
    if length == 0 then core.fail(string.format('zip: axis "%s" needs a list of values', pair[1])) end
    if steps and length ~= steps then
      core.fail(string.format('zip: axis "%s" has %d values where the one before has %d', pair[1], length, steps))
    end
    list[i], steps = pair, length
  end
  if #list == 0 then core.fail("zip needs at least one axis") end
  return list
end

local function fail_range(name, problem) core.fail(string.format('the range of "%s" %s', name, problem)) end

-- The ends of { low, high }, or of a value with a source and a range.
local function ends(name, given)
  local has_source, low, high = core.bounds(given)
  if has_source and low == nil then
    fail_range(name, "is a value without bounds; only estimated and fitted ones have them")
  end
  if has_source then return low, high end
  if type(given) ~= "table" or core.length(given) ~= 2 then
    fail_range(name, "has to be { low, high }, two numbers or two quantities")
  end
  return rawget(given, 1), rawget(given, 2)
end

-- { name, low, high }, the ends in base units of the kind `unit`, or numbers, which are drawn as fractions unless both are whole.
local function range_of(name, given)
  local low, high = ends(name, given)
  local kind = type(high)
  local range = { name = name, low = low, high = high }
  if kind ~= type(low) or kind ~= "number" and kind ~= "string" then
    fail_range(name, "has to be { low, high }, two numbers or two quantities")
  end
  if kind == "number" then
    range.is_fraction = math.type(low) == "float" or math.type(high) == "float"
  else
    range.high, range.unit = core.quantity(high)
    range.low = range.unit and core.quantity(low, range.unit)
    if not range.low then fail_range(name, 'needs two quantities of one kind, such as "60ns" and "150ns"') end
  end
  local is_good = range.low < range.high or not range.is_fraction and range.low == range.high
  if not is_good then fail_range(name, "has its ends the wrong way round") end
  local is_wide = not range.is_fraction and range.high - range.low < 0 -- beyond 64 bits
  if is_wide then fail_range(name, "has its ends too far from each other") end
  return range
end

-- The value of the range at `place`, at least 0 and below 1. Both ends of a range of whole numbers are drawn.
local function value_at(range, place)
  if range.is_fraction then return range.low + place * (range.high - range.low) end
  local span = range.high - range.low
  local offset = place * (span + 1.0)
  local drawn = range.low + (offset >= span + 0.0 and span or math.tointeger(offset // 1))
  return range.unit and core.quantity_text(drawn, range.unit) or drawn
end

-- The axis `sample`, and one of `count` values for each range.
local function samples(word, count, given, seed)
  local list, numbers = entries(given, word), {}
  for i = 1, count do numbers[i] = i end
  local all = { { "sample", numbers } }
  for _, entry in ipairs(list) do
    local pair = check_pair(entry, word)
    local range = range_of(pair[1], pair[2])
    local values = core.places(seed, pair[1], count, word)
    for i = 1, count do values[i] = value_at(range, values[i]) end
    all[#all + 1] = { pair[1], values }
  end
  return all
end

-- `count` points, each with values drawn from their ranges. latin: each range is cut into `count` equal parts, and each part
-- has one value.
function axes.random(count, given, seed) return samples("random", count, given, seed) end
function axes.latin(count, given, seed) return samples("latin", count, given, seed) end

-- --- vary ---------------------------------------------------------------------------------------

local function fail_axis(name, problem) core.fail(string.format('axis "%s" %s', name, problem), "vary", name) end

local function check_axis(name, seen)
  if not name:find("^[A-Za-z_][A-Za-z0-9_]*$") then fail_axis(name, "needs a name of letters, digits and _") end
  if seen[name] then fail_axis(name, "stands there twice") end
  if #name > core.NAME_MAX then core.fail(string.format("vary has a name of more than %d letters", core.NAME_MAX)) end
  seen[name] = true
end

-- The list { name, values, in_group, number of the group, from 0 on }, with the axis `trial` at its end if there are trials.
function axes.vary(given, trials)
  local list, seen, groups = {}, {}, core.group(given) and { given } or entries(given, "vary")
  for number, entry in ipairs(groups) do
    local group = core.group(entry)
    for _, one in ipairs(group or { entry }) do
      local pair = check_pair(one, "vary")
      check_axis(pair[1], seen)
      if #list == MOST_AXES then core.fail(string.format("vary has more than %d axes", MOST_AXES)) end
      list[#list + 1] = { name = pair[1], values = pair[2], in_group = group ~= nil, group = number - 1 }
    end
  end
  if trials > 0 then
    local numbers = {}
    for i = 1, trials do numbers[i] = i end
    check_axis("trial", seen)
    list[#list + 1] = { name = "trial", values = numbers, in_group = false, group = #groups }
  end
  return list
end

return axes
