-- SPDX-License-Identifier: BSD-3-Clause
-- Remote gets by one party, one after the other: ComPNet18 section 5.2, Fig 8a.
--
-- The party of node 0 gets `bytes` from the memory of node 1, `repeats` times after `warmup` times that do
-- not count. The latency is what it sees, from the call to its return. As a work-group it is alone in its
-- kernel, and nothing runs on node 1 but its NIC; as a rank it asks for the data by a message that the rank
-- of node 1 answers.
-- The party of node 0 gets from the memory of node 1; as a rank that is read, node 1 answers.
local p = workload {
  description = "Latency of remote gets by one work-group, one after the other.",
  { "kernel", "shared" },
  { "bytes", "shared", "bytes=" },
  { "repeats", "shared", "repeats=100" },
  { "warmup", "shared", "warmup=4" },
}

run.world { groups = 1, threads = p.threads, served_places = 1, buffers = { p.bytes } }
local times = run.histogram("party0", "get", "a get, from the call to its return")

run.parties(function(me, place)
  if place == 1 then
    me:serve(0, 0)
    return
  end
  for i = 0, p.warmup + p.repeats - 1 do
    if i == p.warmup then
      run.reset(me:now())
    end
    local start = me:now()
    me:get(1, 0, 1, p.bytes)
    if i >= p.warmup then
      times:record(me:now() - start)
    end
  end
  run.measure_to(me:now())
  me:leave(1, 0)
end)

-- Work-groups' latencies come from the log of operations, which also has their stages.
times = run.latencies() or times
run.times("latency", times)
run.percentiles("latency", times, p.percentiles)
run.report(p.repeats)
