-- SPDX-License-Identifier: BSD-3-Clause
-- plot = { x = "bytes", y = "latency_us", by = "design", style = "loglog" }, or a list of such.
local axes, look, shape = require "axes", require "../look", require "shape"
local plots = {}

local MOST_FIGURES = 1000

-- These are texts,
local TEXTS = { "x", "y", "by", "over", "least", "panels", "style", "title", "x_label", "y_label" }
-- these change no value, and views/look.lua says what they may be.
local LOOKS = { "x_range", "y_range", "width", "height", "font", "colours", "lines", "legend", "order", "gnuplot" }
local KEYS = { "x", "y", "by", "over", "least", "speedup", "share", "panels", "style", "title", "x_label", "y_label", "bands", "marks",
               "only", "labels", "published" }
table.move(LOOKS, 1, #LOOKS, #KEYS + 1, KEYS)

local STYLES = { "lines", "loglog", "semilogx", "bars", "stack", "heatmap", "points", "pareto" }
local LOGARITHMIC = { loglog = true, semilogx = true }
-- Styles whose x is a measure, like y, and whose marks are points.
local SCATTERED = { points = true, pareto = true }

local SHAPES = {
  bands = 'has to be { "COLUMN of the low end", "COLUMN of the high end" }',
  marks = "has to be a list of values of the axis that `by` names",
  only = 'has to be a table such as { origin = "simulated" }',
  base = 'has to be a table with one value of one axis, such as { design = "dgpu" }',
  labels = 'has to be a table such as { none = "not fused" }',
  published = "has to be a list, or a function of the results that returns one",
  entry = 'is a list of { "CLAIM", by = ..., panel = ..., x = ..., y = ... }',
  entry_y = "has entries with y = NUMBER or y = { LOW, HIGH }, in the column's unit",
  entry_number = "has an entry whose y is no finite number, or whose LOW is above its HIGH",
}

local function refuse(key, problem) core.fail(string.format("plot.%s %s", key, problem), "plot", key) end

-- --- axes and their values ----------------------------------------------------------------------

local function check_axis(key, name)
  local axis, hint = axes.find(name)
  if not axis then refuse(key, string.format('names an axis, and "%s" is none%s', name, hint)) end
end

-- The text, as columns have it, of a value of the axis; nil, of which the plot names none, has no values.
local function value_text(key, axis, value)
  if not axis then refuse(key, string.format("names the value %s, but the plot does not say of which axis", tostring(value))) end
  local text = axes.value(axes.find(axis), value)
  if text == false then refuse(key, string.format('needs a value of axis "%s", not a %s', axis, type(value))) end
  if not text then refuse(key, string.format('names %s, which axis "%s" does not have', tostring(value), axis)) end
  return text
end

-- Refuses means, and least values, over sizes: a mean is over repetitions of one quantity, while sizes are what a figure compares.
local function check_over(key, over)
  local sizes = axes.sizes(axes.find(over))
  if sizes then
    refuse(key, string.format('draws the ' .. (key == "over" and "mean" or "least") .. ', and "%s" has different sizes; name it in x, by or panels, ' ..
                                 "or draw a figure for each size (only = { %s = ... })", sizes.name, sizes.name))
  end
end

local function check_logarithm(plot)
  local text = LOGARITHMIC[plot.style] and axes.without_logarithm(axes.find(plot.x))
  if text then
    refuse("style", string.format('is "%s", which takes numbers above 0 as x, and "%s" has %s; use "lines" or "bars"',
                                  plot.style, plot.x, text))
  end
end

local function check_axes(plot)
  if not SCATTERED[plot.style] then
    check_axis("x", plot.x)
    check_logarithm(plot)
  end
  for _, key in ipairs { "by", "over", "least", "panels" } do
    if plot[key] then check_axis(key, plot[key]) end
    if (key == "over" or key == "least") and plot[key] then check_over(key, plot[key]) end
  end
end

-- --- texts --------------------------------------------------------------------------------------

-- { "a", "b" } is "a,b".
local function joined(key, list)
  local texts = {}
  for i = 1, core.length(list) do
    texts[i] = rawget(list, i)
    if type(texts[i]) ~= "string" then refuse(key, "has to be a text or a list of texts") end
  end
  return table.concat(texts, ",")
end

local function read_text(key, value)
  if key == "y" and type(value) == "table" then value = joined(key, value) end
  if value ~= nil and type(value) ~= "string" then refuse(key, "has to be a text, not a " .. type(value)) end
  return value
end

local function check_bytes(plot)
  for _, value in next, plot do
    if type(value) == "string" then core.check_text(value) end
  end
end

local function check_style(style)
  for _, known in ipairs(STYLES) do
    if known == style then return end
  end
  refuse("style", string.format('is "%s"%s', style, core.suggestion(style, STYLES)))
end

-- --- bands, marks, only, labels ---------------------------------------------------------------------

local function read_bands(given, plot)
  local bands = given.bands
  if bands == nil then return end
  if type(bands) ~= "table" or core.length(bands) ~= 2 then refuse("bands", SHAPES.bands) end
  plot.band_low, plot.band_high = rawget(bands, 1), rawget(bands, 2)
  if type(plot.band_low) ~= "string" or type(plot.band_high) ~= "string" then refuse("bands", SHAPES.bands) end
  if plot.over or plot.y:find(",", 1, true) then
    refuse("bands", "goes with one y, and without over, which draws a band itself")
  end
end

local function read_marks(given, plot)
  local marks = given.marks
  plot.marks = {}
  if marks == nil then return end
  if type(marks) ~= "table" or not plot.by then refuse("marks", SHAPES.marks) end
  for i = 1, core.length(marks) do plot.marks[i] = value_text("marks", plot.by, rawget(marks, i)) end
end

-- Values of axes, as { axis, text }.
local function read_values(given, plot, key, shape_name)
  plot[key] = {}
  if given[key] == nil then return end
  if type(given[key]) ~= "table" then refuse(key, SHAPES[shape_name]) end
  plot[key] = shape.pairs(given[key])
  for i, pair in ipairs(plot[key]) do
    check_axis(key, pair[1])
    plot[key][i] = { axis = pair[1], text = value_text(key, pair[1], pair[2]) }
  end
end

-- A ratio has one base, and no band or mean around it.
local function read_base(given, plot, key)
  read_values(given, plot, key, "base")
  local base = plot[key][1]
  if given[key] ~= nil and #plot[key] ~= 1 then refuse(key, SHAPES.base) end
  if base and (plot.over or given.bands) then refuse(key, "goes without over and bands") end
end

local function check_labels(labels)
  if type(labels) ~= "table" then refuse("labels", SHAPES.labels) end
  for key in next, labels do
    if type(key) ~= "string" then refuse("labels", SHAPES.labels) end
  end
end

local function read_labels(given, plot)
  plot.labels = {}
  if given.labels == nil then return end
  check_labels(given.labels)
  plot.labels = shape.pairs(given.labels)
  for i, pair in ipairs(plot.labels) do
    local text = axes.written(axes.find(plot.by), pair[1]) or axes.written(axes.find(plot.panels), pair[1])
    if not text then
      refuse("labels", string.format("names %s, which is no value of the axes in `by` and `panels`", pair[1]))
    end
    if type(pair[2]) ~= "string" then refuse("labels", SHAPES.labels) end
    plot.labels[i] = { text, pair[2] }
  end
end

-- --- look ---------------------------------------------------------------------------------------

-- Texts, numbers, switches and, `depth` deep, tables of them.
local function check_look(key, value, depth)
  if type(value) == "table" and depth > 0 then
    local count = core.part(value)
    if count > 0 then core.length(value) end
    for name, inner in next, value do
      if count == 0 and type(name) ~= "string" then refuse(key, "has to be a list, or a table whose fields have names") end
      check_look(key, inner, depth - 1)
    end
  elseif type(value) ~= "number" and type(value) ~= "boolean" and type(value) ~= "string" then
    refuse(key, "has to be a text, a number or a table of such")
  end
end

local function series_text(plot, key, name)
  local text = axes.written(axes.find(plot.by), tostring(name))
  if not text then refuse(key, string.format("names %s, which is no value of the axis in `by`", tostring(name))) end
  return text
end

-- The values of `by` that an option names, with its fields or one after the other, as columns have them.
local function with_series(plot, key, value)
  local named = {}
  local is_list = core.part(value) > 0
  if key ~= "order" and is_list then return value end
  for name, inner in next, value do
    if is_list then named[name] = series_text(plot, key, inner) end
    if not is_list then named[series_text(plot, key, name)] = inner end
  end
  return named
end

local OF_SERIES = { order = true, colours = true, lines = true }

local function read_look(given, plot)
  plot.look = {}
  for _, key in ipairs(LOOKS) do
    local value = given[key]
    if value ~= nil then
      check_look(key, value, 1)
      local is_named = OF_SERIES[key] and type(value) == "table"
      plot.look[key] = is_named and with_series(plot, key, value) or value
    end
  end
  local problem = look.check(plot)
  if problem[1] then refuse(problem[1], problem[2]) end
end

-- --- published values ---------------------------------------------------------------------------

local function low_and_high(y)
  if y == nil then return 0 / 0, 0 / 0 end -- those of the claim
  local is_range = type(y) == "table" and core.length(y) == 2
  local low, high = is_range and rawget(y, 1) or y, is_range and rawget(y, 2) or y
  if type(low) ~= "number" or type(high) ~= "number" then refuse("published", SHAPES.entry_y) end
  if not (-math.huge < low and low <= high and high < math.huge) then refuse("published", SHAPES.entry_number) end
  return low, high
end

local function read_place(plot, entry, mark)
  local x = entry.x
  local function text(axis, value) return value_text("published", axis, value) end
  if type(x) == "table" and core.length(x) == 2 then
    mark.x_low, mark.x_high = text(plot.x, rawget(x, 1)), text(plot.x, rawget(x, 2))
  elseif x ~= nil then
    mark.x_low = text(plot.x, x)
  end
  if entry.by ~= nil then mark.series = text(plot.by, entry.by) end
  if entry.panel ~= nil then mark.panel = text(plot.panels, entry.panel) end
end

local ENTRY_KEYS = { by = true, panel = true, x = true, y = true }

local function read_entry(plot, given)
  if type(given) ~= "table" or core.part(given) > 1 then refuse("published", SHAPES.entry) end
  for key in next, given do
    if type(key) == "string" and not ENTRY_KEYS[key] then refuse("published", SHAPES.entry) end
  end
  local entry = shape.copy(given)
  local mark = { claim = type(entry[1]) == "string" and entry[1] or nil }
  mark.low, mark.high = low_and_high(entry.y)
  if not mark.claim and mark.low ~= mark.low then refuse("published", SHAPES.entry) end
  read_place(plot, entry, mark)
  return mark
end

local function read_marks_of(plot, list)
  if type(list) ~= "table" then refuse("published", SHAPES.published) end
  local marks = {}
  for i = 1, core.length(list) do marks[i] = read_entry(plot, rawget(list, i)) end
  return marks
end

-- --- the whole ----------------------------------------------------------------------------------

local function read_plot(of)
  if type(of) ~= "table" then core.fail("plot has to be a table { x = ..., y = ... } or a list of such") end
  core.check_keys(of, KEYS, "plot", "plot")
  local given, plot = shape.copy(of), {}
  for _, key in ipairs(TEXTS) do plot[key] = read_text(key, given[key]) end
  if not plot.x or not plot.y then
    core.fail("plot needs x, the name of an axis, and y, the name of a measure's column")
  end
  plot.style = plot.style or STYLES[1]
  check_style(plot.style)
  check_axes(plot)
  read_bands(given, plot)
  read_marks(given, plot)
  read_values(given, plot, "only", "only")
  read_base(given, plot, "speedup")
  read_base(given, plot, "share")
  read_labels(given, plot)
  read_look(given, plot)
  check_bytes(plot)
  local published = type(given.published)
  if published ~= "nil" and published ~= "table" and published ~= "function" then refuse("published", SHAPES.published) end
  if published == "table" then read_marks_of(plot, given.published) end -- a function is called when there are results
  return plot, given.published
end

local all, published = {}, {} -- the plots; and what the study gives as published for each, by number

-- The list of plots.
function plots.read(given)
  local count = core.part(given)
  if count == 0 then
    all[1], published[1] = read_plot(given)
    return all
  end
  core.length(given) -- a list has no fields of a figure
  if count > MOST_FIGURES then core.fail(string.format("plot lists more than %d figures", MOST_FIGURES)) end
  for i = 1, count do all[i], published[i] = read_plot(rawget(given, i)) end
  return all
end

-- The marks of what is published beside a plot; nil if nothing is.
function plots.marks(number, results)
  local list = published[number]
  if type(list) == "function" then
    core.blame(list)
    list = list(core.results(results))
  end
  return published[number] and read_marks_of(all[number], list)
end

return plots
