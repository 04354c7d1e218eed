-- SPDX-License-Identifier: BSD-3-Clause
-- Measures as a user would write them, and as columns have them.
local written = {}

-- The number as a measure of the unit, in base units; without one a plain one.
local function texts(unit, number)
  if not unit then return core.value_texts("number", "count", number) end
  return core.value_texts("quantity", unit, math.tointeger(core.round(number)) or math.mininteger)
end

function written.text(unit, number) return (texts(unit, number)) end

function written.column_text(unit, number) return select(2, texts(unit, number)) end

return written
