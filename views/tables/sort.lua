-- SPDX-License-Identifier: BSD-3-Clause
-- table.sort for scripts. Lua's own takes pivots from the clock for lists in a bad order, so that equal entries would come
-- out in a different order each time. Here they keep their order.
local sort = {}

-- Merges the sorted entries left to middle - 1 and middle to right - 1 of `from` into `to`.
local function merge_runs(from, to, less, left, middle, right)
  local a, b = left, middle
  for i = left, right - 1 do
    if a == middle or (b < right and less(from[b], from[a])) then
      to[i], b = from[b], b + 1
    else
      to[i], a = from[a], a + 1
    end
  end
end

function sort.list(list, less, count)
  local from, to, width = {}, {}, 1
  for i = 1, count do from[i] = rawget(list, i) end
  while width < count do
    for left = 1, count, 2 * width do
      merge_runs(from, to, less, left, math.min(left + width, count + 1), math.min(left + 2 * width, count + 1))
    end
    from, to, width = to, from, 2 * width
  end
  for i = 1, count do rawset(list, i, from[i]) end
end

return sort
