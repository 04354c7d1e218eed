-- SPDX-License-Identifier: BSD-3-Clause
-- A machine's values and the rows of micro-benchmarks by which `gpunetsim calibrate MACHINE DATA...` finds them.
--
-- The study has a point for each row, with the axes
--   row                   its name, whose first word is the experiment
--   use                   "calibrate" or "test": whether it may set a value
-- and the measures
--   simulated, measured   seconds, above 0
-- Rows for calibration are run when the fit is made, on the machine as it is; rows for tests are run when all rows are asked
-- for. A row whose point fails (a benchmark of two GPUs on a machine with one) is left out. The search changes those numbers
-- of the machine file that some row reads: estimated and fitted ones within their range; measured ones and ones without a
-- source from a twentieth to twenty times their value. Published values, defaults, sizes, clocks and numbers of devices
-- stay. A value is searched for by its place x on a logarithmic scale that is linear near 0: x = asinh(value / s), where s
-- is the range's low end, or a hundredth of its high end if the range begins at 0.
local outcome = require "outcome"
local parameters = require "parameter"
local points = require "points"
local fit = {}
fit.__index = fit

fit.TOLERANCE = 0.08 -- a row is met if it is at most this far from what was measured

local STATED_FACTOR = 20 -- the search's reach, up and down, for a value without a range
local STATED_WIDTH = 0.2 -- of its x
local ZERO_SCALE = 0.01  -- of the high end: the scale of a range that begins at 0

local function clamp(number, low, high) return math.max(low, math.min(number, high)) end

-- --- a value's scale -----------------------------------------------------------------------------

-- The place of a number on the value's scale.
function fit.place(value, number) return core.asinh(number / value.scale) end

-- Value `i` at place `x` of its scale, as a number that the parameter can take.
function fit:number(i, x)
  local value = self.values[i]
  return parameters.nearest(value.parameter, clamp(value.scale * core.sinh(x), value.low, value.high))
end

-- That number as a user writes it, to three digits.
function fit:text(i, x)
  local value = self.values[i]
  local number = clamp(tonumber(string.format("%.2e", self:number(i, x))), value.low, value.high)
  return value.parameter.text_of(parameters.nearest(value.parameter, number))
end

-- d ln(value) / dx at `x`.
function fit:relative(i, x)
  local number, scale = self:number(i, x), self.values[i].scale
  return math.sqrt(scale * scale + number * number) / math.max(number, scale / 10)
end

-- --- which values are searched for ---------------------------------------------------------------

local function is_cost(parameter)
  return parameter.unit == "time" or parameter.unit == "rate" or parameter.name:find("_instructions$")
    or parameter.name:find("_cycles$")
end

-- The range in which a parameter is searched for; nil: it is not searched for.
local function range_of(parameter)
  if parameter.low then
    return math.max(parameter.least, parameter.low), math.min(parameter.most, parameter.high)
  end
  local is_stated = parameter.source == "measured" or parameter.source == "given"
  if not is_stated or not is_cost(parameter) or parameter.now <= 0 then return end
  return math.max(parameter.least, parameter.now / STATED_FACTOR), math.min(parameter.most, parameter.now * STATED_FACTOR)
end

-- The value of that path; nil if it is not searched for. Its width is how far its place may be from the start, as known
-- before any row.
local function value_of(machine, path)
  local parameter = machine.parameter(path)
  if not parameter or not parameter.is_number or parameter.unit == "bytes" or parameter.unit == "frequency" then return end
  local low, high = range_of(parameter)
  if not low or not (low < high) or high == math.huge then return end
  local value = { parameter = parameter, low = low, high = high, scale = low > 0 and low or high * ZERO_SCALE }
  value.width = parameter.low and (fit.place(value, high) - fit.place(value, low)) / 2 or STATED_WIDTH
  return value
end

-- The set of paths that a row read.
local function paths_read(row)
  local paths = {}
  for path in (row.read or ""):gmatch("[^,]+") do paths[path] = true end
  return paths
end

-- The values in the order of the machine's parameters, without the paths in the set `fixed`.
local function find_values(machine, fixed, rows)
  local values, is_read = {}, {}
  for _, row in ipairs(rows) do
    for path in pairs(row.failure and {} or paths_read(row)) do is_read[path] = true end
  end
  for _, section in ipairs(machine.sections()) do
    for _, entry in ipairs(section) do
      local is_open = is_read[entry.path] and not fixed[entry.path]
      values[#values + 1] = is_open and value_of(machine, entry.path) or nil
    end
  end
  return values
end

-- --- rows ----------------------------------------------------------------------------------------

-- The simulated time of a point that was run; NaN: it failed.
function fit.time(row) return outcome.number(row, "simulated") or 0 / 0 end

-- Adds a row. `from` is nil for a row for tests, which has not been run and counts as reading all values.
function fit:add_row(point, from)
  local name = points.value(self.variants.study, "row", point)
  local row = { name = name, experiment = name:match("^[^ ]*"), point = point, is_for_fit = from ~= nil, reads = {} }
  local paths = from and paths_read(from)
  for i, value in ipairs(self.values) do row.reads[i] = not paths or paths[value.parameter.path] == true end
  if from then
    row.measured, row.simulated = outcome.number(from, "measured"), fit.time(from)
  end
  self.rows[#self.rows + 1] = row
end

-- Whether the row was simulated; else notes the reason, the first for each experiment.
function fit:is_good(name, row)
  if not row.failure and fit.time(row) > 0 then return true end
  local experiment = name:match("^[^ ]*")
  if not self.left_out[experiment] then
    local why = row.failure or "it takes no time"
    self.left[#self.left + 1] = ('%s, from "%s" on: %s'):format(experiment, name, why)
  end
  self.left_out[experiment] = true
  return false
end

local function is_for_fit(variants, point) return points.value(variants.study, "use", point) == "calibrate" end

-- Makes the rows; `run` has the results of those for calibration, in order.
function fit:take_rows(run)
  local next = 0
  for point = 0, self.variants.points - 1 do
    if not is_for_fit(self.variants, point) then
      self:add_row(point)
    else
      next = next + 1
      if self:is_good(points.value(self.variants.study, "row", point), run[next]) then self:add_row(point, run[next]) end
    end
  end
end

-- Raises a sentence unless there is at least one value to search for and a row that depends on it.
function fit:check_enough()
  local rows = 0
  for _, row in ipairs(self.rows) do rows = rows + (row.is_for_fit and 1 or 0) end
  if rows == 0 and #self.left > 0 then
    error { sentence = "no row for calibration can be simulated on this machine; " .. self.left[1] }
  elseif rows == 0 then
    error { sentence = "all rows are of what many do at a time, which is for tests; those of primitives by themselves set "
      .. "values (docs/use/calibrate.md)" }
  elseif #self.values == 0 then
    error { sentence = "no row reads a number of the machine that may be searched for: one that its file has as estimated, "
      .. "fitted or measured, or without source" }
  end
end

-- Runs the rows for calibration on the machine as it is. `fixed` is a list of overrides ("gpu.clock=1GHz") of what is
-- not searched for.
function fit.new(variants, fixed)
  local self = setmetatable({ variants = variants, machine = variants.machine(0), rows = {}, x = {} }, fit)
  local is_fixed = {}
  self.left_out, self.left = {}, {} -- experiments whose rows are left out, and a sentence for each
  for _, override in ipairs(fixed) do is_fixed[override:match("^[^=]*")] = true end
  for point = 0, variants.points - 1 do
    if is_for_fit(variants, point) then variants.add(point) end
  end
  local rows = variants.run()
  self.values = find_values(self.machine, is_fixed, rows)
  self:take_rows(rows)
  for i, value in ipairs(self.values) do
    self.x[i] = fit.place(value, clamp(value.parameter.now, value.low, value.high))
  end
  self:check_enough()
  return self
end

-- The number of the value of that path; nil: it is not searched for.
function fit:find(path)
  for i, value in ipairs(self.values) do
    if value.parameter.path == path then return i end
  end
end

-- --- running -------------------------------------------------------------------------------------

-- A planned run of the row with the values at `x`, and perhaps one more override ("cuda.wake=1us").
function fit:add(row, x, more)
  local overrides = {}
  for i, value in ipairs(self.values) do
    if row.reads[i] then -- values that the row does not read are not overridden
      overrides[#overrides + 1] = value.parameter.path .. "=" .. value.parameter.text_of(self:number(i, x[i]))
    end
  end
  overrides[#overrides + 1] = more
  self.variants.add(row.point, overrides)
end

-- Runs a list of { row = , x = , more = } and returns the times in its order; NaN for a run that failed.
function fit:times(planned)
  local times = {}
  for _, plan in ipairs(planned) do self:add(plan.row, plan.x, plan.more) end
  for number, run in ipairs(self.variants.run()) do times[number] = fit.time(run) end
  return times
end

-- Times of the rows for calibration at `x`, by the row's number.
function fit:run(x)
  local planned, numbers, times = {}, {}, {}
  for k, row in ipairs(self.rows) do
    if row.is_for_fit then
      planned[#planned + 1] = { row = row, x = x }
      numbers[#planned] = k
    end
  end
  for number, time in ipairs(self:times(planned)) do times[numbers[number]] = time end
  return times
end

-- Runs all rows with the values at self.x and records what is simulated and measured. Rows for tests that fail are left
-- out from then on.
function fit:run_all()
  local kept = {}
  for _, row in ipairs(self.rows) do self:add(row, self.x) end
  for k, run in ipairs(self.variants.run()) do
    local row = self.rows[k]
    local is_kept = self:is_good(row.name, run) or row.is_for_fit
    if not run.failure then
      row.measured, row.simulated = outcome.number(run, "measured"), fit.time(run)
    end
    kept[#kept + 1] = is_kept and row or nil
  end
  self.rows = kept
end

return fit
