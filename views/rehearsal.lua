-- SPDX-License-Identifier: BSD-3-Clause
-- Checks of a study before its points run: machines, tables of workloads, settings and columns of plots. A point is rehearsed: it
-- runs as far as is possible without simulating.
local command = require "command"
local experiment = require "experiment"
local settings = require "settings"
local rehearsal = {}

local TRIED_POINTS = 8
local TRIED_SECONDS = 10
local TRIED_SEED = 1
local MOST_RUNS = 3       -- of a rehearsal whose process is ended from outside
local MOST_POINTS = 10000 -- so that the check of a huge study, too, takes about a second

local function open(study)
  return { study = study, about = program.about(study), rows = program.rows(), settings = program.rows(), points = {},
           instructions = 0, known = 0 }
end

-- The name of a point, as tables of an experiment have it: "bytes=8B,design=dgpu".
function rehearsal.name_of(study, point)
  local axes, texts = program.axes(study), {}
  for i, step in ipairs(program.steps(study, point)) do texts[i] = axes[i][step] end
  return require "points".name(axes, texts)
end

-- Raises the fault of a point, with the point's name.
local function fail_at(study, point, fault)
  if type(fault) ~= "table" then error(fault, 0) end
  local sentence = fault.sentence:gsub("%.$", "")
  local join = sentence:find "%?$" and " At " or "; at "
  error { sentence = sentence .. join .. rehearsal.name_of(study, point) .. ".", code = fault.code }
end

-- Rehearses a point: keeps a row of its settings, and the row of a point that has ended without results.
local function rehearse(of, point)
  local is_good, one = pcall(program.rehearse_point, of.study, point, of.settings, of.rows, of.instructions)
  if not is_good then fail_at(of.study, point, one) end
  of.points[#of.points + 1] = point
  of.instructions, of.is_long, of.is_guess = one.instructions, one.is_long, of.is_guess or one.is_guess
  of.known = of.known + (one.is_known and 1 or 0)
  for path in (one.read or ""):gmatch "[^,]+" do of.sets_something = of.sets_something or path:sub(1, 7) ~= "design." end
  return one
end

-- Runs one point, and adds its row. Returns its failure (nil: none), and whether it took too long to be judged.
local function try(of, rows, point) return program.run_point(of.study, rows, point, TRIED_SEED, TRIED_SECONDS) end

-- The points that are tried, spread over the study.
local function tried_points(of)
  local count = math.min(of.about.points, TRIED_POINTS)
  local number = -1
  return function()
    number = number + 1
    if number < count then return number * of.about.points // count end
  end
end

-- --- settings that nothing reads -----------------------------------------------------------------

-- Judges the settings that a point may read, and those that it cannot. If rows are missing, because there are too many points, it
-- judges nothing. With unknown values a script may take another branch than with results: then the first point is run, too, and
-- parameters that it reads are no fault.
local function judge_settings(of)
  if #of.points < of.about.points then return end
  local fault = settings.faults(of.study, of.settings)[1]
  if fault and of.is_guess then
    local is_good, failure = pcall(try, of, of.settings, 0)
    if not is_good or failure then return end
    of.points[#of.points + 1] = 0
    fault = settings.faults(of.study, of.settings)[1]
  end
  if fault then command.fail("%s: at %s: %s", of.about.path, rehearsal.name_of(of.study, of.points[fault[1]]), fault[2]) end
end

-- A setting that the rehearsal took for readable may not be read: runs points until each setting has been read by one. If none does
-- that is a fault if the study has no more points, else the returned doubt. A point that does not reach its end proves nothing.
local function judge_by_runs(of)
  local rows, tried, fault = program.rows(), {}, nil
  if not of.sets_something then return end
  for point in tried_points(of) do
    local is_good, failure = pcall(try, of, rows, point)
    if not is_good or failure then return end
    tried[#tried + 1] = point
    fault = settings.faults(of.study, rows)[1]
    if not fault then return end
  end
  local where, why = rehearsal.name_of(of.study, tried[fault[1]]), fault[2]
  if #tried == of.about.points then command.fail("%s: at %s: %s", of.about.path, where, why) end
  return string.format("%s: at %s, as at all %d points that were tried: %s", of.about.path, where, #tried, why)
end

-- --- results ---------------------------------------------------------------------------------------

-- Makes the table of the results as for drawing the plots, to check the columns.
local function check_plots(of, rows)
  local results = program.table_of_rows(of.study, rows)
  for _, plot in ipairs(program.table(of.study, "plots")) do require "figure".check(results, plot) end
end

-- Tries points: whether one runs, and whether the tried points have the columns of the plots, unless measurements or bands add
-- columns that a single point does not have.
local function try_points(of)
  local rows, number, cause = program.rows(), 0
  local has_more_columns = of.about.measured > 0 or of.about.samples > 0
  for point in tried_points(of) do
    local failure, is_long = try(of, rows, point)
    number = number + 1
    if is_long then return end
    if failure then fail_at(of.study, point, { sentence = failure }) end
    local is_good
    is_good, cause = pcall(function()
      experiment.join(of.study, rows, number)
      if not has_more_columns then check_plots(of, rows) end
    end)
    if is_good then return end
  end
  error(cause, 0)
end

-- Rehearses all points; if they exceed the limit on a script's instructions together, only the first ones. If all points reach their
-- end, their measures are known, and plots are checked against them. Else the first point is run; if it lacks a column of a plot,
-- at most seven more are run, until one has it. An error, with the point, at the first fault; returns a doubt, one sentence, or nil.
function rehearsal.check(study)
  local of = open(study)
  for point = 0, math.min(of.about.points, MOST_POINTS) - 1 do
    rehearse(of, point)
    if of.is_long then break end
  end
  judge_settings(of)
  local doubt = judge_by_runs(of)
  if of.known < of.about.points then
    try_points(of)
  else
    experiment.join(study, of.rows)
    check_plots(of, of.rows)
  end
  return doubt
end

-- --- before a run ----------------------------------------------------------------------------------

-- Faults of a point are reported when it runs. If all points have the same machine, and one point may read all settings, the
-- others need no check.
local function check_settings(study, judges_first)
  local of = open(study)
  if of.about.points > MOST_POINTS then return end
  for point = 0, of.about.points - 1 do
    local is_good, one = pcall(rehearse, of, point)
    if not is_good and point == 0 and judges_first then error(one, 0) end
    if not is_good or of.is_long or of.about.has_one_machine and one.reads_all then return end
  end
  judge_settings(of)
end

-- Rehearses before a run, in a process of its own, which leaves the study unchanged. An error if a parameter was set that no point
-- can read, or if `judges_first` and the first point has a fault, or if that process ends without a verdict.
function rehearsal.apart(study, judges_first)
  local runs, sentence, ending, is_from_outside = 0
  repeat
    runs = runs + 1
    sentence, ending, is_from_outside = program.apart(function()
      local is_good, fault = pcall(check_settings, study, judges_first)
      return not is_good and (type(fault) == "table" and fault.sentence or fault) or nil
    end)
  until runs == MOST_RUNS or not is_from_outside
  if ending then
    error { sentence = program.about(study).path .. ": no rehearsal: " .. ending, code = core.ERROR_RUN }
  end
  if sentence then command.fail("%s", sentence) end
end

return rehearsal
