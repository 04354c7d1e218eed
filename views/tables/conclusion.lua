-- SPDX-License-Identifier: BSD-3-Clause
-- conclude = function(r) return { { title = ..., columns = { ... }, rows = { { ... } } } } end: the tables that a study
-- makes from all its results.
local shape = require "shape"
local conclusion = {}

local function cell(value)
  if type(value) ~= "string" and type(value) ~= "number" then
    core.fail("conclude: a cell is a text or a number, not a " .. type(value))
  end
  return (tostring(value):gsub("%c", " ")) -- tabs and line breaks would end cells and rows, a byte of 0 the whole text
end

local function line(of, count)
  local cells = {}
  for i = 1, count or core.part(of) do cells[i] = cell(rawget(of, i)) end
  return table.concat(cells, "\t")
end

local function lines_of(given)
  if type(given) ~= "table" then core.fail("conclude: it returns a list of tables, not of a " .. type(given)) end
  core.check_keys(given, { "title", "columns", "rows" }, "conclude")
  local of = shape.copy(given)
  if type(of.columns) ~= "table" or type(of.rows) ~= "table" then
    core.fail("conclude: a table has a title, columns and rows")
  end
  local lines = { cell(of.title), line(of.columns) }
  for i = 1, core.part(of.rows) do
    local row = rawget(of.rows, i)
    if type(row) ~= "table" then core.fail("conclude: a row is a list of cells, not a " .. type(row)) end
    lines[i + 2] = line(row, core.part(of.columns))
  end
  return table.concat(lines, "\n")
end

-- As one text: a line with the title, one with the columns, the rows, an empty line before the next table.
function conclusion.text(given)
  if type(given) ~= "table" then core.fail("conclude: it returns a list of tables, not a " .. type(given)) end
  local parts = {}
  for i = 1, core.part(given) do parts[i] = lines_of(rawget(given, i)) end
  return table.concat(parts, "\n\n")
end

return conclusion
