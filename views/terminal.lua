-- SPDX-License-Identifier: BSD-3-Clause
-- Tables as aligned text: axes and texts left, measures right with their decimal points below each other; a fraction has
-- at most six digits, a size its unit ("64 KiB"), a mean its spread behind it ("3.21 ±0.05"), or the medians of two groups of
-- runs with their shares ("4.7 (60 %) or 5.6 (40 %)"). Rows of a long table stand in
-- blocks, each headed by the axes that change slowest. Of a text of several lines
-- the first one stands there, and of a text of more than half a line its start; of all what core.shown makes of it.
local text = require "text"
local terminal = {}

local GAP = 2    -- between columns
local DIGITS = 6 -- most digits of a number with a fraction

-- --- heads ---------------------------------------------------------------------------------------

-- The units behind the names of columns in files, and how they are shown.
local UNITS = { { "_us", "us" }, { "_ns", "ns" }, { "_ms", "ms" }, { "_GBps", "GB/s" },
                { "_GHz", "GHz" }, { "_W", "W" }, { "_uJ", "uJ" }, { "_percent", "%" } }

-- "latency_us" as "latency (us)", "share_percent" as "share (%)": the name of a column of numbers as a head.
function terminal.head(name)
  local stop = name:find("%f[ ] ") or #name + 1 -- "latency_us least"
  while name:sub(stop - 1, stop - 1) == "," and stop <= #name do -- "comp-net, latency_us"
    stop = name:find(" ", stop + 1, true) or #name + 1
  end
  local first, rest = name:sub(1, stop - 1), name:sub(stop)
  for _, unit in ipairs(first:find("_per_", 1, true) and {} or UNITS) do
    if first:sub(-#unit[1]) == unit[1] then
      return first:sub(1, -#unit[1] - 1) .. " (" .. unit[2] .. ")" .. rest
    end
  end
  return name
end

local function has_sizes(column) return column.kind == "quantity" and column.unit == "bytes" end

local function head_text(column)
  if not column.is_number then return column.name end
  if has_sizes(column) and column.name:find("_bytes$") then return column.name:sub(1, -7) end
  return terminal.head(column.name) -- each cell of a size has its unit
end

-- --- cells ---------------------------------------------------------------------------------------

local function digits_of(number)
  return select(2, number:gsub("^[-0.]+", ""):gsub("e.*", ""):gsub("%d", ""))
end

-- A fraction with at most six significant digits; whole numbers as they are.
local function short_number(number)
  if not number:find("[.e]") or digits_of(number) <= DIGITS then return number end
  local value = core.number(number)
  return string.format(value > -1e6 and value < 1e6 and "%.6g" or "%.0f", value)
end

-- A number with decimals; a very small one with two digits.
local function with_decimals(value, decimals)
  if decimals > DIGITS then return string.format("%.2g", value) end
  return string.format("%." .. math.max(decimals, 0) .. "f", value)
end

-- The number of digits before the decimal point, 0 or less below 1: 3 for 123, -1 for 0.012.
local function whole_digits(value)
  return value == 0 and 1 or math.floor(math.log(math.abs(value), 10)) + 1
end

-- "3.21 ±0.05": the spread with two digits and the mean down to the last of them.
local function spread_cell(mean_text, spread_text)
  local mean, spread = core.number(mean_text), core.number(spread_text)
  if spread <= 0 then return short_number(mean_text) .. " ±" .. short_number(spread_text) end
  local decimals = math.min(2 - whole_digits(spread), DIGITS - whole_digits(mean))
  if decimals > DIGITS then return short_number(mean_text) .. " ±" .. short_number(spread_text) end
  return with_decimals(mean, decimals) .. " ±" .. with_decimals(spread, 2 - whole_digits(spread))
end

-- The text that is shown for a value in a column: "64 KiB" of a size, at most six digits of a fraction; texts, and numbers of a
-- table of texts, as they are.
function terminal.value(column, of)
  local is_value = column.is_number and column.kind ~= "text" and of and core.is_number(of)
  if not is_value then return of or "" end
  return has_sizes(column) and core.size_text(of) or short_number(of)
end

-- The columns about a mean, by the names of its fields: its spread, the medians of two groups of runs, the first one's share.
terminal.BESIDE = { "spread", "lower", "upper", "lower_share" }

-- "4.72 (60 %) or 5.61 (40 %)"; nil if the runs of the mean do not fall into two groups.
local function groups_cell(of, row, column)
  local lower, upper = column.lower and of.cell(row, column.lower), column.upper and of.cell(row, column.upper)
  local share = core.number(column.lower_share and of.cell(row, column.lower_share) or "")
  if not (lower and upper and share) then return end
  local low, high = core.number(lower), core.number(upper)
  local decimals = math.max(0, 2 - whole_digits(high - low)) -- two digits of what is between them
  return string.format("%s (%.0f %%) or %s (%.0f %%)", with_decimals(low, decimals), 100 * share,
                       with_decimals(high, decimals), 100 - 100 * share)
end

-- A value, with its spread or groups if it has them.
local function value_cell(of, row, column)
  local groups = groups_cell(of, row, of.columns[column])
  if groups then return groups end
  local value, spread = of.shown(row, column), of.columns[column].spread
  spread = spread and of.cell(row, spread)
  local has_both = value and spread and core.is_number(value) and core.is_number(spread)
  return has_both and spread_cell(value, spread) or terminal.value(of.columns[column], value)
end

-- "754.877157us" as "754.877us": a quantity in a sentence.
function terminal.quantity(of)
  local number, unit = of:match("^(-?%d+%.%d+)(.*)$")
  return number and short_number(number) .. unit or of
end

-- --- lines ---------------------------------------------------------------------------------------

-- Whether the column is about another one, beside which it is shown.
function terminal.is_beside(of, number)
  for _, column in ipairs(of.columns) do
    for _, field in ipairs(terminal.BESIDE) do
      if column[field] == number then return true end
    end
    if column.interval_95 == number then return true end
  end
end

-- The number of characters from the decimal point on; nil if the cell does not begin with a number.
local function tail_of(cell)
  local whole = cell:match("^[-+0-9]+")
  return whole and text.length(cell:sub(#whole + 1))
end

-- The cells of a column as they are shown: of row 0 the head. Numbers of measures stand with their points below each
-- other, those of axes left as texts do: `before` and `after` are the spaces around each.
local function layout(of, number, rows, most_cell)
  local column, tails, tail, width = of.columns[number], {}, 0, 0
  local cells, is_right = {}, column.is_number and not column.is_axis
  for row = 0, rows do
    local whole = row == 0 and head_text(column) or value_cell(of, row, number)
    cells[row] = { text = core.shown(whole:match("^[^\n]*"), most_cell) }
    tails[row] = row > 0 and is_right and tail_of(cells[row].text)
    tail = math.max(tail, tails[row] or 0)
  end
  for row, cell in pairs(cells) do
    cell.after = tail - (tails[row] or tail)
    cell.length = text.length(cell.text)
    width = math.max(width, cell.length + cell.after)
  end
  for _, cell in pairs(cells) do
    local before = width - cell.length - cell.after
    cell.before = is_right and before or 0
    cell.after = cell.after + (is_right and 0 or before) + GAP
  end
  return { cells = cells, width = width }
end

local function layouts(of, width, most_rows)
  local columns, rows = {}, math.min(of.count, most_rows)
  for i in ipairs(of.columns) do
    columns[i] = not terminal.is_beside(of, i) and layout(of, i, rows, width // 2)
  end
  return columns, rows
end

-- The first column from `from` on that has no room beside the `fixed` ones and those before it; beyond `from`.
local function block_end(columns, fixed, from, width)
  local used, to = 0, from
  for i = 1, fixed do used = used + (columns[i] and columns[i].width or 0) + GAP end
  while to <= #columns do
    local next = columns[to]
    if next and to > from and used + next.width > width then break end -- one at least
    used = used + (next and next.width + GAP or 0)
    to = to + 1
  end
  return to
end

local function line_of(columns, row, fixed, from, to)
  local parts = {}
  local function add(first, last)
    for i = first, last do
      local cell = columns[i] and columns[i].cells[row]
      if cell then parts[#parts + 1] = (" "):rep(cell.before) .. cell.text .. (" "):rep(cell.after) end
    end
  end
  add(1, fixed)
  add(from, to)
  return (table.concat(parts):gsub(" +$", ""))
end

-- --- blocks --------------------------------------------------------------------------------------

local BLOCK_TABLE = 24 -- the longest table that is not divided into blocks
local BLOCK_ROWS = 4   -- the least mean number of rows of a block

local function axis_count(of)
  local count = 0
  while count < #of.columns and of.columns[count + 1].is_axis do count = count + 1 end
  return count
end

-- The rows at which blocks begin if the first `outer` axes are their headings.
local function block_starts(of, rows, outer)
  local starts, count = {}, 0
  for row = 1, rows do
    for i = 1, outer do
      starts[row] = starts[row] or row == 1 or of.cell(row, i) ~= of.cell(row - 1, i)
    end
    count = count + (starts[row] and 1 or 0)
  end
  return starts, count
end

-- In a long table the axes that change slowest head blocks of rows, and are no columns: the table of a row's heading, or of
-- false where the block goes on; nil if there are no blocks.
local function take_headings(of, columns, rows)
  local outer, headings = 0, {}
  if rows <= BLOCK_TABLE then return nil end
  while outer + 1 < axis_count(of) and rows >= BLOCK_ROWS * select(2, block_starts(of, rows, outer + 1)) do outer = outer + 1 end
  if outer == 0 then return nil end
  local starts = block_starts(of, rows, outer)
  for row = 1, rows do
    local parts = {}
    for i = 1, starts[row] and outer or 0 do
      parts[#parts + 1] = columns[i] and columns[i].cells[0].text .. " = " .. columns[i].cells[row].text
    end
    headings[row] = starts[row] and table.concat(parts, ", ")
  end
  for i = 1, outer do columns[i] = false end
  return headings
end

-- --- the whole -----------------------------------------------------------------------------------

-- How many of the columns fit beside each other in `width`, counted from the first; at least 1.
function terminal.fitting(of, width, most_rows)
  local columns, rows = layouts(of, width, most_rows)
  take_headings(of, columns, rows)
  return block_end(columns, 0, 1, width) - 1
end

-- Adds the rows of the columns `from` to `to` beside the `fixed` first ones.
local function add_rows(lines, columns, headings, rows, fixed, from, to)
  if not headings then lines[#lines + 1] = line_of(columns, 0, fixed, from, to) end
  for row = 1, rows do
    if headings and headings[row] then
      if row > 1 then lines[#lines + 1] = "" end
      lines[#lines + 1] = headings[row]
      lines[#lines + 1] = line_of(columns, 0, fixed, from, to)
    end
    lines[#lines + 1] = line_of(columns, row, fixed, from, to)
  end
end

-- The table as lines. Columns that have no room beside the others follow below, with the axes again. Of a longer table
-- the first `most_rows` rows are there, and a line that says how many are not.
function terminal.text(of, width, most_rows)
  local columns, rows = layouts(of, width, most_rows)
  local lines, fixed, headings = {}, axis_count(of), take_headings(of, columns, rows)
  local from = fixed + 1
  repeat
    local to = block_end(columns, fixed, from, width)
    if from > fixed + 1 then lines[#lines + 1] = "" end
    add_rows(lines, columns, headings, rows, fixed, from, to - 1)
    from = to
  until from > #columns
  if rows < of.count then lines[#lines + 1] = "... and " .. of.count - rows .. " more rows" end
  return table.concat(lines, "\n") .. "\n"
end

-- The table with all rows, in lines of any length.
function terminal.whole(of) return { terminal.text(of, 1 << 40, 1 << 40) } end

-- A table of plain texts; columns `first` to `last` are numbers.
function terminal.of_texts(names, rows, first, last)
  local of = { columns = {}, rows = rows, count = #rows }
  for i, name in ipairs(names) do
    of.columns[i] = { key = name, name = name, kind = "text", is_number = i >= first and i <= last }
  end
  function of.shown(row, column) return rows[row][column] end
  of.cell = of.shown
  return of
end

-- The sentence as lines that are no longer than `width`, all but the first indented; words stay whole.
function terminal.wrap(sentence, width)
  local parts, used = {}, nil
  for word in (core.shown(sentence) .. " "):gmatch("([^ ]*) ") do
    local length = text.length(word)
    local fits = used and used + 1 + length <= width
    parts[#parts + 1] = (not used and "" or fits and " " or "\n  ") .. word
    used = not used and length or fits and used + 1 + length or 2 + length
  end
  return table.concat(parts) .. "\n"
end

return terminal
