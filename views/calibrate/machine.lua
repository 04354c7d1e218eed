-- SPDX-License-Identifier: BSD-3-Clause
-- gpunetsim calibrate MACHINE DATA...: shows and writes what it finds.
local determine = require "calibrate/determine"
local export = require "export"
local fits = require "calibrate/fit"
local folder = require "calibrate/folder"
local folds = require "calibrate/folds"
local machine_file = require "machine_file"
local statistics = require "statistics"
local terminal = require "terminal"
local unsearched = require "calibrate/unsearched"
local machine = {}

local DEVIATIONS = 2      -- half the width of a range that is shown and written
local REACH_LEAST = 1.0   -- tolerances that a row moves with x, from which on it would say something about a value
local FIRST_RANGE = 0.001 -- of a value: the rounding to three digits

local function print_table(names, rows)
  if #rows > 0 then core.print(terminal.whole(terminal.of_texts(names, rows, 0, 0))[1] .. "\n") end
end

-- --- rows ----------------------------------------------------------------------------------------

local function off(row) return row.simulated / row.measured - 1 end

-- How far a row is off in one of its uses; nil if it has another use. "calibrate": it set values; "held out": it is
-- predicted by a fit without it; "test": it never sets values; "predicted": either of the last two.
local function off_in(row, use)
  if row.held_out and (use == "held out" or use == "predicted") then return row.held_out / row.measured - 1 end
  local is_of_use = use == "calibrate" and row.is_for_fit or (use == "test" or use == "predicted") and not row.is_for_fit
  if not is_of_use then return end
  local by = off(row)
  return by == by and by < math.huge and by or math.huge
end

-- A line a row: experiment, row, use, measured and simulated in microseconds, off_percent.
local function rows_csv(fit)
  local names, rows = { "experiment", "row", "use", "measured_us", "simulated_us", "off_percent", "held_out_us" }, {}
  for k, row in ipairs(fit.rows) do
    local held_out = row.held_out and ("%.6g"):format(row.held_out * 1e6) or ""
    rows[k] = { row.experiment, row.name, row.is_for_fit and "calibrate" or "test", ("%.6g"):format(row.measured * 1e6),
                ("%.6g"):format(row.simulated * 1e6), ("%.2f"):format(100 * off(row)), held_out }
  end
  return export.csv(terminal.of_texts(names, rows, 0, 0))
end

-- The table's line for the rows of this experiment (nil: all) and use; nil if there are none.
local function errors_of(fit, experiment, use)
  local sizes, worst, worst_off = {}, nil, 0
  for _, row in ipairs(fit.rows) do
    local by = (not experiment or row.experiment == experiment) and off_in(row, use)
    if by then
      sizes[#sizes + 1] = math.abs(by)
      if not worst or math.abs(by) > math.abs(worst_off) then worst, worst_off = row, by end
    end
  end
  if not worst then return end
  local sorted = statistics.sorted(sizes)
  local high = sorted[math.min(#sorted, math.ceil(0.9 * #sorted))]
  return { experiment or "all", use, tostring(#sorted), ("%.1f"):format(100 * statistics.median(sizes)),
           ("%.1f"):format(100 * high), worst.name, ("%+.1f"):format(100 * worst_off) }
end

local function print_errors(fit)
  local uses, rows, seen = { "calibrate", "held out", "test" }, {}, {}
  local function add(experiment)
    for _, use in ipairs(uses) do rows[#rows + 1] = errors_of(fit, experiment, use) end
  end
  for _, row in ipairs(fit.rows) do
    if row.held_out then uses[4] = "predicted" end
  end
  for _, row in ipairs(fit.rows) do
    if not seen[row.experiment] then add(row.experiment) end
    seen[row.experiment] = true
  end
  add(nil)
  print_table({ "experiment", "use", "rows", "median_percent", "p90_percent", "worst", "worst_percent" }, rows)
end

-- --- values --------------------------------------------------------------------------------------

-- Sets determined values as they will be written, to three digits, and the others to their old values.
local function round(fit, known)
  for i, value in ipairs(fit.values) do
    local parameter = value.parameter
    local number = known[i].is_determined and parameter.parse(fit:text(i, fit.x[i])) or parameter.now
    fit.x[i] = fits.place(value, math.max(value.low, math.min(number, value.high)))
  end
end

-- Value `i`, moved by `deviations` standard deviations within its range.
local function value_at(fit, known, i, deviations)
  local deviation = math.max(known[i].deviation, FIRST_RANGE)
  return fit:text(i, fit.x[i] + deviations * deviation / fit:relative(i, fit.x[i]))
end

local function mark_of(known)
  return known.is_bound and " (a bound)" or known.is_shared and " (shared)" or known.is_at_end and " (end of its range)" or ""
end

local function print_determined(fit, known)
  local rows = {}
  for i, value in ipairs(fit.values) do
    local of, x = known[i], fit.x[i]
    local range = value_at(fit, known, i, -DEVIATIONS) .. " to " .. value_at(fit, known, i, DEVIATIONS)
    rows[#rows + 1] = of.is_determined and {
      value.parameter.path, value.parameter.text, value_at(fit, known, i, 0) .. mark_of(of), range,
      fit:text(i, math.min(of.low, x)) .. " to " .. fit:text(i, math.max(of.high, x)),
      ("%.1f"):format(100 * of.deviation), tostring(of.rows), ("%.1f"):format(100 * of.residual), fit.rows[of.row].name,
    } or nil
  end
  print_table({ "value", "before", "found", "range", "rows_stay_met", "known_to_percent", "rows", "residual_percent", "row" }, rows)
end

-- --- values that the rows leave open -------------------------------------------------------------

-- How much each row of the catalogue moves when value `i` changes by some percent; nil if the catalogue's machine lacks the
-- value.
local function reach_of(catalogue, i)
  local value, planned, reach, at = catalogue.values[i], {}, {}, table.move(catalogue.x, 1, #catalogue.x, 1, {})
  if not value then return reach end
  local by = math.min(0.2, value.width / 2)
  at[i] = at[i] + (at[i] + by > fits.place(value, value.high) and -by or by)
  for _, row in ipairs(catalogue.rows) do
    planned[#planned + 1] = row.reads[i] and { row = row, x = at } or nil
  end
  for number, time in ipairs(catalogue:times(planned)) do
    local row = planned[number].row
    if time > 0 then reach[row] = math.abs(math.log(time / row.simulated)) / fits.TOLERANCE / by end
  end
  return reach
end

-- The name of the catalogue's row that says most about the value of that path and little about `other`; nil: no row says
-- anything.
local function find_probe(fit, catalogue, path, other)
  local i, best, most, is_known = catalogue:find(path), nil, 0, {}
  if not i then return end
  local reach, others = reach_of(catalogue, i), reach_of(catalogue, other and catalogue:find(other))
  for _, row in ipairs(fit.rows) do is_known[row.name] = true end
  for _, row in ipairs(catalogue.rows) do
    local own = reach[row] or 0
    local score = own / (1 + (others[row] or 0))
    if own >= REACH_LEAST and score > most and not is_known[row.name] then best, most = row.name, score end
  end
  return best
end

-- Prints the values that the rows leave open, with rows of `catalogue` (may be nil) that would determine them.
local function print_open(fit, known, catalogue)
  local rows = {}
  for i, value in ipairs(fit.values) do
    local of, path = known[i], value.parameter.path
    if not of.is_determined then
      local with = of.together_with and fit.values[of.together_with].parameter.path
      local why = with and "only together with " .. with or not of.row and "no row depends on it" or "rows say too little of it"
      local probe = catalogue and find_probe(fit, catalogue, path, with)
      rows[#rows + 1] = { path, value.parameter.text, why, probe or "no probe there is" }
    end
  end
  print_table({ "not_determined", "left_at", "why", "would_be_determined_by" }, rows)
end

-- --- rows that are far off -----------------------------------------------------------------------

local function print_far(fit)
  local rows = {}
  for i, entry in ipairs(unsearched(fit)) do
    local would = ("%+.1f"):format(100 * (entry.simulated / entry.row.measured - 1))
    rows[i] = { entry.row.name, ("%+.1f"):format(100 * off(entry.row)),
                entry.path and ("%s %s, not %s"):format(entry.path, entry.tried, entry.now)
                  or "no number of the machine file that is not searched for",
                entry.path and would or "-" }
  end
  print_table({ "far_off", "percent", "nearer_with", "percent_then" }, rows)
end

-- --- the machine's file --------------------------------------------------------------------------

-- The reason for a value, by all rows that say something about it.
local function reason_of(fit, known)
  local with = known.together_with and fit.values[known.together_with].parameter.path or "something else"
  if known.is_shared then
    return ("shared: only its sum with %s is known; moved no further than that asks for"):format(with)
  elseif known.is_bound then
    return ("a bound: from there on %s limits the row, which is %.1f %% off"):format(with, 100 * known.residual)
  end
  return ("%d %s, %.1f %% off in the median; known to %.1f %%"):format(known.rows, known.rows == 1 and "row" or "rows",
    100 * known.residual, 100 * known.deviation)
end

-- The call that the file has for a number that was found; nil for one that was not.
local function found_call(fit, known, entry)
  local i = fit:find(entry.path)
  local of = i and known[i]
  if not of or not of.is_determined then return end
  local row, value = fit.rows[of.row].name, value_at(fit, known, i, 0)
  if of.is_alone then return machine_file.call("measured", entry, { value }, { row }) end
  local low, high = value_at(fit, known, i, -DEVIATIONS), value_at(fit, known, i, DEVIATIONS)
  return machine_file.call("fitted", entry, { value, low, high }, { row, reason_of(fit, of) })
end

local function machine_text(given, fit, known)
  local header = { "Written by gpunetsim calibrate from " .. given.machine.name .. " and" }
  for _, name in ipairs(given.data) do header[#header + 1] = "  " .. name:gsub("[\r\n]", " ") end
  return machine_file.text(given.machine, table.concat(header, "\n"), function(entry) return found_call(fit, known, entry) end)
end

-- --- the command ---------------------------------------------------------------------------------

-- The catalogue of all known rows, if some value is not determined; nil if all are determined, or if no such row can be run
-- on this machine.
local function open_catalogue(given, known)
  local is_open = false
  for _, of in ipairs(known) do is_open = is_open or not of.is_determined end
  if not is_open then return end
  local is_good, catalogue = pcall(function() return fits.new(given.open_catalogue(), given.fixed) end)
  if is_good then return catalogue end
  if type(catalogue) ~= "table" then error(catalogue, 0) end -- none of ours
end

-- Finds the values that the data determine. Prints how near the rows are by experiment, what is left out, the values that
-- were found and those that the rows leave open. Returns the rows as CSV and the machine's file.
--   data                names of the data's files; what views/calibrate/folder.lua takes is there, too
--   folds, keep         of cross-validation, 0: none; whether nothing is searched for
function machine.answer(given)
  folder.open(given)
  local fit = fits.new(given.variants, given.fixed)
  if given.folds > 0 then folds(fit, given.folds, determine, round) end
  local known = determine(fit, given.keep)
  round(fit, known)
  fit:run_all()
  local catalogue = open_catalogue(given, known)
  print_errors(fit)
  for _, sentence in ipairs(fit.left) do core.print("left out: " .. sentence .. "\n") end
  if given.variants.title ~= "rows" then core.print(given.variants.title .. "\n") end
  print_determined(fit, known)
  print_open(fit, known, catalogue)
  print_far(fit)
  return { rows_csv(fit), machine_text(given, fit, known) }
end

return machine
