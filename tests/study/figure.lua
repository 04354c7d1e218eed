-- SPDX-License-Identifier: BSD-3-Clause
-- What a figure is laid out from: ticks, ends of axes, names, widths, the page. test_figure.c runs each function.
local axis = require "axis"
local derived = require "derived"
local label = require "label"
local look = require "look"
local page = require "page"
local pivot = require "pivot"
local sheet = require "sheet"
local svg = require "svg"
local terminal = require "terminal"
local text = require "text"
local test = {}

local function equal(found, expected)
  if found ~= expected then
    error(string.format("%s instead of %s", tostring(found), tostring(expected)), 2)
  end
end

local function near(found, expected, epsilon)
  if math.abs(found - expected) > epsilon then
    error(string.format("%.17g instead of %.17g", found, expected), 2)
  end
end

-- The labels of the ticks, in their order, minor ones as a dot: "1 . . 10".
local function labels_of(of, length, is_vertical)
  local labels = {}
  for i, tick in ipairs(of:ticks(length, is_vertical)) do
    labels[i] = tick.label ~= "" and tick.label or "."
  end
  return table.concat(labels, "|")
end

local function axis_of(scale, is_bytes, low, high)
  local of = axis.new(scale, is_bytes)
  of:add(high)
  of:add(low)
  of:add(0 / 0)
  of:settle()
  return of
end

local function assert_y(scale, least, most, low, high, expected)
  local y = axis_of(scale, false, least, most)
  y:end_round(true)
  near(y.low, low, 1e-9 * math.abs(high))
  near(y.high, high, 1e-9 * math.abs(high))
  equal(labels_of(y, 20, true), expected)
end

-- Every axis contains its values, zero if none is on the other side, and writes its numbers in one way.
function test.y()
  assert_y("linear", 3, 9.5, 0, 10, "0|2|4|6|8|10")
  assert_y("linear", -37, 11, -40, 20, "-40|-30|-20|-10|0|10|20")
  assert_y("linear", 0, 0, 0, 1, "0|0.2|0.4|0.6|0.8|1")
  assert_y("linear", 2e-6, 9e-6, 0, 1e-5, "0|2·10⁻⁶|4·10⁻⁶|6·10⁻⁶|8·10⁻⁶|10⁻⁵")
  assert_y("log", 1.5, 4.2, 1, 5, "1|2|5")
  assert_y("log", 0.03, 0.3, 0.02, 0.5, "0.02|0.05|0.1|0.2|0.5")
  assert_y("log", 3, 70000, 1, 100000, "1|10|100|1000|10000|100000")
  assert_y("log", 2, 2, 1, 2, "1|2")
  assert_y("log", 1e-5, 0.2, 1e-5, 1, "10⁻⁵|10⁻⁴|10⁻³|10⁻²|10⁻¹|10⁰")
  equal(axis_of("log", false, 0, 4):can_be_drawn(), false) -- zero has no logarithm
end

-- Powers of two, as many labels as have room.
function test.bytes()
  local x = axis_of("log", true, 512, 4096)
  x:end_near()
  equal(labels_of(x, 40), "512 B|1 KiB|2 KiB|4 KiB")
  equal(labels_of(x, 12), "512 B|.|2 KiB|.")
  equal(labels_of(x, 1), "512 B|.|.|.")
end

function test.counts()
  local x = axis_of("log", false, 1, 480)
  x:add(16)
  x:settle()
  x:end_near()
  equal(labels_of(x, 40), "1|16|480")
end

local function quantity(key, unit)
  return { key = key, name = key, kind = "quantity", unit = unit }
end
local function plain(key, is_number)
  return { key = key, name = key, kind = "number", is_number = is_number, unit = "count" }
end
local function words(key) return { key = key, name = key, kind = "text", unit = "count" } end

function test.labels()
  local time, size, groups = quantity("latency", "time"), quantity("bytes", "bytes"), words("work_groups")
  local delay = plain("delay_ns", true)
  equal(label.column(time), "Latency (µs)")
  equal(label.column(plain("l2_hit_rate")), "L2 hit rate")
  equal(label.column(plain("work_groups")), "Work-groups")
  equal(label.column(plain("gets_per_us", true)), "Gets per µs")
  equal(label.column(plain("deviation_percent")), "Deviation (%)")
  equal(label.value(size, "65536"), "64 KiB")
  equal(label.column(size), "Size")
  equal(label.value(time, "0.5"), "0.5 µs")
  for given, expected in pairs {
    ["nodes=2_chain"] = "nodes = 2 chain", ["D2H_gpu0+D2H_gpu1"] = "D2H GPU 0+D2H GPU 1",
    ["spin=20us"] = "spin = 20 µs", ["copy_D2H_64MiB_pinned"] = "copy D2H 64 MiB pinned",
    ["2threads_1gpu"] = "2 threads 1 GPU", ["period_grid1056x256"] = "period grid 1056x256",
    ["8B"] = "8 B", ["PCIe 5, 1.5GB/s"] = "PCIe 5, 1.5 GB/s", ["400 Gbit/s"] = "400 Gbit/s",
    ["100 µs"] = "100 µs", ["H100"] = "H100", ["gpu_memory"] = "GPU memory", ["Charm++"] = "Charm++",
  } do
    equal(label.value(groups, given), expected)
  end
  equal(label.measure(time), "Latency")
  equal(label.measure(delay), "Delay")
  equal(label.column(delay), "Delay (ns)")
  equal(label.value(delay, "500"), "500 ns")
  equal(label.value(plain("bytes", true), "262144"), "256 KiB")
  equal(label.value_of(plain("work_groups"), "16"), "Work-groups 16")
  equal(label.value_of(words("locking"), "true"), "locking")
  equal(label.value_of(words("locking"), "false"), "no locking")
  equal(label.given("Time of a get", time, 1), "Time of a get (µs)")
  equal(label.given("Time (µs)", time, 1), "Time (µs)")
  equal(pcall(label.given, "Time (ns)", time, 1), false) -- which is not what is drawn
end

-- Long numbers count in a larger unit.
function test.units()
  local joules, number = quantity("energy", "energy"), plain("count")
  equal(label.unit_size(joules, 999), 1)
  equal(label.unit_size(joules, 20000), 1e3)
  equal(label.unit_size(joules, 8e6), 1e6)
  equal(label.unit_size(number, 8e6), 1)
  equal(label.column(joules, 1e3), "Energy (mJ)")
  local y = axis_of("linear", false, 0, 3e6)
  y.unit = 1e6
  y:end_round(true)
  equal(labels_of(y, 20, true), "0|0.5|1|1.5|2|2.5|3")
end

-- Curves that lie on each other are told, a shorter one on a longer one too; those that part, or end elsewhere, are not.
function test.coincident_curves()
  local results = terminal.of_texts({ "x", "by", "y" }, {
    { "1", "long", "5" }, { "2", "long", "60" }, { "4", "long", "90" }, { "2", "short", "60" }, { "4", "short", "90.1" },
    { "1", "apart", "5" }, { "2", "apart", "70" }, { "4", "apart", "90" }, { "4", "later", "90" }, { "8", "later", "95" },
  }, 1, 3)
  for i = 1, 2 do results.columns[i].is_axis = true end
  results.columns[2].is_number = false
  local plot = { x = "x", y = "y", by = "by", style = "lines", only = {}, labels = {}, marks = {}, look = {} }
  local notes = sheet.new(plot, results, {}).notes
  equal(notes[#notes], "Curves that coincide: long and short")
end

-- What a browser tells of a value.
function test.value_words()
  equal(label.number(quantity("latency", "time"), 3214.6, 1), "3215 µs")
  equal(label.number(quantity("latency", "time"), 3214.6, 1e3), "3.215 ms")
  equal(label.number(quantity("bytes", "bytes"), 65536, 1), "64 KiB")
  equal(label.number(plain("l2_hit_rate", true), 0.12345, 1), "0.1235")
  equal(label.number(plain("count", true), 1234567, 1), "1234567")
end

-- A drawing is made smaller: no text of it changes, and the values come last.
function test.smaller_svg()
  local group = '<g fill="none" color="black" stroke="currentColor" stroke-width="1.00" stroke-linecap="butt" stroke-linejoin="miter">\n'
  local drawn = '<svg \n viewBox="0 0 8 5">\n<g id="gnuplot_canvas">\n<rect x="0" y="0" width="8" height="5" fill="#ffffff"/>\n' ..
                "<defs>\n\t<path id='gpPt0' d='M-1,0'/>\n\t<path id='gpPt1' d='M-2,0'/>\n</defs>\n" .. group .. "</g>\n" .. group ..
                "<use xlink:href='#gpPt1' color='rgb(  0, 114, 178)'/></g>\n" .. group ..
                '\t<g font-family="DejaVu Sans" fill="black">\n\t\t<text>stroke-linecap="butt"  rgb(1, 2, 3)</text>\n\t</g></g>\n</g>\n</svg>\n'
  equal(svg.finish(drawn, "<g/>\n")[1], '<svg font-family="DejaVu Sans, Verdana, Arial, sans-serif" viewBox="0 0 8 5">\n' ..
        '<g id="gnuplot_canvas" fill="none" color="black" stroke="currentColor">\n' ..
        '<rect x="0" y="0" width="8" height="5" fill="#ffffff" stroke="none"/>\n<defs>\n' ..
        "<path id='gpPt1' d='M-2,0'/>\n</defs>\n<g stroke-width=\"1.00\">\n<use xlink:href='#gpPt1' color='#0072b2'/></g>\n" ..
        '<g stroke-width="1.00">\n<g fill="black">\n<text>stroke-linecap="butt"  rgb(1, 2, 3)</text>\n</g></g>\n</g>\n<g/>\n</svg>\n')
end

-- Bars on a logarithmic axis do not vanish at its low end.
function test.room()
  local y = axis_of("log", false, 10, 2000)
  y:leave_room(1.5)
  y:end_round(true)
  equal(y.low, 5.0)
end

function test.texts()
  local lines = text.lines("one two three", text.width("one two "))
  equal(#lines, 2)
  equal(lines[1], "one two")
  equal(lines[2], "three")
  local start = text.fitting("a long text", 4)
  equal(text.fitting("short", 10), "short")
  equal(start:sub(-#"…"), "…")
  assert(text.width(start) <= 4)
end

local function is_apart(one, other)
  return other.right < one.left or other.left > one.right or other.bottom > one.top
end

-- Panels stand beside and below each other and nothing leaves the page, whatever its width.
function test.page()
  local key = {}
  for i = 1, 9 do key[i] = "an entry of the legend" end
  for _, width in ipairs { 35.6, 61.5, 63.8 } do
    for panels = 1, 7 do
      local content = { title = "A title", x_label = "Size", y_label = "Latency (µs)", notes = {},
                        x = axis_of("log", true, 1, 4 << 20), y = axis_of("log", false, 1, 5000),
                        panels = panels, key = key, key_title = "" }
      content.x:end_near()
      content.y:end_round(true)
      local on = page.new(content, { width = width })
      for i = 1, panels do
        local one = page.panel(on, panels, i)
        assert(one.left > 0)
        assert(one.right <= on.width)
        assert(one.bottom > on.key_top)
        assert(one.top < on.title_y)
        for k = 1, i - 1 do assert(is_apart(one, page.panel(on, panels, k))) end
      end
    end
  end
end

-- Names along x stand side by side, are slanted where they have no room, and stand upright where slanted ones would touch.
local function page_of_names(count, is_bytes)
  local x, y = axis.new("named", is_bytes), axis_of("linear", false, 0, 10)
  for i = 1, count do x:add_name("case " .. i) end
  x:end_near()
  y:end_round(true)
  return page.new({ title = "t", x_label = "x", y_label = "y", notes = {}, key_title = "", key = {}, panels = 1, x = x, y = y },
                  { width = 36 })
end

function test.names_turn()
  equal(page_of_names(3).x_tick_angle, 0)
  equal(page_of_names(16).x_tick_angle, 45)
  equal(page_of_names(26).x_tick_angle, 90)
end

-- Of sizes that would overlap upright only some have labels, the first of them; names, which do not follow from others, all.
function test.sizes_are_thinned_out()
  local function labels(count, is_bytes)
    local shown = 0
    for i, tick in ipairs(page_of_names(count, is_bytes).x_ticks) do
      if tick.label ~= "" then shown = shown + 1 end
      if i == 1 then equal(tick.label, "case 1") end
    end
    return shown
  end
  equal(labels(26, true), 26)
  equal(labels(40, true), 20)
  equal(labels(40, false), 40)
end

-- --- how a study wants a figure to look -------------------------------------------------------------

-- The option that is refused, and what is wrong; nothing for a good one.
local function refused(options, style)
  local problem = look.check { look = options, style = style or "lines" }
  return problem[1], problem[2]
end

function test.look_is_checked()
  local good = {
    { x_range = { 8, 64 } }, { y_range = { 0, false } }, { width = "88mm", height = "60.5mm" }, { font = "Liberation Serif" },
    { font = "Noto Sans 9pt" }, { colours = { "#0072b2", "#D55E00" } }, { colours = { apu = "#000000" } },
    { lines = { apu = "dashed", dgpu = "none" } }, { legend = "top left" }, { order = { "a" } },
    { legend = { place = "none", columns = 2, title = "designs" } }, { gnuplot = "set xtics rotate by 45\n\nunset grid" },
  }
  local bad = {
    x_range = { 8, { 8 }, { 64, 8 }, { "8", 9 }, { 1, 2, 3 } }, y_range = { {} }, width = { 88, "88", "8mm", "4000mm", "88 mm" },
    height = { "-60mm" }, font = { 7, "", "Sans'; system", "Sans 90pt", ("a"):rep(81) },
    colours = { "red", { "red" }, { apu = "#12345" }, { "#12345g" } }, lines = { { "wavy" }, "solid" },
    legend = { "left", { place = "left" }, { columns = 1.5 }, { columns = 0 }, { colour = "#000000" } }, order = { "apu" },
    gnuplot = { 1, "plot x", "set" },
  }
  for _, one in ipairs(good) do equal(refused(one), nil) end
  for key, values in pairs(bad) do
    for _, value in ipairs(values) do equal(refused { [key] = value }, key) end
  end
  equal(refused({ x_range = { 0, 8 } }, "loglog"), "x_range") -- zero has no logarithm
  equal(refused({ x_range = { 0, 8 } }, "lines"), nil)
  equal(refused({ x_range = { 0, 8 } }, "bars"), "x_range") -- it has names
end

-- Nothing that runs a command, reads or writes a file, or ends the line comes through.
function test.gnuplot_settings_are_safe()
  local attacks = {
    'set label system("id") at 1,1', "set label `id` at 1,1", "set label 'a'.system('id')", "set output 'x'", "set terminal png",
    "set print '|id'", "load 'x'", "!id", "set xtics; system 'id'", "set label '`id`' at 1,1; !id", "set label \"a", "eval 'x'",
    "set label $data_1 at 1,1", "set label @data at 1,1", "set table 'x'", "set label value( 'x' )", "set object { x }",
    "set label 'a' \\", "set loadpath '/'", "set title exists ('x')", "set xt 1", "set grid <x", "set grid\rset output 'x'",
  }
  local function quoted(of) return (of:gsub("[^A-Za-z ]", ".")) end
  for _, attack in ipairs(attacks) do
    local lines, which = look.settings(attack, quoted)
    if lines then -- what came through is one text, quoted anew
      equal(attack, "set label '`id`' at 1,1")
    else
      equal(which ~= nil, true)
    end
  end
  equal(table.concat(look.settings("set label 'a\"`b`' at 1, 2\n# a remark\n", quoted)), 'set label "a..b." at 1, 2')
end

function test.axis_ends_where_asked()
  local x = axis_of("log", true, 8, 1024)
  x:end_near()
  x:end_at(4, nil)
  equal(x.low, 4)
  assert(x.high > 1024)
  equal(pcall(x.end_at, x, 9999, nil), false)
end

-- Whatever stands around the panels, the page is as high as it was asked to be, or that is an error.
function test.page_height()
  local x, y = axis_of("log", true, 8, 1024), axis_of("linear", false, 0, 10)
  local content = { title = "t", x_label = "x", y_label = "y", notes = {}, key_title = "", key = { "a", "b" }, panels = 4, x = x, y = y }
  x:end_near()
  y:end_round(true)
  for height = 40, 80, 10 do near(page.new(content, { width = 36, height = height }).height, height, 1e-9) end
  equal(pcall(page.new, content, { width = 36, height = 12 }), false)
  content.key_place = "top left" -- inside it takes no room
  assert(page.new(content, { width = 36 }).height < page.new({ title = "t", x_label = "x", y_label = "y", notes = {},
    key_title = "", key = { "a", "b" }, panels = 4, x = x, y = y }, { width = 36 }).height)
end

-- Results of axes n, and of kind and blocks, which advance together; `rows` as { n, kind, blocks, time }.
local function results_of(rows)
  local results = { count = #rows, columns = {} }
  for i, name in ipairs { "n", "kind", "blocks", "time" } do
    results.columns[i] = { key = name, name = name, is_axis = name ~= "time", is_number = name ~= "kind", kind = "number",
                           group = i == 1 and 1 or i < 4 and 2 or 0 }
  end
  function results.cell(row, column) return rows[row][column] end
  results.shown = results.cell
  return results
end

local function assert_shown(plot, rows, expected)
  local results, lines = results_of(rows), {}
  plot.x, plot.y, plot.only, plot.labels = plot.x or "n", "time", plot.only or {}, {}
  local shown = pivot.table(plot, derived.results(plot, results), nil, pivot.PLAIN)
  for row = 0, shown.count do
    local cells = {}
    for i, column in ipairs(shown.columns) do cells[i] = row == 0 and column.name or shown.cell(row, i) or "-" end
    lines[row + 1] = table.concat(cells, "|")
  end
  equal(table.concat(lines, "\n"), expected)
end

local ROWS = { { "1", "old", "1", "8" }, { "1", "new", "1", "4" }, { "1", "new", "2", "2" }, { "1", "new", "4", "3" },
               { "2", "old", "1", "6" }, { "2", "new", "1", "3" }, { "2", "new", "4", "5" } }

-- The best number of blocks of each kind, at each n another one.
function test.least()
  assert_shown({ by = "kind", least = "blocks" }, ROWS, "n|old|new\n1|8|2\n2|6|3")
end

-- Against the old one: how many times longer that takes, and which part of it the others take. Where it is missing there is no ratio.
function test.ratios()
  local with_old = { { "1", "old", "1", "8" }, { "1", "new", "1", "4" }, { "2", "old", "1", "6" }, { "2", "new", "1", "12" },
                     { "4", "new", "1", "5" } }
  local base = { { axis = "kind", text = "old" } }
  assert_shown({ by = "kind", speedup = base }, with_old, "n|old|new\n1|1|2\n2|1|0.5\n4|-|-")
  assert_shown({ by = "kind", share = base }, with_old, "n|old|new\n1|1|0.5\n2|1|2\n4|-|-")
  assert_shown({ x = "kind", only = { { axis = "n", text = "2" } }, share = base }, with_old, "kind|time\nold|1\nnew|2")
  assert_shown({ by = "kind", least = "blocks", speedup = base }, ROWS, "n|old|new\n1|1|4\n2|1|2")
end

-- An axis that has one value for each of x's, with which it advances, tells no series apart; one that has several does.
function test.follows()
  local results = results_of(ROWS)
  results.columns[2].group, results.columns[3].group, results.columns[1].group = 1, 3, 1
  local one = { x = "kind", y = "time", only = { { axis = "blocks", text = "1" }, { axis = "n", text = "1" } } }
  equal(#pivot.table(one, results, nil, pivot.PLAIN).columns, 2)
  equal(#pivot.table({ x = "blocks", y = "time", by = "kind", only = {} }, results, nil, pivot.PLAIN).columns, 5)
  local pairs_of = results_of { { "1", "a", "1", "8" }, { "2", "b", "1", "4" } }
  pairs_of.columns[2].group = 1
  equal(#pivot.table({ x = "n", y = "time", only = {} }, pairs_of, nil, pivot.PLAIN).columns, 2)
end

-- A column is found by its name and by its key; the names that are refused get a hint.
function test.measures()
  local results = { columns = { { key = "n", name = "n", is_axis = true }, { key = "late", name = "late_us", is_number = true } } }
  equal(pivot.find(results, "late_us"), 2)
  equal(pivot.find(results, "late"), 2)
  equal(pivot.find(results, "early"), nil)
  local is_good, fault = pcall(pivot.refuse_measure, results, "--best", "lat")
  equal(is_good, false)
  equal(fault.sentence, "--best lat: no such measure: did you mean late_us; those with numbers are late_us")
end

-- Every function returns texts, here none.
for name, run in pairs(test) do
  test[name] = function()
    run()
    return {}
  end
end

-- Lines of the table that a plot shows, for test_table.c.
function test.shown(results, plot)
  local shown, lines = pivot.table(plot, results, nil, pivot.PLAIN), {}
  for row = 0, shown.count do
    local cells = {}
    for i, column in ipairs(shown.columns) do
      cells[i] = row == 0 and column.name or row > 0 and shown.cell(row, i) or ""
    end
    lines[row + 1] = table.concat(cells, "|")
  end
  return lines
end

return test
