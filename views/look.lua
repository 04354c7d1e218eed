-- SPDX-License-Identifier: BSD-3-Clause
-- How a study wants its figure to look: the options of a plot that change no value. `plot.look` has those that are given,
-- as they were given; here stands what each may be, what it means on a page, and what gnuplot is told.
local look = {}

local LEAST_MM, MOST_MM = 40, 400
local LEAST_POINTS, MOST_POINTS = 4, 24
local MM_PER_POINT = 25.4 / 72
local MOST_LINES = 40

-- What a line may be, as gnuplot's dashtype; "none": marks without a line.
local LINES = { solid = "1", dashed = "'-'", dotted = "'.'", ["dash-dotted"] = "'-.'", none = "none" }
-- Where a legend may stand: below all panels, nowhere, or in a corner of the first panel.
local PLACES = { below = true, none = true, ["top left"] = true, ["top right"] = true,
                 ["bottom left"] = true, ["bottom right"] = true }

local function sorted_keys(of)
  local keys = {}
  for key in pairs(of) do keys[#keys + 1] = key end
  table.sort(keys)
  return keys
end

local function choices(of) return '"' .. table.concat(sorted_keys(of), '", "') .. '"' end

-- --- what each may be: a function returns what is wrong, or nothing ---------------------------------

local function number_of(of) return type(of) == "number" and of or nil end

-- Styles whose axis of that letter has names.
local NAMED = { x = { bars = true, stack = true, heatmap = true }, y = { heatmap = true } }

local function range_problem(range, plot, letter, is_log)
  local shape = "has to be { LOW, HIGH }, numbers in the unit of the axis; false leaves an end open"
  if NAMED[letter][plot.style] then return "goes with an axis of numbers, and this one has names" end
  if type(range) ~= "table" or #range ~= 2 then return shape end
  for i = 1, 2 do
    if range[i] ~= false and not number_of(range[i]) then return shape end
    if is_log and range[i] and range[i] <= 0 then
      return string.format('has to be above 0, since plot.style is "%s"', plot.style)
    end
  end
  if range[1] and range[2] and range[1] >= range[2] then return "has a low end that is not below the high one" end
end

local function length_problem(of)
  local mm = type(of) == "string" and tonumber(of:match("^(%d+%.?%d*)mm$"))
  if not mm or mm < LEAST_MM or mm > MOST_MM then
    return string.format('has to be a length from "%dmm" to "%dmm"', LEAST_MM, MOST_MM)
  end
end

local function is_text(of) return type(of) == "string" end

local function font_parts(of)
  local name, points = of:match("^(%a[%w %-]*%w) (%d+%.?%d*)pt$")
  if name then return name, tonumber(points) end
  return of:match("^%a[%w %-]*%w$"), nil
end

local function font_problem(of)
  local name, points = nil, nil
  if is_text(of) and #of <= 80 then name, points = font_parts(of) end
  if not name or points and (points < LEAST_POINTS or points > MOST_POINTS) then
    return string.format('has to be a font\'s name, such as "Liberation Serif", with a size from %dpt to %dpt if wanted: ' ..
                         '"Liberation Serif 9pt"', LEAST_POINTS, MOST_POINTS)
  end
end

local function each_problem(of, is_good, shape)
  if type(of) ~= "table" then return shape end
  for _, one in pairs(of) do
    if not is_good(one) then return shape end
  end
end

local function colours_problem(of)
  return each_problem(of, function(one) return is_text(one) and one:match("^#%x%x%x%x%x%x$") end,
                      'has to be a list of colours such as "#0072b2", or a table { VALUE of `by` = COLOUR }')
end

local function lines_problem(of)
  return each_problem(of, function(one) return LINES[one] end,
                      "has to be a list, or a table { VALUE of `by` = LINE }, of " .. choices(LINES))
end

local function legend_problem(of)
  local fields = is_text(of) and { place = of } or of
  local shape = 'has to be a place or { place = PLACE, columns = NUMBER, title = "TEXT" }; places are ' .. choices(PLACES)
  local known = { place = function(one) return PLACES[one] end, title = is_text,
                  columns = function(one) return number_of(one) and one >= 1 and one <= 20 and one % 1 == 0 end }
  if type(fields) ~= "table" then return shape end
  for key, value in pairs(fields) do
    if not known[key] or not known[key](value) then return shape end
  end
end

-- --- gnuplot's own settings -------------------------------------------------------------------------

-- A study is not trusted: of gnuplot's language it gets what draws, never what runs a command, reads or writes a file.
local SETTINGS = {}
for word in ("xtics ytics mxtics mytics xlabel ylabel title grid border arrow label object format tics key boxwidth " ..
             "pointsize"):gmatch("%S+") do SETTINGS[word] = true end

-- gnuplot takes the start of an option's name for the option, so a whole name is required; what is called as a function,
-- a substitution and a second command on the line are refused. Texts are quoted anew, byte by byte.
local function settings_line(line, quoted)
  local parts, rest = {}, line
  while rest ~= "" do
    local plain, quote = rest:match("^([^\"']*)([\"']?)")
    if plain:find("[^%w \t%.,:#%+%-_%*/%(%)]") or plain:find("[%w_]%s*%(") then return nil end
    rest = rest:sub(#plain + #quote + 1)
    parts[#parts + 1] = plain
    if quote ~= "" then
      local inside, after = rest:match("^([^" .. quote .. "]*)" .. quote .. "(.*)$")
      if not inside then return nil end
      parts[#parts + 1] = '"' .. quoted(inside) .. '"'
      rest = after
    end
  end
  return table.concat(parts)
end

-- The lines for gnuplot; or nil and the first one that is refused. `quoted` writes a text's bytes for double quotes.
function look.settings(of, quoted)
  local lines = {}
  for line in (of or ""):gmatch("[^\n]+") do
    local word = line:match("^%s*u?n?set%s+(%a+)")
    local command = line:match("^%s*(%a+)")
    local safe = (command == "set" or command == "unset") and SETTINGS[word] and settings_line(line, quoted)
    if line:find("%S") and not line:find("^%s*#") then
      if not safe or #lines == MOST_LINES then return nil, line end
      lines[#lines + 1] = safe
    end
  end
  return lines
end

local function gnuplot_problem(of)
  if not is_text(of) then return "has to be a text" end
  local lines, refused = look.settings(of, function(text) return text end)
  if not lines then
    return string.format('has "%s"; accepted are up to %d lines `set` or `unset` with %s, numbers and texts', refused,
                         MOST_LINES, table.concat(sorted_keys(SETTINGS), ", "))
  end
end

-- --- the whole -----------------------------------------------------------------------------------

local function order_problem(of) return type(of) ~= "table" and "has to be a list of values of `by`" or nil end

-- The first option that is not what it may be, and what is wrong; nothing if all are good.
function look.check(plot)
  local given = plot.look
  local problems = {
    x_range = function(of) return range_problem(of, plot, "x", plot.style == "loglog" or plot.style == "semilogx") end,
    y_range = function(of) return range_problem(of, plot, "y", plot.style == "loglog") end,
    width = length_problem, height = length_problem, font = font_problem, colours = colours_problem,
    lines = lines_problem, legend = legend_problem, order = order_problem, gnuplot = gnuplot_problem,
  }
  for _, key in ipairs(sorted_keys(given)) do
    local problem = problems[key](given[key])
    if problem then return { key, problem } end
  end
  return {}
end

-- The legend as { place, columns, title }, each nil unless it is given.
function look.legend(plot)
  local given = plot.look.legend
  return type(given) == "string" and { place = given } or given or {}
end

-- A page's width and height in em: of a format for a column of a paper, or for a screen, those that were asked for.
-- `points`: the size of letters.
function look.size(plot, format)
  local _, points = font_parts(plot.look.font or "")
  local function em(length, letters) return tonumber(length:match("^[%d.]+")) / MM_PER_POINT / letters end
  local letters = points or 7
  if format.is_wide then return { width = format.width * (format.points / (points or format.points)), points = points } end
  return { width = plot.look.width and em(plot.look.width, letters) or
                   format.width * (format.points and format.points / letters or 1),
           height = plot.look.height and em(plot.look.height, letters), points = points }
end

function look.font(plot) return (font_parts(plot.look.font or "")) end

-- What a series is told by its number in `of`, or by its value of `by`.
local function of_series(of, series, number)
  return of and (of[series.key] or of[(series.key:match("^[^,]*"))] or of[number])
end

-- The colour of a series, or nil; its dashtype, or nil.
function look.colour(plot, series, number) return of_series(plot.look.colours, series, number) end
function look.dashes(plot, series, number) return LINES[of_series(plot.look.lines, series, number)] end

return look
