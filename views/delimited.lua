-- SPDX-License-Identifier: BSD-3-Clause
-- Tables of measurements as text: a row a line, its fields separated by tabs, by semicolons or by commas, whichever of them the first
-- row has, in this order; a field may be in double quotes, with "" for one of them. Lines that begin with # and empty lines are left
-- out. Where semicolons separate, a comma within a number is its decimal point. The columns' names are the first row; or, if that has
-- a field that begins with a digit, the comment right before it, as in the tables of the probe. nccl-tests' text is read, too.
local nccl_tests = require "nccl_tests"
local delimited = {}

local function fail(file, line, format, ...)
  error { sentence = string.format("%s:%d: " .. format, file.path, line, ...) }
end

-- --- fields of a line ----------------------------------------------------------------------------

-- The quoted field that begins at `at`, and where the next separator is; nil if there is none where the field ends.
local function quoted_field(line, at, separator)
  local from = at + 1
  local close = line:find('"', from, true)
  while close and line:sub(close + 1, close + 1) == '"' do close = line:find('"', close + 2, true) end
  if not close then return nil end
  local behind = line:find("[^ ]", close + 1) or #line + 1
  if behind <= #line and line:sub(behind, behind) ~= separator then return nil end
  return line:sub(from, close - 1):gsub('""', '"'), behind
end

-- A line's fields without blanks around them; nil if a quoted one has no end.
local function split(line, separator)
  local fields, at = {}, 1
  repeat
    at = line:find("[^ ]", at) or #line + 1
    local field, behind
    if line:sub(at, at) == '"' then
      field, behind = quoted_field(line, at, separator)
      if not field then return nil end
    else
      behind = line:find(separator, at, true) or #line + 1
      field = line:sub(at, behind - 1)
    end
    fields[#fields + 1] = field:match("^%s*(.-)%s*$")
    at = behind + 1
  until behind > #line
  return fields
end

-- Of a line with tabs or semicolons that are not within quotes, these; else commas.
local function separator_of(line)
  local plain = line:gsub('"[^"]*"?', "")
  return plain:find("\t", 1, true) and "\t" or plain:find(";", 1, true) and ";" or ","
end

-- --- names ---------------------------------------------------------------------------------------

local function is_comment(line) return line:sub(1, 1) == "#" end
-- A first line "sep=;" is for a spreadsheet only.
local function is_row(line) return not is_comment(line) and not line:find("^sep=.$") and line:find("[^ \t]") ~= nil end

-- Names of columns do not begin with a digit; a row of measurements has some field that does.
local function has_number(fields)
  for _, field in ipairs(fields) do
    if field:find("^[-.]?%d") then return true end
  end
end

-- The fields of a comment; nil if it is none.
local function split_comment(line, separator) return is_comment(line) and split(line:match("^[# ]*(.*)$"), separator) or nil end

-- Whether a comment right before the first row, or at the end of a file without rows, has the columns' names: as many as the row has
-- fields; or it has tabs, which no sentence has.
local function is_of_names(names, comment, row, fields)
  if not names then return false end
  if not row then return #names > 1 end
  return fields ~= nil and has_number(fields) and (#names == #fields or comment:find("\t", 1, true) ~= nil)
end

-- Takes the columns' names from the lines. Returns the number of the line behind them, and the separator.
local function read_names(file, lines)
  local first = 1
  while lines[first] and not is_row(lines[first]) do first = first + 1 end
  local row, comment = lines[first], lines[first - 1] or ""
  local separator = separator_of(row or comment)
  local fields, names = row and split(row, separator), split_comment(comment, separator)
  local is_named = is_of_names(names, comment, row, fields)
  file.columns = is_named and names or fields
  file.names_line = is_named and first - 1 or first
  if not file.columns then fail(file, math.max(first - 1, 1), "there are no columns") end
  return file.names_line + 1, separator
end

local function check_names(file)
  local known = {}
  for i, name in ipairs(file.columns) do
    if name == "" then fail(file, file.names_line, "column %d has no name", i) end
    if core.is_number(name) then
      fail(file, file.names_line, "the columns' names have to stand here or in a comment right before: %s is a number", name)
    end
    if known[name] then fail(file, file.names_line, 'two columns have the name "%s"', name) end
    known[name] = true
  end
end

-- --- rows ----------------------------------------------------------------------------------------

local function are_names(file, fields)
  return fields ~= nil and table.concat(fields, "\n") == table.concat(file.columns, "\n")
end

-- "5,2" as spreadsheets of many languages write 5.2; they then separate fields by semicolons.
local function with_point(field) return (field:gsub("^([-+]?%d+),(%d+)", "%1.%2")) end

local function add_row(file, line, separator, number)
  local fields
  if is_comment(line) then fields = split_comment(line, separator) else fields = split(line, separator) end
  if are_names(file, fields) then
    fail(file, number, "the columns' names stand here a second time; a file has one table, of one machine")
  end
  if is_comment(line) or fields and table.concat(fields) == "" then return end -- as spreadsheets write below a table
  if not fields then fail(file, number, "a field in quotes does not end before the next separator") end
  if #fields ~= #file.columns then
    fail(file, number, "%d fields where the columns' names are %d", #fields, #file.columns)
  end
  if separator == ";" then
    for i, field in ipairs(fields) do fields[i] = with_point(field) end
  end
  fields.line = number
  file.rows[#file.rows + 1] = fields
end

-- The lines of a text; an old Mac's has no \n.
function delimited.lines(of)
  local lines, ending = {}, of:find("\n", 1, true) and "\n" or "\r"
  for line in (of .. ending):gmatch("(.-)" .. ending) do lines[#lines + 1] = line:gsub("\r$", "") end
  return lines
end

-- Reads the file's text, whose path is given: columns, the line of their names, and rows, lists of fields with their line. One sentence
-- with FILE:LINE for a row with fewer or more fields than there are columns, columns without a name, with a number for it or with the
-- name of another one, names that come a second time, and quotes that do not end. There may be no rows.
function delimited.read(file)
  local lines = delimited.lines(file.text)
  if nccl_tests.read(file, lines) then return end
  local next_line, separator = read_names(file, lines)
  check_names(file)
  file.rows = {}
  for i = next_line, #lines do
    if is_comment(lines[i]) or is_row(lines[i]) then add_row(file, lines[i], separator, i) end
  end
end

return delimited
