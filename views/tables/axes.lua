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

-- The list of pairs { name, values } of a group; nil for any other value.
function axes.group(value) return core.unseal("gpunetsim.group", value) end

-- zip { clock = { "1GHz", "2GHz" }, cores = { 4, 2 } }: axes that advance together.
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
  return core.seal("gpunetsim.group", list)
end

local function fail_range(name, problem) core.fail(string.format('the range of "%s" %s', name, problem)) end

-- The ends of { low, high }, or of a value with a source and a range.
local function ends(name, given)
  local source = core.unseal("gpunetsim.source", given)
  if source and source.low == nil then
    fail_range(name, "is a value without bounds; only estimated and fitted ones have them")
  end
  if source then return source.low, source.high end
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
    range.high, range.unit = core.read_quantity(high)
    range.low = range.unit and core.read_quantity(low, range.unit)
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
  if math.type(count) ~= "integer" or count < 1 or count > core.LIST_MAX then
    core.fail(string.format("%s: the number of samples is 1 to %d", word, core.LIST_MAX))
  end
  local list, numbers = entries(given, word), {}
  for i = 1, count do numbers[i] = i end
  local all = { { "sample", numbers } }
  for _, entry in ipairs(list) do
    local pair = check_pair(entry, word)
    local range = range_of(pair[1], pair[2])
    local values = core.places(seed or 1, pair[1], count, word)
    for i = 1, count do values[i] = value_at(range, values[i]) end
    all[#all + 1] = { pair[1], values }
  end
  return core.seal("gpunetsim.group", all)
end

-- random(100, { latency = { "60ns", "150ns" } }, seed) draws 100 points. latin(100, { ... }) draws them as a Latin hypercube:
-- each range is cut into 100 strata and each stratum has one point, so that few points cover many axes. A range is { low, high },
-- or a value with bounds, as `estimated` and `fitted` make them and machine:range "nic.rate" gives them. Both have an axis
-- "sample" that counts the draws, which depend on the axis's name and the seed alone.
function axes.random(count, given, seed) return samples("random", count, given, seed) end
function axes.latin(count, given, seed) return samples("latin", count, given, seed) end

-- --- vary ---------------------------------------------------------------------------------------

local function fail_axis(name, problem) core.fail(string.format('axis "%s" %s', name, problem), "vary", name) end

local function check_axis(name, seen)
  if not name:find("^[A-Za-z_][A-Za-z0-9_]*$") then fail_axis(name, "needs a name of letters, digits and _") end
  if seen[name] then fail_axis(name, "stands there twice") end
  if #name > core.NAME_MAX then core.fail(string.format("vary has a name of more than %d letters", core.NAME_MAX)) end
end

-- The values of an axis as a plain list. Designs and names of designs may be mixed.
local function read_values(name, given)
  local values, kind = {}, nil
  local function kind_of(value) return core.design(value) and "string" or type(value) end
  local count = type(given) == "table" and core.length(given) or 0
  if count == 0 then fail_axis(name, 'needs a list of values, such as { "64B", "1KiB" }') end
  for i = 1, count do
    values[i] = rawget(given, i)
    kind = kind or kind_of(values[i])
    if kind_of(values[i]) ~= kind then fail_axis(name, "has values of different kinds") end
  end
  return values
end

-- The kind of unit if all values are quantities of one kind; "0" is of any kind.
local function unit_of(values)
  local first, unit = 1, nil
  while values[first] == "0" do first = first + 1 end
  if type(values[first]) == "string" then unit = select(2, core.read_quantity(values[first])) end
  for _, value in ipairs(unit and values or {}) do
    if not core.read_quantity(value, unit) then return nil end
  end
  return unit
end

-- Keeps the distinct values, and notes the number of the value at each step. Two equal values would make two rows that cannot be
-- distinguished.
local function keep_distinct(axis, given, in_group)
  for i, value in ipairs(given) do
    local text, written = core.cell(value, axis.unit)
    if not text then fail_axis(axis.name, "has a value that is no quantity, number, name or boolean") end
    if not axis.places[text] then
      axis.values[#axis.values + 1] = value
      axis.places[text] = #axis.values
    elseif not in_group then
      fail_axis(axis.name, "has a value twice: " .. written)
    end
    axis.steps[i] = axis.places[text]
  end
end

-- The axes, by number and by name: { name, number, group, values, places, steps, unit }: the distinct values, their places by their
-- texts in columns, the place of the value at each step, and the kind of unit if they are quantities.
local study = {}

local function add_axis(name, given, in_group, group)
  check_axis(name, study)
  if #study == MOST_AXES then core.fail(string.format("vary has more than %d axes", MOST_AXES)) end
  local values = read_values(name, given)
  local axis = { name = name, number = #study + 1, group = group, values = {}, places = {}, steps = {}, unit = unit_of(values) }
  keep_distinct(axis, values, in_group)
  study[axis.number], study[name] = axis, axis
end

-- The axes of the study, with the axis `trial` at the end if there are trials. Groups are numbered from 0 on.
function axes.vary(given, trials)
  local groups, numbers = axes.group(given) and { given } or entries(given, "vary"), {}
  for number, entry in ipairs(groups) do
    local group = axes.group(entry)
    for _, one in ipairs(group or { entry }) do
      local pair = check_pair(one, "vary")
      add_axis(pair[1], pair[2], group ~= nil, number - 1)
    end
  end
  for i = 1, trials do numbers[i] = i end
  if trials > 0 then add_axis("trial", numbers, false, #groups) end
  return study
end

-- --- look-up ------------------------------------------------------------------------------------

-- The axis of that name; or nil and, if there is a name, the rest of a sentence about it.
function axes.find(name)
  if not name or study[name] then return name and study[name] end
  local names = {}
  for i, axis in ipairs(study) do names[i] = axis.name end
  return nil, core.suggestion(name, names)
end

-- The text in columns of a value, and its place among those of the axis; nil if the axis does not have it, false if it is no
-- value, or there is no axis.
function axes.value(axis, value)
  if not axis then return false end
  local text = core.cell(value, axis.unit)
  local is_like = (type(value) == "number") == (type(axis.values[1]) == "number")
  local place = text and is_like and axis.places[text]
  if place then return text, place end
  return core.cell(value) and nil
end

-- The text in columns of the value that is written as `text`; nil if there is none, or no axis.
function axes.written(axis, text)
  for _, value in ipairs(axis and axis.values or {}) do
    local column, written = core.cell(value, axis.unit)
    if written == text then return column end
  end
end

-- An axis with different sizes among those that advance with this one; nil if there is none.
function axes.sizes(axis)
  for _, other in ipairs(study) do
    if other.group == axis.group and #other.values > 1 and other.unit == core.BYTES then return other end
  end
end

-- The text of the first value that is no number above 0; nil if there is none.
function axes.without_logarithm(axis)
  local has_numbers = axis.unit or type(axis.values[1]) == "number"
  for _, value in ipairs(axis.values) do
    local text = core.cell(value, axis.unit)
    if not has_numbers or not (tonumber(text) > 0) then return text end
  end
end

return axes
