-- SPDX-License-Identifier: BSD-3-Clause
-- MSCCL's algorithms in XML: <algo><gpu><tb><step>. A threadblock receives of one GPU and sends to one GPU over a channel;
-- the steps of a threadblock go one behind the other, and one may wait for a step of another threadblock of its GPU (depid,
-- deps).
local place = require "plan/place"
local msccl = {}

-- For each type of step: whether it receives, adds its own data, stores, sends. `re` adds its source to its destination.
local STEPS = {
  s = { reads = "src", sends = true }, r = { gets = true, writes = true }, rcs = { gets = true, writes = true, sends = true },
  rrs = { gets = true, reads = "src", sends = true }, rrc = { gets = true, reads = "src", writes = true },
  rrcs = { gets = true, reads = "src", writes = true, sends = true }, cpy = { reads = "src", writes = true },
  re = { reads = "both", writes = true }, nop = {},
}
local ACCEPTED = "s, r, rcs, rrs, rrc, rrcs, cpy, re, nop"

-- Transfers that may be under way over a connection, and bytes of one: the eight steps of its buffer, four of which are one
-- of Simple (msccl_struct.h); of LL half is data, of LL128 15/16.
local SLOTS = { LL = 8, LL128 = 8, Simple = 2 }
local SLOT_BYTES = { LL = 32768, LL128 = 576000, Simple = 2 << 20 }

local function whole(of, element, name, least, most, default)
  local text = element.attributes[name] or default
  local number = math.tointeger(tonumber(text))
  if not number or number < least or number > most then
    of.refuse(element.line, "<%s> has %s %s; it is a whole number from %d to %d", element.name, name, text and '"' .. text .. '"' or "nowhere", least, most)
  end
  return number
end

local function word(of, element, name, accepted, shown)
  local text = element.attributes[name]
  local value = text and accepted[text]
  if value == nil then
    of.refuse(element.line, "<%s> has %s %s; accepted are %s", element.name, name, text and '"' .. text .. '"' or "nowhere", shown)
  end
  return value, text
end

local BUFFERS = { i = "i", o = "o", s = "s", input = "i", output = "o", scratch = "s" }

local function side(of, element, gpu, which)
  local buffer = word(of, element, which .. "buf", BUFFERS, "i, o, s")
  return { gpu = gpu, buffer = buffer, at = whole(of, element, which .. "off", 0, 1 << 20) }
end

local function children(of, element, name)
  for _, child in ipairs(element) do
    if child.name ~= name then of.refuse(child.line, "<%s> is in <%s>, which has <%s> only", child.name, element.name, name) end
  end
  return element
end

local function read_step(of, block, element, number)
  if whole(of, element, "s", 0, 1 << 20) ~= number then
    of.refuse(element.line, "the step is number %s where %d is next", element.attributes.s, number)
  end
  local kind, name = word(of, element, "type", STEPS, ACCEPTED)
  local step = { line = element.line, name = name, count = 0, reads = {}, writes = {}, after = {}, dependencies = {},
    tells = whole(of, element, "hasdep", 0, 1, "0") == 1 }
  if name ~= "nop" then
    step.count = whole(of, element, "cnt", 1, 1 << 16)
    if kind.reads then step.reads[1] = side(of, element, block.gpu, "src") end
    if kind.reads == "both" then step.reads[2] = side(of, element, block.gpu, "dst") end
    if kind.writes then step.writes[1] = side(of, element, block.gpu, "dst") end
  end
  for _, which in ipairs { "gets", "sends" } do
    if kind[which] and not block[which] then
      of.refuse(element.line, "step %s %s, but its threadblock has %s=-1", name, which, which == "gets" and "recv" or "send")
    end
    step[which] = kind[which] and block[which] or nil
  end
  local on = whole(of, element, "depid", -1, 4096, "-1")
  if on >= 0 then step.depends = { id = on, step = whole(of, element, "deps", 0, 1 << 20) } end
  return step
end

local function connection(from, to, channel) return string.format("GPU %d to GPU %d on channel %d", from, to, channel) end

local function read_block(of, plan, gpu, element)
  local block = { gpu = gpu, id = whole(of, element, "id", 0, 4096), line = element.line, steps = {} }
  local to, from = whole(of, element, "send", -1, plan.gpus - 1), whole(of, element, "recv", -1, plan.gpus - 1)
  local channel = whole(of, element, "chan", to + from > -2 and 0 or -1, 4096)
  if to == gpu or from == gpu then of.refuse(element.line, "threadblock %d of GPU %d has that GPU itself as a peer", block.id, gpu) end
  if to >= 0 then block.sends, block.to = connection(gpu, to, channel), to end
  if from >= 0 then block.gets = connection(from, gpu, channel) end
  for _, which in ipairs { "sends", "gets" } do
    local key = block[which] and which .. block[which]
    if key and plan.ends[key] then
      of.refuse(element.line, "threadblock %d %s %s, as the one of line %d does", block.id, which, block[which], plan.ends[key].line)
    end
    if key then plan.ends[key] = block end
  end
  for number, child in ipairs(children(of, element, "step")) do block.steps[number] = read_step(of, block, child, number - 1) end
  plan.blocks[#plan.blocks + 1] = block
  return block
end

-- Threadblocks by their numbers, and what their steps wait for.
local function resolve(of, blocks)
  for _, block in pairs(blocks) do
    for _, step in ipairs(block.steps) do
      if step.depends then
        local other = blocks[step.depends.id]
        if not other or not other.steps[step.depends.step + 1] then
          of.refuse(step.line, "the step waits for step %d of threadblock %d, which GPU %d does not have", step.depends.step, step.depends.id, block.gpu)
        end
        step.dependencies[1] = { block = other, step = step.depends.step + 1 }
      end
    end
  end
end

local function read_gpu(of, plan, element)
  local gpu, blocks = whole(of, element, "id", 0, plan.gpus - 1), {}
  if plan.scratch[gpu] then of.refuse(element.line, "GPU %d is there twice", gpu) end
  plan.scratch[gpu] = whole(of, element, "s_chunks", 0, 1 << 20, "0")
  for _, child in ipairs(children(of, element, "tb")) do
    local block = read_block(of, plan, gpu, child)
    if blocks[block.id] then of.refuse(child.line, "threadblock %d of GPU %d is there twice", block.id, gpu) end
    blocks[block.id] = block
  end
  resolve(of, blocks)
  return element
end

-- The plan of an <algo>, for buffers of up to `largest` bytes.
function msccl.read(of, root, largest)
  local plan = { line = root.line, blocks = {}, scratch = {}, ends = {}, parts = 1, root = whole(of, root, "root", 0, 1 << 20, "0") }
  plan.collective = word(of, root, "coll", place.names, "allreduce, allgather, reduce_scatter, alltoall, broadcast")
  local _, protocol = word(of, root, "proto", SLOTS, "LL, LL128, Simple")
  plan.protocol, plan.slots = protocol, SLOTS[protocol]
  plan.gpus, plan.chunks = whole(of, root, "ngpus", 2, 1024), whole(of, root, "nchunksperloop", 1, 1 << 20)
  local most = whole(of, root, "maxBytes", 0, math.maxinteger, "0")
  -- How many chunks of a step go in one transfer, for the largest buffers that are asked for, if the plan is made for them
  -- (msccl_setup.cc).
  if most == 0 or most > largest then most = largest end
  plan.together, plan.largest = math.max(1, SLOT_BYTES[protocol] // -(-most // plan.chunks)), most
  local within = whole(of, root, "inplace", 0, 1, "0") == 1
  local apart = whole(of, root, "outofplace", 0, 1, within and "0" or "1") == 1
  plan.places = {}
  if apart then plan.places[1] = false end
  if within then plan.places[#plan.places + 1] = true end
  local count = 0
  for _, child in ipairs(children(of, root, "gpu")) do count = count + (read_gpu(of, plan, child) and 1 or 0) end
  if count ~= plan.gpus then of.refuse(root.line, "the plan is for %d GPUs, and %d are there", plan.gpus, count) end
  return plan
end

return msccl
