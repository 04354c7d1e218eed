-- SPDX-License-Identifier: BSD-3-Clause
-- Rows that the found machine misses by far, and numbers of the machine file that might mend them although they are not
-- searched for: sizes, counts, defaults, published numbers, and those given by a table or the user.
local fits = require "calibrate/fit"
local parameters = require "parameter"

local FROM = 1.5         -- a row is far off from this factor on, either way
local MOST_ROWS = 8
local NEARER = 0.67      -- a number helps if it leaves at most this part of the row's logarithmic error
local FACTOR = 2.0
local PARTS_MOST = 1000  -- the least trial of a time is the row's missing time divided by this: so many waits may add up
local ROWS_OF_ONE = 2    -- experiment

local function off(row, simulated) return math.abs(math.log(simulated / row.measured)) end

-- --- which rows ----------------------------------------------------------------------------------

-- The numbers of the rows that are far off, the farthest first, at most two for each experiment.
local function far_rows(fit)
  local numbers, list, counts = {}, {}, {}
  for k, row in ipairs(fit.rows) do
    if row.simulated > 0 and off(row, row.simulated) > math.log(FROM) then numbers[#numbers + 1] = k end
  end
  local function is_before(one, other)
    local a, b = off(fit.rows[one], fit.rows[one].simulated), off(fit.rows[other], fit.rows[other].simulated)
    return a > b or a == b and one < other
  end
  table.sort(numbers, is_before)
  for _, k in ipairs(numbers) do
    local experiment = fit.rows[k].experiment
    local count = (counts[experiment] or 0) + 1
    if #list < MOST_ROWS and count <= ROWS_OF_ONE then
      list[#list + 1], counts[experiment] = { row = fit.rows[k], simulated = fit.rows[k].simulated }, count
    end
  end
  return list
end

-- --- what is tried -------------------------------------------------------------------------------

-- Whether the number may be tried. Clocks are not, since everything becomes faster with them.
local function may_differ(parameter)
  return not parameter.is_axis and parameter.is_number and parameter.unit ~= "frequency"
    and parameter.name ~= "instructions_per_cycle" and (parameter.now > 0 or parameter.unit == "time")
end

-- The values of a parameter to be tried, for a row that lacks `lacks_ps` of time.
local function numbers_of(parameter, lacks_ps)
  if parameter.now > 0 then return { parameter.now * FACTOR, parameter.now / FACTOR } end
  local numbers, part = {}, 1
  while lacks_ps > 0 and part <= PARTS_MOST do
    numbers[#numbers + 1] = lacks_ps / part
    part = part * 3
  end
  return numbers
end

-- The trials of a row that reads these paths, separated by commas.
local function trials_of(fit, row, read)
  local trials, lacks_ps = {}, (row.measured - row.simulated) * 1e12
  for path in (read or ""):gmatch("[^,]+") do
    local parameter = not fit:find(path) and fit.machine.parameter(path)
    for _, tried in ipairs(parameter and may_differ(parameter) and numbers_of(parameter, lacks_ps) or {}) do
      local number = parameters.nearest(parameter, tried)
      if number ~= parameter.now and parameter.is_taken(number) then
        local text = parameter.text_of(number)
        trials[#trials + 1] = { row = row, x = fit.x, more = path .. "=" .. text, path = path, now = parameter.text, tried = text }
      end
    end
  end
  return trials
end

-- Keeps the trial that helps most, if any does.
local function take_best(entry, trials, times)
  local row = entry.row
  local least = NEARER * off(row, row.simulated)
  for number, time in ipairs(times) do
    if time > 0 and off(row, time) < least then
      least = off(row, time)
      entry.simulated, entry.path, entry.now, entry.tried = time, trials[number].path, trials[number].now, trials[number].tried
    end
  end
end

-- A list of { row = , simulated = , path = , now = , tried = }. Each number that such a row reads is tried once greater
-- and once less: twice what it is and half of it; a time that is 0 with the time that the row lacks, and parts of it down to
-- a thousandth. `tried` is the value that brings the row nearest, and `simulated` what it takes then; where none brings it
-- nearer by a third of what it is off (by its logarithm) there is no path.
return function(fit)
  local list = far_rows(fit)
  for _, entry in ipairs(list) do fit.variants.add(entry.row.point) end
  for number, run in ipairs(fit.variants.run()) do
    local trials = trials_of(fit, list[number].row, run.read)
    take_best(list[number], trials, fit:times(trials))
  end
  return list
end
