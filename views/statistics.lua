-- SPDX-License-Identifier: BSD-3-Clause
-- Of lists of numbers.
local statistics = {}

-- A sorted copy of the list, in ascending order.
function statistics.sorted(numbers)
  local sorted = table.move(numbers, 1, #numbers, 1, {})
  table.sort(sorted)
  return sorted
end

-- The median; nil of an empty list.
function statistics.median(numbers)
  local sorted = statistics.sorted(numbers)
  if #sorted == 0 then return end
  return (sorted[(#sorted + 1) // 2] + sorted[#sorted // 2 + 1]) / 2
end

return statistics
