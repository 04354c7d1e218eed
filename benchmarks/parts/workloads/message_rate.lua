-- SPDX-License-Identifier: BSD-3-Clause
-- How many small puts a kernel gets out: blocks of warps whose lanes put all at once, as in NVSHMEM's shmem_p
-- bandwidth test. A warp is a work-group of its own here; the warps of a block share a queue of the NIC where the
-- design says so (nic_queue.sharers). With `signals` every put carries a signal, by one lane after the other.
local p = workload {
  description = "Rate of small puts from the warps of a kernel.",
  in_kernel = true,
  { "design", "design", "The design that carries the puts." },
  { "blocks", "count", "1", "1", "1024", "Blocks of the kernel." },
  { "warps", "count", "32", "1", "64", "Warps of a block, each a work-group of one wavefront." },
  { "lanes", "count", "32", "1", "64", "Lanes of a warp that put at once." },
  { "bytes", "bytes", "4B", "1B", "1MiB", "Payload of a put." },
  { "messages", "count", "128", "1", "1000000", "Puts of each warp." },
  { "warmup", "count", "0", "0", "1000000", "Warm-up puts of each warp that are not counted; then all warps wait for each other." },
  { "window", "count", "1000000", "1", "1000000", "Puts of a warp between two quiets." },
  { "signals", "flag", "false", "Every put carries a signal; lanes post one after the other." },
}

local groups = p.blocks * p.warps
run.world {
  groups = groups,
  threads = run.value("gpu", "lanes"),
  served_places = 1,
  in_kernel = true,
  cooperative = true,
  buffers = { p.bytes },
  signals = { 1 },
}
local warm, ended = 0, 0 -- warps
local first, last = nil, 0 -- the first call and the last return of all warps

local bytes, lanes, window, has_signals, min = p.bytes, p.lanes, p.window, p.signals, math.min

-- One step of a warp; returns how many puts it made.
local function put(me, group, done, all)
  if has_signals then
    me:post_put_signal(1, group, 1, bytes, 1, 0, done + 1)
    return 1
  end
  local count = min(lanes, all - done, window - done % window)
  me:post_put_lanes(1, group, 1, bytes, count)
  return count
end

local function put_all(me, group, all)
  local done = 0
  while done < all do
    done = done + put(me, group, done, all)
    if done % window == 0 and done < all then
      me:quiet()
    end
  end
  me:quiet()
end

-- The measured part begins; what was observed of a warm-up is forgotten.
local measure_from = p.warmup > 0 and run.reset or run.measure_from

local function counting_begins(me)
  first = me:now()
  measure_from(first)
end

-- Begins to count when all warps have warmed up.
local function warm_up(me, group)
  put_all(me, group, p.warmup)
  warm = warm + 1
  if warm < groups then
    me:sleep("warm-up of the others")
    return
  end
  counting_begins(me)
  me:wake_all()
end

run.parties(function(me, _, group)
  if p.warmup > 0 then
    warm_up(me, group)
  elseif not first then
    counting_begins(me)
  end
  put_all(me, group, p.messages)
  last = math.max(last, me:now())
  ended = ended + 1
  if ended == groups then
    run.measure_to(last)
  end
end)

local puts = groups * p.messages
run.ratio("puts_per_us", puts * 1e6 / (last - first), run.served())
run.time("duration", last - first, "whole")
run.observe(1)
