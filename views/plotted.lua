-- SPDX-License-Identifier: BSD-3-Clause
-- The table of a plot of a study's results (views/results.lua), for a terminal.
local derived = require "derived"
local pivot = require "pivot"
local terminal = require "terminal"
local text = require "text"
local plotted = {}

-- The axes that distinguish the columns: `by`, then those that take several values and are neither x nor averaged.
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
  if plot.least then heading = heading .. "; the least over " .. plot.least end
  for _, name in ipairs { "speedup", "share" } do
    local base = plot[name] and plot[name][1]
    if base then heading = heading .. string.format("; %s against %s = %s", name, base.axis, base.text) end
  end
  for _, only in ipairs(plot.only) do
    local value = terminal.value(of.columns[pivot.find(of, only.axis)], only.text)
    heading = heading .. "; only " .. only.axis .. " = " .. value
  end
  return heading
end

-- The plot's table of at most `most_rows` rows, below a line that names its axes; nil if the results have no values for it.
function plotted.text(of, study, plot, width, most_rows)
  local is_derived, changed = pcall(derived.results, plot, of)
  if is_derived then of = changed end
  local is_good, shown = pcall(pivot.table, plot, of, nil, pivot.PLAIN)
  if not is_good then return nil end
  return terminal.wrap(plot_heading(study, plot, of), width) .. terminal.text(shown, width, most_rows)
end

return plotted
