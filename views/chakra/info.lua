-- SPDX-License-Identifier: BSD-3-Clause
-- gpunetsim trace-info: describes traces, in lines of a name, a tab and a value.
local order = require "chakra/order"
local replay = require "chakra/replay"
local trace = require "chakra/trace"
local info = {}

-- Adds to a count, which stays at 2^63 - 1.
local function add(counts, name, more)
  local sum = (counts[name] or 0) + (more or 1)
  counts[name] = sum >= 0 and sum or math.maxinteger
end

local function count_node(of, node)
  add(of.types, node.type)
  add(of, "deps", #node.deps)
  add(of, "control", #node.control)
  local size = node.attributes.comm_size
  if math.type(size) ~= "integer" or size < 0 then size = 0 end
  if replay.is_collective(node) then
    local name = trace.COLLECTIVES[node.attributes.comm_type] or "collective without comm_type"
    add(of.collectives, name)
    add(of.bytes, name, size)
  elseif node.type == 7 then
    add(of, "called")
  elseif node.type == 5 then
    add(of.bytes, "messages", size)
  elseif node.type == 4 and (node.duration_us or 0) == 0 then
    add(of, (node.attributes.num_ops or node.attributes.tensor_size) and "roofline" or "timeless")
  end
end

-- The number of nodes on the longest path through the dependencies.
local function longest(one)
  local steps, most = {}, 0
  for _, node in ipairs(order.of(one)) do
    local before = 0
    for _, on in ipairs(node.deps) do before = math.max(before, steps[on]) end
    steps[node.id], most = before + 1, math.max(most, before + 1)
  end
  return most
end

-- The sentence that says why the trace cannot be replayed; nil if it can.
local function refusal(call)
  local is_good, fault = pcall(call)
  if is_good then return nil end
  return type(fault) == "table" and fault.sentence or error(fault, 0)
end

local function rows(of, traces, options)
  local lines = {}
  local function row(name, value)
    if value ~= 0 and value ~= nil then lines[#lines + 1] = name .. "\t" .. value end
  end
  row("ranks", #traces)
  row("schema", traces[1].version)
  for type = 1, #trace.TYPES do row(trace.TYPES[type], of.types[type]) end
  for number = 0, #trace.COLLECTIVES do
    local name = trace.COLLECTIVES[number]
    row(name, of.collectives[name])
    row(name .. " bytes", of.bytes[name])
  end
  row("message bytes", of.bytes.messages)
  row("data dependencies", of.deps)
  row("longest chain of nodes", of.longest)
  row("control dependencies, not waited for", of.control)
  row("collectives called by the host, replayed as host code", of.called)
  row("computing by roofline, without a duration", of.roofline)
  row("computing that takes no time, without a duration", of.timeless)
  local rates = setmetatable({ flops = options.flops or 1e12, memory = options.memory or 1e12 }, { __index = options })
  row("refused", refusal(function() replay.text(traces, rates) end) or "nothing")
  return lines
end

function info.text(traces, options)
  local of = { types = {}, collectives = {}, bytes = {}, deps = 0, control = 0, longest = 0 }
  for _, one in ipairs(traces) do
    for _, node in ipairs(one.nodes) do count_node(of, node) end
    if not refusal(function() order.of(one) end) then of.longest = math.max(of.longest, longest(one)) end
  end
  return table.concat(rows(of, traces, options), "\n") .. "\n"
end

return info
