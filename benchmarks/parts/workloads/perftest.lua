-- SPDX-License-Identifier: BSD-3-Clause
local p = ...

local WARM_UP = 4 -- iterations of a latency, each of which is like the ones before
local ATOMIC_BYTES = 8
local verb, what = p.operation:match "^(%a+)_(%a+)$"
local is_latency, is_read, fetches = what == "lat", verb == "read", verb == "read" or verb == "atomic"
local is_on_gpu = p.memory == "gpu"
local bytes = verb == "atomic" and ATOMIC_BYTES or p.bytes
local is_inline = not is_on_gpu and not fetches and p.bytes <= p.inline

run.world {}
local sides = { [0] = run.side(0, p.queues), run.side(1, p.queues) }
local starts, ends = {}, {} -- by place

local function post(side, is_signalled, is_polled)
  side:post(bytes, fetches, is_on_gpu, is_inline, is_signalled, is_polled)
end

local function start(side, place)
  starts[place] = side:now()
  if place == 0 then
    run.measure_from(starts[place])
  end
end

local function fetch_in_turn(side, place)
  for i = 0, WARM_UP + p.iterations - 1 do
    if i == WARM_UP then
      start(side, place)
    end
    post(side, true, false)
    side:take_entry()
  end
end

-- A send's receive is posted again.
local function play(side, place)
  for i = 0, WARM_UP + p.iterations - 1 do
    if i == WARM_UP then
      start(side, place)
    end
    if place == 1 then
      side:take_arrival(verb == "send")
    end
    post(side, true, true)
    side:take_entry()
    if place == 0 then
      side:take_arrival(verb == "send")
    end
  end
end

-- One completion entry is for so many operations.
local function stream(side)
  local covers = is_read and 1 or math.min(p.cq_mod, p.tx_depth)
  local depth = is_read and math.min(p.tx_depth, p.outstanding_reads * p.queues) or p.tx_depth
  local taken = 0
  for i = 0, p.iterations - 1 do
    while i - taken * covers >= depth do
      taken = side:take_entry()
    end
    post(side, (i + 1) % covers == 0 or i + 1 == p.iterations, false)
  end
  while taken < (p.iterations + covers - 1) // covers do
    taken = side:take_entry()
  end
end

run.parties(function(_, place)
  local side = sides[place]
  start(side, place)
  if is_latency and not fetches then
    play(side, place)
  elseif is_latency and place == 0 then
    fetch_in_turn(side, place)
  elseif not is_latency and (place == 0 or p.both_ways) then
    stream(side)
  end
  ends[place] = side:settle()
  if place == 0 or p.both_ways then
    run.measure_to(ends[place])
  end
end)

if is_latency then
  local ways = p.iterations * (fetches and 1 or 2)
  run.time("latency", (ends[0] - starts[0] + ways // 2) // ways)
  run.report(ways)
  return
end
local bytes_per_ps, messages_per_ps, streams = 0, 0, p.both_ways and 2 or 1
for place = 0, streams - 1 do
  local took = ends[place] - starts[place]
  messages_per_ps = messages_per_ps + p.iterations / took
  bytes_per_ps = bytes_per_ps + (p.iterations + 0.0) * p.bytes / took
end
run.rate("bandwidth", math.floor(bytes_per_ps * 1e12 + 0.5))
run.ratio("messages_per_us", messages_per_ps * 1e6)
run.report(p.iterations * streams)
