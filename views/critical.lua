-- SPDX-License-Identifier: BSD-3-Clause
-- The critical path of an application's iterations: from the end of each backwards, through whatever was waited for last. A
-- wait leads into the stages of the operation that ended it, and these to whoever had posted the operation, at that time: a
-- peer, or the place itself; a barrier leads to who came to it last. So each moment of an iteration is a stage of one
-- operation or the work of one party, and the stages add up to the iteration, to the picosecond.
local critical = {}

local MOST = 1 << 19 -- how many steps, and how many operations, of a simulation are kept; later ones are dropped

local actors, actor_of  -- work-groups, ranks, PEs: as a list, and by program and number
local operations        -- how many are kept
local intervals         -- measured iterations
local last_of           -- the last kept operation of a number
local designs           -- the design of each program, from its first iteration
local turns             -- what each server did, and when
local step_count
local stages            -- numbers by name, from the program

local function forget()
  actors, actor_of, operations, intervals, last_of, designs, turns, step_count = {}, {}, 0, {}, {}, {}, {}, 0
end
forget()

function critical.stages(numbers) stages = numbers end

-- --- what is told --------------------------------------------------------------------------------

local function actor_at(program, number)
  local of_program = actor_of[program] or {}
  local actor = of_program[number]
  if not actor then
    actor = { program = program, number = number, operations = {}, count = 0, is_told = {}, stage = {}, from_ps = {},
              to_ps = {}, operation = {}, after = {}, after_ps = {} }
    actors[#actors + 1] = actor
    actor_of[program], of_program[number] = of_program, actor
  end
  return actor
end

-- Adds a step of an actor. `is_told`: it came with what it waited for; else it is a part of a rank's iteration.
function critical.step(program, number, is_told, stage, from_ps, to_ps, operation, after, after_ps)
  step_count = step_count + 1
  if step_count > MOST then return end
  local actor = actor_at(program, number)
  local i = actor.count + 1
  actor.count, actor.is_told[i], actor.stage[i], actor.from_ps[i], actor.to_ps[i] = i, is_told, stage, from_ps, to_ps
  actor.operation[i], actor.after[i], actor.after_ps[i] = operation, after, after_ps
end

-- Adds an iteration: if a place tells of nothing but its iterations, their parts become its steps.
function critical.iteration(interval)
  local parts = interval.parts
  for i = 1, interval.tells_steps and 0 or #parts, 3 do
    critical.step(interval.program, interval.place, false, parts[i], parts[i + 1], parts[i + 2], 0, interval.place, 0)
  end
  interval.parts = nil
  designs[interval.program] = designs[interval.program] or interval.design
  if interval.is_measured and step_count < MOST and operations < MOST then intervals[#intervals + 1] = interval end
end

-- Keeps what an operation's server did for it, since other operations waited for that.
local function keep_turns(operation)
  local of_server = turns[operation.server] or {}
  turns[operation.server] = of_server
  for i = 1, #operation.parts, 3 do
    local stage, from_ps, to_ps = operation.parts[i], operation.parts[i + 1], operation.parts[i + 2]
    if (stage == stages.mutex or stage == stages.served) and to_ps > from_ps then
      of_server[#of_server + 1] = { stage = stage, from_ps = from_ps, to_ps = to_ps, order = #of_server }
    end
  end
end

local function note_operation(actor, operation)
  local own = actor.operations
  own[#own + 1] = operation
end

-- Adds an operation. Served ones are not kept by caller, since steps of work-groups name the operations that they waited for.
function critical.operation(operation, program, ender, is_served)
  if operations >= MOST then return end
  operations = operations + 1
  operation.before, last_of[operation.number] = last_of[operation.number], operation
  if operation.server then keep_turns(operation) end
  if is_served then return end
  note_operation(actor_at(program, operation.caller), operation)
  if ender ~= operation.caller then note_operation(actor_at(program, ender), operation) end
end

-- Drops the iterations so far: they were a warm-up.
function critical.reset() intervals = {} end

-- --- the way back --------------------------------------------------------------------------------

-- How many of the ascending numbers at(1) to at(count) are below `limit`.
local function count_below(count, limit, at)
  local low, high = 0, count
  while low < high do
    local middle = (low + high) // 2
    if at(middle + 1) < limit then low = middle + 1 else high = middle end
  end
  return low
end

-- The kept operation of that number that had begun by `by_ps`, since numbers are used again; nil if there is none.
local function named(number, by_ps)
  local operation = last_of[number]
  while operation and operation.from_ps >= by_ps do operation = operation.before end
  return operation
end

-- The number of the last step that began before `at_ps`; 0: none.
local function step_before(actor, at_ps)
  return count_below(actor.count, at_ps, function(i) return actor.from_ps[i] end)
end

-- When the operation last reached a stage, up to `by_ps`; that its end is noticed does not count.
local function came_on_ps(operation, by_ps)
  local parts, last_ps = operation.parts, operation.from_ps
  for i = 1, #parts, 3 do
    if parts[i + 2] <= by_ps and parts[i] ~= stages.noticed then last_ps = math.max(last_ps, parts[i + 2]) end
  end
  return last_ps
end

-- Operations are reported nearly in the order of their ends. So those that end at a time or later begin at most FIRST_BEFORE
-- places before the first that does, and those under way then are at most LAST_BEHIND places behind it.
local FIRST_BEFORE, LAST_BEHIND = 64, 512

-- The operation that ended an actor's wait at `at_ps`: among those under way, the one that reached a stage last.
local function arrival(actor, at_ps)
  local own, found, found_ps = actor.operations, nil, -1
  local first = math.max(count_below(#own, at_ps, function(i) return own[i].to_ps end) - FIRST_BEFORE, 0)
  for i = first + 1, math.min(#own, first + LAST_BEHIND) do
    local operation = own[i]
    if operation.from_ps < at_ps and operation.to_ps >= at_ps then
      local last_ps = came_on_ps(operation, at_ps)
      if last_ps > found_ps and last_ps > operation.from_ps then found, found_ps = operation, last_ps end
    end
  end
  return found
end

local function is_wait(stage) return stage == stages.exposed or stage == stages.idle end

-- An actor of the same program that was at work at the path's time; nil: none.
local function at_work(path)
  for _, actor in ipairs(actors) do
    local i = actor.program == path.actor.program and step_before(actor, path.at_ps) or 0
    if i > 0 and actor.to_ps[i] >= path.at_ps and not is_wait(actor.stage[i]) then return actor end
  end
end

-- Counts the time from `from_ps`, or from the iteration's beginning, to the path's time for that stage.
local function spend(path, stage, from_ps)
  from_ps = math.max(from_ps, path.first_ps)
  if from_ps >= path.at_ps then return end
  path.spent_ps[stage] = (path.spent_ps[stage] or 0) + path.at_ps - from_ps
  path.at_ps = from_ps
end

-- The time until a server has seen an entry: as far as it served others, the entry waited for that; the rest is polling.
local function wait_for_server(path, server, stage, from_ps)
  local of_server = server and turns[server] or {}
  for i = count_below(#of_server, path.at_ps + 1, function(k) return of_server[k].to_ps end), 1, -1 do
    local turn = of_server[i]
    if turn.to_ps <= from_ps then break end
    spend(path, stage, turn.to_ps)
    spend(path, turn.stage, math.max(turn.from_ps, from_ps))
  end
  spend(path, stage, from_ps)
end

-- Follows the path back through the stages of an operation to the time at which it was posted.
local function follow(path, operation, after)
  local parts = operation.parts
  spend(path, after, operation.to_ps)
  for i = #parts - 2, 1, -3 do
    if parts[i] == stages.seen then
      wait_for_server(path, operation.server, parts[i], parts[i + 1])
    else
      spend(path, parts[i], parts[i + 1])
    end
  end
  spend(path, after, operation.from_ps)
end

-- One step back.
local function go_back(path)
  local actor = path.actor
  local i = step_before(actor, path.at_ps)
  if i == 0 or actor.to_ps[i] < path.at_ps then return spend(path, stages.idle, i > 0 and actor.to_ps[i] or 0) end
  local stage, from_ps, after, is_ranks = actor.stage[i], actor.from_ps[i], actor.after[i], not actor.is_told[i]
  local operation
  if is_ranks and is_wait(stage) then
    operation = arrival(actor, path.at_ps)
  else
    operation = named(actor.operation[i], path.at_ps)
  end
  if operation and came_on_ps(operation, path.at_ps) > from_ps then
    follow(path, operation, stage)
    path.actor = actor_at(actor.program, is_ranks and operation.caller or after)
  elseif operation and not is_ranks and stage == stages.exposed then
    spend(path, stages.noticed, from_ps) -- it had come before: this is the look
  elseif after ~= actor.number and actor.after_ps[i] > from_ps then
    spend(path, stage, actor.after_ps[i])
    path.actor = actor_at(actor.program, after)
  elseif is_ranks and stage == stages.idle and at_work(path) then
    path.actor = at_work(path)
  else
    spend(path, stage, from_ps)
  end
end

local function ends_before(a, b) return a.to_ps < b.to_ps or (a.to_ps == b.to_ps and a.order < b.order) end

-- Calls `tell` with each measured iteration that was kept and with what its path spent in each stage, by their numbers; and
-- forgets everything.
function critical.walk(tell)
  for _, of_server in pairs(turns) do table.sort(of_server, ends_before) end
  for _, interval in ipairs(intervals) do
    local path = { first_ps = interval.from_ps, at_ps = interval.to_ps, spent_ps = {},
                   actor = actor_at(interval.program, interval.actor) }
    while path.at_ps > interval.from_ps do go_back(path) end
    interval.design = designs[interval.program]
    tell(interval, path.spent_ps)
  end
  forget()
end

return critical
