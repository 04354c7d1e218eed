-- SPDX-License-Identifier: BSD-3-Clause
-- The content of a figure before its layout: its panels' tables, all series, axes and marks. Panels share series and axes,
-- so all tables are made first.
local axis = require "axis"
local derived = require "derived"
local label = require "label"
local overlap = require "overlap"
local pivot = require "pivot"
local terminal = require "terminal"
local text = require "text"
local sheet = {}
sheet.__index = sheet

-- From this ratio of largest to smallest on, measures are drawn on logarithmic axes.
local SCATTER_LOG_RATIO, BARS_LOG_RATIO = 30, 100
local BARS_ROOM = 1.5 -- the factor between the low end of a logarithmic axis and the shortest bar
-- Part of a panel's height; narrower bands would be hidden by the line of their curve.
local LEAST_SPREAD = 0.02
-- Labels use a larger unit if the high end of a linear axis, or the low end of a logarithmic one, is at least this.
local LONG_LINEAR, LONG_LOG = 1e5, 1e3
local BAR_STEP = 0.035 -- part of the axis between neighbouring published ranges
local NAN = 0 / 0

local function is_finite(number) return number - number == 0 end
local function number_of(of) return of and core.is_number(of) and core.number(of) or NAN end

-- Whether a series' key is this value of `by`, or begins with it: "dgpu, true" with "dgpu".
local function is_named(key, value)
  return key == value or key:sub(1, #value + 1) == value .. ","
end

-- --- panels and series ---------------------------------------------------------------------------

-- The plot's own label for the value; nil if it has none.
local function own_label(plot, value)
  for _, pair in ipairs(plot.labels) do
    if pair[1] == value then return pair[2] end
  end
end

local BOXES = { bars = true, stack = true, tornado = true }

local function kind_of(plot, key, is_last)
  if BOXES[plot.style] then return "box" end
  if pivot.is_scatter(plot) then return plot.style == "pareto" and is_last and "front" or "marks" end
  for _, mark in ipairs(plot.marks) do
    if is_named(key, mark) then return "marks" end
  end
  return "curve"
end

-- The number of the series with this column's key; it is added if no other panel has it.
local function series_number(self, column, is_last)
  for i, series in ipairs(self.series) do
    if series.key == column.key then return i end
  end
  self.series[#self.series + 1] = { key = column.key, kind = kind_of(self.plot, column.key, is_last),
                                    label = column.name }
  return #self.series
end

-- Curves' names have the plot's own labels, and the unit if the measures' units differ; otherwise the axis has it.
local function names_of(plot)
  return {
    value = function(column, of) return own_label(plot, of) or label.value(column, of) end, value_of = label.value_of,
    measure = function(column, unit) return (unit and label.measure or label.column)(column) end,
  }
end

local function panel_title(self, results, panel)
  local column = results.columns[pivot.find(results, self.plot.panels)]
  return own_label(self.plot, panel) or label.value_of(column, panel)
end

-- Puts the series into the order that the study asks for; series that it does not name follow.
local function set_order(self)
  local wanted, number, moved = self.plot.look.order or {}, {}, {}
  local function place_of(series)
    for i, name in ipairs(wanted) do
      if is_named(series.key, name) then return i end
    end
    return #wanted + 1
  end
  for i, series in ipairs(self.series) do number[series] = i end
  table.sort(self.series, function(a, b)
    local first, second = place_of(a), place_of(b)
    return first < second or first == second and number[a] < number[b]
  end)
  for i, series in ipairs(self.series) do moved[number[series]] = i end
  for _, one in ipairs(self) do
    for i, series in ipairs(one.series) do one.series[i] = moved[series] end
  end
end

-- Adds a panel: its table, and for each series of the table the number in self.series.
local function add_panel(self, results, panel)
  local shown, width = pivot.table(self.plot, results, panel, names_of(self.plot))
  local one = { name = panel, shown = shown, series = {}, marks = {},
                title = panel and panel_title(self, results, panel) or "" }
  self.width = width
  for i = 1, (#shown.columns - 1) // width do
    local is_last = i == (#shown.columns - 1) // width
    one.series[i] = series_number(self, shown.columns[2 + (i - 1) * width], is_last)
  end
  self[#self + 1] = one
end

-- Whether any cell of the series has a value, and whether any has none because it is not modelled.
local function look_at_series(self, number)
  local has_value, is_absent = false, false
  for _, one in ipairs(self) do
    for i, series in ipairs(one.series) do
      for row = 1, series == number and one.shown.count or 0 do
        local column = 2 + (i - 1) * self.width
        local has_x, has_y = one.shown.cell(row, 1), one.shown.cell(row, column)
        has_value = has_value or (has_x and has_y)
        is_absent = is_absent or (not has_y and one.shown.shown(row, column)) or
                    (has_y and not has_x)
      end
    end
  end
  return has_value, is_absent
end

-- A series whose measure is not modelled in any run only appears in the legend.
local function name_absent_series(self)
  for number, series in ipairs(self.series) do
    local has_value, is_absent = look_at_series(self, number)
    if is_absent and not has_value then
      series.label = series.label .. " (" .. pivot.ABSENT .. ")"
    end
  end
end

-- Whether what is around values are spreads and groups of means (terminal.BESIDE), and not ends.
local function is_beside(self) return self.width == 2 or self.width == 1 + #terminal.BESIDE end

-- The value of series `i` of a panel in a row, and the ends of the band around it; NaN where there is none. Around a mean it is its
-- 95 % interval, or reaches from one median to the other if its runs fall into two groups.
function sheet:value_at(one, row, i)
  local column = 2 + (i - 1) * self.width
  local value = number_of(one.shown.cell(row, column))
  if not self.has_bands then return value, NAN, NAN end
  local around = {}
  for i = 1, self.width - 1 do around[i] = number_of(one.shown.cell(row, column + i)) end
  if not is_beside(self) then return value, around[1], around[2] end
  local has_groups = around[2] and is_finite(around[2])
  return value, has_groups and around[2] or value - around[1], has_groups and around[3] or value + around[1]
end

-- The low end of a band as it is drawn: on a logarithmic axis not below the axis.
local function drawn_low(self, low)
  return self.y.scale == "log" and low <= 0 and self.y.low or low
end

-- --- axes ----------------------------------------------------------------------------------------

-- Whether the names of x stand along the vertical axis.
local function is_turned(self)
  return self.plot.style == "heatmap" or self.plot.style == "tornado"
end

local function set_scales(self)
  local style, columns = self.plot.style, self[1].shown.columns
  local is_named = BOXES[style] or is_turned(self) or not columns[1].is_number
  local is_log = style == "loglog" or style == "semilogx"
  self.x = axis.new(is_named and "named" or is_log and "log" or "linear", label.is_bytes(columns[1]))
  self.y = axis.new(style == "loglog" and "log" or "linear",
                    columns[2] and label.is_bytes(columns[2]))
  self.z = axis.new("linear")
end

-- The texts of x at which no series has a value because it is not modelled.
local function absent_places(self)
  local has_value, is_absent = {}, {}
  for _, one in ipairs(self) do
    for row = 1, one.shown.count do
      local x = one.shown.cell(row, 1) or false
      for column = 2, #one.shown.columns do
        has_value[x] = has_value[x] or one.shown.cell(row, column)
        is_absent[x] = is_absent[x] or one.shown.shown(row, column)
      end
    end
  end
  for x in pairs(has_value) do is_absent[x] = nil end
  return is_absent
end

-- The place of a text of the x column, which is added if it is new.
local function x_of(self, of)
  if self.x.scale ~= "named" then return number_of(of) end
  local key = of or false
  if not self.x_places[key] then
    local name = label.value(self[1].shown.columns[1], of)
    self.x_places[key] = self.x:add_name(name .. (self.absent[key] and " (" .. pivot.ABSENT .. ")" or ""))
  end
  return self.x_places[key]
end

-- Adds the names on x in the order of the study's points, not of published values.
local function add_names(self)
  self.absent = self.x.scale == "named" and absent_places(self)
  for _, one in ipairs(self.absent and self or {}) do
    for row = 1, one.shown.count do x_of(self, one.shown.cell(row, 1)) end
  end
end

local function add_values(self, one)
  local is_stack = self.plot.style == "stack"
  for row = 1, one.shown.count do
    local sum, has_some = 0.0, false
    for i in ipairs(one.series) do
      local value, low, high = self:value_at(one, row, i)
      if low > high then
        error({ sentence = string.format('plot.bands: the lower end, "%s", is above the upper end, "%s"', self.plot.band_low, self.plot.band_high) })
      end
      has_some = has_some or is_finite(value)
      sum = sum + (is_finite(value) and value or 0)
      self.y:add(is_stack and sum or value)
      if self.y.scale ~= "log" or low > 0 then self.y:add(low) end
      self.y:add(high)
    end
    if has_some or self.x.scale == "named" then self.x:add(x_of(self, one.shown.cell(row, 1))) end
  end
end

-- Checks that a logarithmic axis of measures has values above 0, which is known only now. (For x this was checked when the
-- study was read.)
local function check_can_be_drawn(self)
  local x_is_good = self.x:can_be_drawn()
  if x_is_good and self.y:can_be_drawn() then return end
  error({ sentence = string.format(
    'plot.style is "%s", which takes numbers above 0, and %s has others; use "lines" or "semilogx"',
    self.plot.style, x_is_good and self.plot.y or self.plot.x) })
end

-- Turns the axes of a heat map: `by` upwards and x to the right, both with names; colours show the measure.
local function turn_heatmap(self)
  self.z, self.y, self.x = self.y, self.x, axis.new("named")
  for _, series in ipairs(self.series) do self.x:add_name(series.label) end
  self.z:settle()
  self.z:end_round()
  self.x:end_near()
  self.y:end_near()
end

-- Turns the axes of a tornado: names upwards, measures to both sides of zero.
local function turn_tornado(self)
  self.x, self.y = self.y, self.x
  self.x:settle()
  self.x:end_round(true)
  self.y:end_near()
end

local function set_axes(self)
  local style = self.plot.style
  if style == "heatmap" then return turn_heatmap(self) end
  if style == "tornado" then return turn_tornado(self) end
  self.x:settle()
  self.y:settle()
  if pivot.is_scatter(self.plot) then
    self.x:log_if_wide(SCATTER_LOG_RATIO)
    self.y:log_if_wide(SCATTER_LOG_RATIO)
    self.x:end_round(true)
  else
    self.x:end_near()
  end
  if style == "bars" then
    self.y:log_if_wide(BARS_LOG_RATIO)
    if self.y.scale == "log" then self.y:leave_room(BARS_ROOM) end
  end
  self.y:end_round(true)
end

-- Sets the axes' ends that the study asks for.
local function set_ranges(self)
  local wanted = self.plot.look
  for name, on in pairs { x_range = self.x, y_range = self.y } do
    if wanted[name] and on.scale == "named" then
      error({ sentence = string.format("plot.%s goes with an axis of numbers, and this one has names", name) })
    end
    if wanted[name] then
      local low, high = wanted[name][1] or on.low, wanted[name][2] or on.high
      if low > on.high or high < on.low then
        error({ sentence = string.format("plot.%s leaves out all values, which lie within %.6g to %.6g", name, on.low, on.high) })
      end
      on:end_at(wanted[name][1] or nil, wanted[name][2] or nil)
    end
  end
end

-- --- bands ---------------------------------------------------------------------------------------

local function draws_bands(plot)
  return plot.style ~= "stack" and plot.style ~= "heatmap" and plot.style ~= "tornado"
end

-- Whether a spread of the panel reaches further than the line of its curve.
local function is_seen(self, one)
  for row = 1, one.shown.count do
    for i in ipairs(one.series) do
      local _, low, high = self:value_at(one, row, i)
      low = drawn_low(self, low)
      if self.y:share(high) - self.y:share(low) >= LEAST_SPREAD then return true end
    end
  end
end

-- Drops spreads that are too small to be seen, once the axes have their ends.
local function drop_unseen_bands(self)
  local is_needed = not is_beside(self)
  for _, one in ipairs(self.has_bands and self or {}) do
    is_needed = is_needed or is_seen(self, one)
  end
  self.has_bands = self.has_bands and is_needed
end

-- --- marks ---------------------------------------------------------------------------------------

-- Marks that are drawn over the curves, in the axes' numbers: a published value is a line or a point, a published range as a bar,
-- a measured value as a mark of another shape. `style` is the number of its series; 0: of none.
sheet.LINE, sheet.POINT, sheet.RANGE, sheet.MEASURED = 0, 1, 2, 3

local function style_of(self, name)
  for i, series in ipairs(name and self.series or {}) do
    if is_named(series.key, name) then return i end
  end
  return 0
end

local function has_series(one, style)
  for _, series in ipairs(one.series) do
    if series == style then return true end
  end
  return style == 0
end

-- Whether anything was simulated at this name; a value measured elsewhere would be a name without a bar.
local function has_place(self, of)
  if self.x.scale ~= "named" or not of then return true end
  return self.x.places[label.value(self[1].shown.columns[1], of)] ~= nil
end

-- Adds a mark. A range along the whole axis is a bar at its right end, beside those of other series.
local function add_mark(self, one, mark)
  if mark.is_measured and not has_place(self, mark.x_low) then return end
  local shown = { low = mark.low, high = mark.high, style = style_of(self, mark.series),
                  x_low = mark.x_low and x_of(self, mark.x_low) or NAN,
                  x_high = mark.x_high and x_of(self, mark.x_high) or NAN }
  if (mark.series and shown.style == 0) or not has_series(one, shown.style) then return end
  local is_place = mark.x_low and not mark.x_high
  shown.kind = mark.is_measured and sheet.MEASURED or mark.high > mark.low and sheet.RANGE or
               is_place and sheet.POINT or sheet.LINE
  one.marks[#one.marks + 1] = shown
  self.x:add(shown.x_low)
  self.x:add(shown.x_high)
  self.y:add(shown.low)
  self.y:add(shown.high)
end

local function add_marks(self, marks)
  for _, mark in ipairs(marks) do
    for _, one in ipairs(self) do
      if not mark.panel or mark.panel == one.name then add_mark(self, one, mark) end
    end
  end
end

local function at_share(on, low, high, share)
  return on.scale == "log" and low * (high / low) ^ share or low + (high - low) * share
end

-- Where the x of a mark has been left open: lines go along the axis from `low` to `high`, ranges stand beyond that.
-- Returns how many do.
local function place_in(marks, on, low, high)
  local bars = 0
  for _, mark in ipairs(marks) do
    if mark.kind == sheet.RANGE and mark.x_low ~= mark.x_low then
      bars = bars + 1
      mark.x_low = at_share(on, low, high, 1 + BAR_STEP * bars)
    elseif mark.kind == sheet.LINE then
      mark.x_low = mark.x_low == mark.x_low and mark.x_low or low
      mark.x_high = mark.x_high == mark.x_high and mark.x_high or high
    end
  end
  return bars
end

local function place_beside_curves(self)
  local low, high, most = self.x.low, self.x.high, 0
  for _, one in ipairs(self) do most = math.max(most, place_in(one.marks, self.x, low, high)) end
  self.x.last = high
  if most > 0 then self.x.high = at_share(self.x, low, high, 1 + BAR_STEP * (most + 1)) end
end

-- Places bars: for each name of x the series that have a value there in any panel. A name's bars stand together, and all
-- bars are equally wide.
local function set_bars(self)
  local at, most = {}, 1
  local function add(x, series)
    at[x] = at[x] or {}
    at[x][series] = true
  end
  for _, one in ipairs(self) do
    for row = 1, one.shown.count do
      for i, series in ipairs(one.series) do
        if is_finite(self:value_at(one, row, i)) then add(x_of(self, one.shown.cell(row, 1)), series) end
      end
    end
    for _, mark in ipairs(one.marks) do
      if mark.style > 0 and mark.x_low == mark.x_low then add(mark.x_low, mark.style) end
    end
  end
  self.bars = {}
  for x, series in pairs(at) do
    local places = {}
    for number = 1, #self.series do
      if series[number] then places[#places + 1] = number end
    end
    most = math.max(most, #places)
    self.bars[x] = places
  end
  self.bar_width = 1 / (most + 1)
end

-- The middle of a series' bar.
local function bar_place(self, x, series)
  local places = self.bars[x] or {}
  for i, number in ipairs(places) do
    if number == series then return x + (i - (#places + 1) / 2) * self.bar_width end
  end
  return x
end

-- Moves marks to the bars of their series.
local function place_at_bars(self)
  set_bars(self)
  for _, one in ipairs(self) do
    for _, mark in ipairs(one.marks) do
      if mark.style > 0 and mark.x_high ~= mark.x_high then
        mark.x_low = bar_place(self, mark.x_low, mark.style)
      end
    end
  end
end

-- The places of a panel's bars: for each row those of its series.
function sheet:bar_places(one)
  local places = {}
  for row = 1, one.shown.count do
    local x = x_of(self, one.shown.cell(row, 1))
    for _, series in ipairs(one.series) do places[#places + 1] = bar_place(self, x, series) end
  end
  return places
end

-- --- texts ---------------------------------------------------------------------------------------

local function column_of(results, names)
  return results.columns[pivot.find(results, text.split(names, ",", 2)[1] or "")]
end

local function axis_label(results, name, given, unit)
  local column = name and column_of(results, name)
  if not column then return given or "" end
  return given and label.given(given, column, unit) or label.column(column, unit)
end

-- Labels for the unit that several measures share.
local KINDS = { bytes = "size" }
local function common_label(column, unit)
  local key = column.kind == "quantity" and (KINDS[column.unit] or column.unit) or "value"
  return label.column({ key = key, kind = column.kind, unit = column.unit,
                        is_number = column.is_number }, unit)
end

-- A column's words as they stand inside a line.
local function words_inside(results, name)
  local column = column_of(results, name)
  return label.lower_first(label.words(column and column.key or name))
end

local function measure_label(plot, results, unit)
  local column, words = column_of(results, plot.y), nil
  if plot.y:find(",", 1, true) and column and not plot.y_label then
    words = common_label(column, unit)
  else
    words = axis_label(results, plot.y, plot.y_label, unit)
  end
  return plot.over and words .. ", mean over " .. words_inside(results, plot.over) or words
end

-- The note above the legend that says what the bands around values are; "" if there are none.
local function bands_note(self, results)
  local plot = self.plot
  local shape = plot.style == "bars" and "Whiskers: " or pivot.is_scatter(plot) and "Bars: " or "Bands: "
  if not self.has_bands then return "" end
  if is_beside(self) then
    return shape .. "95 % interval of the mean over phases" .. (self.width > 2 and ", or the medians of two groups of runs" or "")
  end
  if plot.band_of then return shape .. plot.band_of end
  if plot.over then return shape .. "least to most over " .. words_inside(results, plot.over) end
  return shape .. words_inside(results, plot.band_low) .. " to " .. words_inside(results, plot.band_high)
end

-- Long numbers count in a larger unit, unless the study has named one: 3·10⁶ µJ as 3 J.
local function choose_unit(self, results)
  local column, y = column_of(results, self.plot.y), self.y
  local end_of_it = y.scale == "log" and y.low or y.high
  local is_long = end_of_it >= (y.scale == "log" and LONG_LOG or LONG_LINEAR)
  local has_unit = self.plot.y_label and self.plot.y_label:find("%)$")
  if column and is_long and not has_unit and not is_turned(self) then
    y.unit = label.unit_size(column, end_of_it)
  end
end

-- The label of a series. Designs, and values of a table's column "what", need no name of their axis.
local function series_label(plot, results)
  if not plot.by or plot.by == "design" or plot.by == "what" then return "" end
  local column = column_of(results, plot.by)
  return label.words(column and column.key or plot.by) -- the values have their unit
end

local function set_texts(self, results)
  local plot = self.plot
  self.title = plot.title or ""
  choose_unit(self, results)
  self.x_label = axis_label(results, plot.x, plot.x_label, 1)
  self.z_label = measure_label(plot, results, self.y.unit)
  self.y_label = plot.style == "heatmap" and axis_label(results, plot.by, nil, 1) or self.z_label
  if plot.style == "tornado" then self.x_label, self.y_label = self.y_label, self.x_label end
  self.series_label = series_label(plot, results)
  self.notes = { bands_note(self, results), overlap.note(self) }
end

-- --- the whole -----------------------------------------------------------------------------------

-- Checks that what the plot draws are numbers, and that all can share an axis.
local function check_measures(plot, results)
  local first
  for _, name in ipairs(text.split(plot.y, ",")) do
    local number = pivot.find(results, name)
    local column = results.columns[number]
    first = first or column
    for row = 1, column and not column.is_number and results.count or 0 do
      if results.cell(row, number) then error({ sentence = string.format('the plot\'s y is "%s", whose values are no numbers', name) }) end
    end
    if column and (column.kind ~= first.kind or column.unit ~= first.unit) then
      error({ sentence = string.format("the plot's y has %s and %s, which are of different kinds: one axis cannot show both", first.name, name) })
    end
  end
end

-- The panels as a list, with `series` (key, label, kind), the axes `x`, `y` and `z` (of a heat map's colours), texts
-- and has_bands (whether values have ends around them that are drawn). An error is { sentence = ... }.
function sheet.new(plot, results, marks)
  local self = setmetatable({ plot = plot, series = {}, x_places = {} }, sheet)
  results = derived.results(plot, results)
  check_measures(plot, results)
  local panels = pivot.panels(plot, results)
  for i = 1, math.max(#panels, 1) do add_panel(self, results, panels[i]) end
  set_order(self)
  name_absent_series(self)
  self.has_bands = self.width > 1 and draws_bands(plot)
  set_scales(self)
  add_names(self)
  add_marks(self, marks)
  for _, one in ipairs(self) do add_values(self, one) end
  check_can_be_drawn(self)
  set_axes(self)
  set_ranges(self)
  drop_unseen_bands(self)
  if self.x.scale ~= "named" then place_beside_curves(self) end
  if plot.style == "bars" then place_at_bars(self) end
  set_texts(self, results)
  return self
end

-- Whether there is any value to be drawn.
function sheet:has_values()
  for _, one in ipairs(self) do
    for row = 1, one.shown.count do
      for column = 2, #one.shown.columns do
        if one.shown.cell(row, column) then return true end
      end
    end
  end
end

-- --- data ----------------------------------------------------------------------------------------

local function number_text(number)
  return is_finite(number) and string.format("%.12g", number) or "NaN"
end

local function line_of(numbers)
  local texts = {}
  for i, number in ipairs(numbers) do texts[i] = number_text(number) end
  return table.concat(texts, "\t") .. "\n"
end

-- The place of a row on the x axis, in the axis's numbers.
function sheet:row_place(one, row)
  local of, on = one.shown.cell(row, 1), is_turned(self) and self.y or self.x
  if on.scale ~= "named" then return number_of(of) end
  return on.places[label.value(one.shown.columns[1], of)] or 0
end

-- What gnuplot reads of a panel: tab-separated numbers, a line a row; column 1 is x, columns 3i - 1 to 3i + 1 are series
-- i's value, low and high (of a bar of a stack its ends), NaN where there is none.
function sheet:data(one)
  local lines, is_stack = {}, self.plot.style == "stack"
  for row = 1, one.shown.count do
    local numbers, sum = { self:row_place(one, row) }, 0.0
    for i in ipairs(one.series) do
      local value, low, high = self:value_at(one, row, i)
      if is_stack and is_finite(value) then
        low, sum = sum, sum + value
        high = sum
      end
      table.move({ value, drawn_low(self, low), high }, 1, 3, #numbers + 1, numbers)
    end
    lines[row] = line_of(numbers)
  end
  return table.concat(lines)
end

-- The same for its marks: kind, x_low, x_high, low, high, style.
function sheet.marks(one)
  local lines = {}
  for i, mark in ipairs(one.marks) do
    lines[i] = line_of { mark.kind, mark.x_low, mark.x_high, mark.low, mark.high, mark.style }
  end
  return table.concat(lines)
end

return sheet
