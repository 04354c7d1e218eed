-- SPDX-License-Identifier: BSD-3-Clause
-- The time of a plan of MSCCL or MSCCL++ on a machine, from the same operations as NCCL's own algorithms
-- (benchmarks/parts/collective.lua). It runs all threadblocks of all GPUs, each on a multiprocessor; their stores share the
-- links out of their GPU and into the other one.
local collective = require "benchmarks.parts.collective"
local heap = require "views.heap"
local kernel = require "benchmarks.parts.kernel"
local nccl = require "configs.nccl"
local texts = require "views.text"

local plan = {}

-- --- the text of a plan ----------------------------------------------------------------------------

local function numbers(text)
  local list = {}
  if text ~= "-" then
    for number in text:gmatch "%d+" do list[#list + 1] = math.tointeger(tonumber(number)) end
  end
  return list
end

-- The words of a step's line: S, chunks, loads, stores, connection that it gets from, connection that it sends to, GPUs
-- whose memory it loads, GPUs whose memory it stores to, fence, waits.
local function read_step(words)
  local waits, list = {}, numbers(words[10])
  for i = 1, #list, 2 do waits[#waits + 1] = { block = list[i], step = list[i + 1] } end
  local from, to = math.tointeger(tonumber(words[5])), math.tointeger(tonumber(words[6]))
  return { count = tonumber(words[2]), loads = tonumber(words[3]), stores = tonumber(words[4]), from = from > 0 and from, to = to > 0 and to,
    far = numbers(words[7]), puts = numbers(words[8]), fences = words[9] == "f", waits = waits }
end

local PIECE = 4096 -- bytes of a long text that a pattern is matched with at a time

-- Calls `each` with every line of the text, which is searched piece by piece.
local function for_lines(text, each)
  local rest = ""
  for at = 1, #text, PIECE do
    local piece = rest .. text:sub(at, at + PIECE - 1)
    for line in piece:gmatch "([^\n]*)\n" do each(line) end
    rest = piece:match "[^\n]*$"
  end
end

-- Reads a plan as gpunetsim collective --plan hands it over: views/plan/steps.lua.
function plan.read(text)
  local of = { blocks = {} }
  for_lines(text, function(line)
    local words = texts.words(line)
    if words[1] == "S" then
      local steps = of.blocks[#of.blocks].steps
      steps[#steps + 1] = read_step(words)
    elseif words[1] == "B" then
      of.blocks[#of.blocks + 1] = { gpu = math.tointeger(tonumber(words[2])), peer = math.tointeger(tonumber(words[3])), steps = {} }
    else
      of.operation, of.protocol, of.place = words[1], words[2], words[5]
      of.gpus, of.chunks, of.given_threads = math.tointeger(tonumber(words[3])), math.tointeger(tonumber(words[4])), math.tointeger(tonumber(words[6]))
    end
  end)
  return of
end

-- --- units -----------------------------------------------------------------------------------------

-- The most threadblocks of a GPU; and the most of those that store to other GPUs.
local function count_blocks(of)
  local all, senders = {}, {}
  for _, block in ipairs(of.blocks) do
    local sends = false
    for _, step in ipairs(block.steps) do sends = sends or step.to or #step.puts > 0 or #step.far > 0 end
    all[block.gpu] = (all[block.gpu] or 0) + 1
    senders[block.gpu] = (senders[block.gpu] or 0) + (sends and 1 or 0)
  end
  local most, most_senders = 1, 1
  for gpu in pairs(all) do most, most_senders = math.max(most, all[gpu]), math.max(most_senders, senders[gpu]) end
  return most, most_senders
end

-- The loops over parts of all chunks: the bytes of a chunk in each loop.
local function loops_of(of)
  local list, left = {}, of.bytes / of.chunks
  while left > 0 do
    list[#list + 1] = math.min(of.most, left)
    left = left - list[#list]
  end
  return list
end

-- The units of a step: as many of its chunks go in one transfer as fit into it.
local function units_of(of, step, chunk)
  local together, list, left = math.max(1, of.most // chunk), {}, step.count
  while left > 0 do
    local count = math.min(together, left)
    for _, bytes in ipairs(collective.units_of(of, count * chunk)) do list[#list + 1] = bytes end
    left = left - count
  end
  return list
end

-- --- the run ---------------------------------------------------------------------------------------

local function before(one, other)
  if one.key ~= other.key then return one.key < other.key end
  return one.number < other.number
end

local function state(of, machine)
  local blocks, senders = count_blocks(of)
  local run = { of = of, machine = machine, heap = {}, out = {}, into = {}, arrived = {}, got = {}, done = {}, parked = {}, known = {}, units = {}, senders = senders,
    wire = 1 / (of.protocol == "Simple" and kernel.slice_rate(machine, senders, false) or kernel.link_rate(machine, senders, of.threads)) / nccl.protocols[of.protocol].payload,
    fence = of.protocol == "Simple" and machine.put - machine.way or 0 }
  for gpu = 0, of.gpus - 1 do run.out[gpu], run.into[gpu] = 0, 0 end
  for i, block in ipairs(of.blocks) do
    run.done[i] = {}
    run.heap[i] = { key = 0, number = i, block = block, free = 0, posted = 0, port = 0, step = 1, unit = 1, stored = false }
  end
  return run, blocks
end

local function park(run, what, item)
  run.parked[what] = run.parked[what] or {}
  table.insert(run.parked[what], item)
end

local function wake(run, what)
  for _, item in ipairs(run.parked[what] or {}) do heap.push(run.heap, item, before) end
  run.parked[what] = nil
end

-- The time at which the steps of other threadblocks are over that the step waits for; nil and the step's key if one is not
-- over yet.
local function waited(run, item, step)
  local at = item.free
  for _, wait in ipairs(step.waits) do
    local over = run.done[wait.block][wait.step]
    if not over then return nil, wait.block << 20 | wait.step end
    local is_near = run.of.blocks[wait.block].gpu == item.block.gpu
    at = math.max(at, over + (is_near and run.machine.near or run.machine.way))
  end
  return at
end

-- What is known of a step: its operation as collective.work takes it, and the times before and behind its units.
local function known_of(run, step)
  if not run.known[step] then
    local what = { gets = step.from or #step.far > 0, sends = step.to or #step.puts > 0, loads = step.loads, stores = step.stores }
    local ahead, behind, cold = collective.around(run.of, run.machine, what)
    run.known[step] = { what = what, ahead = ahead + cold, behind = behind, units = {} }
  end
  return run.known[step]
end

local function work_of(run, step, bytes)
  local known = known_of(run, step)
  known.units[bytes] = known.units[bytes] or { collective.work(run.of, run.machine, known.what, bytes) }
  return table.unpack(known.units[bytes])
end

-- Moves bytes over the link out of one GPU and into another one, from `start` on. Returns the time at which the last byte
-- has passed.
local function cross(run, from, to, start, bytes)
  local over = math.max(run.out[from], run.into[to], start) + bytes * run.wire
  run.out[from], run.into[to] = over, over
  return over
end

-- Carries out one unit, which may begin at `start`; the data that it gets have arrived at `came`. `following`: the bytes of
-- the step's next unit.
local function move(run, item, step, bytes, start, came, following)
  local of, machine, gpu = run.of, run.machine, item.block.gpu
  local is_simple, took, alone, sent, all, after, rest = of.protocol == "Simple", work_of(run, step, bytes)
  took = alone or took
  if is_simple and item.moved_before then start = start + kernel.state(of, machine, item.moved_before, item.bytes_before) end
  item.moved_before, item.bytes_before = known_of(run, step).what, bytes
  local done = start + took
  if came then done = math.max(done, came + (after or took)) end
  if is_simple and came then start = math.max(start, came) end -- what is passed on goes over the link once it is there
  done = math.max(done, item.posted, item.port)
  local left = sent or 0
  item.port = done + (all or 0)
  for _, other in ipairs(step.far) do done = math.max(done + machine.far_load - machine.load, cross(run, other, gpu, start, bytes)) end
  for _, other in ipairs(step.puts) do done = math.max(done, cross(run, gpu, other, start, bytes)) end
  if step.to then
    done = math.max(done, cross(run, gpu, item.block.peer, start, bytes))
    item.posted = is_simple and done + (bytes > 0 and run.fence + collective.following(of, following) * run.senders * run.wire or 0) or 0
    local list = run.arrived[step.to] or {}
    run.arrived[step.to] = list
    list[#list + 1] = math.max(done + left, item.posted) + (is_simple and machine.way or kernel.word(machine))
    wake(run, -step.to)
  end
  item.stored = item.stored or #step.puts > 0
  item.free = done + (rest or 0)
end

local function finish(run, item, step)
  item.free = item.free + known_of(run, step).behind
  if step.fences and item.stored then
    item.free, item.stored = item.free + run.fence, false
  end
  run.done[item.number][item.step] = item.free
  wake(run, item.number << 20 | item.step)
  item.step, item.unit = item.step + 1, 1
end

local function units(run, step, chunk)
  run.units[step] = run.units[step] or units_of(run.of, step, chunk)
  return run.units[step]
end

-- Lets the threadblock do a unit or a step; if it cannot, it waits for another threadblock.
local function advance(run, item, chunk)
  local step, start = item.block.steps[item.step], item.free
  if item.unit == 1 then
    local at, missing = waited(run, item, step)
    if not at then return park(run, missing, item) end
    start = at + known_of(run, step).ahead
  end
  local list, came = units(run, step, chunk), nil
  if step.from and item.unit <= #list then
    came = (run.arrived[step.from] or {})[(run.got[step.from] or 0) + 1]
    if not came then return park(run, -step.from, item) end
    run.got[step.from] = (run.got[step.from] or 0) + 1
  end
  if item.unit <= #list then move(run, item, step, list[item.unit], start, came, list[item.unit + 1]) else item.free = start end
  item.unit = item.unit + 1
  if not (step.from or step.to or #step.far > 0 or #step.puts > 0) then -- nothing is shared with others: all units at once
    for k = item.unit, #list do move(run, item, step, list[k], item.free) end
    item.unit = #list + 1
  end
  if item.unit > #list then finish(run, item, step) end
  if item.block.steps[item.step] then
    item.key = item.free
    heap.push(run.heap, item, before)
  end
end

-- Runs all threadblocks through one part of their chunks. Returns when the last one is done.
local function loop(run, items, chunk)
  run.units, run.arrived, run.got = {}, {}, {}
  for i, item in ipairs(items) do
    run.done[i], item.step, item.unit, item.key = {}, 1, 1, item.free
    if #item.block.steps > 0 then heap.push(run.heap, item, before) end
  end
  while #run.heap > 0 do advance(run, heap.pop(run.heap, before), chunk) end
  local last = 0
  for _, item in ipairs(items) do last = math.max(last, item.free, item.posted, item.port) end
  return last
end

local FEW = 3 -- loops simulated one by one; later loops, except the last one, take as long as the last of these
local MOST = 160000 -- the most units of a point: each takes about 600 of a script's instructions

-- Units of one loop.
local function count_units(of, chunk)
  local count = 0
  for _, block in ipairs(of.blocks) do
    for _, step in ipairs(block.steps) do count = count + #units_of(of, step, chunk) end
  end
  return count
end

local function refuse_large(of, loops)
  local count = count_units(of, loops[1])
  if count * math.min(#loops, FEW + 1) > MOST then
    error(("at %d bytes the plan moves %d parts in each of %d loops, and a point can follow %d in %d of them; choose smaller sizes (-e)"):format(of.bytes,
      count, #loops, MOST, math.min(#loops, FEW + 1)), 0)
  end
end

local function moved(run)
  local items, loops = run.heap, loops_of(run.of)
  refuse_large(run.of, loops)
  run.heap = {}
  local last, i = 0, 1
  while i <= #loops do
    if i == FEW and #loops > FEW + 1 then
      local from = last
      last = loop(run, items, loops[i])
      local passed = (#loops - FEW - 1) * (last - from)
      for _, item in ipairs(items) do item.free, item.posted, item.port = item.free + passed, item.posted + passed, item.port + passed end
      for gpu = 0, run.of.gpus - 1 do run.out[gpu], run.into[gpu] = run.out[gpu] + passed, run.into[gpu] + passed end
      i = #loops
    end
    last = loop(run, items, loops[i])
    i = i + 1
  end
  return last
end

-- The plan's time for `asked`: { bytes, element, in_place, launched }, in s, as collective.time gives it.
function plan.time(read, asked, machine)
  local of = { operation = read.operation, protocol = read.protocol, gpus = read.gpus, chunks = read.chunks, blocks = read.blocks, bytes = asked.bytes,
    element = asked.element, in_place = asked.in_place, launched = asked.launched }
  local limits = nccl.protocols[of.protocol]
  of.threads = read.given_threads or limits.threads + (limits.sync_threads or 0)
  of.most = collective.chunk_bytes(of)
  local run, blocks = state(of, machine)
  of.channels = blocks
  local node = collective.node(of, machine)
  local setup = collective.once(of, machine)
  local took = moved(run)
  return { total = collective.called(of, machine, node + setup + took), node = node, setup = setup, moved = took, channels = blocks, threads = of.threads }
end

return plan
