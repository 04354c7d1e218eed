-- SPDX-License-Identifier: BSD-3-Clause
-- pow2("8B", "1MiB") and range("100ns", "500ns", "100ns"): lists of quantities as texts, or of whole numbers, for the axes
-- of a study.
local series = {}

-- An argument in base units, and its kind, which the first argument sets and the others must share; whole numbers have
-- core.COUNT.
local function read_step(word, given, unit)
  if math.type(given) == "integer" and (unit or core.COUNT) == core.COUNT then return given, core.COUNT end
  if type(given) ~= "string" then
    core.fail(word .. ' needs quantities such as "8B" or whole numbers, all of one kind')
  end
  local quantity, kind = core.read_quantity(given, unit)
  if not quantity then
    local wanted = unit and " of kind " .. core.kind_name(unit) or ": a number and its unit, such as 8B or 5us"
    core.fail(string.format('%s: "%s" is not a quantity%s', word, given, wanted))
  end
  return quantity, kind
end

local function written(quantity, unit) return unit == core.COUNT and quantity or core.quantity_text(quantity, unit) end

function series.pow2(from, to)
  local first, unit = read_step("pow2", from)
  local last, list = read_step("pow2", to, unit), {}
  if first <= 0 or last < first then core.fail("pow2 needs 0 < first <= last") end
  local value = first
  while true do
    list[#list + 1] = written(value, unit)
    if value > last // 2 then return list end
    value = value * 2
  end
end

function series.range(from, to, by)
  local first, unit = read_step("range", from)
  local last, step = read_step("range", to, unit), read_step("range", by, unit)
  if step <= 0 or last < first then core.fail("range needs first <= last and a step above 0") end
  local is_long = last - first < 0 or (last - first) // step >= core.LIST_MAX -- the first: beyond 64 bits
  if is_long then core.fail(string.format("range makes more than %d values", core.LIST_MAX)) end
  local list = {}
  for i = 0, (last - first) // step do list[i + 1] = written(first + i * step, unit) end
  return list
end

return series
