-- SPDX-License-Identifier: BSD-3-Clause
-- Reads the text that nccl-tests prints (all_reduce_perf and the others) as a table of measurements: two rows for each size,
-- out of place and in place. Lines that do not begin with a number are skipped, as in OSU's text.
local text = require "text"
local nccl_tests = {}

local COLUMNS = { "size (B)", "count", "type", "redop", "root", "place", "time (us)", "algbw (GB/s)", "busbw (GB/s)" }
local HEAD = { "size", "count", "type", "redop", "root" }
local RATES = { "time", "algbw", "busbw" } -- and the number of wrong elements, called #wrong or error

local function fail(file, line, format, ...)
  error { sentence = string.format("%s:%d: " .. format, file.path, line, ...) }
end

-- Whether a comment names nccl-tests' columns: "# size count type redop root time algbw busbw #wrong time ...".
local function is_head(line)
  local words = text.words(line:match "^#(.*)$" or "")
  for i, name in ipairs(HEAD) do
    if words[i] ~= name then return false end
  end
  for i, name in ipairs(RATES) do
    if words[#HEAD + i] ~= name or words[#HEAD + 4 + i] ~= name then return false end
  end
  return true
end

-- The number of the line that names the columns; nil if the text is not from nccl-tests.
local function find_head(lines)
  for i, line in ipairs(lines) do
    if is_head(line) then return i end
  end
end

local function add_rows(file, line, number)
  local words = text.words(line)
  if #words ~= 13 and #words ~= 15 then -- 15: as gpunetsim collective prints, with a band
    fail(file, number, "%d fields where nccl-tests has 13: size, count, type, redop, root, and twice time, algbw, busbw, #wrong", #words)
  end
  for i, place in ipairs { "out-of-place", "in-place" } do
    local row = { words[1], words[2], words[3], words[4], words[5], place, line = number }
    for k = 1, #RATES do row[6 + k] = words[1 + 4 * i + k] end
    file.rows[#file.rows + 1] = row
  end
end

-- Reads the file's lines, if they are nccl-tests', as delimited.read does: columns, names_line and rows. Returns whether
-- they are.
function nccl_tests.read(file, lines)
  local head = find_head(lines)
  if not head then return false end
  file.columns, file.names_line, file.rows = COLUMNS, head, {}
  for i = head + 1, #lines do
    if is_head(lines[i]) then fail(file, i, "a second table of nccl-tests begins here; a file holds one") end
    if lines[i]:find "^%s*%d" then add_rows(file, lines[i], i) end
  end
  return true
end

return nccl_tests
