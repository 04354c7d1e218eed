-- SPDX-License-Identifier: BSD-3-Clause
-- How often a command processor finds in the GPU's L2 what it looks for, while other work-groups stream
-- through it: ComPNet18 section 4.2.3, Fig 7.
--
-- Node 0 runs one kernel. Its first work-groups do networking, blocking puts and gets of `bytes` in turn. The others stream,
-- each through a large buffer of its own. After `warmup` everything is counted for `duration`; then all come to their end.
-- Every work-group of the grid has a queue, and the service threads poll all of them, whether they network or not (ComPNet18
-- section 5.1, Fig 5: cpnet_init; M-134); with `queues` otherwise.
--
-- The difference matters: a work-group that waits polls the line of its entry, and so keeps it in the L2 for the
-- command processor; one that goes on posting does not.
local p = workload {
  description = "Hit rate of command processors in the L2 beside streaming work-groups.",
  in_kernel = true,
  { "design", "design", "The design that serves the operations." },
  { "networking", "count", false, "1", "65536", "Work-groups that put and get." },
  { "streaming", "count", false, "0", "65536", "Work-groups that stream through a buffer of 16 MiB each, again and again." },
  { "queues", { "grid", "networking" }, "grid", "Which work-groups have a queue that service threads poll: all of the grid, or only those that put and get." },
  { "bytes", "shared", "bytes=64B" },
  { "warmup", "time", "1ms", "0ns", "1s", "Time after the launch that is not counted." },
  { "duration", "time", "1ms", "1ns", "1s", "Counted." },
}

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
  counts = next(counts) and counts or run.statistics("node0.gpu0") -- of a node with several GPUs
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
