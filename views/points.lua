-- SPDX-License-Identifier: BSD-3-Clause
-- Points of a study by a user's text, "design=comp-net,bytes=64", and their names in sentences.
local command = require "command"
local points = {}

local MOST_LISTED = 40 -- values of an axis in a sentence

-- The parts of "a=1,b={c=2,d=3}" between commas outside braces.
local function split(text)
  local parts, part, depth = {}, "", 0
  for piece, mark in (text .. ","):gmatch("([^,{}]*)([,{}])") do
    depth = depth + (mark == "{" and 1 or mark == "}" and -1 or 0)
    part = part .. piece
    if mark ~= "," or depth > 0 then
      part = part .. mark
    else
      if part ~= "" then parts[#parts + 1] = part end
      part = ""
    end
  end
  return parts
end

-- Whether a value of an axis is what the text says: a quantity may have any unit, or be a bare number of base units.
local function is_called(axis, value, text)
  if value == text then return true end
  local is_number = core.is_number(text)
  if axis.kind == "number" then return is_number and core.number(text) == core.number(value) end
  if axis.kind ~= "quantity" then return false end
  local quantity = core.parse(axis.unit, value)
  return is_number and core.number(text) == quantity or not is_number and core.parse(axis.unit, text) == quantity
end

local function find_value(axis, text)
  for step, value in ipairs(axis) do
    if is_called(axis, value, text) then return step end
  end
  local known = table.concat(axis, ", ", 1, math.min(#axis, MOST_LISTED)) .. (#axis > MOST_LISTED and ", ..." or "")
  command.fail("point: %s takes no value %s in this study; it takes %s", axis.name, text, known)
end

-- The wanted value by axis: for "axis=value" the value's number.
local function wanted_of(axes, text)
  local wanted, numbers, names = {}, {}, {}
  for i, axis in ipairs(axes) do numbers[axis.name], names[i] = numbers[axis.name] or i, axis.name end
  for _, part in ipairs(split(text)) do
    local name, value = part:match("^([^=]*)=(.*)$")
    if not name then command.fail("point %s: write AXIS=VALUE", part) end
    local number = numbers[name]
    if not number then command.fail("point: the study has no axis %s; it has %s", name, #names > 0 and table.concat(names, ", ") or "none") end
    if wanted[number] then command.fail("point: %s is there twice", name) end
    wanted[number] = find_value(axes[number], value)
  end
  return wanted
end

local function has(steps, wanted)
  for axis, step in pairs(wanted) do
    if steps[axis] ~= step then return false end
  end
  return true
end

-- The numbers of the points whose axes have these values, counted from 0; all points without a text.
function points.select(study, text)
  local wanted, found = wanted_of(program.axes(study), text or ""), {}
  for point = 0, program.about(study).points - 1 do
    if has(program.steps(study, point), wanted) then found[#found + 1] = point end
  end
  if #found == 0 then command.fail("point %s: no point of the study has all of these", text) end
  return found
end

local axes_of = setmetatable({}, { __mode = "k" }) -- by study

-- The text of the point's value on the axis of that name.
function points.value(study, name, point)
  axes_of[study] = axes_of[study] or program.axes(study)
  for i, axis in ipairs(axes_of[study]) do
    if axis.name == name then return axis[program.steps(study, point)[i]] end
  end
end

-- The name of a point with these values on the axes: "bytes=8B,design=dgpu".
function points.name(axes, texts)
  local parts = {}
  for i, axis in ipairs(axes) do parts[i] = axis.name .. "=" .. texts[i] end
  return #parts > 0 and table.concat(parts, ",") or "the only one"
end

-- The point's values on the axes that vary: "design comp-net, bytes 64B".
function points.label(study, point)
  local steps, parts = program.steps(study, point), {}
  for i, axis in ipairs(program.axes(study)) do
    if #axis > 1 then parts[#parts + 1] = axis.name .. " " .. axis[steps[i]] end
  end
  return #parts > 0 and table.concat(parts, ", ") or "the only point"
end

return points
