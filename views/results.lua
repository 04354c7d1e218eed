-- SPDX-License-Identifier: BSD-3-Clause
-- The results of a study for a terminal, and in the form of the OSU micro-benchmarks.
--
-- `study` has path, title, axes ({ name, count }), plots, and failures ({ point, reason } of each point that failed).
local pivot = require "pivot"
local terminal = require "terminal"
local text = require "text"
local results = {}

local MOST_ROWS = 500   -- of a table
local MOST_REASONS = 10 -- why points failed

-- --- what a plot shows ---------------------------------------------------------------------------

-- The axes that tell the columns apart: `by`, then those that take several values and are neither x nor joined.
local function column_axes(study, plot)
  local names, known = { plot.by }, { [plot.x] = true, [plot.by or 0] = true, [plot.over or 0] = true }
  for _, only in ipairs(plot.only) do known[only.axis] = true end
  for _, axis in ipairs(study.axes) do
    if axis.count > 1 and not known[axis.name] then names[#names + 1] = axis.name end
  end
  return table.concat(names, ",")
end

-- "latency,hit_rate", or "latency_us,hit_rate", as "latency (us), hit_rate"; of measures and axes.
local function heads_of(names, of)
  local heads = {}
  for i, name in ipairs(text.split(names, ",")) do
    local column = of.columns[pivot.find(of, name)]
    heads[i] = terminal.head(column and column.name or name)
  end
  return table.concat(heads, ", ")
end

-- "latency (us); rows: bytes; columns: design": which axes a plot's table shows.
local function plot_heading(study, plot, of)
  local is_turned = plot.style == "heatmap" and plot.by
  local across = is_turned and plot.x or column_axes(study, plot)
  local heading = heads_of(plot.y, of) .. "; rows: " .. heads_of(is_turned and plot.by or plot.x, of)
  if across ~= "" then heading = heading .. "; columns: " .. heads_of(across, of) end
  if plot.over then heading = heading .. "; mean, least and most over " .. plot.over end
  for _, only in ipairs(plot.only) do
    local value = terminal.value(of.columns[pivot.find(of, only.axis)], only.text)
    heading = heading .. "; only " .. only.axis .. " = " .. value
  end
  return heading
end

local function plot_text(of, study, plot, width)
  local is_good, shown = pcall(pivot.table, plot, of, nil, pivot.PLAIN)
  if not is_good then return nil end
  return core.wrap(plot_heading(study, plot, of), width) .. terminal.text(shown, width, MOST_ROWS)
end

-- --- chosen columns ------------------------------------------------------------------------------

-- A table with these columns of another one.
local function select_columns(of, numbers)
  local shown, places = { columns = {}, count = of.count }, {}
  for i, number in ipairs(numbers) do
    places[of.columns[number].key] = not of.columns[number].is_axis and i or nil
  end
  for i, number in ipairs(numbers) do
    shown.columns[i] = setmetatable({}, { __index = of.columns[number] })
    shown.columns[i].spread = places[of.columns[number].key .. "_spread"] or false
  end
  function shown.cell(row, column) return of.cell(row, numbers[column]) end
  function shown.shown(row, column) return of.shown(row, numbers[column]) end
  return shown
end

local function is_named(names, column)
  for _, name in ipairs(names) do
    if name == "all" or name == column.name or name == column.key then return true end
  end
end

-- The axes, then the measures that are `named`, each followed by its spread; all measures if that is nil.
local function chosen_columns(of, study, named)
  local numbers, is_chosen = {}, {}
  local function choose(number)
    if not number or is_chosen[number] then return end
    is_chosen[number], numbers[#numbers + 1] = true, number
    choose(of.columns[number].spread)
  end
  for i, column in ipairs(of.columns) do
    local is_failure = #study.failures > 0 and i == #of.columns
    if not is_failure and (column.is_axis or not named or is_named(named, column)) then choose(i) end
  end
  return numbers
end

-- Measures that have no room are named below.
local function fitting_text(of, numbers, width)
  local all, others = select_columns(of, numbers), {}
  local count = terminal.fitting(all, width, MOST_ROWS)
  while count < #numbers and all.columns[count + 1].is_axis do count = count + 1 end
  for i = count + 1, #numbers do
    if not terminal.is_spread(all, i) then others[#others + 1] = all.columns[i].name end
  end
  local rows = terminal.text(select_columns(of, table.move(numbers, 1, count, 1, {})), width, MOST_ROWS)
  if #others == 0 then return rows end
  local sentence = "Not shown: " .. table.concat(others, ", ") .. ". --columns chooses."
  return rows .. core.wrap(sentence, width)
end

local function columns_text(of, study, named, width)
  local numbers = chosen_columns(of, study, named)
  if not named then return fitting_text(of, numbers, width) end
  return terminal.text(select_columns(of, numbers), width, MOST_ROWS)
end

-- The axes and the two measures of a plot whose x is a measure.
local function scatter_text(of, study, plot, width)
  return terminal.head(plot.x) .. " and " .. terminal.head(plot.y) .. "\n" ..
         columns_text(of, study, { plot.x, plot.y }, width)
end

-- --- points that failed --------------------------------------------------------------------------

-- "Failed at design=dgpu,bytes=8B and 3 others: ...": a sentence a reason, of the first point that failed for it.
local function failures_text(study, width)
  local counts, first, lines = {}, {}, {}
  for _, failure in ipairs(study.failures) do
    if not counts[failure.reason] then first[#first + 1] = failure end
    counts[failure.reason] = (counts[failure.reason] or 0) + 1
  end
  for i = 1, math.min(#first, MOST_REASONS) do
    local others = counts[first[i].reason] - 1
    local more = others > 0 and " and " .. others .. " other" .. (others > 1 and "s" or "") or ""
    lines[i] = core.wrap("Failed at " .. first[i].point .. more .. ": " .. first[i].reason, width)
  end
  if #first > MOST_REASONS then
    lines[#lines + 1] = string.format('... and for %d other reasons: column "failure"\n',
                                      #first - MOST_REASONS)
  end
  return (#first > 0 and "\n" or "") .. table.concat(lines)
end

-- For each of the study's plots its table, with the axes that it shows; without plots the axes and as many measures as
-- fit; or the columns asked for (named) beside the axes. Below stands why points failed.
function results.text(of, study, width, named)
  local parts = {}
  for _, plot in ipairs(named and {} or study.plots) do
    parts[#parts + 1] = (pivot.is_scatter(plot) and scatter_text or plot_text)(of, study, plot, width)
  end
  if #parts == 0 then parts[1] = columns_text(of, study, named, width) end
  return { table.concat(parts, "\n") .. failures_text(study, width) }
end

-- --- OSU -----------------------------------------------------------------------------------------

-- OSU's form is a measure over the message size, in a column of 10 and one of 18 characters. A plot with a title and no
-- curves by an axis is a benchmark: the title's lines, and all its measures beside each other. If its x is labelled by a word
-- that begins with #, as "#bytes" of perftest, that heads the first column, lines get no mark of a comment, and values are as
-- the study gives them. Of another plot the series follow each other.

local function osu_number(value) return string.format("%18.2f", core.number(value)) end

-- perftest's columns have 20 characters.
local function perftest_cell(value) return string.format("%20s", value) end

-- nccl-tests' lines are made by the study: its title is the head, and its only measure a line.
local function lines_text(of, plot)
  local lines, line = text.split(plot.title, "\n"), pivot.find(of, plot.y)
  for row = 1, of.count do lines[#lines + 1] = line and of.cell(row, line) or nil end
  return table.concat(lines, "\n") .. "\n"
end

-- The points in the study's order; those that failed are left out.
local function benchmark_text(of, plot, x)
  if plot.x_label == "# nccl-tests" then return lines_text(of, plot) end
  local is_perftest = plot.x_label ~= nil and plot.x_label:sub(1, 1) == "#"
  local mark, cell = is_perftest and "" or "# ", is_perftest and perftest_cell or osu_number
  local lines, measures, columns = {}, text.split(plot.y, ","), {}
  for i, line in ipairs(text.split(plot.title, "\n")) do lines[i] = mark .. core.shown(line) end
  local head = string.format("%-10s", is_perftest and plot.x_label or "# Size")
  for i, measure in ipairs(measures) do
    head = head .. string.format(is_perftest and "%20s" or "%18s", measure)
    columns[i] = pivot.find(of, measure)
  end
  lines[#lines + 1] = head
  for row = 1, of.count do
    local line = string.format("%-10s", of.cell(row, x) or "(null)")
    for i in ipairs(measures) do
      local value = columns[i] and of.cell(row, columns[i])
      line = line and value and line .. cell(value)
    end
    lines[#lines + 1] = line or nil
  end
  return table.concat(lines, "\n") .. "\n"
end

local function series_text(shown, number, title, measure)
  local lines = { string.format("# %s: %s", core.shown(title), core.shown(shown.columns[number].name)),
                  string.format("# %-8s%18s", "Size", measure) }
  for row = 1, shown.count do
    local value = shown.cell(row, number)
    if value then
      lines[#lines + 1] = string.format("%-10s", shown.cell(row, 1)) .. osu_number(value)
    end
  end
  return table.concat(lines, "\n") .. "\n"
end

local function has_sizes(column) return column.kind == "quantity" and column.unit == "bytes" end

-- If all points of a benchmark failed, nothing is written. An error is { sentence = ... }.
function results.osu(of, study)
  local plot = study.plots[1]
  local x = plot and pivot.find(of, plot.x)
  local is_benchmark = x and plot.title and not plot.by
  if is_benchmark and #study.failures == of.count then return { "" } end
  if is_benchmark and of.columns[x].unit == "bytes" then return { benchmark_text(of, plot, x) } end
  local shown = plot and pivot.table(plot, of, nil, pivot.PLAIN)
  if not shown or not has_sizes(shown.columns[1]) then
    error({ sentence = study.path .. ": the OSU form needs a plot whose x is a size in bytes" })
  end
  local parts, y = {}, of.columns[pivot.find(of, plot.y)]
  local measure = core.shown(terminal.head(y and y.name or plot.y)):gsub("^[a-z]", string.upper)
  for i = 2, #shown.columns do
    if not terminal.is_spread(shown, i) then
      parts[#parts + 1] = series_text(shown, i, study.title, measure)
    end
  end
  return { table.concat(parts, "\n") }
end

return results
