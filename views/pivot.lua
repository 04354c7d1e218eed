-- SPDX-License-Identifier: BSD-3-Clause
-- The part of a table of results that a plot shows, as a table: column 1 is x, then come the columns of each series.
--
-- A table has `columns` (key, name, is_axis, is_number, kind, unit, group, and those of terminal.BESIDE), `count` rows, and the functions
-- cell(row, column), nil where there is no value, and shown(row, column), which gives "not modelled" for such values.
local terminal = require "terminal"
local text = require "text"
local pivot = { ABSENT = "not modelled" }

local MOST_MEASURES = 64

-- The number of the column of this name or key.
function pivot.find(results, name)
  for _, field in ipairs { "name", "key" } do
    for i, column in ipairs(results.columns) do
      if column[field] == name then return i end
    end
  end
end

-- The same; if there is none, an error that says what the plot asked for (`role`).
local function find(results, role, name)
  local known, names = {}, {}
  local number = pivot.find(results, name)
  if number then return number end
  for i, column in ipairs(results.columns) do
    known[i], names[2 * i - 1], names[2 * i] = column.name, column.name, column.key
  end
  local nearest = core.nearest(name, names)
  nearest = nearest and results.columns[pivot.find(results, nearest)].name
  error({ sentence = string.format(
    'the plot\'s %s is "%s", which the results do not have%s%s; they have %s', role, name,
    nearest and ": did you mean " or "", nearest or "", table.concat(known, ", ")) })
end

-- Raises that `option` names a measure that the results do not have.
function pivot.refuse_measure(results, option, name)
  local names, numbers = {}, {}
  for i, column in ipairs(results.columns) do
    names[2 * i - 1], names[2 * i] = column.name, column.key
    if column.is_number and not column.is_axis then numbers[#numbers + 1] = column.name end
  end
  local nearest = core.nearest(name, names)
  local hint = nearest and ": did you mean " .. results.columns[pivot.find(results, nearest)].name or ""
  error({ sentence = string.format("%s %s: no such measure%s; those with numbers are %s", option, name, hint,
                                   #numbers > 0 and table.concat(numbers, ", ") or "none") }, 0)
end

function pivot.is_scatter(plot) return plot.style == "points" or plot.style == "pareto" end

-- The unit of all measures; nil if they differ or have none.
local function common_unit(results, ys)
  local first = results.columns[ys[1]]
  for _, y in ipairs(ys) do
    local column = results.columns[y]
    if column.kind ~= first.kind or column.unit ~= first.unit then return nil end
  end
  return first.kind == "quantity" and first.unit or nil
end

-- A mean over phases is shown with the columns about it, unless something else is shown around it: which of them any has.
local function beside_of(results, choice)
  local fields = {}
  for _, field in ipairs(choice.over and {} or choice.low and {} or terminal.BESIDE) do
    local is_there = false
    for _, y in ipairs(choice.ys) do is_there = is_there or results.columns[y][field] ~= nil end
    fields[#fields + 1] = is_there and field or nil
  end
  return fields
end

-- The numbers of the columns that a plot names, and the rows that it shows.
local function choose(plot, results, panel)
  local choice = { x = find(results, "x", plot.x), ys = {}, only = {}, panel = panel }
  local function find_choice(role, name) return name and find(results, role, name) end
  for i, y in ipairs(text.split(plot.y, ",", MOST_MEASURES)) do
    choice.ys[i] = find(results, "y", y)
  end
  choice.by = find_choice("by", plot.by)
  choice.over = find_choice("over", plot.over)
  choice.low = find_choice("bands", plot.band_low)
  choice.high = find_choice("bands", plot.band_high)
  choice.panels = panel and find_choice("panels", plot.panels)
  for i, only in ipairs(plot.only) do
    choice.only[i] = { column = find(results, "only", only.axis), text = only.text }
  end
  choice.beside = beside_of(results, choice)
  choice.unit = common_unit(results, choice.ys)
  choice.width = (choice.over or choice.low) and 3 or 1 + #choice.beside
  return choice
end

local function is_shown(results, choice, row)
  for _, only in ipairs(choice.only) do
    if results.cell(row, only.column) ~= only.text then return false end
  end
  return not choice.panels or results.cell(row, choice.panels) == choice.panel
end

-- --- series --------------------------------------------------------------------------------------

local function takes_several_values(results, column)
  for row = 2, results.count do
    if results.cell(row, column) ~= results.cell(1, column) then return true end
  end
end

-- Whether axis `number` has one value for each value of axis `leader`, so that it adds no curves.
local function follows(results, number, leader)
  local values = {}
  if results.columns[number].group ~= results.columns[leader].group then return false end
  for row = 1, results.count do
    local of, value = results.cell(row, leader) or "", results.cell(row, number) or ""
    values[of] = values[of] or value
    if values[of] ~= value then return false end
  end
  return true
end

-- Whether the axis distinguishes series beyond x, by, panels and over.
local function splits_series(results, choice, number)
  local column = results.columns[number]
  if not column.is_axis or number == choice.x or number == choice.by or number == choice.panels then
    return false
  end
  if choice.over and column.group == results.columns[choice.over].group then return false end
  if follows(results, number, choice.x) or choice.by and follows(results, number, choice.by) then return false end
  for _, only in ipairs(choice.only) do
    if only.column == number then return false end
  end
  return takes_several_values(results, number)
end

-- Numbers of the axes that split series.
local function splitting(results, choice)
  local numbers = {}
  for i in ipairs(results.columns) do
    if splits_series(results, choice, i) then numbers[#numbers + 1] = i end
  end
  return numbers
end

local function joined(parts)
  local whole = ""
  for _, part in ipairs(parts) do whole = whole .. (whole ~= "" and ", " or "") .. part end
  return whole
end

-- "dgpu", or "dgpu, nodes 4" where `nodes` varies as well; the measure's name if there are several.
local function series_key(results, choice, splits, row, y)
  local parts = { choice.by and (results.cell(row, choice.by) or "(null)") }
  for _, i in ipairs(splits) do
    parts[#parts + 1] = results.columns[i].name .. " " .. (results.cell(row, i) or "(null)")
  end
  if #choice.ys > 1 then parts[#parts + 1] = results.columns[y].name end
  return joined(parts)
end

-- The series' name for readers.
local function series_name(results, choice, splits, row, y, names)
  local parts = { choice.by and names.value(results.columns[choice.by],
                                            results.cell(row, choice.by)) }
  for _, i in ipairs(splits) do
    parts[#parts + 1] = names.value_of(results.columns[i], results.cell(row, i))
  end
  if #choice.ys > 1 then parts[#parts + 1] = names.measure(results.columns[y], choice.unit) end
  return joined(parts)
end

-- --- places and cells ----------------------------------------------------------------------------

-- Numbers texts in the order of their first appearance.
local function new_places() return { texts = {}, numbers = {} } end

local function place_of(places, key)
  if not places.numbers[key] then
    places.texts[#places.texts + 1] = key
    places.numbers[key] = #places.texts
  end
  return places.numbers[key]
end

-- Puts a row's value in a column into a place of a line. The first value stays, unless it is "not modelled".
local function put(line, place, results, row, column)
  local value, now = results.cell(row, column), line[place]
  local is_free = now == nil or (now == pivot.ABSENT and results.columns[column].is_number)
  if value and is_free then
    line[place] = value
  elseif now == nil then
    line[place] = results.shown(row, column)
  end
end

-- The same for values over an axis: keeps their count, sum, least and most.
local function put_over(line, place, results, row, column)
  local value = results.cell(row, column)
  if not value then return put(line, place, results, row, column) end
  local number, sum = core.number(value), line[place]
  if type(sum) ~= "table" then
    sum = { count = 0, sum = 0.0, least = number, most = number }
    line[place] = sum
  end
  sum.count, sum.sum = sum.count + 1, sum.sum + number
  sum.least = sum.least < number and sum.least or number
  sum.most = sum.most > number and sum.most or number
end

-- Replaces such sums by mean, least and most.
local function fill_over(line, last)
  for place = 2, last, 3 do
    local sum = line[place]
    if type(sum) == "table" then
      line[place] = string.format("%.12g", sum.sum / sum.count)
      line[place + 1] = string.format("%.12g", sum.least)
      line[place + 2] = string.format("%.12g", sum.most)
    end
  end
end

-- Fills the cells of one series at one x: its value, and the band's ends or what is beside a mean if they have columns.
local function put_row(line, from, results, choice, row, y)
  if choice.over then return put_over(line, from, results, row, y) end
  put(line, from, results, row, y)
  if choice.low then
    put(line, from + 1, results, row, choice.low)
    put(line, from + 2, results, row, choice.high)
  end
  for i, field in ipairs(choice.beside) do
    local column = results.columns[y][field]
    if column then put(line, from + i, results, row, column) end
  end
end

-- --- the tables ----------------------------------------------------------------------------------

local ENDS = { "least", "most" }

local function with_changes(column, changes)
  local copy = {}
  for field, value in pairs(column) do copy[field] = value end
  for _, field in ipairs(terminal.BESIDE) do copy[field] = nil end
  for field, value in pairs(changes) do copy[field] = value end
  return copy
end

-- A table without rows, with the columns of a series for each text of `series`.
local function new_table(results, choice, series, names, width)
  local y, further = results.columns[choice.ys[1]], #choice.beside > 0 and choice.beside or ENDS
  local shown = { columns = { with_changes(results.columns[choice.x], {}) }, rows = {} }
  for i, key in ipairs(series.texts) do
    for k = 1, width do
      local name = names[i] ~= "" and names[i] or y.name
      local column = with_changes(y, { key = key, name = name .. (k > 1 and " " .. further[k - 1] or "") })
      column.is_axis = false
      shown.columns[#shown.columns + 1] = column
      for i, field in ipairs(k == 1 and choice.beside or {}) do column[field] = #shown.columns + i end
    end
  end
  function shown.shown(row, column) return shown.rows[row][column] end
  function shown.cell(row, column)
    local value = shown.rows[row][column]
    if value ~= pivot.ABSENT or not shown.columns[column].is_number then return value end
  end
  return shown
end

-- A row for each x. A series is a value of axis `by` and of each further axis that takes several values, and a measure if
-- there are several; its columns are named after these, and their key is that name with texts as they are. Over an axis,
-- or with `low` and `high`, a series has three columns: mean or value, least, most; with spreads two. Values stand in the
-- order in which they first appear.
local function table_of_series(results, choice, names)
  local xs, series, series_names, lines = new_places(), new_places(), {}, {}
  local splits = splitting(results, choice)
  local is_one = not choice.by and #splits == 0 and #choice.ys == 1
  for row = 1, results.count do
    for _, y in ipairs(is_shown(results, choice, row) and choice.ys or {}) do
      local of = results.cell(row, choice.x) or ""
      local x = place_of(xs, of)
      local s = place_of(series, is_one and "" or series_key(results, choice, splits, row, y))
      series_names[s] = series_names[s] or series_name(results, choice, splits, row, y, names)
      lines[x] = lines[x] or { of }
      put_row(lines[x], 2 + choice.width * (s - 1), results, choice, row, y)
    end
  end
  local shown = new_table(results, choice, series, series_names, choice.width)
  for _, line in ipairs(choice.over and lines or {}) do fill_over(line, #shown.columns) end
  shown.rows, shown.count = lines, #lines
  return shown
end

-- The rows for which no other row is lower in both numbers, in ascending order of x.
local function find_front(results, choice)
  local marks, kept = {}, {}
  for row = 1, results.count do
    local x, y = results.cell(row, choice.x), results.cell(row, choice.ys[1])
    if x and y and is_shown(results, choice, row) then
      marks[#marks + 1] = { x = core.number(x), y = core.number(y), row = row }
    end
  end
  table.sort(marks, function(a, b)
    if a.x ~= b.x then return a.x < b.x end
    if a.y ~= b.y then return a.y < b.y end
    return a.row < b.row
  end)
  for _, mark in ipairs(marks) do
    if #kept == 0 or mark.y < kept[#kept].y then kept[#kept + 1] = mark end
  end
  return kept
end

-- A table with a row for each result: column 1 is `x`, then a column for each value of `by`, with y where the row has that
-- value. If `has_front`, the rows of the front follow, in one more column "Pareto front".
local function table_of_rows(results, choice, names, has_front)
  local series, series_names, rows = new_places(), {}, {}
  local width, y = 1 + #choice.beside, results.columns[choice.ys[1]]
  local function add(line, row, place)
    local from = 2 + width * (place - 1)
    line[1], line[from] = results.shown(row, choice.x), results.shown(row, choice.ys[1])
    for i, field in ipairs(choice.beside) do line[from + i] = y[field] and results.shown(row, y[field]) end
  end
  for row = 1, results.count do
    rows[row] = {}
    if is_shown(results, choice, row) then
      local key = choice.by and results.cell(row, choice.by) or ""
      local place = place_of(series, key)
      series_names[place] = series_names[place] or
                            (choice.by and names.value(results.columns[choice.by], key) or "")
      add(rows[row], row, place)
    end
  end
  if has_front then
    local place = place_of(series, "Pareto front")
    series_names[place] = "Pareto front"
    for _, mark in ipairs(find_front(results, choice)) do
      rows[#rows + 1] = {}
      add(rows[#rows], mark.row, place)
    end
  end
  local shown = new_table(results, choice, series, series_names, width)
  shown.rows, shown.count = rows, #rows
  return shown
end

-- The table that a plot shows, of the panel `panel` if it has panels; and how many columns each series takes. `names`
-- has names for readers: value(column, text) of `by`, value_of(column, text) of further axes, and measure(column, unit)
-- of a measure beside others that all have the unit. An error is { sentence = ... }.
function pivot.table(plot, results, panel, names)
  local choice = choose(plot, results, panel)
  if pivot.is_scatter(plot) then
    return table_of_rows(results, choice, names, plot.style == "pareto"), choice.width
  end
  if plot.style == "heatmap" and choice.by then -- a line for each value of `by`
    choice.x, choice.by = choice.by, choice.x
  end
  return table_of_series(results, choice, names), choice.width
end

-- The panels' names: numbers by their size, else in the order in which they first appear; none if the plot has no panels.
function pivot.panels(plot, results)
  local number = plot.panels and pivot.find(results, plot.panels)
  local panels = new_places()
  for row = 1, number and results.count or 0 do place_of(panels, results.cell(row, number) or "") end
  if number and results.columns[number].is_number then
    table.sort(panels.texts, function(a, b) return (tonumber(a) or math.huge) < (tonumber(b) or math.huge) end)
  end
  return panels.texts
end

-- Names as a terminal shows them.
pivot.PLAIN = {
  value = terminal.value,
  value_of = function(column, of) return column.name .. " " .. terminal.value(column, of) end,
  measure = function(column) return column.name end,
}

return pivot
