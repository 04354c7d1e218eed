-- SPDX-License-Identifier: BSD-3-Clause
local p = ...

run.world {
  groups = p.networking,
  queues = p.networking + (p.queues == "grid" and p.streaming or 0),
  threads = 64,
  served_places = 1,
  streams = p.streaming,
  stream_lines = 16, -- of a wavefront: 4 for each vector load of 4 B per work-item, with 4 loads unrolled
  in_kernel = true,
  buffers = { p.bytes },
}
local streamed = run.counter("node0.kernel", "streamed", "bytes that streaming work-groups have moved", "B")
local operations = run.counter("node0.kernel", "networking_operations", "puts and gets that have returned", "1")
run.count_streams(streamed)
local is_over, counts, counted_bytes, counted_operations

local begins = run.first("gpu", "kernel_launch") + p.warmup
run.at(begins, function(now)
  run.reset_statistics()
  run.measure_from(now)
end)
run.at(begins + p.duration, function(now)
  counts = run.statistics("node0.gpu")
  counts = next(counts) and counts or run.statistics("node0.gpu0") -- of a node with several
  run.measure_to(now)
  counted_bytes, counted_operations = streamed:value(), operations:value()
  is_over = true
  run.end_streams()
end)

run.parties(function(me, _, group)
  local number = group
  while not is_over do
    me[number % 2 == 0 and "put" or "get"](me, 1, group, 1, p.bytes)
    operations:add(1)
    number = number + 1
  end
end)

local function whole(name)
  return math.tointeger(counts[name] // 1)
end

-- 0 of no accesses at all.
local function rate(hits, misses)
  return hits + misses == 0 and 0 or hits / (hits + misses)
end

local hits = whole "l2_hits_cp" + whole "l2_poll_hits_cp"
local misses = whole "l2_misses_cp" + whole "l2_poll_misses_cp"
local own_hits, own_misses = whole "l2_hits_cp_private", whole "l2_misses_cp_private"
run.ratio("hit_rate", rate(hits + own_hits, misses + own_misses))
run.ratio("hit_rate_shared", rate(hits, misses))
run.ratio("hit_rate_private", rate(own_hits, own_misses))
run.count("accesses_shared", hits + misses)
run.count("accesses_private", own_hits + own_misses)
run.count("locks", whole "l2_lock_residency.count")
run.time("lock_mean", whole "l2_lock_residency.mean")
local clock = run.first("gpu", "clock")
run.time("l2_latency", (run.first("gpu", "l2_latency_cycles") * 1000000000000 + clock - 1) // clock)
run.time("lock_p50", whole "l2_lock_residency.p50")
run.time("lock_p99", whole "l2_lock_residency.p99")
run.ratio("locked_lines", counts["l2_locked_lines.mean"])
run.count("locked_lines_most", whole "l2_locked_lines.max")
run.count("lock_fallbacks", whole "l2_lock_fallbacks")
run.rate("streamed", counted_bytes, p.duration)
run.count("operations", counted_operations)
run.times("latency", run.latencies())
run.report(1)
