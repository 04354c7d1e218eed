-- SPDX-License-Identifier: BSD-3-Clause
-- Curves of a figure that lie on each other: the one below would be taken for missing.
local overlap = {}

local HIDDEN = 0.006 -- of the height of a panel: no further apart

local function is_finite(number) return number - number == 0 end

-- Whether the curves `i` and `k` of a panel lie on each other wherever one of them, which may be the shorter one, has values.
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

-- Series that no panel tells apart, which a reader would take for missing: "A and B; C and D".
function overlap.note(sheets)
  local pairs_of, apart, together = {}, {}, {}
  for _, one in ipairs(sheets) do
    for i, first in ipairs(one.series) do
      for k = i + 1, #one.series do
        local name = first .. " " .. one.series[k]
        local both = sheets.series[first].kind == "curve" and sheets.series[one.series[k]].kind == "curve"
        if not both or not coincide(sheets, one, i, k) then
          apart[name] = true
        elseif not together[name] then
          together[name] = { first, one.series[k] }
          pairs_of[#pairs_of + 1] = name
        end
      end
    end
  end
  local texts = {}
  for _, name in ipairs(pairs_of) do
    local first, second = table.unpack(together[name])
    if not apart[name] then
      texts[#texts + 1] = sheets.series[first].label .. " and " .. sheets.series[second].label
    end
  end
  return #texts > 0 and "Curves that coincide: " .. table.concat(texts, "; ") or nil
end

return overlap
