-- SPDX-License-Identifier: BSD-3-Clause
-- Shared by the files here. They check the tables that a study hands over, and make plain tables of them for C. A study's
-- table may have metatables, so it is read without them. `core` is script/study/tables.c's.
local shape = {}

-- A copy without a metatable.
function shape.copy(given)
  local plain = {}
  for key, value in next, given do plain[key] = value end
  return plain
end

-- The list { key, value }, ... of a table's fields with names, in the order of the names.
function shape.pairs(given)
  local list = {}
  for i, key in ipairs(core.keys(given)) do list[i] = { key, rawget(given, key) } end
  return list
end

return shape
