-- SPDX-License-Identifier: BSD-3-Clause
-- The band of an experiment: its points are run again with estimated values drawn from their ranges (band.lua). Sample k is
-- the same machine at all points, so figures have a band around their curves, and a claim is answered in each sample.
local band = require "band"
local outcome = require "outcome"
local bands = {}

-- --- samples -------------------------------------------------------------------------------------

local function list_samples(variants, count)
  for point = 0, variants.points - 1 do band.draw(variants, point, nil, count) end
end

-- nil where one is missing.
local function rows_of(study, count, from_store)
  local variants = require "variants".of(study)
  list_samples(variants, count)
  return variants.run(from_store)
end

-- --- bands of curves -----------------------------------------------------------------------------

local BANDED = { lines = true, loglog = true, semilogx = true, bars = true }

local function has_band(plot)
  local is_derived = plot.over or plot.least or plot.speedup and plot.speedup[1] or plot.share and plot.share[1]
  return not is_derived and not plot.band_low and not plot.y:find(",", 1, true) and BANDED[plot.style]
end

-- The measure of that name in the first row that has it.
local function first_measure(rows, name)
  for _, row in ipairs(rows) do
    local measure = outcome.try(row, name)
    if measure then return measure end
  end
end

-- Adds the ends of the measure's band to the row of a point: NAME_least, NAME_most, the row's own value among them.
local function add_ends(row, name, samples, first, count)
  local measure, place = outcome.try(row, name)
  if not measure then return end
  local least, most = measure.number, measure.number
  for i = first, first + count - 1 do
    local of = outcome.try(samples[i], measure.name)
    if of then least, most = math.min(least, of.number), math.max(most, of.number) end
  end
  table.insert(row.measures, row.add(measure.name .. "_least", least, place))
  table.insert(row.measures, row.add(measure.name .. "_most", most, place))
end

-- The columns of the plot's band, and what it is; nil if it has none. Their values are added to the rows.
local function add_band(plot, rows, samples, count)
  local measure = has_band(plot) and first_measure(rows, plot.y)
  if not measure then return nil end
  local low, high = measure.name .. "_least", measure.name .. "_most"
  if not first_measure(rows, low) then -- no earlier plot has it
    for i, row in ipairs(rows) do add_ends(row, plot.y, samples, (i - 1) * count + 1, count) end
  end
  return { first_measure(rows, low).column, first_measure(rows, high).column,
           string.format("least to most of %d samples of estimated values", count) }
end

-- A line about samples that failed although the point itself did not, and that are missing in its band; "" if there are none.
local function told_of(rows, samples, count)
  local failed, first = 0, nil
  for i, sample in ipairs(samples) do
    if sample.failure and not rows[(i - 1) // count + 1].failure then
      failed, first = failed + 1, first or sample.failure
    end
  end
  return first and string.format("band: %d of %d samples failed, the first: %s\n", failed, #samples, first) or ""
end

-- Runs `count` samples of each point of an experiment that is not finished, and adds to its rows what plots need for a band.
-- Returns their rows, point by point, their number, the bands by number of the plot, and what is told of them; nil where the store
-- lacks one.
function bands.add(study, rows, count, from_store)
  local samples, of_plots = rows_of(study, count, from_store), {}
  if not samples then return end
  for number, plot in ipairs(program.table(study, "plots")) do of_plots[number] = add_band(plot, rows, samples, count) end
  return { rows = samples, count = count, bands = of_plots, told = told_of(rows, samples, count) }
end

local SUMMED = { "points", "known", "queued", "tried", "unfinished", "queued_s" }

-- Adds the samples' costs to those of the points (costs.of).
function bands.add_costs(study, count, costs)
  local variants = require "variants".of(study)
  list_samples(variants, count)
  local further = variants.costs()
  for _, field in ipairs(SUMMED) do costs[field] = costs[field] + further[field] end
  costs.memory_bytes, costs.failure = math.max(costs.memory_bytes, further.memory_bytes), costs.failure or further.failure
end

return bands
