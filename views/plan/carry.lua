-- SPDX-License-Identifier: BSD-3-Clause
-- Runs a plan with data: each chunk is the list of the inputs' chunks that were added to it. It finds threadblocks that
-- would wait for ever, reads before anything is written there, and outputs that are not the collective's sum.
local place = require "plan/place"
local carry = {}

-- The sum of two chunks: both lists in one, in order.
local function add(one, other)
  if not one then return other end
  local sum, i, k = {}, 1, 1
  while one[i] or other[k] do
    if not other[k] or one[i] and one[i] <= other[k] then
      sum[#sum + 1], i = one[i], i + 1
    else
      sum[#sum + 1], k = other[k], k + 1
    end
  end
  return sum
end

local function name_of(block, step)
  return string.format("GPU %d, threadblock %d, step %d (%s)", block.gpu, block.id, block.at - 1, step.name)
end

-- Memory of all GPUs, with the inputs in it. A chunk is divided into plan.parts, as several threadblocks may share one.
local function memory(plan, in_place)
  local of = {}
  for gpu = 0, plan.gpus - 1 do
    local one = { sizes = place.sizes(plan, gpu), bases = place.bases(plan, gpu, in_place), values = {}, writers = {}, packets = {} }
    for chunk = 0, one.sizes.i - 1 do
      for part = 0, plan.parts - 1 do one.values[(one.bases.i + chunk) * plan.parts + part] = { place.origin(gpu, chunk) } end
    end
    of[gpu] = one
  end
  return of
end

local function cell(run, side, k)
  local one = run.memory[side.gpu]
  return one, one.bases[side.buffer] * run.plan.parts + side.at + k
end

-- What keeps the step from going on at part k, and the threadblock for which it waits, if any; nil if nothing does.
local function obstacle(run, block, step, k)
  if k == 0 then
    for _, on in ipairs(step.dependencies) do
      if run.told[on.block] < on.step then
        return string.format("waits for threadblock %d's step %d", on.block.id, on.step - 1), on.block
      end
    end
    for _, key in ipairs(step.waits or {}) do
      if not (run.posted[key] or {})[(run.taken[key] or 0) + 1] then return "waits for a signal from " .. key end
    end
    local barrier = step.barrier
    if barrier then
      local generation = run.arrive(block, step)
      if #generation < barrier.blocks then return string.format("waits at a barrier with %d of %d threadblocks", #generation, barrier.blocks) end
    end
  end
  if step.gets and not (run.queues[step.gets] or {})[(run.taken[step.gets] or 0) + 1] then
    return "waits for what goes from " .. step.gets, run.plan.ends["sends" .. step.gets]
  end
  if step.sends and k % run.plan.together == 0 and (run.under_way[step.sends] or 0) >= run.plan.slots then
    return string.format("waits for room from %s, where %d transfers are under way", step.sends, run.plan.slots) .. run.parts_text(step),
      run.plan.ends["gets" .. step.sends]
  end
  for _, side in ipairs(step.reads) do
    if side.packets then
      local one, at = cell(run, side, k)
      if not one.packets[at] then return string.format("waits for packets in %s[%d]", side.buffer, side.at // run.plan.parts) end
    end
  end
end

local function read_value(run, block, step, side, k)
  local one, at = cell(run, side, k)
  local value = one.values[at]
  if not value then
    run.refuse(step.line, "%s reads %s[%d] of GPU %d before anything is written there", name_of(block, step), side.buffer,
      (side.at + k) // run.plan.parts, side.gpu)
  end
  if side.packets then run.follow(step, one.packets[at]) end
  return value
end

local function take(run, block, step)
  local key = step.gets
  run.taken[key] = (run.taken[key] or 0) + 1
  local sent = run.queues[key][run.taken[key]]
  if sent.of.count ~= step.count then
    run.refuse(step.line, "%s gets %d chunks at once, and line %d sends %d", name_of(block, step), step.count, sent.of.line, sent.of.count)
  end
  if sent.is_last then run.under_way[key] = run.under_way[key] - 1 end
  return sent.value
end

-- Moves part k of a step: a copy moves each source to its own place, other steps add their sources up.
local function move(run, block, step, k)
  local value = step.gets and take(run, block, step) or nil
  for i, side in ipairs(step.reads) do
    local read = read_value(run, block, step, side, k)
    value = step.is_copy and read or add(value, read)
    if step.is_copy then run.write(block, step, step.writes[i], k, value) end
  end
  if not step.is_copy then
    for _, side in ipairs(step.writes) do run.write(block, step, side, k, value) end
  end
  if step.sends then
    local key, together = step.sends, run.plan.together
    run.queues[key] = run.queues[key] or {}
    if k % together == 0 then run.under_way[key] = (run.under_way[key] or 0) + 1 end
    table.insert(run.queues[key], { value = value, of = step, is_last = (k + 1) % together == 0 or k + 1 == step.count })
  end
end

local function begin(run, step)
  for _, key in ipairs(step.waits or {}) do
    run.taken[key] = (run.taken[key] or 0) + 1
    run.follow(step, run.posted[key][run.taken[key]])
  end
  for _, on in ipairs(step.barrier and run.arrived[step] or {}) do run.follow(step, on) end
end

local function finish(run, block, step)
  for _, key in ipairs(step.posts or {}) do
    run.posted[key] = run.posted[key] or {}
    table.insert(run.posted[key], { block = block, step = block.at })
  end
  if step.tells then run.told[block] = block.at end
  block.at, block.part = block.at + 1, 0
end

-- Runs the block as far as it goes; returns whether it went on.
local function advance(run, block)
  local went = false
  while block.steps[block.at] do
    local step = block.steps[block.at]
    if obstacle(run, block, step, block.part) then return went end
    if block.part == 0 then begin(run, step) end
    if block.part < step.count then
      move(run, block, step, block.part)
      block.part = block.part + 1
    end
    if block.part >= step.count then finish(run, block, step) end
    went = true
  end
  return went
end

local function state(of, plan, in_place)
  local run = { plan = plan, refuse = of.refuse, memory = memory(plan, in_place), queues = {}, under_way = {}, taken = {}, posted = {}, told = {}, barriers = {},
    arrived = {} }
  for _, block in ipairs(plan.blocks) do
    block.at, block.part, run.told[block] = 1, 0, 0
    for _, step in ipairs(block.steps) do step.after = {} end
  end
  for key, count in pairs(plan.initial or {}) do
    run.posted[key] = {}
    for i = 1, count do run.posted[key][i] = { block = plan.blocks[1], step = 0 } end
  end
  function run.parts_text(step)
    if step.count <= plan.together then return "" end
    return string.format(", each of %d of the step's %d chunks; a transfer takes more of them at sizes (-e) below %s", plan.together, step.count,
      core.size_text(plan.largest))
  end
  function run.follow(step, on)
    local last = step.after[#step.after]
    if not (last and last.block == on.block and last.step == on.step) then step.after[#step.after + 1] = on end
  end
  function run.write(block, step, side, k, value)
    local one, at = cell(run, side, k)
    one.values[at], one.writers[at] = value, step.line
    one.packets[at] = side.packets and { block = block, step = block.at } or nil
  end
  function run.arrive(block, step)
    if run.arrived[step] then return run.arrived[step] end
    local generations = run.barriers[step.barrier.key] or { {} }
    run.barriers[step.barrier.key] = generations
    if #generations[#generations] == step.barrier.blocks then generations[#generations + 1] = {} end
    local last = generations[#generations]
    last[#last + 1] = { block = block, step = block.at - 1 }
    run.arrived[step] = last
    return last
  end
  return run
end

-- Reports a deadlock: follows a waiting block to the one that it waits for, until a block comes again or waits for no other,
-- and names that one.
local function refuse_deadlock(run)
  local block, seen, at = nil, {}, nil
  for _, one in ipairs(run.plan.blocks) do
    if one.steps[one.at] then block = block or one end
  end
  while block do
    at = block
    if seen[block] then break end
    seen[block] = true
    _, block = obstacle(run, block, block.steps[block.at], block.part)
    if block and not block.steps[block.at] then break end
  end
  if not at then return end
  local step = at.steps[at.at]
  run.refuse(step.line, "nothing can go on: %s %s", name_of(at, step), (obstacle(run, at, step, at.part)))
end

local function refuse_sum(run, gpu, chunk, expected, line)
  local one = run.memory[gpu]
  local counts, names = {}, {}
  local value = one.values[(one.bases.o + chunk) * run.plan.parts]
  for _, origin in ipairs(value or {}) do counts[origin] = (counts[origin] or 0) + 1 end
  for _, origin in ipairs(expected) do
    counts[origin] = (counts[origin] or 0) - 1
    names[origin] = true
  end
  for _, origin in ipairs(value or {}) do
    if counts[origin] > 0 then
      run.refuse(line, "o[%d] of GPU %d has %s %s", chunk, gpu, place.origin_text(origin), names[origin] and "more than once" or "which is not of it")
    end
  end
  for _, origin in ipairs(expected) do
    if counts[origin] < 0 then run.refuse(line, "o[%d] of GPU %d has not %s", chunk, gpu, place.origin_text(origin)) end
  end
end

local function check_sums(run)
  local plan = run.plan
  for gpu = 0, plan.gpus - 1 do
    local one = run.memory[gpu]
    for chunk = 0, one.sizes.o - 1 do
      local expected = place.result(plan, gpu, chunk)
      for part = 0, plan.parts - 1 do
        local at = (one.bases.o + chunk) * plan.parts + part
        local value = one.values[at] or {}
        if table.concat(value, " ") ~= table.concat(expected, " ") then
          one.values[(one.bases.o + chunk) * plan.parts] = one.values[at]
          refuse_sum(run, gpu, chunk, expected, one.writers[at] or plan.line)
        end
      end
    end
  end
end

local function check_left(run)
  local keys = {}
  for key in pairs(run.queues) do keys[#keys + 1] = key end
  table.sort(keys)
  for _, key in ipairs(keys) do
    local left = run.queues[key][(run.taken[key] or 0) + 1]
    if left then run.refuse(left.of.line, "what goes from %s here is never received", key) end
  end
end

-- Runs threadblocks one by one, each as far as it can; with `is_reversed` the last ones first, so that steps without an
-- order between them come the other way round.
local function once(of, plan, in_place, is_reversed)
  local run = state(of, plan, in_place)
  local went, count = true, #plan.blocks
  while went do
    went = false
    for i = 1, count do went = advance(run, plan.blocks[is_reversed and count + 1 - i or i]) or went end
  end
  refuse_deadlock(run)
  check_left(run)
  check_sums(run)
end

local function check_bounds(of, plan)
  for _, block in ipairs(plan.blocks) do
    for _, step in ipairs(block.steps) do
      for _, sides in ipairs { step.reads, step.writes } do
        for _, side in ipairs(sides) do
          local size = place.sizes(plan, side.gpu)[side.buffer]
          if side.at + step.count > size * plan.parts then
            of.refuse(step.line, "step %s goes to %s[%d], and GPU %d has %d chunks there", step.name, side.buffer,
              (side.at + step.count - 1) // plan.parts, side.gpu, size)
          end
        end
      end
    end
  end
end

-- Refuses a wrong plan. In a right one, sets `after` of each step to the steps of other threadblocks that it waited for.
function carry.check(of, plan)
  if plan.chunks % plan.gpus ~= 0 and plan.collective ~= "all_reduce" and plan.collective ~= "broadcast" then
    of.refuse(plan.line, "%d chunks are not as many for each of %d GPUs", plan.chunks, plan.gpus)
  end
  check_bounds(of, plan)
  for _, in_place in ipairs(plan.places) do
    once(of, plan, in_place, true)
    once(of, plan, in_place, false)
  end
end

return carry
