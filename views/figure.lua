-- SPDX-License-Identifier: BSD-3-Clause
-- Writes gnuplot's script for a figure: its data, the variables that differ from figure to figure, and the templates of
-- plots/, so that the script draws the figure anywhere. plots/page.gp and plots/panel.gp explain each variable; they and,
-- where a study asks for something else, look.lua say how figures look.
local look = require "look"
local page = require "page"
local pivot = require "pivot"
local sheet = require "sheet"
local text = require "text"
local values = require "values"
local figure = {}

local TEMPLATES = { loglog = "lines", semilogx = "lines" } -- the templates of styles whose name says which axes are logarithmic
local KEY_TEXT_MOST = 0.75   -- part of the page's width that one entry of the legend may take
local MOST_CHARACTERS = 200
local MARK_WIDTH = 0.75      -- em, of a mark of size 1
local LEAST_MARK = 0.35
local MOST_FORMAT_BYTES = 48 -- gnuplot cuts a label made by a format at its 50th byte

-- Formats: the file, the terminal in plots/page.gp, the size of the letters in points (nil: a screen's), and the width of the
-- page in em: 88 mm, 180 mm, 800 dots with letters of 13.
local FORMATS = {
  { name = "figure.pdf", terminal = "pdf", points = 7, width = 88 / 25.4 * 72 / 7 },
  { name = "figure-180mm.pdf", terminal = "pdf-180mm", points = 8, width = 180 / 25.4 * 72 / 8, is_wide = true },
  { name = "figure.svg", terminal = "svg", width = 800 / 13 },
  { name = "figure.png", terminal = "png", width = 800 / 13 },
}

local script = {}
script.__index = script

function script:line(format, ...) self[#self + 1] = string.format(format, ...) end

-- The text of plots/NAME.gp.
function script:template(name)
  if not self.loaded[name] then
    local file <close> = assert(io.open(core.folder "plots" .. "/" .. name .. ".gp"))
    self.loaded[name] = file:read "a"
  end
  self[#self + 1] = self.loaded[name]
end

-- Lines of numbers, as what gnuplot reads under the name $NAME.
function script:data(name, lines) self:line("$%s << END_OF_DATA\n%sEND_OF_DATA", name, lines) end

-- --- texts and numbers ---------------------------------------------------------------------------

-- A text for gnuplot, with each special byte by its number, since neither kind of quotes takes every text: between single
-- quotes gnuplot 5.4 fails at a leading apostrophe, between double quotes it runs what is in backquotes. Digits are written
-- by number, too, as they would be read as a part of the number before.
local function bytes_of(of)
  return (of:gsub("[^A-Za-z ]", function(byte) return string.format("\\%03o", byte:byte()) end))
end

-- gnuplot's SVG takes "&#" for the start of a character reference, which may be a bad one, and writes "]]>" as it is,
-- which XML forbids: a word joiner, which nobody sees, comes between.
local function without_markup(of)
  return (of:gsub("&#", "&\u{2060}#"):gsub("]]>", "]]\u{2060}>"))
end

-- NAME = "text"; long texts are cut.
function script:text(name, of)
  self:line('%s = "%s"', name, bytes_of(without_markup(core.shown(of, MOST_CHARACTERS))))
end

-- The same for a tick's label, in which gnuplot would read a % as a format.
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

-- The legend's texts, and how each is drawn. A single series has an entry only beside published values.
local function legend(sheets, most)
  local texts, samples, count = {}, {}, #sheets.series
  local function add(of, sample) texts[#texts + 1], samples[#texts + 1] = of, sample end
  for i, series in ipairs(sheets.series) do
    local sample = look.dashes(sheets.plot, series, i) == "none" and SAMPLES.marks or SAMPLES[series.kind]
    add(text.fitting(count == 1 and "simulated" or series.label, most), string.format(sample, i))
  end
  for _, published in ipairs(PUBLISHED) do
    if has_marks(sheets, published[1]) then add(published[3], published[2]) end
  end
  local is_needed = sheets.plot.style ~= "heatmap" and (count > 1 or #texts > count) and
                    look.legend(sheets.plot).place ~= "none"
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
  out:text("z_label", sheets.z_label)
end

-- Places the legend below the panels, or in a corner of the first panel: key_x and key_y in em, and the side on which it stands.
local function append_legend(out, sheets, on, texts, samples)
  local longest, corner = 1, on.legend_corner
  if #texts == 0 then return end
  for _, one in ipairs(texts) do longest = math.max(longest, text.length(one)) end
  out:number("key_top", on.key_top)
  out:number("key_columns", on.key_columns)
  out:line("key_longest = %d", longest)
  out:texts("key_title", texts)
  out:text("series_label", on.key_title)
  out:switch("key_is_inside", corner ~= nil)
  if corner then
    local place = page.panel(on, #sheets, 1)
    local vertical, horizontal = corner:match("(%a+) (%a+)")
    out:number("key_x", place[horizontal] + (horizontal == "left" and 0.4 or -0.4))
    out:number("key_y", place[vertical] + (vertical == "bottom" and 0.4 or -0.4))
    out:switch("key_is_right", horizontal == "right")
    out:switch("key_is_low", vertical == "bottom")
  end
  out:template("legend")
  for i, sample in ipairs(samples) do
    samples[i] = string.format(", keyentry with %s title key_title[%d]", sample, i)
  end
  out:line("plot NaN notitle%s", table.concat(samples))
end

-- Sets what the study wants to differ from plots/page.gp.
local function set_look(out, sheets)
  for i, series in ipairs(sheets.series) do
    local colour, dashes = look.colour(sheets.plot, series, i), look.dashes(sheets.plot, series, i)
    if colour then out:line("set linetype %d linecolor rgb '%s'", i, colour) end
    if dashes and dashes ~= "none" then out:line("set linetype %d dashtype %s", i, dashes) end
  end
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

-- gnuplot's size of a mark that is as wide as a bar, but not too small to be seen and no larger than other marks.
local function mark_size(sheets, on)
  local bar = sheets.bar_width * on.panel_width / (sheets.x.high - sheets.x.low)
  return math.min(math.max(bar / MARK_WIDTH, LEAST_MARK), 1)
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
    local is_marks = sheets.series[series].kind == "marks" or
                     look.dashes(sheets.plot, sheets.series[series], series) == "none"
    out:number(string.format("series_style[%d]", i), series)
    out:number(string.format("series_is_marks[%d]", i), is_marks and 1 or 0)
  end
  out:line("data = '$data_%d'\nmarks = '$marks_%d'\nmark_count = %d", number, number, #one.marks)
  if sheets.plot.style == "bars" then
    local places = sheets:bar_places(one)
    out:number("bar", sheets.bar_width)
    out:number("mark_size", mark_size(sheets, on))
    out:array("bar_at", #places)
    for i, place in ipairs(places) do out:number(string.format("bar_at[%d]", i), place) end
  end
  out:template("panel")
  for _, setting in ipairs(look.settings(sheets.plot.look.gnuplot, bytes_of)) do out:line("%s", setting) end
  out:template(TEMPLATES[sheets.plot.style] or sheets.plot.style or "lines")
end

local function append_page(out, sheets, format)
  local size, wanted = look.size(sheets.plot, format), look.legend(sheets.plot)
  local texts, samples = legend(sheets, KEY_TEXT_MOST * size.width)
  local key_title = #sheets.series > 1 and (wanted.title or sheets.series_label) or ""
  local on = page.new({ title = sheets.title, x_label = sheets.x_label, y_label = sheets.y_label,
                        notes = sheets.notes, x = sheets.x, y = sheets.y, z = sheets.z,
                        panels = #sheets, key = texts, key_title = key_title, key_columns = wanted.columns,
                        key_place = wanted.place, has_colours = sheets.plot.style == "heatmap" }, size)
  out:text("format", format.terminal)
  if out.is_alone then out:line("output_file = ARG0[1:strlen(ARG0) - 3] . '.pdf'") else out:text("output_file", format.name) end
  out:text("font_name", look.font(sheets.plot) or "DejaVu Sans")
  out:number("letters", size.points or format.points or 0)
  set_places(out, sheets, on)
  set_axes(out, sheets, on)
  out:number("x_tick_angle", on.x_tick_angle)
  out:switch("has_bands", sheets.has_bands)
  out:template("page")
  set_look(out, sheets)
  out:line("plot NaN notitle\nunset label")
  for i in ipairs(sheets) do append_panel(out, sheets, on, i) end
  append_legend(out, sheets, on, texts, samples)
  out:line("unset multiplot\nunset output")
  return on
end

-- The script for these formats, and the page of each terminal. `is_alone`: it is for a reader, who may rename it.
local function script_for(sheets, formats, is_alone)
  local out = setmetatable({ loaded = {}, is_alone = is_alone }, script)
  out:line("# Drawn by: gnuplot figure.gp (version 5.4 or later)")
  for i, one in ipairs(sheets) do
    out:data("data_" .. i, sheets:data(one))
    out:data("marks_" .. i, sheet.marks(one))
  end
  local pages = {}
  for _, format in ipairs(formats) do pages[format.terminal] = append_page(out, sheets, format) end
  return table.concat(out, "\n") .. "\n", pages
end

-- Marks of claims get the claim's range.
local function set_ranges(plot, marks)
  local given
  for _, mark in ipairs(marks) do
    if not mark.low or mark.low ~= mark.low then
      local claims = require "claims" -- loaded here, since most figures have no claims
      given = given or { stated = core.folder("claims/claims.tsv"), values = {}, answers = {} }
      local range = claims.range(given, mark.claim)
      if not range[1] then
        error { sentence = string.format('%s: plot.published: claim "%s" states no range of numbers; give y', plot.path, mark.claim) }
      end
      mark.low, mark.high = core.number(range[1]), core.number(range[2])
    end
  end
end

-- Two scripts for gnuplot: one that draws the results in all formats, and one for readers that draws the first of them; and what
-- figure.svg gets at its end. An error is { sentence = ... }.
function figure.scripts(results, plot, marks)
  set_ranges(plot, marks)
  local sheets = sheet.new(plot, results, marks)
  if not sheets:has_values() then
    error { sentence = "the figure is not drawn: no point gave a value for it", code = core.ERROR_RUN }
  end
  local all, pages = script_for(sheets, FORMATS)
  local alone = script_for(sheets, { FORMATS[1] }, true)
  return all, alone, values.group(sheets, pages.svg)
end

-- The same as a list.
function figure.texts(...) return { figure.scripts(...) } end

-- The scripts of a table that terminal.of_texts has made. `plot`: x, y (a list of columns in one text), style, title, x_label,
-- y_label, and perhaps panels.
function figure.of_table(of, plot)
  plot.only, plot.labels, plot.marks, plot.look = {}, {}, {}, {}
  return figure.scripts(of, plot, {})
end

-- An error if the plot names a column that the results do not have: { sentence = ... }.
function figure.check(results, plot)
  pivot.table(plot, results, nil, pivot.PLAIN)
  return {}
end

return figure
