-- SPDX-License-Identifier: BSD-3-Clause
-- What gnuplot gets for one figure: data, and a script that says what differs from figure to figure. What each variable
-- means stands in plots/page.gp and plots/panel.gp; how figures look is written in plots/ alone.
local page = require "page"
local pivot = require "pivot"
local sheet = require "sheet"
local text = require "text"
local figure = {}

local TEMPLATES = "plots"    -- where the script looks for the templates of plots/, beside itself
local KEY_TEXT_MOST = 0.75   -- of the page's width, for one entry of the legend
local MOST_CHARACTERS = 200
local MOST_FORMAT_BYTES = 48 -- gnuplot cuts a label made by a format at its 50th byte

local script = {}
script.__index = script

function script:line(format, ...) self[#self + 1] = string.format(format, ...) end

-- --- texts and numbers ---------------------------------------------------------------------------

-- Neither of gnuplot's quotations takes a text as it is: between single quotes 5.4 fails at an apostrophe that comes
-- first, between double ones it runs what stands in backquotes. Bytes by number it only ever takes for bytes. A digit
-- would be read into the number before.
local function bytes_of(of)
  return (of:gsub("[^A-Za-z ]", function(byte) return string.format("\\%03o", byte:byte()) end))
end

-- gnuplot's SVG takes "&#" for the start of a character reference, which may be a bad one, and writes "]]>" as it is,
-- which XML forbids: a word joiner, which nobody sees, comes between.
local function without_markup(of)
  return (of:gsub("&#", "&\u{2060}#"):gsub("]]>", "]]\u{2060}>"))
end

-- NAME = "text". Of a long text the start.
function script:text(name, of)
  self:line('%s = "%s"', name, bytes_of(without_markup(core.shown(of, MOST_CHARACTERS))))
end

-- The same for a label of a tick, which gnuplot takes for a format where it holds a %.
function script:label(name, label)
  if not label:find("%", 1, true) then return self:text(name, label) end
  local plain, start = without_markup(core.shown(label)), ""
  for character in plain:gmatch(utf8.charpattern) do
    if #start + #character > MOST_FORMAT_BYTES then break end
    start = start .. character
  end
  self:line('%s = "%s"', name, bytes_of((start:gsub("%%", "%%%%"))))
end

function script:number(name, number) self:line("%s = %.17g", name, number) end

function script:switch(name, is_on) self:line("%s = %d", name, is_on and 1 or 0) end

function script:array(name, count) self:line("array %s[%d]", name, math.max(count, 1)) end

-- NAME_count and NAME[].
function script:texts(name, texts)
  self:line("%s_count = %d", name, #texts)
  self:array(name, #texts)
  for i, one in ipairs(texts) do self:text(string.format("%s[%d]", name, i), one) end
end

-- AXIS_tick_count and arrays of the labels, places and levels.
function script:ticks(axis, ticks)
  self:line("%s_tick_count = %d", axis, #ticks)
  for _, array in ipairs { "label", "place", "level" } do
    self:array(axis .. "_tick_" .. array, #ticks)
  end
  for i, tick in ipairs(ticks) do
    self:label(string.format("%s_tick_label[%d]", axis, i), tick.label)
    self:number(string.format("%s_tick_place[%d]", axis, i), tick.place)
    self:number(string.format("%s_tick_level[%d]", axis, i), tick.label == "" and 1 or 0)
  end
end

-- --- legend --------------------------------------------------------------------------------------

-- How an entry of the legend is drawn; the line styles are plots/page.gp's.
local SAMPLES = {
  curve = "linespoints linetype %d", marks = "points linetype %d",
  box = "boxes linetype %d dashtype 1", front = "lines linestyle 24",
}
local PUBLISHED = {
  { sheet.LINE, "lines linestyle 21", "published" },
  { sheet.POINT, "points linestyle 22", "published value" },
  { sheet.RANGE, "yerrorbars linestyle 23", "published range" },
  { sheet.MEASURED, "points linestyle 25", "measured" },
}

local function has_marks(sheets, kind)
  for _, one in ipairs(sheets) do
    for _, mark in ipairs(one.marks) do
      if mark.kind == kind then return true end
    end
  end
end

-- The legend's texts, and how each is drawn. A single series needs no name, but beside published values.
local function legend(sheets, most)
  local texts, samples, count = {}, {}, #sheets.series
  local function add(of, sample) texts[#texts + 1], samples[#texts + 1] = of, sample end
  for i, series in ipairs(sheets.series) do
    add(text.fitting(count == 1 and "simulated" or series.label, most),
        string.format(SAMPLES[series.kind], i))
  end
  for _, published in ipairs(PUBLISHED) do
    if has_marks(sheets, published[1]) then add(published[3], published[2]) end
  end
  local is_needed = sheets.plot.style ~= "heatmap" and (count > 1 or #texts > count)
  return is_needed and texts or {}, is_needed and samples or {}
end

-- --- the page ------------------------------------------------------------------------------------

local function set_places(out, sheets, on)
  local bottom = on.top - (on.rows - 1) * on.row_height - on.panel_height
  local right = on.left + on.panel_width * on.columns + on.column_gap * (on.columns - 1)
  out:number("page_width", on.width)
  out:number("page_height", on.height)
  for _, name in ipairs { "title", "x", "y", "note" } do
    out:texts(name .. "_line", on[name .. "_lines"])
  end
  out:number("line", page.LINE)
  for _, name in ipairs { "title_y", "x_label_y", "y_label_x", "note_y" } do
    out:number(name, on[name])
  end
  out:number("middle_x", (on.left + right) / 2)
  out:number("middle_y", (on.top + bottom) / 2)
  out:number("key_top", on.key_top)
  out:number("key_columns", on.key_columns)
  out:text("series_label", #sheets.series > 1 and sheets.series_label or "")
  out:text("z_label", sheets.z_label)
end

local function set_key(out, texts)
  local longest = 1
  for _, one in ipairs(texts) do longest = math.max(longest, text.length(one)) end
  out:line("key_longest = %d", longest)
  out:switch("has_key", #texts > 0)
  out:texts("key_title", texts)
end

local function set_axes(out, sheets, on)
  for _, name in ipairs { "x", "y", "z" } do
    out:switch(name .. "_is_log", sheets[name].scale == "log")
    out:number(name .. "_low", sheets[name].low)
    out:number(name .. "_high", sheets[name].high)
  end
  for _, name in ipairs { "x", "y", "z" } do
    if on[name .. "_ticks"] then out:ticks(name, on[name .. "_ticks"]) end
  end
end

local function append_panel(out, sheets, on, number)
  local one, place = sheets[number], page.panel(on, #sheets, number)
  out:text("panel_title", text.fitting(one.title, on.panel_width))
  for _, name in ipairs { "left", "right", "bottom", "top" } do out:number(name, place[name]) end
  out:switch("shows_x", place.shows_x)
  out:switch("shows_y", place.shows_y)
  out:line("series_count = %d", #one.series)
  out:array("series_style", #one.series)
  out:array("series_is_marks", #one.series)
  for i, series in ipairs(one.series) do
    local is_marks = sheets.series[series].kind == "marks"
    out:number(string.format("series_style[%d]", i), series)
    out:number(string.format("series_is_marks[%d]", i), is_marks and 1 or 0)
  end
  out:line("data = 'data-%d.tsv'\nmarks = 'marks-%d.tsv'\nmark_count = %d", number, number, #one.marks)
  out:line("load '%s/panel.gp'\nload '%s/%s.gp'", TEMPLATES, TEMPLATES, sheets.plot.style or "lines")
end

local function append_page(out, sheets, format)
  local texts, samples = legend(sheets, KEY_TEXT_MOST * format.width)
  local on = page.new({ title = sheets.title, x_label = sheets.x_label, y_label = sheets.y_label,
                        note = sheets.note, x = sheets.x, y = sheets.y, z = sheets.z,
                        panels = #sheets, key = texts, key_title = sheets.series_label,
                        has_colours = sheets.plot.style == "heatmap" }, format.width)
  out:text("format", format.terminal)
  out:text("output_file", format.name)
  set_places(out, sheets, on)
  set_key(out, texts)
  set_axes(out, sheets, on)
  out:switch("x_ticks_are_slanted", on.x_ticks_are_slanted)
  out:switch("has_bands", sheets.has_bands)
  out:line("load '%s/page.gp'", TEMPLATES)
  for i, sample in ipairs(samples) do
    samples[i] = string.format(", keyentry with %s title key_title[%d]", sample, i)
  end
  out:line("plot NaN notitle%s\nunset label", table.concat(samples))
  for i in ipairs(sheets) do append_panel(out, sheets, on, i) end
  out:line("unset multiplot\nunset output")
end

-- The files that gnuplot needs to draw the results in all formats ({ name, terminal, width in em }): names and contents in
-- turn. None if there is nothing to draw. An error is { sentence = ... }.
function figure.files(results, plot, marks, formats)
  local sheets = sheet.new(plot, results, marks)
  if not sheets:has_values() then return {} end
  local files, out = {}, setmetatable({}, script)
  out:line("all_series = %d", #sheets.series)
  for _, format in ipairs(formats) do append_page(out, sheets, format) end
  local function add(name, content) table.move({ name, content }, 1, 2, #files + 1, files) end
  for i, one in ipairs(sheets) do
    add("data-" .. i .. ".tsv", sheets:data(one))
    add("marks-" .. i .. ".tsv", sheet.marks(one))
  end
  add("figure.gp", table.concat(out, "\n") .. "\n")
  return files
end

-- An error if the plot names a column that the results do not have: { sentence = ... }.
function figure.check(results, plot)
  pivot.table(plot, results, nil, pivot.PLAIN)
  return {}
end

return figure
