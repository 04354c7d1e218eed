-- SPDX-License-Identifier: BSD-3-Clause
-- Files of measurements beside a study: finds which column is which axis or measure, and which rows belong to which point
--
-- A column's name says which axis or measure it is: as in the study's own tables, "bytes", "latency_us", or with another unit
-- of the same kind, "latency_ns", "size_KiB" ("/" is "p": "rate_GBps"); or the study says it. Each axis has a column, unless
-- the study says that rows hold for all of its values. Cells are decimal numbers in the column's unit, or quantities with their
-- own unit ("8B"); an empty cell, "-", "NaN", "NA" and "n/a" are none.
--
-- A study has path and axes (name, values); a file has path and text (delimited.lua), and what the study says of it: names
-- (name, column, unit), only (name: a column, column: its text) and every (names of axes). A value has kind, unit, number
-- (of quantities in base units) and text. A point is a row of program.point_rows (script/searches/vary_lua.h), with the steps
-- of its axes.
local delimited = require "delimited"
local pivot = require "pivot"
local statistics = require "statistics"
local terminal = require "terminal"
local text = require "text"
local measured = {}

local NONE = { [""] = true, ["-"] = true, ["nan"] = true, ["na"] = true, ["n/a"] = true }
local ROUNDING = 1e-9 -- an axis has whole numbers of base units: 8.4 B is not 8 B

local function fail(file, line, format, ...)
  error { sentence = string.format("%s:%d: " .. format, file.path, line, ...) }
end

local function index_of(list, item)
  for i, one in ipairs(list) do
    if one == item then return i end
  end
end

local function axis_called(study, name)
  for _, axis in ipairs(study.axes) do
    if axis.name == name then return axis end
  end
end

-- --- units ---------------------------------------------------------------------------------------

-- The unit that is called so, "GB/s", "GBps" or "bytes"; nil if there is none.
local function unit_called(name, unit)
  local plain = name:gsub("/", "p"):gsub("µ", "u"):gsub("μ", "u") -- the micro sign, and the Greek letter
  return core.unit_named(unit, plain) or unit == "bytes" and plain == "bytes" and "B" or nil
end

-- The unit with which the name of a column ends, "latency_us" or "Latency (us)", or which it is; nil if there is none.
local function unit_of(column, unit)
  local is_bracketed = column:find("[)%]]$")
  local name = column:match(is_bracketed and ".*[(%[](.*).$" or ".*[_ ](.*)$") or is_bracketed and column:sub(1, -2) or column
  return unit_called(name:match("^%s*(.-)%s*$"), unit)
end

-- --- which column --------------------------------------------------------------------------------

-- Whether a column of this name is what the study calls `name`: "latency", "latency_us", "latency (us)" or "latency [us]".
local function is_named(column, name, like)
  local rest = column:sub(#name + 1)
  if column:sub(1, #name) ~= name then return false end
  local unit = rest:match("^_(.+)$") or rest:match("^ *%((.+)%)$") or rest:match("^ *%[(.+)%]$")
  return rest == "" or like.kind == "quantity" and unit ~= nil and unit_called(unit, like.unit) ~= nil
end

local function is_taken(file, column)
  for _, name in ipairs(file.names) do
    if name.column == column then return true end
  end
end

-- The column that has the name by itself, if no other name was given to it.
local function find_by_name(file, name, like)
  local found
  for i, column in ipairs(file.columns) do
    if is_named(column, name, like) and not is_taken(file, column) then
      if found then
        fail(file, file.names_line, 'two columns are %s: %s and %s; the study\'s measured says which, %s = "COLUMN"', name,
             file.columns[found], column, name)
      end
      found = i
    end
  end
  return found
end

-- The unit that the study gives to a column; its name must not say another one.
local function set_unit(file, unit, column)
  local name, by_name = file.columns[column.at], column.suffix
  if column.kind ~= "quantity" then
    fail(file, file.names_line, 'column %s is for what has no unit in the results, but the study\'s measured says unit = "%s"',
         name, unit)
  end
  column.suffix = unit_called(unit, column.unit)
  if not column.suffix then
    fail(file, file.names_line, 'the unit "%s" that the study\'s measured gives to column %s is none of %s', unit, name,
         core.unit_suffixes(column.unit))
  end
  if by_name and by_name ~= column.suffix then
    fail(file, file.names_line, "column %s is in %s by its name, and in %s by the study's measured", name, by_name,
         column.suffix)
  end
end

-- The column for `name`, an axis or a measure whose values are of the kind of `like`: its number `at` (nil: there is none), and
-- the unit of its numbers, `suffix` (nil: none is said).
local function find(file, name, like, is_axis)
  local given
  for _, one in ipairs(file.names) do given = one.name == name and one or given end
  local column = { is_axis = is_axis, kind = like.kind, unit = like.unit }
  if given then column.at = index_of(file.columns, given.column) else column.at = find_by_name(file, name, like) end
  if column.at and like.kind == "quantity" then column.suffix = unit_of(file.columns[column.at], like.unit) end
  if given and given.unit then set_unit(file, given.unit, column) end
  return column
end

-- --- cells ---------------------------------------------------------------------------------------

local function is_none(cell) return NONE[cell:lower()] end

-- A plain number in base units, rounded; nil if it is out of range, or a fraction on an axis.
local function to_quantity(number, column)
  local exact = number == 0 and 0.0 or number * core.unit_scale(column.unit, column.suffix)
  local whole = core.round(exact)
  if not (math.abs(exact) < 0x1p63) then return nil end
  local is_whole = math.abs(exact - whole) <= ROUNDING * math.abs(exact)
  return (is_whole or not column.is_axis) and math.tointeger(whole) or nil
end

-- Whether a quantity can have been measured: not below 0, and times and rates not 0.
local function is_possible(quantity, column)
  local is_above = not column.is_axis and (column.unit == "time" or column.unit == "rate")
  return quantity > 0 or quantity == 0 and not is_above
end

local function quantity_of(file, row, column)
  local cell, name = row[column.at], file.columns[column.at]
  local quantity
  if core.is_number(cell) then
    local number = core.number(cell)
    if not column.suffix and number ~= 0 then
      fail(file, row.line, '%s is %s without a unit; the column\'s name may end with one of %s (with "p" for "/"), or the ' ..
           'study\'s measured give it: { column = "%s", unit = "%s" }', name, cell, core.unit_suffixes(column.unit), name,
           core.unit_base(column.unit))
    end
    quantity = to_quantity(number, column)
    if not quantity then
      fail(file, row.line, "%s is %s, which is no whole number of %s below 2^63", name, cell, core.unit_base(column.unit))
    end
  else
    quantity = core.parse(column.unit, cell)
    if not quantity then
      fail(file, row.line, '%s is "%s"; write a number, in the column\'s unit or with one of %s', name, cell,
           core.unit_suffixes(column.unit))
    end
  end
  if not is_possible(quantity, column) then
    fail(file, row.line, "%s is %s, which cannot be; what was not measured is -", name, cell)
  end
  return quantity
end

-- The cell of a row as a value of the column's kind, with its text in columns; nil if it has none.
local function cell_value(file, row, column)
  local cell = row[column.at]
  if is_none(cell) then return nil end
  if column.kind == "text" then return { kind = "text", text = cell, shown = cell } end
  if column.kind == "number" and not core.is_number(cell) then
    fail(file, row.line, '%s is "%s", not a number', file.columns[column.at], cell)
  end
  local number = column.kind == "number" and core.number(cell) or quantity_of(file, row, column)
  local value = { kind = column.kind, unit = column.unit, number = number }
  value.text, value.shown = core.value_texts(value.kind, value.unit or "count", number)
  return value
end

-- --- reading a file ------------------------------------------------------------------------------

-- Checks that the columns that the study names exist, and that its axes are axes.
local function check_names(file, study)
  local function check(column)
    if not index_of(file.columns, column) then
      fail(file, file.names_line, 'there is no column "%s"; there are %s', column, table.concat(file.columns, ", "))
    end
  end
  for _, name in ipairs(file.names) do check(name.column) end
  for _, only in ipairs(file.only) do check(only.name) end
  for _, name in ipairs(file.every) do
    if not axis_called(study, name) then
      error { sentence = 'measured: every: "' .. name .. '" is no axis of the study' }
    end
  end
end

local function refuse_lack(file, axis)
  local nearest = core.nearest(axis, file.columns)
  fail(file, file.names_line, 'no column is the axis %s%s; in its measured, the study says %s = "COLUMN" for one of another ' ..
       'name, or every = { "%s" } if each row is of every value of %s; the columns are %s', axis,
       nearest and ' (is it "' .. nearest .. '"?)' or "", axis, axis, axis, table.concat(file.columns, ", "))
end

-- The column of an axis, unless the study says that each row holds for every value of the axis.
local function find_axis(file, axis)
  local is_every = index_of(file.every, axis.name)
  local column = find(file, axis.name, axis.values[1], true)
  if column.at and is_every then
    fail(file, file.names_line, 'the study\'s measured says every = { "%s" }, but here is the column %s', axis.name,
         file.columns[column.at])
  end
  if not column.at and not is_every then refuse_lack(file, axis.name) end
  return column
end

-- The columns that are axes, or that `only` names.
local function used_columns(file)
  local used = {}
  for _, column in ipairs(file.axes) do
    if column.at then used[column.at] = true end
  end
  for _, only in ipairs(file.only) do used[index_of(file.columns, only.name)] = true end
  return used
end

-- Whether the column's cells are texts that are values of the axis: all of them, or, if the file lacks the axis, at least one.
local function is_like_axis(file, column, axis, is_lacking)
  local texts, alike, cells = {}, 0, 0
  for _, value in ipairs(axis.values) do
    if value.kind == "text" then texts[value.text] = true end
  end
  for _, row in ipairs(file.rows) do
    if not is_none(row[column]) then cells = cells + 1 end
    if texts[row[column]] then alike = alike + 1 end
  end
  return alike > 0 and (is_lacking or alike == cells)
end

-- Refuses an unused column that distinguishes rows: each point would get the rows of others.
local function check_unused(file, study)
  local used = used_columns(file)
  for _, name in ipairs(file.names) do used[index_of(file.columns, name.column)] = true end
  for number, column in ipairs(file.columns) do
    for i, axis in ipairs(used[number] and {} or study.axes) do
      if is_like_axis(file, number, axis, not file.axes[i].at) then
        fail(file, file.names_line, 'column %s is not used, but has values of the axis %s; name it in the study\'s measured ' ..
             '(%s = "%s", or only = { ["%s"] = ... }), or leave it out', column, axis.name, axis.name, column, column)
      end
    end
  end
end

local function is_meant(file, row)
  for _, only in ipairs(file.only) do
    if row[index_of(file.columns, only.name)] ~= only.column then return false end
  end
  return true
end

local function read_axes(file, row)
  row.axes = {}
  for i, column in ipairs(file.axes) do
    if column.at then
      row.axes[i] = cell_value(file, row, column)
      if not row.axes[i] then fail(file, row.line, "%s has no value", file.columns[column.at]) end
    end
  end
end

-- Finds the columns of the study's axes, and their values in each row that the study uses.
local function open(file, study)
  file.text = core.text_file(file.path, "a table of measurements", 16)
  delimited.read(file)
  file.axes, file.meant = {}, {}
  check_names(file, study)
  for i, axis in ipairs(study.axes) do file.axes[i] = find_axis(file, axis) end
  check_unused(file, study)
  for _, row in ipairs(file.rows) do
    if is_meant(file, row) then
      read_axes(file, row)
      table.insert(file.meant, row)
    end
  end
  if #file.meant == 0 then
    fail(file, file.names_line, "there is no row%s", #file.only > 0 and " with the texts of only" or "")
  end
end

-- The study of the path, with the values of its axes (program.axes).
function measured.study(path, axes)
  for _, axis in ipairs(axes) do
    axis.values = {}
    for i, text in ipairs(axis) do
      local number = axis.kind == "quantity" and core.parse(axis.unit, text) or core.number(text)
      axis.values[i] = { kind = axis.kind, unit = axis.unit, text = text, number = number }
    end
  end
  return { path = path, axes = axes }
end

-- An error if one of the files is not what the study says of it.
function measured.check(axes, files)
  local study = measured.study(nil, axes)
  for _, file in ipairs(files) do open(file, study) end
  return {}
end

-- --- which row is of which point -----------------------------------------------------------------

local function is_same(a, b)
  if a.kind ~= b.kind or a.kind == "text" then return a.text == b.text end
  if a.kind == "quantity" then return a.number == b.number end
  return core.number(a.text) == core.number(b.text)
end

-- The axis's first value that is equal; nil: none is.
local function step_of(axis, value)
  for i, one in ipairs(axis.values) do
    if is_same(value, one) then return i end
  end
end

-- Gives each used row and each point a key: a row belongs to the points with its key (nil: to none).
local function set_keys(file, study, points)
  local steps = {}
  local function key_of(value_at)
    local key = {}
    for i, axis in ipairs(study.axes) do
      if file.axes[i].at then
        local value = value_at(i, axis)
        local known = axis.name .. "\n" .. value.kind .. value.text
        if steps[known] == nil then steps[known] = step_of(axis, value) or false end
        if not steps[known] then return nil, axis.name .. " " .. value.text end
        key[#key + 1] = steps[known]
      end
    end
    return table.concat(key, ",")
  end
  for _, row in ipairs(file.meant) do row.key, row.unknown = key_of(function(i) return row.axes[i] end) end
  for _, point in ipairs(points) do
    point.key = key_of(function(i, axis) return axis.values[point.steps[i]] end)
  end
end

-- --- measures ------------------------------------------------------------------------------------

-- The point's measure of that name, and its place in the list.
local function measure_of(point, name)
  for place, measure in ipairs(point.measures) do
    if measure.name == name then return measure, place end
  end
end

-- Whether a measure is about another one, a mean over phases, with which the scatter of a measurement is not compared.
local function is_beside(point, name)
  for _, field in ipairs(terminal.BESIDE) do
    local mean = name:match("^(.*)_" .. field .. "$")
    if mean and measure_of(point, mean) then return true end
  end
end

-- The first value of each measure of the results, in the order of appearance. A measure that a point does not model has no
-- kind there.
local function list_measures(points)
  local list, known = {}, {}
  for _, point in ipairs(points) do
    for _, measure in ipairs(point.measures) do
      local name = measure.name
      if not (known[name] or measure.is_absent or is_beside(point, name)) then
        known[name], list[#list + 1] = true, measure
      end
    end
  end
  return list
end

-- The column of a measure; `at` is nil if there is none, and for texts.
local function find_measure(file, measure)
  local column = find(file, measure.name, measure, false)
  if measure.kind == "text" then column.at = nil end
  return column
end

-- Checks that the measures which the study names exist.
local function check_known(study, file, measures)
  local known = {}
  for _, measure in ipairs(measures) do known[measure.name] = true end
  for _, name in ipairs(file.names) do
    if not (known[name.name] or axis_called(study, name.name)) then
      error { sentence = string.format('%s: measured: "%s" is neither an axis nor a measure', study.path, name.name) }
    end
  end
end

local function refuse_measures(file, measures)
  local names = {}
  for i, measure in ipairs(measures) do names[i] = measure.column end
  fail(file, file.names_line, 'no column is a measure of the results, %s; in its measured, the study says %s = "COLUMN" for one ' ..
       'of another name; the columns are %s', table.concat(names, ", "), measures[1] and measures[1].name or "MEASURE",
       table.concat(file.columns, ", "))
end

-- --- joining -------------------------------------------------------------------------------------

-- The numbers of a column, as a list for each key.
local function numbers_by_key(file, column)
  local numbers = {}
  for _, row in ipairs(file.meant) do
    local value = cell_value(file, row, column)
    if value and row.key then
      numbers[row.key] = numbers[row.key] or {}
      table.insert(numbers[row.key], value.number + 0.0)
    end
  end
  return numbers
end

-- Joins the median of `numbers` to a point's measure; the size of the error in %, or nil if there is none.
local function join_point(file, point, measure, numbers)
  local name, simulated, place = measure.name .. "_measured", measure_of(point, measure.name)
  local found = statistics.median(numbers)
  if measure_of(point, name) then error { sentence = file.path .. ": " .. name .. " is there already" } end
  table.insert(point.measures, point.add(name, found, place))
  if found == 0 then return nil end
  local percent = (simulated.number - found) / found * 100
  -- Errors are rounded to a hundredth of a percent, which is finer than any measurement.
  table.insert(point.measures, point.add(measure.name .. "_error_percent", core.round(percent * 100) / 100))
  return math.abs(percent)
end

-- The smallest of a sorted list that is at least as large as that share of them.
local function quantile(sorted, share) return sorted[math.max(math.ceil(share * #sorted), 1)] end

-- Names a value of a row that no point of the study has: "; line 2 has design ibgda, which no point has".
local function unknown_text(row)
  return row.unknown and string.format("; line %d has %s, which no point has", row.line, row.unknown) or ""
end

local function told_text(file, measure, errors, points)
  local keys, unused, first = {}, 0, nil
  for _, point in ipairs(points) do keys[point.key or false] = true end
  for _, row in ipairs(file.meant) do
    local is_used = row.key and keys[row.key]
    if not is_used then unused, first = unused + 1, first or row end
  end
  local told = string.format("%s: %s at %d point%s", file.path, measure.name, #errors, #errors == 1 and "" or "s")
  if #errors > 0 then
    told = told .. string.format(", error median %.1f %%, p90 %.1f %%", statistics.median(errors),
                                 quantile(statistics.sorted(errors), 0.9))
  end
  if unused > 0 then
    told = told .. string.format("; %d of %d rows are of no simulated point", unused, #file.meant)
    if #errors == 0 then told = told .. unknown_text(first) end
  end
  return told .. "\n"
end

local function join_measure(file, measure, column, points)
  local numbers, errors = numbers_by_key(file, column), {}
  for _, point in ipairs(points) do
    local simulated, at_point = measure_of(point, measure.name), point.key and numbers[point.key]
    if simulated and at_point and not simulated.is_absent and simulated.kind == measure.kind then
      errors[#errors + 1] = join_point(file, point, measure, at_point)
    end
  end
  return told_text(file, measure, errors, points)
end

local function unused_text(file, used)
  local unused = {}
  for i, column in ipairs(file.columns) do
    if not used[i] then unused[#unused + 1] = column end
  end
  return #unused > 0 and file.path .. ": not used: " .. table.concat(unused, ", ") .. "\n" or ""
end

local function join_file(study, file, points)
  local measures, used, told = list_measures(points), used_columns(file), {}
  local has_one = #measures == 0 -- all points have failed
  if not has_one then check_known(study, file, measures) end
  for _, measure in ipairs(measures) do
    local column = find_measure(file, measure)
    if column.at then
      told[#told + 1] = join_measure(file, measure, column, points)
      used[column.at], has_one = true, true
    end
  end
  if not has_one then refuse_measures(file, measures) end
  return table.concat(told) .. unused_text(file, used)
end

-- Adds to the points of a study (which may be without measures) what was measured there: to each measure that a file has, say
-- latency, "latency_measured", the median of the file's rows, and "latency_error_percent", how much the simulated value is above it.
-- Returns a line for each file and measure: how many points have both values, median and 90th percentile of the error's size, and
-- which rows of the file are not used. An error if a file has none of the measures, or a cell is no such value.
function measured.join(study, points, files)
  local told = {}
  for _, file in ipairs(files) do
    open(file, study)
    set_keys(file, study, points)
    told[#told + 1] = join_file(study, file, points)
  end
  return table.concat(told)
end

-- --- marks ---------------------------------------------------------------------------------------

-- A row's text for the axis of that name or column, as columns show it; nil if it has none.
local function axis_text(study, row, name)
  for i, axis in ipairs(study.axes) do
    local first = axis.values[1]
    if axis.name == name or core.column_name(first.kind, first.unit, axis.name) == name then
      return row.axes[i] and row.axes[i].shown
    end
  end
end

local function is_drawn(study, plot, row)
  for _, only in ipairs(plot.only) do
    local of = axis_text(study, row, only.axis)
    if of and of ~= only.text then return false end
  end
  return axis_text(study, row, plot.x) ~= nil
end

-- Adds the measured values of a column as marks. `series` is its name, if the plot has several. Marks of a series that the
-- file does not name belong to none, those of a panel that it does not name to all panels.
local function add_marks(study, plot, file, column, series, marks)
  for _, row in ipairs(file.meant) do
    local is_good, value = pcall(cell_value, file, row, column)
    if is_good and value and is_drawn(study, plot, row) then
      local by = plot.by and axis_text(study, row, plot.by)
      local name = by and series and by .. ", " .. series or by or not plot.by and series or nil
      local y = core.number(value.shown)
      marks[#marks + 1] = { is_measured = true, x_low = axis_text(study, row, plot.x), low = y, high = y, series = name,
                            panel = plot.panels and axis_text(study, row, plot.panels) }
    end
  end
end

-- Adds the measured points of a plot to its marks, as sheet.lua takes them.
function measured.add_marks(marks, plot, study, points, files)
  if pivot.is_scatter(plot) then return end
  local ys, measures = text.split(plot.y, ","), list_measures(points)
  for _, file in ipairs(files) do
    open(file, study)
    for _, measure in ipairs(measures) do
      local name = measure.column
      local is_good, column = pcall(find_measure, file, measure)
      if is_good and column.at and (index_of(ys, name) or index_of(ys, measure.name)) then
        add_marks(study, plot, file, column, #ys > 1 and name or nil, marks)
      end
    end
  end
end

return measured
