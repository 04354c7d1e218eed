-- SPDX-License-Identifier: BSD-3-Clause
-- Listens to a simulation for views/explain.lua: keeps sums and distributions of the stages of measured operations, by their
-- origin and design, and the critical paths of iterations (views/critical.lua). Times are in picoseconds.
local critical = require "critical"
local observed = {}

-- How many iterations of a place are kept for later ones that repeat them: the two windows of a steady state, and as many as
-- places may have done before all knew that the windows agree.
local KEPT = 64

local infos = {}   -- for each stage: name, component, description
local designs = {} -- by number: text, facts, own, axes, servers
local origins = {} -- in the order in which they first ended an operation

-- --- distributions -------------------------------------------------------------------------------

-- Buckets as of core/stat.h: 32 an octave, so a quantile is within 1/32 of the true one. Zeros are not recorded.
local SMALL = 32

-- floor(log2(value / SMALL)), corrected for the logarithm's rounding.
local function shift_of(value)
  local shift = math.floor(math.log(value, 2)) - 5
  if value >> shift < SMALL then return shift - 1 end
  return value >> shift >= 2 * SMALL and shift + 1 or shift
end

local function bucket_of(value)
  if value < SMALL then return value end
  local shift = shift_of(value)
  return (shift << 5) + (value >> shift)
end

-- The largest value that falls into the bucket.
local function bucket_end(bucket)
  if bucket < SMALL then return bucket end
  local shift = (bucket >> 5) - 1
  return ((bucket - (shift << 5) + 1) << shift) - 1
end

-- Values are counted exactly up to so many different ones, since the same times repeat; then they go into buckets.
local MOST_VALUES = 1024

local function new_times() return { count = 0, sum = 0, most = 0, buckets = {}, counts = {}, values = 0 } end

-- Puts the counted values into buckets.
local function settle(times)
  local buckets = times.buckets
  for value, count in pairs(times.counts) do
    local bucket = bucket_of(value)
    buckets[bucket] = (buckets[bucket] or 0) + count
    times.count, times.sum = times.count + count, times.sum + value * count
    times.most = math.max(times.most, value)
  end
  times.counts, times.values = {}, 0
end

local function record(times, value, count)
  local counts = times.counts
  local before = counts[value]
  if before then
    counts[value] = before + count
  elseif value ~= 0 and count ~= 0 then
    counts[value], times.values = count, times.values + 1
    if times.values == MOST_VALUES then settle(times) end
  end
end

-- The smallest value (to within its bucket) such that at least the fraction `share` of the `count` values, zeros included,
-- is not above it.
local function quantile(times, count, share)
  local rank, seen = share * count * (1 - 0x1p-50), count - times.count -- 0.07 is a little more than 7/100 as a double
  if seen >= rank then return 0 end
  local buckets = {}
  for bucket in pairs(times.buckets) do buckets[#buckets + 1] = bucket end
  table.sort(buckets)
  for _, bucket in ipairs(buckets) do
    seen = seen + times.buckets[bucket]
    if seen >= rank then return math.min(bucket_end(bucket), times.most) end
  end
  return times.most
end

local function times_of(times, count)
  return { mean_ps = count > 0 and times.sum / count or 0.0, p50_ps = quantile(times, count, 0.5),
           p99_ps = quantile(times, count, 0.99) }
end

-- --- origins -------------------------------------------------------------------------------------

local function new_stages(value)
  local stages = {}
  for i = 1, #infos do stages[i] = value and value() or 0 end
  return stages
end

-- A new origin. Programs that run beside each other are distinguished by their designs; the path of a second one is
-- "PATH@DESIGN".
local function new_origin(path, callers, is_iteration, design)
  local origin = { told_path = path, path = path, callers = callers, design = design, count = 0, left = 0, like = 0,
                   latency = new_times(), stages = new_stages(new_times),
                   places = is_iteration and {}, iterations = is_iteration and {} }
  for _, other in ipairs(origins) do
    if other.path == path and design > 0 then origin.path = path .. "@" .. designs[design].text end
  end
  origins[#origins + 1] = origin
  return origin
end

local function origin_of(path, callers, is_iteration, design)
  for i = 1, #origins do
    local origin = origins[i]
    if origin.design == design and origin.told_path == path then return origin end
  end
  return new_origin(path, callers, is_iteration, design)
end

-- The entry for the place or iteration of that number, from 0 on; those below it are made, too.
local function part_of(parts, number)
  for i = #parts, number do parts[i + 1] = { number = i, count = 0, latency_ps = 0, stages_ps = new_stages() } end
  return parts[number + 1]
end

local function add_to_part(part, spent_ps, latency_ps)
  part.count, part.latency_ps = part.count + 1, part.latency_ps + latency_ps
  for stage, ps in pairs(spent_ps) do part.stages_ps[stage] = part.stages_ps[stage] + ps end
end

-- Adds a measured operation of `parts`: stage, from, to by turns.
local sums_ps = {} -- by stage; all 0 except during a call
local function add_parts(origin, latency_ps, parts)
  local stages, count = origin.stages, #parts
  origin.count = origin.count + 1
  record(origin.latency, latency_ps, 1)
  for i = 1, count, 3 do
    local stage = parts[i]
    sums_ps[stage] = (sums_ps[stage] or 0) + parts[i + 2] - parts[i + 1]
  end
  for i = 1, count, 3 do
    local stage = parts[i]
    record(stages[stage], sums_ps[stage], 1)
    sums_ps[stage] = 0
  end
end

-- Adds an iteration, or a path through one: the time that it spent in each stage, by the stages' numbers.
local function add(origin, caller, latency_ps, spent_ps)
  origin.count = origin.count + 1
  record(origin.latency, latency_ps, 1)
  for stage, ps in pairs(spent_ps) do record(origin.stages[stage], ps, 1) end
  if not origin.places then return end
  local place = part_of(origin.places, caller)
  place.last_ps = place.last_ps or {}
  place.last_ps[place.count % KEPT] = spent_ps
  add_to_part(part_of(origin.iterations, place.count), spent_ps, latency_ps)
  add_to_part(place, spent_ps, latency_ps)
end

-- --- iterations that were not simulated ----------------------------------------------------------

local function record_evenly(times, sum_ps, count)
  local more = sum_ps % count
  record(times, sum_ps // count + 1, more)
  record(times, sum_ps // count, count - more)
end

-- ceil(sum * left / like), computed without overflow of 64 bits.
local function scaled_up(sum_ps, left, like)
  return sum_ps // like * left + -(-(sum_ps % like * left) // like)
end

-- Adds repeated operations, each as the mean of those that it repeats. The sums are rounded, so that the stages still add up
-- to the latency.
local function add_mean(origin, place, repeated)
  local sum_ps, before_ps = 0, 0
  for stage in ipairs(origin.stages) do
    for i = repeated.first, repeated.first + repeated.like - 1 do
      sum_ps = sum_ps + (place.last_ps[i % KEPT][stage] or 0)
    end
    local up_to_ps = scaled_up(sum_ps, repeated.left, repeated.like)
    place.stages_ps[stage] = place.stages_ps[stage] + up_to_ps - before_ps
    record_evenly(origin.stages[stage], up_to_ps - before_ps, repeated.left)
    before_ps = up_to_ps
  end
  place.latency_ps = place.latency_ps + before_ps
  record_evenly(origin.latency, before_ps, repeated.left)
end

-- Adds repeated operations, each as the one that it repeats.
local function add_repeated(origin, place, repeated)
  local first, like, left = repeated.first, repeated.like, repeated.left
  for i = 0, math.min(like, left) - 1 do
    local times, latency_ps = (left - i + like - 1) // like, 0
    local of = first + (repeated.from + i - first) % like
    for stage, spent_ps in pairs(place.last_ps[of % KEPT]) do
      place.stages_ps[stage] = place.stages_ps[stage] + times * spent_ps
      record(origin.stages[stage], spent_ps, times)
      latency_ps = latency_ps + spent_ps
    end
    place.latency_ps = place.latency_ps + times * latency_ps
    record(origin.latency, latency_ps, times)
  end
end

local function count_on(origin, repeated)
  assert(origin.places and repeated.like >= 1, "iterations like none")
  origin.left, origin.like = repeated.left, repeated.like
  for _, place in ipairs(origin.places) do
    if place.count > 0 then
      assert(repeated.first >= place.count - KEPT and repeated.first + repeated.like <= place.count,
             "iterations that are not kept")
      local add_as = repeated.is_exact and add_repeated or add_mean
      add_as(origin, place, repeated)
      place.count, origin.count = place.count + repeated.left, origin.count + repeated.left
    end
  end
end

-- --- what the program calls ----------------------------------------------------------------------

-- First of all.
function observed.stages(list)
  local numbers = {}
  for i, info in ipairs(list) do numbers[info.name] = i end
  infos = list
  critical.stages(numbers)
end

function observed.design(number, value) designs[number] = value end

function observed.operation(path, callers, is_served, is_iteration, tells_steps, program, design, server, is_measured,
                            number, caller, ender, from_ps, to_ps, ...)
  local parts = { ... } -- stage, from, to by turns
  if is_iteration then
    critical.iteration { program = program, design = design, callers = callers, tells_steps = tells_steps,
                         place = caller, actor = ender, is_measured = is_measured, from_ps = from_ps, to_ps = to_ps,
                         parts = parts }
  else
    critical.operation({ number = number, caller = caller, server = server, from_ps = from_ps, to_ps = to_ps, parts = parts },
                       program, ender, is_served)
  end
  if not is_measured then return end
  local origin = origin_of(path, callers, is_iteration, design)
  if not origin.places then return add_parts(origin, to_ps - from_ps, parts) end
  local spent_ps = {}
  for i = 1, #parts, 3 do
    local stage, ps = parts[i], parts[i + 2] - parts[i + 1]
    if ps ~= 0 then spent_ps[stage] = (spent_ps[stage] or 0) + ps end
  end
  add(origin, caller, to_ps - from_ps, spent_ps)
end

function observed.step(_, _, _, _, tells_steps, program, _, actor, ...)
  critical.step(program, actor, tells_steps, ...)
end

function observed.counted_on(path, callers, _, is_iteration, _, _, design, first, like, from, left, is_exact)
  count_on(origin_of(path, callers, is_iteration, design),
           { first = first, like = like, from = from, left = left, is_exact = is_exact })
end

-- Drops what was observed so far: it was a warm-up.
function observed.reset()
  critical.reset()
  origins = {}
end

-- A new simulation begins: the critical paths of the one before become operations of "critical_path".
function observed.begin()
  critical.walk(function(interval, spent_ps)
    add(origin_of("critical_path", interval.callers, false, interval.design), interval.place,
        interval.to_ps - interval.from_ps, spent_ps)
  end)
end

-- --- the result ----------------------------------------------------------------------------------

-- A value as Lua reads it.
local function source_of(value)
  if type(value) ~= "table" then return string.format("%q", value) end
  local parts = {}
  for key, of in pairs(value) do parts[#parts + 1] = "[" .. source_of(key) .. "]=" .. source_of(of) end
  return "{" .. table.concat(parts, ",") .. "}"
end

local function value_of(origin)
  local design, stages, stages_ps = designs[origin.design], {}, {}
  settle(origin.latency)
  for i, info in ipairs(infos) do
    settle(origin.stages[i])
    stages[i], stages_ps[i] = times_of(origin.stages[i], origin.count), origin.stages[i].sum
    stages[i].name, stages[i].component, stages[i].description = info.name, info.component, info.description
  end
  for _, place in ipairs(origin.places or {}) do place.last_ps = nil end
  if design then design.number = origin.design end
  return { path = origin.path, callers = origin.callers, count = origin.count, left = origin.left, like = origin.like,
           latency_ps = origin.latency.sum, latency = times_of(origin.latency, origin.count), stages = stages,
           stages_ps = stages_ps, places = origin.places or {}, iterations = origin.iterations or {}, design = design }
end

-- All observations, for views/explain.lua, as the text of a Lua table.
function observed.result()
  observed.begin()
  local values = {}
  for i, origin in ipairs(origins) do values[i] = value_of(origin) end
  return "return " .. source_of(values)
end

return observed
