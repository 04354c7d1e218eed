-- SPDX-License-Identifier: BSD-3-Clause
-- What the points of a study come to with other values of a machine. A point is run again only if a parameter that its run reads
-- has another value than in each of its runs so far: the same values that are read give the same result (core/param_use.h).
local command = require "command"
local targets = {}

-- The value of a measure: a number in the unit of its column, or a text; nil if it is empty.
local function value_of(row, name)
  for _, field in ipairs { "column", "name" } do
    for _, measure in ipairs(row.measures) do
      local text = measure[field] == name and (measure.text or measure.cell)
      if text and text ~= "" then return core.is_number(text) and core.number(text) or text end
    end
  end
end

-- "a.b=1ns" as "a.b" and "1ns", for each override.
local function values_of(overrides)
  local values, paths = {}, {}
  for i, override in ipairs(overrides) do
    local path, value = override:match("^(.-)=(.*)$")
    paths[i], values[path] = path, value
  end
  return values, paths
end

-- Which of `paths` a run may have read: all that it does not list as unread.
local function read_of(row, paths)
  local unread, read = {}, {}
  for path in (row.unread or ""):gmatch("[^,]+") do unread[path] = true end
  for _, path in ipairs(paths) do
    if not unread[path] then read[#read + 1] = path end
  end
  return read
end

local function key_of(paths, values)
  local texts = {}
  for i, path in ipairs(paths) do texts[i] = values[path] end
  return table.concat(texts, ",")
end

-- What a point came to when its run read the same values; nil if it has not been run with these. `runs` are a point's, by the list
-- of what they read.
local function recall(runs, values)
  for _, alike in pairs(runs) do
    local found = alike.found[key_of(alike.paths, values)]
    if found then return found end
  end
end

local function keep(runs, row, paths, values, found)
  local read = read_of(row, paths)
  local name = table.concat(read, ",")
  runs[name] = runs[name] or { paths = read, found = {} }
  runs[name].found[key_of(read, values)] = found
end

-- Refuses rows of points that failed; the first one says why.
local function check(rows, path, names)
  local failed, first = 0, nil
  for i, row in ipairs(rows) do
    if row.failure then failed, first = failed + 1, first or i end
  end
  if first then
    command.fail_running("%s: %d of %d points failed; at %s: %s", path, failed, #rows, names[first], rows[first].failure)
  end
end

-- Refuses a value that no point has read: the measurements say nothing about it.
local function check_read(known, paths, path)
  local is_read = {}
  for _, runs in ipairs(known) do
    for _, alike in pairs(runs) do
      for _, read in ipairs(alike.paths) do is_read[read] = true end
    end
  end
  for _, name in ipairs(paths) do
    if not is_read[name] then command.fail_running("%s: no point reads %s, so no measurement of the study can tell its value", path, name) end
  end
end

-- A function of overrides that returns a list with the targets of all points (views/calibrate/study.lua, `evaluate`). `label` tells
-- the name of a point.
function targets.of(variants, path, label)
  local known = {} -- by point
  for point = 1, variants.points do known[point] = {} end
  return function(overrides)
    local values, paths = values_of(overrides)
    local list, missing, names = {}, {}, {}
    for point, runs in ipairs(known) do
      list[point] = recall(runs, values)
      if not list[point] then
        missing[#missing + 1], names[#names + 1] = point, label(point - 1)
        variants.add(point - 1, overrides)
      end
    end
    local rows = variants.run()
    check(rows, path, names)
    for i, row in ipairs(rows) do
      local found = { name = names[i] }
      for _, name in ipairs { "simulated", "target", "tolerance", "bound" } do found[name] = value_of(row, name) end
      keep(known[missing[i]], row, paths, values, found)
      list[missing[i]] = found
    end
    if #rows > 0 then check_read(known, paths, path) end
    return list
  end
end

return targets
