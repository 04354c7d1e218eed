-- SPDX-License-Identifier: BSD-3-Clause
-- Derives rows that a plot shows: the best value of an axis (`least`), and ratios to the row with another value of an axis
-- (`speedup`: the other row's number over the row's own; `share`: the row's own over the other's).
local pivot = require "pivot"
local terminal = require "terminal"
local text = require "text"
local derived = {}

local function changed(column, changes)
  local copy = {}
  for field, value in pairs(column) do copy[field] = value end
  for field, value in pairs(changes) do copy[field] = value end
  return copy
end

-- The columns, in which those of the axis's group are no longer axes, so that they distinguish no series; `kept` stays an axis.
local function without_axis(results, number, kept)
  local columns, group = {}, results.columns[number].group
  for i, column in ipairs(results.columns) do
    local is_of_it = i == number or column.is_axis and group ~= nil and column.group == group
    columns[i] = is_of_it and i ~= kept and changed(column, { is_axis = false }) or column
  end
  return columns
end

local function number_of(of) return of and core.is_number(of) and core.number(of) or nil end

-- The texts of all axes of `columns`, joined into one text.
local function place_of(results, columns, row)
  local parts = {}
  for i, column in ipairs(columns) do
    if column.is_axis then parts[#parts + 1] = results.cell(row, i) or "" end
  end
  return table.concat(parts, "\t")
end

-- --- the best of an axis -------------------------------------------------------------------------

-- The numbers of the best rows: of rows that differ only in the axis, the one with the least value.
local function best_rows(results, columns, y)
  local rows, places = {}, {}
  for row = 1, results.count do
    local place, value = place_of(results, columns, row), number_of(results.cell(row, y))
    local at = places[place]
    if value and not at then
      rows[#rows + 1] = row
      places[place] = { number = #rows, value = value }
    elseif value and value < at.value then
      rows[at.number], at.value = row, value
    end
  end
  return rows
end

local function least_of(results, plot)
  local by, y = plot.by and pivot.find(results, plot.by), pivot.find(results, plot.y)
  local columns = without_axis(results, pivot.find(results, plot.least), by)
  local rows = best_rows(results, columns, y)
  return { columns = columns, count = #rows,
           cell = function(row, column) return results.cell(rows[row], column) end,
           shown = function(row, column) return results.shown(rows[row], column) end }
end

-- --- ratios --------------------------------------------------------------------------------------

-- The rows with the base's value, by their place among the other axes.
local function base_rows(results, columns, number, value)
  local rows = {}
  for row = 1, results.count do
    if results.cell(row, number) == value then rows[place_of(results, columns, row)] = row end
  end
  return rows
end

local function ratio(results, plot, base, is_speedup)
  local number = pivot.find(results, base.axis)
  local by, is_y = plot.by and pivot.find(results, plot.by), {}
  local others, columns = without_axis(results, number, by ~= number and by or nil), without_axis(results, number, by)
  for _, name in ipairs(text.split(plot.y, ",", 64)) do
    local y = pivot.find(results, name)
    is_y[y] = true
    columns[y] = changed(columns[y], { kind = "number", is_ratio = true })
    columns[y].unit = nil
    for _, field in ipairs(terminal.BESIDE) do columns[y][field] = nil end
  end
  local bases = base_rows(results, others, number, base.text)
  local function cell(row, column)
    local own, there = results.cell(row, column), bases[place_of(results, others, row)]
    if not is_y[column] then return own end
    own, there = number_of(own), number_of(there and results.cell(there, column))
    if is_speedup then own, there = there, own end
    return own and there and there ~= 0 and string.format("%.12g", own / there) or nil
  end
  local function shown(row, column)
    local has_ratio = is_y[column] and results.cell(row, column)
    if has_ratio then return cell(row, column) end
    return results.shown(row, column)
  end
  return { columns = columns, count = results.count, cell = cell, shown = shown }
end

-- --- the whole -----------------------------------------------------------------------------------

-- The results as the plot shows them. An error is { sentence = ... }.
function derived.results(plot, results)
  local speedup, share = plot.speedup and plot.speedup[1], plot.share and plot.share[1]
  if not plot.least and not speedup and not share then return results end
  pivot.table(plot, results, nil, pivot.PLAIN) -- it has all columns
  if plot.least then results = least_of(results, plot) end
  if speedup then results = ratio(results, plot, speedup, true) end
  if share then results = ratio(results, plot, share, false) end
  return results
end

return derived
