-- SPDX-License-Identifier: BSD-3-Clause
-- The texts that a browser shows where the pointer rests on a figure: at each value an invisible circle with its name and number.
local label = require "label"
local page = require "page"
local values = {}

local EM = 13      -- dots of an em of figure.svg, as in plots/page.gp
local RADIUS = 7   -- radius, in dots, of the area that belongs to a value
local MOST_CHARACTERS = 200
local ESCAPES = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;" }

local function is_finite(number) return number - number == 0 end

-- Of a long text the start.
local function escaped(of) return (core.shown(of, MOST_CHARACTERS):gsub("[&<>]", ESCAPES)) end

-- The place of the value of series `i` in a row of the panel, in the axes' numbers; `places` are those of bars, by number.
local PLACES = {
  bars = function(sheets, one, row, i, value, places) return places[(row - 1) * #one.series + i], value end,
  heatmap = function(sheets, one, row, i) return one.series[i] - 1, sheets:row_place(one, row) end,
  tornado = function(sheets, one, row, i, value) return value, sheets:row_place(one, row) + (i == 1 and -0.19 or 0.19) end,
  stack = function(sheets, one, row, i, value)
    local top = 0
    for k = 1, i do
      local part = sheets:value_at(one, row, k)
      top = top + (is_finite(part) and part or 0)
    end
    return sheets:row_place(one, row), top - value / 2
  end,
}

local function place_of(sheets, one, row, i, value, places)
  local place = PLACES[sheets.plot.style]
  if place then return place(sheets, one, row, i, value, places) end
  return sheets:row_place(one, row), value
end

-- "ComP-Net; 64 KiB: 3.215 µs".
local function words_of(sheets, one, row, i, value)
  local columns, series = one.shown.columns, sheets.series[one.series[i]]
  local x = label.value(columns[1], one.shown.cell(row, 1))
  local number = label.number(columns[2 + (i - 1) * sheets.width], value, sheets.y.unit)
  return (#sheets.series > 1 and series.label .. "; " or "") .. x .. ": " .. number
end

local function append_panel(circles, sheets, on, number)
  local one, place = sheets[number], page.panel(on, #sheets, number)
  local places = sheets.plot.style == "bars" and sheets:bar_places(one)
  for row = 1, one.shown.count do
    for i, series in ipairs(one.series) do
      local value = sheets:value_at(one, row, i)
      local x, y = place_of(sheets, one, row, i, value, places)
      local across, up = sheets.x:share(x), sheets.y:share(y)
      local is_seen = is_finite(value) and across >= 0 and across <= 1 and up >= 0 and up <= 1
      if is_seen and sheets.series[series].kind ~= "front" then
        local left = EM * (place.left + across * (place.right - place.left))
        local top = EM * (on.height - place.bottom - up * (place.top - place.bottom))
        circles[#circles + 1] = string.format('<circle cx="%.1f" cy="%.1f" r="%d"><title>%s</title></circle>\n', left, top,
                                              RADIUS, escaped(words_of(sheets, one, row, i, value)))
      end
    end
  end
end

-- A group for the end of figure.svg, whose page is `on`.
function values.group(sheets, on)
  local circles = {}
  for number in ipairs(sheets) do append_panel(circles, sheets, on, number) end
  return '<g id="values" fill="white" fill-opacity="0">\n' .. table.concat(circles) .. "</g>\n"
end

return values
