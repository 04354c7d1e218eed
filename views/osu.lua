-- SPDX-License-Identifier: BSD-3-Clause
-- Prints the results of a study as the OSU micro-benchmarks do.
--
-- OSU's form is a measure over the message size, in a column of 10 and one of 18 characters. A plot with a title and no
-- curves by an axis is a benchmark: the title's lines, and all its measures beside each other. If its x is labelled by a word
-- that begins with #, as "#bytes" of perftest, that heads the first column, lines get no mark of a comment, and values are as
-- the study gives them. Of another plot the series follow each other.
local pivot = require "pivot"
local terminal = require "terminal"
local text = require "text"
local osu = {}


local function osu_number(value) return string.format("%18.2f", core.number(value)) end

-- perftest's columns have 20 characters.
local function perftest_cell(value) return string.format("%20s", value) end

-- For nccl-tests, whatever its x counts, the study makes the lines itself: its title is the head, and its only measure a line.
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

-- `study` is as in views/results.lua. A benchmark whose points all failed is left out. An error is { sentence = ... }.
function osu.text(of, study)
  local plot = study.plots[1]
  local x = plot and pivot.find(of, plot.x)
  local is_benchmark = x and plot.title and not plot.by
  if is_benchmark and #study.failures == of.count then return { "" } end
  if is_benchmark and (of.columns[x].unit == "bytes" or plot.x_label == "# nccl-tests") then return { benchmark_text(of, plot, x) } end
  local shown = plot and pivot.table(plot, of, nil, pivot.PLAIN)
  if not shown or not has_sizes(shown.columns[1]) then
    error({ sentence = study.path .. ": the OSU form needs a plot whose x is a size in bytes" })
  end
  local parts, y = {}, of.columns[pivot.find(of, plot.y)]
  local measure = core.shown(terminal.head(y and y.name or plot.y)):gsub("^[a-z]", string.upper)
  for i = 2, #shown.columns do
    if not terminal.is_beside(shown, i) then
      parts[#parts + 1] = series_text(shown, i, study.title, measure)
    end
  end
  return { table.concat(parts, "\n") }
end

return osu
