-- SPDX-License-Identifier: BSD-3-Clause
-- gpunetsim sensitivity: how much a measure depends on each parameter that a run read. Each is changed by itself and the point
-- is simulated again (sensitivity/changes.lua); here is what is shown of it.
local band = require "band"
local changes = require "sensitivity/changes"
local export = require "export"
local figure = require "figure"
local terminal = require "terminal"
local written = require "written"
local sensitivity = {}

local MOST_BARS = 24 -- bars of a tornado; parameters with less effect are left out

local function finite(format, number)
  return number == number and math.abs(number) < math.huge and format:format(number) or nil
end

-- By how many percent a try changes the measure; NaN if there is no try or it failed.
local function percent_of(of, try) return try and 100 * (try.number / of.base.number - 1) or 0 / 0 end

-- --- the table -----------------------------------------------------------------------------------

local function entry_row(of, entry, is_all)
  local parameter, low, high = entry.parameter, entry.shown[1], entry.shown[2]
  local function tried(try) return try and parameter.text_of(try.value) or nil end
  local function measured(try)
    return finite("%.3f", percent_of(of, try)) and written.column_text(of.base.unit, try.number) or nil
  end
  local elasticity = math.abs(entry.elasticity) < 5e-5 and 0.0 or entry.elasticity
  return { of.name, parameter.path, parameter.text, parameter.source, tried(low), tried(high), measured(low), measured(high),
           finite("%.3f", percent_of(of, low)), finite("%.3f", percent_of(of, high)), finite("%.4f", elasticity), entry.note,
           is_all and entry.outcome or nil }
end

-- A table with a row for each parameter and tried value. `is_all`: with parameters that have no effect or were not read, and
-- with the column `outcome`.
local function entry_table(list, is_all)
  local column, rows = list[1].base.column, {}
  local names = { "point", "parameter", "value", "origin", "low", "high", column .. "_low", column .. "_high", "low_percent",
                  "high_percent", "elasticity", "note", is_all and "outcome" or nil }
  for _, of in ipairs(list) do
    for _, entry in ipairs(of.entries) do
      local fails = entry.outcome == "fails" and not entry.parameter.is_axis
      if is_all or entry.outcome == "moves" or fails then rows[#rows + 1] = entry_row(of, entry, is_all) end
    end
  end
  return terminal.of_texts(names, rows, 7, 11)
end

-- --- sentences -----------------------------------------------------------------------------------

local IDLE = {
  { "below the spread", "move it by no more than its own spread" },
  { "changes nothing", "were read and change nothing, as far as they were changed" },
  { "not changed", "were read and not changed: they are 0 without a range, or the machine takes no other value" },
  { "not read", "were not read" },
}

-- The outcome of a parameter over all its entries, of which a choice has one for each value: the first in this order.
local function outcomes_by_path(of)
  local outcomes = {}
  for _, outcome in ipairs { "moves", "fails", "below the spread", "changes nothing" } do
    for _, entry in ipairs(of.entries) do
      local path = entry.parameter.path
      if entry.outcome == outcome then outcomes[path] = outcomes[path] or outcome end
    end
  end
  return outcomes
end

-- The name under which a parameter that was not read is listed: "charm.*" if nothing of the component was read, else its path.
local function unread_names(of)
  local counts, names = {}, {}
  local function component(entry) return entry.parameter.path:match("^[^.]*%.") end
  for _, entry in ipairs(of.entries) do
    local start = component(entry)
    if start then
      counts[start] = counts[start] or { all = 0, unread = 0 }
      counts[start].all = counts[start].all + 1
      counts[start].unread = counts[start].unread + (entry.outcome == "not read" and 1 or 0)
    end
  end
  for _, entry in ipairs(of.entries) do
    local start = component(entry)
    local is_whole = start and counts[start].all == counts[start].unread and counts[start].all > 1
    names[entry.parameter.path] = is_whole and start .. "*" or entry.parameter.path
  end
  return names
end

-- A sentence on the parameters of an outcome; "" if there are none.
local function idle_words(of, outcome, words)
  local known, unread, names, count = outcomes_by_path(of), unread_names(of), {}, 0
  for _, entry in ipairs(of.entries) do
    local path = entry.parameter.path
    local is_of_it = entry.outcome == outcome and (outcome == "not read" or (known[path] or "not changed") == outcome)
    local name = is_of_it and (outcome == "not read" and unread[path] or path)
    if is_of_it and (outcome == "not read" or name ~= names[#names]) then count = count + 1 end
    if is_of_it and name ~= names[#names] then names[#names + 1] = name end
  end
  return count > 0 and ("%d parameters %s: %s.\n"):format(count, words, table.concat(names, ", ")) or ""
end

-- A sentence on the values of the design's axes that failed; "" if there are none.
local function apart_words(of)
  local names = {}
  for _, entry in ipairs(of.entries) do
    for side = 1, entry.parameter.is_axis and 2 or 0 do
      local try = entry.shown[side]
      if try and try.failure then names[#names + 1] = entry.parameter.path .. "=" .. entry.parameter.text_of(try.value) end
    end
  end
  return #names > 0 and table.concat(names, ", ") .. " do not go together with the design's other axes, or with the machine "
    .. "or the workload (-o FILE.csv has the reasons).\n" or ""
end

-- --- bands ---------------------------------------------------------------------------------------

-- `shown` makes the texts of values.
local function band_table(list, shown)
  local rows = {}
  for i, of in ipairs(list) do
    rows[i] = { of.name, of.base.name, shown(of.base.text) }
    for k, field in ipairs { "least", "p5", "median", "p95", "most" } do
      local number = of.band[field]
      rows[i][3 + k] = number == number and shown(written.text(of.base.unit, number)) or nil
    end
    rows[i][9], rows[i][10] = tostring(of.band.samples), tostring(of.band.failed)
  end
  return terminal.of_texts({ "point", "measure", "value", "least", "p5", "median", "p95", "most", "samples", "failed" }, rows, 9, 10)
end

local function band_words(list)
  local words = { "\nWithin the ranges of what is estimated:\n\n", terminal.whole(band_table(list, terminal.quantity))[1], "\n" }
  for _, of in ipairs(list) do
    words[#words + 1] = ("%s: %d estimated parameters are varied together.\n"):format(of.name, of.band.varied)
    if of.band.failure then
      words[#words + 1] = ("%d of %d samples failed, the first one: %s\n"):format(of.band.failed, of.band.samples, of.band.failure)
    end
  end
  return table.concat(words)
end

-- --- the whole -----------------------------------------------------------------------------------

local function shown_text(list, asked, runs)
  local words = {
    ("%s, each parameter changed by %g %% down (low) and up (high), or by more where that changes nothing\n\n"):format(
      list[1].base.name, asked.step_percent),
    terminal.whole(entry_table(list, false))[1], "\n",
  }
  for _, of in ipairs(list) do
    words[#words + 1] = ("%s: %s is %s.\n"):format(of.name, of.base.name, terminal.quantity(of.base.text))
    for _, idle in ipairs(IDLE) do words[#words + 1] = idle_words(of, idle[1], idle[2]) end
    words[#words + 1] = apart_words(of)
  end
  words[#words + 1] = ("%d variants of the points were run or recalled.\n"):format(runs)
  words[#words + 1] = asked.samples > 0 and band_words(list) or nil
  return table.concat(words)
end

-- {"parameters": [...], "band": [...]}.
local function json_of(list, asked)
  local function part(of) return (export.json(of):gsub("%s+$", "")) end
  return ('{"parameters": %s,\n"band": %s}\n'):format(part(entry_table(list, true)),
    asked.samples > 0 and part(band_table(list, tostring)) or "[]")
end

-- How far a parameter moves the measure, in percent, over its tried values.
local function extent_of(of, entry)
  local low, high = percent_of(of, entry.shown[1]), percent_of(of, entry.shown[2])
  return math.max(low == low and math.abs(low) or 0, high == high and math.abs(high) or 0)
end

-- The quantities that move the measure, sorted by how much. Choices are left out, since they have no step up or down.
local function by_extent(of)
  local moving, place = {}, {}
  for i, entry in ipairs(of.entries) do
    local is_quantity = entry.elasticity == entry.elasticity
    if entry.outcome == "moves" and is_quantity then moving[#moving + 1], place[entry] = entry, i end
  end
  table.sort(moving, function(a, b)
    local one, other = extent_of(of, a), extent_of(of, b)
    if one ~= other then return one > other end
    return place[a] < place[b]
  end)
  return moving
end

-- A parameter's path, with the tried values if they are not the usual step.
local function bar_name(entry, step)
  local parameter, tried, is_step = entry.parameter, {}, true
  for side, factor in ipairs { 1 - step, 1 + step } do
    local try = entry.shown[side]
    if try then tried[#tried + 1] = parameter.text_of(try.value) end
    is_step = is_step and try and math.abs(try.value - parameter.now * factor) <= parameter.now * step / 20
  end
  return is_step and parameter.path or ("%s (%s)"):format(parameter.path, table.concat(tried, ", "))
end

-- The bars of a tornado: for each point the parameters that move it most. The axis of names grows upwards, so the greatest
-- comes last.
local function bar_table(list, asked)
  local rows = {}
  for _, of in ipairs(list) do
    local moving = by_extent(of)
    for i = math.min(#moving, MOST_BARS), 1, -1 do
      local entry = moving[i]
      rows[#rows + 1] = { of.name, bar_name(entry, asked.step_percent / 100), finite("%.6g", percent_of(of, entry.shown[1])),
                          finite("%.6g", percent_of(of, entry.shown[2])) }
    end
  end
  local less, more = ("%g %% less"):format(asked.step_percent), ("%g %% more"):format(asked.step_percent)
  local bars = terminal.of_texts({ "point", "parameter", less, more }, rows, 3, 4)
  bars.columns[1].is_axis, bars.columns[2].is_axis = true, true
  bars.columns[3].kind, bars.columns[4].kind = "number", "number"
  return bars
end

-- The tornado, with a panel for each point if there are several.
local function tornado(list, asked)
  local bars = bar_table(list, asked)
  local names = bars.columns
  return figure.of_table(bars, {
    x = names[2].name, y = names[3].name .. "," .. names[4].name, style = "tornado", title = asked.title, x_label = "",
    y_label = "Change of " .. list[1].base.name .. " (%)", panels = #list > 1 and names[1].name or nil })
end

-- Changes the parameters of the points. `asked` has the points' numbers, perhaps the measure, step_percent, how many samples a
-- band is to have (0: none), and whether it `draws`. Returns what is shown, the table as CSV and as JSON, and the figure's
-- scripts.
function sensitivity.answer(variants, asked)
  local list = changes(variants, asked.points, asked.measure, asked.step_percent / 100)
  if asked.samples > 0 then
    for _, of in ipairs(list) do
      of.band = band.of(variants, of.point, of.row.read or "", asked.samples, of.base.name)
    end
  end
  local texts = { shown_text(list, asked, variants.runs()), export.csv(entry_table(list, true)), json_of(list, asked) }
  if asked.draws then table.move({ tornado(list, asked) }, 1, 3, 4, texts) end
  return texts
end

-- --- values without a source ---------------------------------------------------------------------

-- A row for a value that moves the measure: the measure at both ends of its range, and why the value was chosen.
local function unsourced_row(of, entry)
  local row = entry_row(of, entry, false)
  local parameter = entry.parameter
  local range = parameter.low and ("%s..%s"):format(parameter.text_of(parameter.low), parameter.text_of(parameter.high)) or nil
  return { of.name, row[2], row[3], range, row[7], row[8], row[9], row[10], row[11], row[12] }
end

local function unsourced_table(list)
  local column, rows = list[1].base.column, {}
  for _, of in ipairs(list) do
    for _, entry in ipairs(of.entries) do
      if entry.outcome == "moves" or entry.outcome == "fails" then rows[#rows + 1] = unsourced_row(of, entry) end
    end
  end
  return terminal.of_texts({ "point", "parameter", "value", "range", column .. "_low", column .. "_high", "low_percent",
                             "high_percent", "elasticity", "note" }, rows, 5, 9)
end

local function unsourced_words(of)
  local moving = 0
  for _, entry in ipairs(of.entries) do moving = moving + (entry.outcome == "moves" and 1 or 0) end
  return ("%s: %s is %s. The run reads %d estimated values; %d of them move it when set to the ends of their ranges.\n"):format(
    of.name, of.base.name, terminal.quantity(of.base.text), #of.entries, moving)
end

-- Finds the estimated values on which the points depend, by elasticity over the values' whole ranges. `asked` has the points
-- and perhaps the measure. Returns what is shown, CSV and JSON.
function sensitivity.unsourced(variants, asked)
  local list, words = changes(variants, asked.points, asked.measure, 0, "estimated"), {}
  local rows = unsourced_table(list)
  for _, of in ipairs(list) do words[#words + 1] = unsourced_words(of) end
  return { table.concat(words) .. "\n" .. terminal.whole(rows)[1], export.csv(rows), export.json(rows) }
end

return sensitivity
