-- SPDX-License-Identifier: BSD-3-Clause
-- MSCCL++'s execution plans in JSON: for each GPU its channels, the buffers of others that it may use, and threadblocks with
-- a list of operations. The n-th channel of a GPU to another one is joined with the n-th one back. Packets (LL) bring their
-- own flags.
local json = require "plan/json"
local place = require "plan/place"
local mscclpp = {}

-- What each operation does: adds its sources, or copies one by one; which of them are packets; signals before or after that
-- it waits for or sets. `group`: over the switch, which all ranks of its group are behind.
local OPERATIONS = {
  nop = {}, barrier = { is_barrier = true }, flush = {},
  put = { copies = true }, get = { copies = true }, copy = { copies = true },
  pws = { copies = true, posts = true }, pwsf = { copies = true, posts = true },
  signal = { posts = true }, rlxsignal = { posts = true, is_relaxed = true }, wait = { waits = true }, rlxwait = { waits = true },
  re = {}, res = {}, rre = {}, rres = {},
  ppkt = { copies = true, to = 1 }, cpkt = { copies = true, to = 1 }, upkt = { copies = true, from = 1 }, rppkt = { copies = true, from = 1, to = 1 },
  respkt = { from = 2, to = 2 }, repkt = { from = 2 }, recpkt = { from = 2, to = 2 }, recspkt = { from = 2, to = 2 },
  glres = { group = "both" }, gstore = { group = "to" },
  sem_acquire = { acquires = true }, sem_release = { releases = true }, pipeline = {},
}

local KINDS = { table = "a list", whole = "a whole number from 0 to 1048575", boolean = "true or false", string = "a text" }

local function field(of, table, name, kind)
  local value = table[name]
  if type(value) ~= kind and not (kind == "whole" and math.type(value) == "integer" and value >= 0 and value < 1 << 20) then
    of.refuse(json.line(table), 'an execution plan of MSCCL++ has "%s" here, which is %s', name, KINDS[kind])
  end
  return value
end

-- The channels of a GPU by kind: a list of peers, or, for the switch, of ranks.
local function read_channels(of, gpu)
  local channels = { memory = {}, port = {}, switch = {} }
  for _, one in ipairs(field(of, gpu, "channels", "table")) do
    local kind = field(of, one, "channel_type", "string")
    local list = channels[kind] or of.refuse(json.line(one), 'a channel is "%s"; accepted are memory, port, switch', kind)
    if kind == "switch" then
      for _, group in ipairs(field(of, one, "rank_groups", "table")) do
        list[#list + 1] = { ranks = field(of, group, "ranks", "table"), buffer = one.buffer_type or one.buff }
      end
    else
      local count = {}
      for _, peer in ipairs(field(of, one, "connected_to", "table")) do
        if math.type(peer) ~= "integer" then of.refuse(json.line(one), "connected_to is a list of GPUs' numbers") end
        count[peer] = (count[peer] or 0) + 1
        list[#list + 1] = { peer = peer, number = count[peer] }
      end
    end
  end
  return channels
end

local function signal_name(kind, from, to, number) return string.format("GPU %d to GPU %d on %s channel %d", from, to, kind, number - 1) end

-- The entry that a threadblock's own number `id` of the kind stands for.
local function look_up(of, op, block, list, key, names, kind, id)
  for _, one in ipairs(block.json[list] or {}) do
    if one[key] == kind and type(one[names]) == "table" and one[names][id + 1] then return one[names][id + 1] end
  end
  return of.refuse(json.line(op), "%s has number %d of %s %s, which threadblock %d does not have", op.name, id, kind, list, block.id)
end

local function channel_of(of, op, block, id)
  local kind = field(of, op, "channel_type", "string")
  local number = look_up(of, op, block, "channels", "channel_type", "channel_ids", kind, id)
  local channel = (block.channels[kind] or {})[number + 1]
  return channel or of.refuse(json.line(op), "%s channel %d is not one of GPU %d", kind, number, block.gpu), kind
end

local BUFFERS = { i = "i", o = "o", s = "s" }

-- The sides of a source or destination: one, or over the switch one for each rank.
local function sides_of(of, op, block, buff)
  local at = field(of, buff, "index", "whole")
  if buff.switch_channel_id then
    local number = look_up(of, op, block, "channels", "channel_type", "channel_ids", "switch", field(of, buff, "switch_channel_id", "whole"))
    local group, list = block.channels.switch[number + 1], {}
    if not group or not BUFFERS[group.buffer] then of.refuse(json.line(op), "switch channel %d is not one of GPU %d", number, block.gpu) end
    for i, rank in ipairs(group.ranks) do list[i] = { gpu = rank, buffer = group.buffer, at = at } end
    return list
  end
  if buff.buffer_id then
    local kind = field(of, op, "channel_type", "string")
    local number = look_up(of, op, block, "remote_buffer_refs", "access_channel_type", "remote_buffer_ids", kind, field(of, buff, "buffer_id", "whole"))
    local remote = block.remotes[number + 1]
    if not remote then of.refuse(json.line(op), "remote buffer %d is not one of GPU %d", number, block.gpu) end
    return { { gpu = field(of, remote, "rank", "whole"), buffer = BUFFERS[remote.type], at = at } }
  end
  local buffer = BUFFERS[field(of, buff, "type", "string")]
  if not buffer then of.refuse(json.line(buff), 'a buffer is "%s"; accepted are i, o, s', buff.type) end
  return { { gpu = block.gpu, buffer = buffer, at = at } }
end

local function read_sides(of, op, block, name, packets_from)
  local list, size = {}, nil
  for number, buff in ipairs(op[name] or {}) do
    local mine = field(of, buff, "size", "whole")
    if size and size ~= mine then of.refuse(json.line(buff), "%s has buffers of %d and of %d chunks", op.name, size, mine) end
    size = mine
    for _, side in ipairs(sides_of(of, op, block, buff)) do
      side.packets = packets_from and number >= packets_from and side.buffer == "s" or nil
      list[#list + 1] = side
    end
  end
  return list, size
end

-- Pairs sources and destinations of a copy: with one source each destination gets it, with several each gets its own.
local function pair(of, op, step)
  while #step.reads > 0 and #step.reads < #step.writes and step.sources == 1 do step.reads[#step.reads + 1] = step.reads[1] end
  if #step.reads ~= #step.writes then of.refuse(step.line, "%s has %d sources and %d destinations", op.name, #step.reads, #step.writes) end
  step.is_copy = true
end

-- Divides chunks into plan.parts, of which each threadblock of a group has its share.
local function divide(of, plan, op, step)
  local share = op.tbg_info
  local first, count = 0, step.count * plan.parts
  if share then
    local size, number = field(of, share, "tbg_size", "whole"), field(of, share, "tb_id", "whole")
    first, count = count // size * number, count // size
  end
  local done = {}
  for _, sides in ipairs { step.reads, step.writes } do
    for _, side in ipairs(sides) do
      if not done[side] then side.at, done[side] = side.at * plan.parts + first, true end
    end
  end
  step.count = count
end

local function read_signals(of, op, block, step, kind)
  if kind.acquires or kind.releases then
    for _, id in ipairs(field(of, op, "semaphore_ids", "table")) do
      local list = kind.acquires and step.waits or step.posts
      list[#list + 1] = string.format("semaphore %d of GPU %d", id, block.gpu)
    end
  end
  if not (kind.posts or kind.waits) then return end
  for _, id in ipairs(field(of, op, "channel_ids", "table")) do
    local channel, over = channel_of(of, op, block, id)
    if kind.posts then step.posts[#step.posts + 1] = signal_name(over, block.gpu, channel.peer, channel.number) end
    if kind.waits then step.waits[#step.waits + 1] = signal_name(over, channel.peer, block.gpu, channel.number) end
  end
end

local read_operations

local function read_operation(of, plan, block, op)
  local name = field(of, op, "name", "string")
  local kind = OPERATIONS[name]
  if not kind then of.refuse(json.line(op), 'there is no operation "%s" of MSCCL++', name) end
  if name == "pipeline" then
    block.is_pipelined = true
    return read_operations(of, plan, block, field(of, op, "ops", "table"))
  end
  local step = { line = json.line(op), name = name, dependencies = {}, waits = {}, posts = {}, tells = true }
  local size, other
  step.reads, size = read_sides(of, op, block, "src_buff", kind.from)
  step.sources = #step.reads
  step.writes, other = read_sides(of, op, block, "dst_buff", kind.to)
  if size and other and size ~= other then of.refuse(step.line, "%s has sources of %d chunks and destinations of %d", name, size, other) end
  step.count = size or 0
  if kind.copies then pair(of, op, step) end
  divide(of, plan, op, step)
  read_signals(of, op, block, step, kind)
  step.fences = kind.posts and not kind.is_relaxed
  if kind.is_barrier then
    step.barrier = { key = string.format("%d:%d", block.gpu, field(of, op, "barrier_id", "whole")), blocks = field(of, op, "num_threadblocks", "whole") }
  end
  if kind.group then step.untimed = "no switch that adds or multiplies is modelled" end
  if block.is_pipelined then step.untimed = step.untimed or "loops of a pipeline are not followed" end
  if op.channel_type == "port" then step.untimed = step.untimed or "no proxy of a port channel is modelled" end
  block.steps[#block.steps + 1] = step
end

read_operations = function(of, plan, block, ops)
  for _, op in ipairs(ops) do read_operation(of, plan, block, op) end
end

local function read_gpu(of, plan, gpu, number)
  if field(of, gpu, "id", "whole") ~= number then of.refuse(json.line(gpu), "GPU %d is where %d is next", gpu.id, number) end
  plan.scratch[number] = field(of, gpu, "scratch_chunks", "whole")
  local channels = read_channels(of, gpu)
  for id, semaphore in ipairs(gpu.semaphores or {}) do
    plan.initial[string.format("semaphore %d of GPU %d", id - 1, number)] = field(of, semaphore, "init_value", "whole")
  end
  for i, one in ipairs(field(of, gpu, "threadblocks", "table")) do
    local block = { gpu = number, id = i - 1, line = json.line(one), json = one, steps = {}, channels = channels, remotes = gpu.remote_buffers or {} }
    read_operations(of, plan, block, field(of, one, "ops", "table"))
    plan.blocks[#plan.blocks + 1] = block
  end
end

local function multiple(one, other)
  local a, b = one, other
  while b > 0 do a, b = b, a % b end
  return one // a * other
end

-- Into how many parts chunks are to be divided for groups of threadblocks.
local function parts_of(of, node, parts)
  if node.tbg_info then
    local size = field(of, node.tbg_info, "tbg_size", "whole")
    if size < 1 or size > 64 or field(of, node.tbg_info, "tb_id", "whole") >= size then
      of.refuse(json.line(node.tbg_info), "a group has 1 to 64 threadblocks, numbered from 0")
    end
    parts = multiple(parts, size)
  end
  for _, child in pairs(node) do
    if type(child) == "table" then parts = parts_of(of, child, parts) end
  end
  return parts
end

function mscclpp.read(of, text)
  local root = json.read(of, text)
  local name = field(of, root, "collective", "string")
  local plan = { line = json.line(root), blocks = {}, scratch = {}, initial = {}, slots = 0, root = 0, collective = place.names[name] }
  if not plan.collective then
    of.refuse(plan.line, '"%s" is no collective that is known; accepted are allreduce, allgather, reducescatter, alltoall, broadcast', name)
  end
  plan.protocol = field(of, root, "protocol", "string")
  if plan.protocol ~= "LL" and plan.protocol ~= "Simple" then of.refuse(plan.line, 'protocol is "%s"; accepted are LL, Simple', plan.protocol) end
  plan.places = { field(of, root, "inplace", "boolean") }
  plan.threads = field(of, root, "num_threads_per_block", "whole")
  local gpus = field(of, root, "gpus", "table")
  plan.gpus = #gpus
  if plan.gpus < 2 then of.refuse(json.line(gpus), "a plan is for two GPUs at least") end
  plan.chunks = field(of, gpus[1], "input_chunks", "whole") * (plan.collective == "all_gather" and plan.gpus or 1)
  plan.parts = parts_of(of, root, 1)
  for i, gpu in ipairs(gpus) do read_gpu(of, plan, gpu, i - 1) end
  return plan
end

return mscclpp
