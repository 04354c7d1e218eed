-- SPDX-License-Identifier: BSD-3-Clause
-- A file of measurements as Lua, which scenarios/calibration/parts/texts.lua reads: a table, or the lines of perftest and of OSU.
local delimited = require "delimited"
local data = {}

local function list_of(texts)
  local quoted = {}
  for i, text in ipairs(texts) do quoted[i] = string.format("%q,\n", text) end
  return "{ " .. table.concat(quoted) .. "}"
end

local function cell_of(text)
  return core.is_number(text) and string.format("%.17g", core.number(text)) or string.format("%q", text)
end

local function row_of(columns, row)
  local cells = {}
  for i, column in ipairs(columns) do cells[i] = string.format("[%q] = %s, ", column, cell_of(row[i])) end
  return string.format("{ [0] = %d, %s},\n", row.line, table.concat(cells))
end

local function table_of(path, text)
  local file, rows = { path = path, text = text }, {}
  delimited.read(file)
  for i, row in ipairs(file.rows) do rows[i] = row_of(file.columns, row) end
  local name = path:match("[^/]*$")
  return string.format("table = %q, columns = %s, rows = {\n%s}, ", name:match("^(.+)%.[^.]*$") or name, list_of(file.columns),
                       table.concat(rows))
end

local function lines_of(format, text)
  local lines = {}
  for line in (text .. "\n"):gmatch("(.-)\n") do lines[#lines + 1] = line:match("^(.-)%s*$") end
  return string.format("format = %q, lines = %s, ", format, list_of(lines))
end

-- The entry of a file in the list of files.
function data.entry(path, text)
  local folder = path:match("^(.*[^/])/+[^/]*$") or path:sub(1, 1) == "/" and "/" or "."
  local content
  if text:find("#bytes ", 1, true) then
    content = lines_of("perftest", text)
  elseif text:find("# OSU ", 1, true) then
    content = lines_of("osu", text)
  else
    content = table_of(path, text)
  end
  return string.format("{ file = %q, folder = %q, %s},\n", path, folder, content)
end

return data
