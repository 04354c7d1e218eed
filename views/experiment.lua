-- SPDX-License-Identifier: BSD-3-Clause
-- Runs studies, with samples of the estimated values if they ask for a band (bands.lua), and draws their figures.
local experiment = {}

local function is_interrupted() return not pcall(program.check_interrupt) end

-- The study and its files of measurements, as measured.lua has them.
local function measured_of(study)
  return require "measured".study(program.about(study).path, program.axes(study)), program.table(study, "measured")
end

-- Adds to the rows of a study from number `first` on what was measured at their points; returns what is told of that.
function experiment.join(study, rows, first)
  if program.about(study).measured == 0 then return "" end
  local of, files = measured_of(study)
  return require "measured".join(of, program.point_rows(study, rows, first), files)
end

-- Concludes, unless the run is a shard or was interrupted.
local function conclude(of)
  if of.points < program.about(of.study).points or is_interrupted() then return end
  local failure
  of.conclusion, failure = program.conclude(of.study, of.rows)
  of.conclusion_failure = failure and "nothing is concluded: " .. failure
end

-- Its memory can be large, so it is freed at once.
local CLOSED = { __close = function(of)
  local study <close> = of.study
  local rows <close> = of.rows
end }

-- The experiment of a study and its rows: `points` and `failed` (how many points have a row, and how many failed), its `table`, the
-- notes on measurements (`measured`), what the study concludes or one sentence if that fails (`conclusion`, `conclusion_failure`),
-- and its samples (bands.add), which a shard has not. Returns also whether it was interrupted.
local function finished(study, rows, from_store)
  local of, was_interrupted = setmetatable({ study = study, rows = rows }, CLOSED), nil
  local count = program.about(study).samples
  if not is_interrupted() then require "settings".judge(study, rows) end -- a point that did not run might have read the parameter
  local points = count > 0 and program.point_rows(study, rows)
  of.sampled = points and require "bands".add(study, points, count, from_store) or nil
  of.points, of.failed, was_interrupted = program.finish(rows)
  of.measured = experiment.join(study, rows)
  conclude(of)
  of.table = program.table_of_rows(study, rows)
  return of, was_interrupted
end

-- Runs the study. Returns also whether it was interrupted, if `keeps_rows` keeps the rows so far.
function experiment.run(study, keeps_rows) return finished(study, program.run(study, keeps_rows), false) end

-- The same from the store alone, without simulating.
function experiment.recall(study) return finished(study, program.recall(study), true) end

-- The costs of a run, with points and samples (costs.of).
function experiment.costs(study)
  local count, costs = program.about(study).samples, require "costs".of(study)
  if count > 0 and not costs.is_shard then require "bands".add_costs(study, count, costs) end
  return costs
end

-- The line about samples that failed.
function experiment.told(of) return of.sampled and of.sampled.told or "" end

-- The rows of each sample, one a point: a list of lists.
function experiment.samples(of)
  local found, samples = of.sampled or { count = 0 }, {}
  for k = 1, found.count do
    samples[k] = {}
    for i = k, #found.rows, found.count do table.insert(samples[k], found.rows[i]) end
  end
  return samples
end

-- Goes through the rows of its points (program.row), which are many.
function experiment.each(of)
  local number = 0
  return function()
    number = number + 1
    return number <= of.points and program.row(of.study, of.rows, number) or nil
  end
end

-- The points that failed: the name of each, and why.
local function failures_of(of)
  local failures, axes = {}, program.axes(of.study)
  for row in of.failed > 0 and experiment.each(of) or function() end do
    if row.failure then failures[#failures + 1] = { point = require "points".name(axes, row), reason = row.failure } end
  end
  return failures
end

-- A sentence on the points that failed; nil if none did.
function experiment.failure(of)
  local first = failures_of(of)[1]
  return first and string.format("%s: %d of %d points failed; at %s: %s", program.about(of.study).path, of.failed, of.points,
                                 first.point, first.reason)
end

-- Checks the measure that --best names (nil: none), after all points, since points may have different measures.
function experiment.check_best(of, best)
  if not best or of.failed == of.points then return end
  for _, column in ipairs(of.table.columns) do
    if not column.is_axis and column.kind ~= "text" and (column.name == best or column.key == best) then return end
  end
  require "pivot".refuse_measure(of.table, "--best", best)
end

-- Its plots (views/tables/plots.lua), with the bands of its samples.
local function plots_of(of)
  local plots = program.table(of.study, "plots")
  for number, band in pairs(of.sampled and of.sampled.bands or {}) do
    plots[number].band_low, plots[number].band_high, plots[number].band_of = table.unpack(band)
  end
  return plots
end

-- Its table and its study, as views/results.lua has them.
function experiment.shown(of)
  local about, axes = program.about(of.study), program.axes(of.study)
  for _, axis in ipairs(axes) do axis.count = #axis end
  return of.table, { path = about.path, title = about.title, axes = axes, plots = plots_of(of), failures = failures_of(of) }
end

-- --- figures -------------------------------------------------------------------------------------

-- The figures that experiment.draw has drawn: the contents of the files by format (gnuplot.draw).
function experiment.figures(of) return of.drawn or {} end

local function draw(of, plot, number, about)
  local marks = program.marks(of.study, of.rows, number)
  plot.title, plot.path = plot.title or about.title, about.path
  pcall(function()
    local study, files = measured_of(of.study)
    require "measured".add_marks(marks, plot, study, #files > 0 and program.point_rows(of.study, of.rows) or {}, files)
  end)
  return require "gnuplot".draw(require "figure".scripts(of.table, plot, marks))
end

-- Draws the figures of all plots, unless they are drawn.
function experiment.draw(of)
  local figures = {}
  if of.drawn then return end
  for number, plot in ipairs(plots_of(of)) do
    figures[number] = draw(of, plot, number, program.about(of.study))
    of.drawn = figures
  end
end

return experiment
