-- SPDX-License-Identifier: BSD-3-Clause
-- Finds curves of a figure that coincide: the one below would be taken for missing.
local overlap = {}

local HIDDEN = 0.006 -- of a panel's height: curves that are nowhere further apart coincide

local function is_finite(number) return number - number == 0 end

-- Whether the curves `i` and `k` of a panel coincide wherever one of them has values; it may be the shorter one.
local function coincide(sheets, one, i, k)
  local both, first_only, second_only = 0, 0, 0
  for row = 1, one.shown.count do
    local first, second = sheets:value_at(one, row, i), sheets:value_at(one, row, k)
    if is_finite(first) and is_finite(second) then
      if math.abs(sheets.y:share(first) - sheets.y:share(second)) > HIDDEN then return false end
      both = both + 1
    else
      first_only = first_only + (is_finite(first) and 1 or 0)
      second_only = second_only + (is_finite(second) and 1 or 0)
    end
  end
  return both > 1 and math.min(first_only, second_only) == 0
end

-- Whether two series coincide in every panel that has both, and some panel has both.
local function are_one(sheets, first, second)
  local is_both_there = false
  for _, one in ipairs(sheets) do
    local places = {}
    for i, series in ipairs(one.series) do places[series] = i end
    if places[first] and places[second] then
      if not coincide(sheets, one, places[first], places[second]) then return false end
      is_both_there = true
    end
  end
  return is_both_there
end

local function joins(sheets, group, number)
  for _, other in ipairs(group) do
    if not are_one(sheets, other, number) then return false end
  end
  return true
end

-- "A, B and C".
local function names_of(sheets, group)
  local names = {}
  for i, number in ipairs(group) do names[i] = sheets.series[number].label end
  local last = table.remove(names)
  return table.concat(names, ", ") .. " and " .. last
end

-- The curves that a reader would take for missing: "Curves that coincide: A, B and C; D and E"; nil if there are none.
function overlap.note(sheets)
  local groups, texts = {}, {}
  local function group_for(number)
    for _, group in ipairs(groups) do
      if joins(sheets, group, number) then return group end
    end
    groups[#groups + 1] = {}
    return groups[#groups]
  end
  for number, series in ipairs(sheets.series) do
    if series.kind == "curve" then table.insert(group_for(number), number) end
  end
  for _, group in ipairs(groups) do
    if #group > 1 then texts[#texts + 1] = names_of(sheets, group) end
  end
  return #texts > 0 and "Curves that coincide: " .. table.concat(texts, "; ") or nil
end

return overlap
