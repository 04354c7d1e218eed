-- SPDX-License-Identifier: BSD-3-Clause
-- Writes a GOAL schedule, as goal_writer.c prints it, as Chakra traces of schema 0.0.4 (trace.lua): a text for each rank.
-- Nodes can only wait for ends, so an operation that waits for a start waits for everything that the other one waited for.
-- Durations are in whole microseconds, and the remainder counts for the rank's next one; the attribute duration_ns, which
-- other programs ignore, is exact.
local write = {}

local VERSION = "0.0.4"
local COMPUTE, SEND, RECEIVE = 4, 5, 6
local KERNELS = 1 -- the CPU stream whose calculations are kernels (goal --placement both)

local function fail(...) error({ sentence = string.format(...) }, 0) end

-- --- protocol buffers ----------------------------------------------------------------------------

local function varint(value)
  local bytes = {}
  while value < 0 or value > 127 do
    bytes[#bytes + 1], value = string.char(value & 127 | 128), value >> 7
  end
  return table.concat(bytes) .. string.char(value)
end

local function number(field, value) return varint(field << 3) .. varint(value) end
local function bytes(field, text) return varint(field << 3 | 2) .. varint(#text) .. text end

local INT32, INT64, BOOL, STRING = 7, 9, 27, 29 -- fields of an attribute's value

local function attribute(name, kind, value)
  return bytes(10, bytes(1, name) .. (kind == STRING and bytes or number)(kind, value))
end

-- --- nodes ---------------------------------------------------------------------------------------

local function calculation(of, ns, cpu)
  local us = (ns + of.rest_ns) // 1000
  of.rest_ns = (ns + of.rest_ns) % 1000
  return COMPUTE, "calc", number(7, us) .. attribute("is_cpu_op", BOOL, cpu == KERNELS and 0 or 1) .. attribute("duration_ns", INT64, ns)
end

local function message(of, kind, size, peer, tag)
  if peer < 0 or tag < 0 then fail("a Chakra trace's messages have one sender and one tag, and rank %d receives any", of.rank) end
  local from, to = of.rank, peer
  if kind == "recv" then from, to = to, from end
  return kind == "send" and SEND or RECEIVE, kind,
         attribute("comm_size", INT64, size) .. attribute("comm_src", INT32, from) .. attribute("comm_dst", INT32, to) ..
         attribute("comm_tag", INT32, tag)
end

local function read_op(of, label, kind, size, rest)
  local node = { deps = {} }
  size = math.tointeger(tonumber(size))
  if kind == "calc" then
    node.type, node.name, node.rest = calculation(of, size, math.tointeger(rest:match("cpu (%d+)") or 0))
  else
    local peer, tag = rest:match("^b %a+ (%-?%d+) tag (%-?%d+)")
    node.type, node.name, node.rest = message(of, kind, size, math.tointeger(peer), math.tointeger(tag))
  end
  of.nodes[label] = node
end

local function add(of, node, on)
  if not node.has then node.has = {} end
  if not node.has[on] then node.deps[#node.deps + 1], node.has[on] = on, true end
end

-- Reads a line. Lines about an operation follow it, and the operations on which it depends come before.
local function read_line(of, line)
  local label, kind, size, rest = line:match("^l(%d+): (%a+) (%d+)(.*)$")
  if label then return read_op(of, math.tointeger(label), kind, size, rest) end
  local waiter, how, on = line:match("^l(%d+) (i?)requires l(%d+)$")
  waiter, on = of.nodes[math.tointeger(waiter)], math.tointeger(on)
  if how == "" then return add(of, waiter, on) end
  for _, before in ipairs(of.nodes[on].deps) do add(of, waiter, before) end
end

local function node_text(id, node)
  local deps = {}
  for i, on in ipairs(node.deps) do deps[i] = varint(on) end
  local text = number(1, id) .. bytes(2, node.name) .. number(3, node.type)
  if #deps > 0 then text = text .. bytes(5, table.concat(deps)) end
  return text .. node.rest
end

local function rank_text(of)
  local metadata = bytes(1, VERSION)
  local parts = { varint(#metadata) .. metadata }
  for id, node in ipairs(of.nodes) do
    local text = node_text(id, node)
    parts[#parts + 1] = varint(#text) .. text
  end
  return table.concat(parts)
end

-- --- ranks ---------------------------------------------------------------------------------------

-- The traces of a schedule's text, by rank from 1 on.
function write.texts(text)
  local texts, of = {}, nil
  local count = tonumber(text:match("num_ranks (%d+)"))
  for rank = 1, count do texts[rank] = rank_text { nodes = {} } end
  for line in text:gmatch("[^\n]+") do
    local rank = line:match("^rank (%d+)")
    if rank then
      of = { rank = tonumber(rank), nodes = {}, rest_ns = 0 }
    elseif line:match("^l") then
      read_line(of, line)
    elseif line == "}" then
      texts[of.rank + 1] = rank_text(of)
    end
  end
  return texts
end

return write
