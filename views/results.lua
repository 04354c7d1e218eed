-- SPDX-License-Identifier: BSD-3-Clause
-- The results of a study for a terminal.
--
-- `study` has path, title, axes ({ name, count }), plots, and failures ({ point, reason } of each point that failed).
local terminal = require "terminal"
local results = {}

local MOST_ROWS = 500   -- of a table
local MOST_REASONS = 10 -- why points failed

-- --- chosen columns ------------------------------------------------------------------------------

-- A table with some of another table's columns.
local function select_columns(of, numbers)
  local shown, places = { columns = {}, count = of.count }, {}
  for i, number in ipairs(numbers) do
    places[of.columns[number].key] = not of.columns[number].is_axis and i or nil
  end
  for i, number in ipairs(numbers) do
    shown.columns[i] = setmetatable({}, { __index = of.columns[number] })
    for _, field in ipairs(terminal.BESIDE) do
      shown.columns[i][field] = places[of.columns[number].key .. "_" .. field] or false
    end
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

-- The columns of the axes, then those of the measures in `named` (nil: all), each followed by the columns about it.
local function chosen_columns(of, study, named)
  local numbers, is_chosen = {}, {}
  local function choose(number)
    if not number or is_chosen[number] then return end
    is_chosen[number], numbers[#numbers + 1] = true, number
    for _, field in ipairs(terminal.BESIDE) do choose(of.columns[number][field]) end
  end
  for i, column in ipairs(of.columns) do
    local is_failure = #study.failures > 0 and i == #of.columns
    if not is_failure and (column.is_axis or not named or is_named(named, column)) then choose(i) end
  end
  return numbers
end

-- The table as text; measures that do not fit are named below it.
local function fitting_text(of, numbers, width)
  local all, others = select_columns(of, numbers), {}
  local count = terminal.fitting(all, width, MOST_ROWS)
  while count < #numbers and all.columns[count + 1].is_axis do count = count + 1 end
  for i = count + 1, #numbers do
    if not terminal.is_beside(all, i) then others[#others + 1] = all.columns[i].name end
  end
  local rows = terminal.text(select_columns(of, table.move(numbers, 1, count, 1, {})), width, MOST_ROWS)
  if #others == 0 then return rows end
  local sentence = "Not shown: " .. table.concat(others, ", ") .. ". --columns chooses."
  return rows .. terminal.wrap(sentence, width)
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
    lines[i] = terminal.wrap("Failed at " .. first[i].point .. more .. ": " .. first[i].reason, width)
  end
  if #first > MOST_REASONS then
    lines[#lines + 1] = string.format('... and for %d other reasons: column "failure"\n',
                                      #first - MOST_REASONS)
  end
  return (#first > 0 and "\n" or "") .. table.concat(lines)
end

-- For each of the study's plots its table, with the axes that it shows; without plots the axes and as many measures as
-- fit; or the columns asked for (named) beside the axes. Reasons of failed points follow below.
function results.text(of, study, width, named)
  local parts = {}
  for _, plot in ipairs(named and {} or study.plots) do
    local text = require "pivot".is_scatter(plot) and scatter_text or require "plotted".text
    parts[#parts + 1] = text(of, study, plot, width, MOST_ROWS)
  end
  if #parts == 0 then parts[1] = columns_text(of, study, named, width) end
  return { table.concat(parts, "\n") .. failures_text(study, width) }
end

return results
