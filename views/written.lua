-- SPDX-License-Identifier: BSD-3-Clause
-- Measures as a user would write them, and as the columns of files have them.
local written = {}

-- The texts of a number in base units of `unit`, or of a plain number without one.
local function texts(unit, number)
  if not unit then return core.value_texts("number", "count", number) end
  return core.value_texts("quantity", unit, math.tointeger(core.round(number)) or math.mininteger)
end

function written.text(unit, number) return (texts(unit, number)) end

function written.column_text(unit, number) return select(2, texts(unit, number)) end

return written
