-- SPDX-License-Identifier: BSD-3-Clause
-- Flags between a GPU thread and a host thread, or between threads of two GPUs: one writes its flag, the other sees it and
-- answers with its own. The other may be a stream whose operations on memory the GPU's front end carries out: it waits for
-- the flag, looking at it now and then, and writes the answer.
local p = workload {
  description = "Round trip of a flag between a GPU thread and a host thread or another GPU's. It takes one look of the thread that began, or two if the first look comes before the answer: a faster link may let more looks come too early, and then the mean rises.",
  { "partner", { "host", "peer", "stream" }, "host", "A thread on a CPU core, with flags in host memory; one of another GPU; or a stream, whose operations on memory the GPU's front end carries out." },
  { "place", { "host", "gpu" }, "gpu", "The memory in which flags of a stream lie." },
  { "delay", "time", "0ns", "0ns", "1s", "Pause between an answer and the next flag, which is not counted." },
  { "polled", { "local", "remote" }, "local", "Between GPUs: each polls a flag in its own memory and writes the other's, or the other way round." },
  { "pairs", "count", "1", "1", "32", "Pairs of threads that exchange flags at the same time." },
  { "ordered", "flag", "true", "GPU threads write their flags after a fence (release), or without one (relaxed)." },
  { "rounds", "count", "20", "1", "100000", "Round trips of each pair, after two that are not counted." },
  rules = {
    { "place", "partner", "|stream|" },
    { "polled", "partner", "|peer|" },
  },
}

local LINE_BYTES = 64
local WARMUP = 2 -- round trips: a GPU thread's second fence still reads behind its first flag, as it has not yet read over that way
local rounds = p.rounds + WARMUP

run.node(p.partner == "peer" and 2 or 1, true)
local there, here -- the flags of the beginners and of the answerers: one line for each pair
local trips, took, units = {}, 0, run.units() -- the time of each round trip, in the order of their ends; and the sum

local function flag(lines, pair)
  return lines + pair * LINE_BYTES
end

-- A GPU thread writes its flag, behind a fence or without one.
local function write_flag(me, at, value)
  if p.ordered then
    me:release("system")
  end
  me:store(at, value)
end

local function begin(me, pair)
  for i = 1, rounds do
    if p.delay > 0 then
      me:sleep(p.delay)
    end
    local start = me:now()
    if i == WARMUP + 1 then
      run.measure_from(start)
    end
    write_flag(me, flag(there, pair), i)
    me:await(flag(here, pair), i)
    local trip = me:now() - start
    if i > WARMUP then
      took = took + trip
      trips[#trips + 1] = trip
      units:add(trip)
    end
    if #trips == p.pairs * p.rounds then
      run.measure_to(me:now())
    end
  end
end

-- Waits until the stream's last answer has arrived in the host's memory; returns how long that took.
local function await_write(me)
  local start = me:now()
  if p.place == "host" then
    me:poll(here)
  end
  return me:now() - start
end

-- The time between two looks of the front end.
local function look_gap()
  run.uses("cuda", "front_end_gap")
  local gap = run.first("cuda", "front_end_gap")
  if p.place ~= "host" then
    return gap
  end
  run.uses("cuda", "front_end_host")
  return gap + run.first("cuda", "front_end_host")
end

-- The front end polls without caching. A write to the host's memory is complete when a read behind it has come back; the
-- first look at the next flag waits for that, while the clock of looks goes on.
local function answer_in_stream(me)
  local operation = run.first("cuda", "front_end_operation")
  for i = 1, rounds do
    local late = i > 1 and await_write(me) or 0
    me:sleep(operation)
    while me:poll(there) ~= i do
      me:sleep(math.max(look_gap() - late, 0))
      late = 0
    end
    me:sleep(2 * operation)
    me:store(here, i)
  end
end

local function answer_on_gpu(me, pair)
  for i = 1, rounds do
    me:await(flag(there, pair), i)
    write_flag(me, flag(here, pair), i)
  end
end

local function answer_on_host(me, pair)
  for i = 1, rounds do
    me:await(flag(there, pair), i)
    me:store(flag(here, pair), i)
  end
end

local starts = {
  host = function()
    local cores = run.first("host", "cores")
    if p.pairs > cores then
      run.refuse(("%d pairs take as many CPU cores; the socket has %d"):format(p.pairs, cores))
    end
    there, here = run.lines(0, "host", p.pairs), run.lines(0, "host", p.pairs)
    for pair = 0, p.pairs - 1 do
      run.thread(0, pair, answer_on_host)
    end
    run.kernel(0, p.pairs, 1, begin)
  end,
  peer = function()
    local is_local = p.polled == "local"
    there = run.lines(is_local and 1 or 0, "gpu", p.pairs)
    here = run.lines(is_local and 0 or 1, "gpu", p.pairs)
    run.kernel(0, p.pairs, 1, begin)
    run.kernel(1, p.pairs, 2, answer_on_gpu)
  end,
  stream = function()
    if p.pairs > 1 then
      run.refuse(("a stream is one partner; there are %d pairs"):format(p.pairs))
    end
    there, here = run.lines(0, p.place, 1), run.lines(0, p.place, 1)
    run.uses("cuda", "front_end_operation")
    run.kernel(0, 1, 1, begin)
    run.kernel(0, 1, 2, answer_in_stream)
  end,
}
starts[p.partner]()
run.finish()

local count = p.pairs * p.rounds
table.sort(trips)
run.time("time", (took + count // 2) // count, units)
run.time("time_median", trips[count // 2 + 1])
run.observe(count)
run.events()
