-- SPDX-License-Identifier: BSD-3-Clause
-- A heap: items come out in the order of `before(one, other)`.
local heap = {}

function heap.push(of, item, before)
  local at = #of + 1
  while at > 1 and before(item, of[at // 2]) do
    of[at], at = of[at // 2], at // 2
  end
  of[at] = item
end

function heap.pop(of, before)
  local top, last, count, at = of[1], of[#of], #of - 1, 1
  of[#of] = nil
  while 2 * at <= count do
    local child = 2 * at
    if child < count and before(of[child + 1], of[child]) then child = child + 1 end
    if not before(of[child], last) then break end
    of[at], at = of[child], child
  end
  if count > 0 then of[at] = last end
  return top
end

return heap
