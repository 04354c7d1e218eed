-- SPDX-License-Identifier: BSD-3-Clause
-- Runs studies, with samples of the estimated values if they ask for a band (bands.lua), and draws their figures.
local experiment = {}

local samples_of = setmetatable({}, { __mode = "k" }) -- by experiment: the result of bands.add

-- Adds the samples to a finished experiment; a shard has none.
local function finished(of, from_store)
  local study = program.study_of(of)
  local count = program.about(study).samples
  local rows = count > 0 and program.point_rows(of)
  samples_of[of] = rows and require "bands".add(study, rows, count, from_store) or nil
  return of, program.finish(of)
end

-- Takes over and runs the study. Returns also whether it was interrupted, if `keeps_rows` keeps the rows so far.
function experiment.run(study, keeps_rows) return finished(program.run(study, keeps_rows), false) end

-- The same from the store alone, without simulating.
function experiment.recall(study) return finished(program.recall(study), true) end

-- The costs of a run, with points and samples (program.costs).
function experiment.costs(study)
  local count, costs = program.about(study).samples, program.costs(study)
  if count > 0 and not costs.is_shard then require "bands".add_costs(study, count, costs) end
  return costs
end

-- The line about samples that failed.
function experiment.told(of) return samples_of[of] and samples_of[of].told or "" end

-- The rows of each sample, one a point: a list of lists.
function experiment.samples(of)
  local found, samples = samples_of[of] or { count = 0 }, {}
  for k = 1, found.count do
    samples[k] = {}
    for i = k, #found.rows, found.count do table.insert(samples[k], found.rows[i]) end
  end
  return samples
end

-- Goes through the rows of its points (program.row), which are many.
function experiment.each(of)
  local number, count = 0, program.results(of).points
  return function()
    number = number + 1
    return number <= count and program.row(of, number) or nil
  end
end

-- A sentence on the points that failed; nil if none did.
function experiment.failure(of)
  local there, about = program.results(of), program.about(program.study_of(of))
  for row in there.failed > 0 and experiment.each(of) or function() end do
    if row.failure then
      return string.format("%s: %d of %d points failed; at %s: %s", about.path, there.failed, there.points, row.point, row.failure)
    end
  end
end

-- Its plots (views/tables/plots.lua), with the bands of its samples.
local function plots_of(of)
  local plots = program.plots(program.study_of(of))
  for number, band in pairs(samples_of[of] and samples_of[of].bands or {}) do
    plots[number].band_low, plots[number].band_high, plots[number].band_of = table.unpack(band)
  end
  return plots
end

-- Its table and its study, as views/results.lua has them.
function experiment.shown(of)
  local study = program.study_of(of)
  local about, axes, failures = program.about(study), program.axes(study), {}
  for _, axis in ipairs(axes) do axis.count = #axis end
  for row in program.results(of).failed > 0 and experiment.each(of) or function() end do
    if row.failure then failures[#failures + 1] = { point = row.point, reason = row.failure } end
  end
  return program.table(of), { path = about.path, title = about.title, axes = axes, plots = plots_of(of), failures = failures }
end

-- --- figures -------------------------------------------------------------------------------------

local figures_of = setmetatable({}, { __mode = "k" }) -- by experiment: the figures that are drawn

-- The figures that experiment.draw has drawn: the contents of the files by format (gnuplot.draw).
function experiment.figures(of) return figures_of[of] or {} end

local function draw(of, plot, number, about)
  local marks = program.marks(of, number)
  plot.title, plot.path = plot.title or about.title, about.path
  pcall(require "measured".add_marks, marks, plot, program.measured(of))
  return require "gnuplot".draw(require "figure".scripts(program.table(of), plot, marks))
end

-- Draws the figures of all plots, unless they are drawn.
function experiment.draw(of)
  local study, figures = program.study_of(of), {}
  if figures_of[of] then return end
  for number, plot in ipairs(plots_of(of)) do
    figures[number] = draw(of, plot, number, program.about(study))
    figures_of[of] = figures
  end
end

return experiment
