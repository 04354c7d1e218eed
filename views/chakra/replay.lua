-- SPDX-License-Identifier: BSD-3-Clause
-- Chakra traces as a GOAL schedule. Nodes wait for their data dependencies; control dependencies are nested calls, which do
-- not follow one another. The n-th collective of a group is the same one on all of its ranks, and begins when the last of
-- them has called it.
local collectives = require "chakra/collectives"
local goal = require "chakra/goal"
local groups = require "chakra/groups"
local order = require "chakra/order"
local trace = require "chakra/trace"
local replay = {}

local METADATA, LOAD, STORE, COMPUTE, SEND, RECEIVE, COLLECTIVE = 1, 2, 3, 4, 5, 6, 7
local FIRST_COLLECTIVE_TAG = 1 << 31
local MOST_OPERATIONS = 1 << 24 -- operations of a schedule, which is held as text of some 4 GiB
local MOST_US = 1 << 43 -- duration of a node, about 100 days

local function attribute(node, name)
  local value = node.attributes[name]
  if math.type(value) ~= "integer" then node:refuse("it has no number %s", name) end
  return value
end

local function size_of(node, name)
  local bytes = attribute(node, name)
  if bytes < 0 then node:refuse("%s is below 0, or above 2^63 - 1", name) end
  return bytes
end

local function is_on_host(node) return node.attributes.is_cpu_op == true end

-- --- what takes how long -------------------------------------------------------------------------

local function rate(node, options, name, why)
  if not options[name] then
    node:refuse("%s, and no machine says how fast that is; --trace %s=N gives a number for a second", why, name)
  end
  return options[name]
end

-- Seconds as whole ns; an error if that is longer than a node may take.
local function whole_ns(node, seconds)
  if not (seconds <= MOST_US / 1e6) then node:refuse("computing it takes %g s; at most %g s are replayed", seconds, MOST_US / 1e6) end
  return math.floor(seconds * 1e9 + 0.5)
end

-- A count of a node's work, such as its operations; 0 if the node has none.
local function work(node, name)
  local value = node.attributes[name] or 0
  if type(value) ~= "number" or not (value >= 0 and value < math.huge) then node:refuse("its %s is no number from 0 on", name) end
  return value
end

-- The time on a GPU whose arithmetic or memory is fully used, whichever takes longer.
local function roofline_ns(node, options)
  local ops, bytes, seconds = work(node, "num_ops"), work(node, "tensor_size"), 0
  if ops > 0 then seconds = ops / rate(node, options, "flops", "it has num_ops") end
  if bytes > 0 then seconds = math.max(seconds, bytes / rate(node, options, "memory", "it has tensor_size")) end
  return whole_ns(node, seconds)
end

local function has_work(node) return work(node, "num_ops") > 0 or work(node, "tensor_size") > 0 end

-- Of traces that `gpunetsim export chakra` has written, which says more than their microseconds.
local function exact_ns(node)
  local ns = node.attributes.duration_ns
  return math.type(ns) == "integer" and ns >= 0 and ns // 1000 <= MOST_US and ns or nil
end

-- A duration as recorded, if there is one and no roofline is wanted; else the roofline; a node without either takes no time.
function replay.time_ns(node, options)
  local us = node.duration_us or 0
  if us < 0 or us > MOST_US then node:refuse("its duration is not of this world: %d us", us) end
  local by_roofline = not is_on_host(node) and has_work(node) and (us == 0 or options.compute == "roofline")
  return by_roofline and roofline_ns(node, options) or exact_ns(node) or us * 1000
end

local function stream_of(node)
  if node.type == LOAD or node.type == STORE then return goal.BESIDE end
  return is_on_host(node) and goal.HOST or goal.KERNELS
end

-- --- collectives ---------------------------------------------------------------------------------

-- Whether a node is a collective of its own. A collective's call on the host is not: the kernel that it starts has its own
-- node, with comm_type.
function replay.is_collective(node) return node.type == COLLECTIVE and not (is_on_host(node) and not node.attributes.comm_type) end

local function name_of(node)
  local name = trace.COLLECTIVES[attribute(node, "comm_type")]
  return name or node:refuse("there is no collective of number %d", node.attributes.comm_type)
end

local function told(call) return string.format("%s of %d B", call.name, call.bytes) end

-- The collective that the rank calls next in the group, which must be the same as the other ranks'; and the rank's place, from 0.
local function call_of(of, node, rank)
  local name, members, place = groups.of(of.groups, node, rank)
  local group = of.called[name]
  if not group then
    group = { name = name, members = members, calls = {}, counts = {} }
    of.called[name], of.called[#of.called + 1] = group, group
  end
  local count = (group.counts[rank] or 0) + 1
  group.counts[rank] = count
  local what = name_of(node)
  local call = { name = what, bytes = what == "BARRIER" and 1 or size_of(node, "comm_size"), node = node }
  local first = group.calls[count]
  if not first then
    of.tags = of.tags + 1
    group.calls[count], call.tag = call, FIRST_COLLECTIVE_TAG + of.tags
    return call, group, place
  end
  if first.name ~= call.name or first.bytes ~= call.bytes then
    node:refuse("collective %d of group %s is %s here, and %s in record %d of %s", count, name, told(call), told(first),
      first.node.record, first.node.file)
  end
  return first, group, place
end

local function collective(of, out, node, after)
  local call, group, place = call_of(of, node, out.rank)
  after = goal.join({ after, out.behind[group] or {} })
  if #group.members > 1 then
    after = collectives[call.name]({
      out = out, members = group.members, at = place, bytes = call.bytes, tag = call.tag, all_reduce = of.options.all_reduce,
      reduce_ns = function(bytes) return of.options.memory and whole_ns(node, 3.0 * bytes / of.options.memory) or 0 end,
    }, after)
  end
  out.behind[group] = after
  return after
end

-- Checks that all members have called all of a group's collectives.
local function check_calls(of)
  for _, group in ipairs(of.called) do
    for _, rank in ipairs(group.members) do
      local count = group.counts[rank] or 0
      local missing = group.calls[count + 1]
      if missing then
        missing.node:refuse("rank %d has no collective %d of group %s, which is %s here", rank, count + 1, group.name, told(missing))
      end
    end
  end
end

-- --- messages ------------------------------------------------------------------------------------

-- Notes a send or a receive under its pair and tag; at the end both kinds must match.
local function note(of, kind, from, to, node)
  local key = string.format("%d %d %d", from, to, node.attributes.comm_tag or 0)
  local flow = of.flows[key]
  if not flow then
    flow = { sends = {}, receives = {} }
    of.flows[key] = flow
    of.keys[#of.keys + 1] = key
  end
  table.insert(flow[kind], node)
end

local function peer_of(of, node, name)
  local peer = attribute(node, name)
  if peer < 0 or peer >= of.groups.ranks then node:refuse("%s is %d, and there are traces of ranks 0 to %d", name, peer, of.groups.ranks - 1) end
  return peer
end

local function tag_of(node)
  local tag = node.attributes.comm_tag or 0
  if math.type(tag) ~= "integer" or tag < 0 or tag >= FIRST_COLLECTIVE_TAG then node:refuse("comm_tag has to be from 0 to 2^31 - 1") end
  return tag
end

local function own_end(node, name, rank)
  local own = node.attributes[name] or rank
  if own ~= rank then node:refuse("%s is %s, and this is the trace of rank %d", name, groups.told(own), rank) end
end

local function message(of, out, node, after)
  local bytes, tag = math.max(1, size_of(node, "comm_size")), tag_of(node)
  if node.type == SEND then
    local peer = peer_of(of, node, "comm_dst")
    own_end(node, "comm_src", out.rank)
    note(of, "sends", out.rank, peer, node)
    return { -out:send(peer, bytes, tag, after) } -- a negative label: dependents do not wait for the receiver
  end
  local peer = peer_of(of, node, "comm_src")
  own_end(node, "comm_dst", out.rank)
  note(of, "receives", peer, out.rank, node)
  return { out:receive(peer, bytes, tag, after) }
end

local function check_messages(of)
  for _, key in ipairs(of.keys) do
    local flow = of.flows[key]
    for i = 1, math.max(#flow.sends, #flow.receives) do
      local send, receive = flow.sends[i], flow.receives[i]
      if not receive then send:refuse("no rank receives this message") end
      if not send then receive:refuse("no rank sends this message") end
      if send.attributes.comm_size ~= receive.attributes.comm_size then
        receive:refuse("it is of %d B, and the message sent in record %d of %s of %d B", receive.attributes.comm_size, send.record,
          send.file, send.attributes.comm_size)
      end
    end
  end
end

-- --- ranks ---------------------------------------------------------------------------------------

local function run_node(of, out, node, after)
  if node.type == METADATA then return after end
  if replay.is_collective(node) then return collective(of, out, node, after) end
  if node.type == SEND or node.type == RECEIVE then return message(of, out, node, after) end
  local ns = replay.time_ns(node, of.options)
  return ns > 0 and { out:calc(ns, stream_of(node), after) } or after
end

local function check_count(of, out, node)
  if of.operations + out.count > MOST_OPERATIONS then
    node:refuse("with it the schedule has more than %d operations, the most that are replayed", MOST_OPERATIONS)
  end
end

local function replay_rank(of, one, rank)
  local out, done = goal.new(rank), {}
  out.behind = {}
  for _, node in ipairs(order.of(one)) do
    local after = {}
    for i, on in ipairs(node.deps) do after[i] = done[on] end
    done[node.id] = run_node(of, out, node, #after == 1 and after[1] or goal.join(after))
    check_count(of, out, node)
  end
  of.operations = of.operations + out.count
  return out
end

-- The GOAL text of the traces, one a rank from 0 on.
function replay.text(traces, options)
  local of = { options = options, groups = groups.new(traces, options), called = {}, tags = 0, operations = 0, flows = {}, keys = {} }
  local ranks = {}
  for i, one in ipairs(traces) do ranks[i] = replay_rank(of, one, i - 1) end
  check_calls(of)
  check_messages(of)
  return goal.text(ranks)
end

return replay
