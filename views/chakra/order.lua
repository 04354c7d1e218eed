-- SPDX-License-Identifier: BSD-3-Clause
-- Sorts the nodes of a trace so that each comes behind those that it waits for; among the nodes that may be next, the one
-- with the least number is.
local heap = require "heap"
local order = {}

local function is_before(one, other) return one.id < other.id end

-- The inverse of the dependencies: for each node the nodes that wait for it, and how many nodes it waits for itself.
local function waiters_of(trace)
  local waiters, missing = {}, {}
  for _, node in ipairs(trace.nodes) do
    local seen = {}
    missing[node] = 0
    for _, on in ipairs(node.deps) do
      if not trace.by_id[on] then node:refuse("it depends on node %d, which the trace does not have", on) end
      if not seen[on] then
        seen[on], missing[node] = true, missing[node] + 1
        waiters[on] = waiters[on] or {}
        table.insert(waiters[on], node)
      end
    end
  end
  return waiters, missing
end

function order.of(trace)
  local waiters, missing = waiters_of(trace)
  local ready, sorted = {}, {}
  for _, node in ipairs(trace.nodes) do
    if missing[node] == 0 then heap.push(ready, node, is_before) end
  end
  while #ready > 0 do
    local node = heap.pop(ready, is_before)
    sorted[#sorted + 1] = node
    for _, waiter in ipairs(waiters[node.id] or {}) do
      missing[waiter] = missing[waiter] - 1
      if missing[waiter] == 0 then heap.push(ready, waiter, is_before) end
    end
  end
  for _, node in ipairs(trace.nodes) do
    if missing[node] > 0 then node:refuse("it depends on itself, through %d nodes that wait in a circle", #trace.nodes - #sorted) end
  end
  return sorted
end

return order
