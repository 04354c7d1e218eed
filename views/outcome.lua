-- SPDX-License-Identifier: BSD-3-Clause
-- Finds measures of a row (script/searches/vary_lua.h describes rows).
local outcome = {}

-- The first number with this name or column ("latency", "latency_us"; nil: any), and its place in the list.
local function called(row, name)
  for i, measure in ipairs(row.measures) do
    if measure.number and (not name or measure.name == name or measure.column == name) then return measure, i end
  end
end

local function refuse(row, name, place)
  local known = {}
  for _, measure in ipairs(row.measures) do known[#known + 1] = measure.number and measure.name or nil end
  error({ sentence = string.format('%s: no measure "%s" with a number; those are %s', place, name or "",
                                   #known > 0 and table.concat(known, ", ") or "none") }, 0)
end

-- The measure of this name or column; without a name latency or time, else the first number. If there is none or the point
-- failed, raises one sentence that lists the measures; `place` ("at bytes 8B") begins it.
function outcome.find(row, name, place)
  if row.failure then error({ sentence = place .. ": " .. row.failure, code = core.ERROR_RUN }, 0) end
  return (name and called(row, name)) or not name and (called(row, "latency") or called(row, "time") or called(row)) or
         refuse(row, name, place)
end

-- The same measure and its place in the list; nil if there is none.
function outcome.try(row, name)
  if not row.failure then return called(row, name) end
end

-- The number of the measure of exactly this name, in base units; nil: there is none.
function outcome.number(row, name)
  for _, measure in ipairs(row.failure and {} or row.measures) do
    if measure.name == name then return measure.number end
  end
end

-- The spread of a measure that is a mean over phases, in base units: the row's measure NAME_spread; 0 if there is none. Runs that
-- differ in one value draw the same phases, so the mean's own interval counts (NAME_interval_95) where the spread reaches further.
function outcome.spread(row, measure)
  local found = {}
  for _, of in ipairs(row.measures) do
    if of.number and (of.unit == nil) == (measure.unit == nil) then found[of.name] = of.number end
  end
  return found[measure.name .. "_interval_95"] or found[measure.name .. "_spread"] or 0.0
end

return outcome
