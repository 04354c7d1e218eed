-- SPDX-License-Identifier: BSD-3-Clause
-- A study's conclusions (views/tables/conclusion.lua), for a terminal and for the report.
local terminal = require "terminal"
local text = require "text"
local conclusion = {}

-- A table whose title is a comment is the text of a Lua file, in one column.
local function is_lua(title) return title:sub(1, 2) == "--" end

-- { title, table } of each part of the text.
function conclusion.tables(of)
  local tables, lines = {}, {}
  local function finish()
    if #lines < 2 or is_lua(lines[1]) then
      lines = {}
      return
    end
    local rows = {}
    for i = 3, #lines do rows[i - 2] = text.split(lines[i], "\t") end
    local names = text.split(lines[2], "\t")
    tables[#tables + 1] = { title = lines[1], table = terminal.of_texts(names, rows, #names + 1, #names) }
    lines = {}
  end
  for line in (of .. "\n\n"):gmatch("([^\n]*)\n") do
    if line == "" then finish() else lines[#lines + 1] = line end
  end
  return tables
end

-- The Lua file that the study concludes.
function conclusion.lua(of)
  for part in (of .. "\n\n"):gmatch("(.-)\n\n") do
    if is_lua(part) then return { part .. "\n" } end
  end
  error({ sentence = "-o lua: the study concludes no Lua file, as benchmarks/derive.lua does" }, 0)
end

function conclusion.shown(of)
  local parts = {}
  for i, one in ipairs(conclusion.tables(of)) do parts[i] = one.title .. "\n" .. terminal.whole(one.table)[1] .. "\n" end
  return { table.concat(parts) }
end

return conclusion
