-- SPDX-License-Identifier: BSD-3-Clause
-- Which points a calibration runs again (views/calibrate/targets.lua). test_targets.c runs each function.
local targets = require "calibrate/targets"
local test = {}

-- A study whose points are functions of the values of the overrides that they read: { reads = { path, ... }, of = function }. Its
-- `log` has a line for each point that is run.
local function variants_of(points)
  local fake, listed = { points = #points, log = {} }, {}
  function fake.add(point, overrides) listed[#listed + 1] = { points[point + 1], overrides, point } end
  function fake.run()
    local rows = {}
    for i, entry in ipairs(listed) do
      local point, values, unread = entry[1], {}, {}
      for _, override in ipairs(entry[2]) do
        local path, value = override:match("^(.-)=(.*)$")
        values[path] = tonumber(value)
      end
      local reads = point.reads(values)
      for path in pairs(values) do if not reads[path] then unread[#unread + 1] = path end end
      fake.log[#fake.log + 1] = tostring(entry[3])
      rows[i] = { unread = table.concat(unread, ","), failure = point.failure,
                  measures = { { name = "simulated", column = "simulated_us", cell = tostring(point.of(values)) },
                               { name = "target", column = "target", cell = "2" }, { name = "bound", column = "bound", text = "above" } } }
    end
    listed = {}
    return rows
  end
  return fake
end

local function log_of(fake)
  local line = table.concat(fake.log, " ")
  fake.log = {}
  return line
end

local function reading(...)
  local reads = {}
  for _, path in ipairs { ... } do reads[path] = true end
  return function() return reads end
end

local function label(point) return "point " .. point end

-- One point reads a, the other b: only what reads a changed value is run, and what was run before is not run again.
function test.runs()
  local fake = variants_of { { reads = reading "a", of = function(values) return values.a end },
                             { reads = reading "b", of = function(values) return 10 * values.b end } }
  local evaluate, lines = targets.of(fake, "s.lua", label), {}
  for i, overrides in ipairs { { "a=1", "b=1" }, { "a=2", "b=1" }, { "a=2", "b=3" }, { "a=1", "b=3" }, { "a=4", "b=4" } } do
    local list = evaluate(overrides)
    lines[i] = ("%s: %g %g"):format(log_of(fake), list[1].simulated, list[2].simulated)
  end
  local list = evaluate { "a=1", "b=1" }
  lines[#lines + 1] = ("%s: %s %g %s %s"):format(log_of(fake), list[2].name, list[2].target, list[2].bound, tostring(list[2].tolerance))
  return lines
end

-- What a point reads may depend on what it has read: b counts where a is 2.
function test.reads_that_depend()
  local fake = variants_of { { reads = function(values) return { a = true, b = values.a == 2 or nil } end,
                               of = function(values) return values.a == 2 and values.b or 0 end } }
  local evaluate, lines = targets.of(fake, "s.lua", label), {}
  for i, overrides in ipairs { { "a=2", "b=1" }, { "a=1", "b=7" }, { "a=2", "b=7" }, { "a=1", "b=8" }, { "a=2", "b=8" }, { "a=2", "b=1" } } do
    lines[i] = ("%g %s"):format(evaluate(overrides)[1].simulated, log_of(fake))
  end
  return lines
end

function test.failure()
  local fake = variants_of { { reads = reading "a", of = function() return 1 end },
                             { reads = reading "a", of = function() return 1 end, failure = "no memory" } }
  targets.of(fake, "s.lua", label) { "a=1" }
  return {}
end

function test.unread()
  local fake = variants_of { { reads = reading "a", of = function() return 1 end } }
  targets.of(fake, "s.lua", label) { "a=1", "b=1" }
  return {}
end

return test
