-- SPDX-License-Identifier: BSD-3-Clause
-- The results of a study, as its functions are given them: r.rows, r:value { axis = value, ... }, r:each "axis".
local axes = require "axes"
local results = {}

local function axis_called(name)
  name = type(name) == "string" and name or ""
  local axis, hint = axes.find(name)
  return axis or core.fail(string.format('unknown axis "%s"%s', name, hint))
end

-- The place of a value among those of its axis.
local function step_of(axis, value)
  local text, step = axes.value(axis, value)
  if text == false then core.fail(string.format('axis "%s" has no such value', axis.name)) end
  return step or core.fail(string.format('axis "%s" has no value %s', axis.name, tostring(value)))
end

-- The rows by their places on these axes: "1,3" -> { row, how many rows there are }.
local function index_by(rows, numbers)
  local index, steps = {}, {}
  for _, row in ipairs(rows) do
    for i, number in ipairs(numbers) do steps[i] = row[number] end
    local key = table.concat(steps, ",")
    index[key] = index[key] or { row, 0 }
    index[key][2] = index[key][2] + 1
  end
  return index
end

-- `rows` has for each row { its place on each axis, of = the row as functions see it, failure = why there is none }.
function results.make(rows)
  local object, indices = { rows = {} }, {}
  for _, row in ipairs(rows) do
    if not row.failure then object.rows[#object.rows + 1] = row.of end
  end

  -- The one row with these values.
  function object.value(_, wanted)
    if type(wanted) ~= "table" then core.fail('r:value needs a table such as { bytes = "8B" }') end
    local numbers, steps = {}, {}
    for i, name in ipairs(core.keys(wanted)) do
      local axis = axis_called(name)
      numbers[i], steps[i] = axis.number, step_of(axis, rawget(wanted, name))
    end
    local which = table.concat(numbers, ",")
    indices[which] = indices[which] or index_by(rows, numbers)
    local found = indices[which][table.concat(steps, ",")] or { nil, 0 }
    if found[2] ~= 1 then core.fail(string.format("r:value matches %d rows instead of one", found[2])) end
    if found[1].failure then core.fail("r:value asks for a point that failed: " .. found[1].failure) end
    return found[1].of
  end

  -- A new list of the axis's values.
  function object.each(_, name)
    local values = axis_called(name).values
    return table.move(values, 1, #values, 1, {})
  end

  return object
end

return results
