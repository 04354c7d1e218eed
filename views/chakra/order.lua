-- SPDX-License-Identifier: BSD-3-Clause
-- The nodes of a trace in an order in which none stands before what it waits for; among those that may be next, the least number is.
local order = {}

-- --- a heap of nodes by their numbers ------------------------------------------------------------

local function push(heap, node)
  local at = #heap + 1
  while at > 1 and heap[at // 2].id > node.id do
    heap[at], at = heap[at // 2], at // 2
  end
  heap[at] = node
end

local function pop(heap)
  local top, last, count, at = heap[1], heap[#heap], #heap - 1, 1
  heap[#heap] = nil
  while 2 * at <= count do
    local child = 2 * at
    if child < count and heap[child + 1].id < heap[child].id then child = child + 1 end
    if heap[child].id >= last.id then break end
    heap[at], at = heap[child], child
  end
  if count > 0 then heap[at] = last end
  return top
end

-- --- dependencies --------------------------------------------------------------------------------

-- Each node's dependencies, each once, turned round: who waits for whom, and for how many.
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
  local heap, sorted = {}, {}
  for _, node in ipairs(trace.nodes) do
    if missing[node] == 0 then push(heap, node) end
  end
  while #heap > 0 do
    local node = pop(heap)
    sorted[#sorted + 1] = node
    for _, waiter in ipairs(waiters[node.id] or {}) do
      missing[waiter] = missing[waiter] - 1
      if missing[waiter] == 0 then push(heap, waiter) end
    end
  end
  for _, node in ipairs(trace.nodes) do
    if missing[node] > 0 then node:refuse("it depends on itself, through %d nodes that wait in a circle", #trace.nodes - #sorted) end
  end
  return sorted
end

return order
