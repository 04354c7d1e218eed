-- SPDX-License-Identifier: BSD-3-Clause
-- Tables as texts for other programs. All end with a newline. Numbers are copied as exact decimals from the table.
local export = {}

local ABSENT = "not modelled" -- stands for a missing number

-- Full-width signs begin a formula too, where the spreadsheet is a Japanese one.
local SIGNS = { "=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠" }

local function cell_of(of, row, column)
  local text = of.cell(row, column)
  if text == nil or of.columns[column].is_number and text == ABSENT then return nil end
  return tostring(text)
end

-- --- lines ---------------------------------------------------------------------------------------

local function is_formula(text)
  for _, sign in ipairs(SIGNS) do
    if text:sub(1, #sign) == sign then return not core.is_number(text) end
  end
  return false
end

-- A text that is safe for a spreadsheet and a terminal: a formula (it begins with = + - @ and is no number) gets an apostrophe
-- before it, and control characters are replaced; its lines stay.
local function harmless(text)
  if text:find("^[%w_.]*$") then return text end
  return (is_formula(text) and "'" or "") .. text:gsub("[^\n]+", function(line) return core.shown(line) end)
end

-- A CSV field, quoted where RFC 4180 asks for it; nil is an empty field.
local function csv_field(text)
  local field = text and harmless(text) or ""
  return field:find('[,"\n]') and '"' .. field:gsub('"', '""') .. '"' or field
end

local function tsv_field(text) return (harmless(text or "NaN"):gsub('[\n"]', " ")) end

-- A line with the columns' names, then a line for each row. Lines end with a bare newline, as the tools that read such files
-- on Unix expect.
local function lines(of, separator, field)
  local made, fields = {}, {}
  for i, column in ipairs(of.columns) do fields[i] = field(column.name) end
  made[1] = table.concat(fields, separator) .. "\n"
  for row = 1, of.count do
    for i = 1, #of.columns do fields[i] = field(cell_of(of, row, i)) end
    made[row + 1] = table.concat(fields, separator) .. "\n"
  end
  return table.concat(made)
end

-- Tidy CSV.
function export.csv(of) return lines(of, ",", csv_field) end

-- Tab-separated columns for gnuplot: the columns' names in a line that it skips, a missing value is NaN. Texts as in CSV;
-- the end of a line is a space.
function export.tsv(of) return "# " .. lines(of, "\t", tsv_field) end

-- --- JSON ----------------------------------------------------------------------------------------

-- Numbers that JSON lacks, as C's library writes them.
local NO_FINITE = { inf = true, infinity = true, nan = true }

local function is_no_finite(text)
  return NO_FINITE[text:lower():match("^[+-]?(.*)$")] or text:find("^[+-]?[%d.]+[eE]?[+-]?%d*$") and
         math.abs(core.number(text)) == math.huge
end

local function json_value(column, text)
  if text == nil or column.is_number and is_no_finite(text) then return "null" end
  return column.is_number and core.is_number(text) and text or core.quoted(text)
end

-- An array of objects, one a line. Numbers are JSON numbers; a missing value is null.
function export.json(of)
  local names, rows = {}, {}
  for i, column in ipairs(of.columns) do names[i] = core.quoted(column.name) .. ": " end
  for row = 1, of.count do
    local members = {}
    for i, column in ipairs(of.columns) do members[i] = names[i] .. json_value(column, cell_of(of, row, i)) end
    rows[row] = "\n  {" .. table.concat(members, ", ") .. "}"
  end
  return "[" .. table.concat(rows, ",") .. "\n]\n"
end

-- The table in a format by its name, as the program asks for it.

-- --- SQL -----------------------------------------------------------------------------------------

local function sql_text(of) return of and "'" .. of:gsub("'", "''") .. "'" or "NULL" end

-- What makes an SQLite file with one table, `results`. Numbers are inserted as texts: the column's affinity converts them, with all
-- digits.
function export.sql(of)
  local columns, rows = {}, {}
  for i, column in ipairs(of.columns) do
    columns[i] = '"' .. column.name:gsub('"', '""') .. '" ' .. (column.is_number and "NUMERIC" or "TEXT")
  end
  for row = 1, of.count do
    local cells = {}
    for i in ipairs(of.columns) do cells[i] = sql_text(of.cell(row, i)) end
    rows[row] = "INSERT INTO results VALUES (" .. table.concat(cells, ", ") .. ");\n"
  end
  return "CREATE TABLE results (" .. table.concat(columns, ", ") .. ");\nBEGIN;\n" .. table.concat(rows) .. "COMMIT;\n"
end

function export.text(of, format) return { export[format](of) } end

return export
